"""From an annotated function to a tool that a model may call."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import Policy
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.foreign_defaults import with_defaults
from magic_tools.loose.reshape import reshaped
from magic_tools.messages import Language, ToolDefinition, ToolResult
from magic_tools.schema.adapting import adapt
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.dialects.table import Dialect, render_tool
from magic_tools.schema.guard.guard import FOREIGN_TOOL, SchemaLimits
from magic_tools.schema.reading import ARGUMENTS, open_signature, read_signature
from magic_tools.schema.signature import Signature
from magic_tools.schema.walk import resolve
from magic_tools.tools.execution import Arguments, Executable, execute
from magic_tools.tools.results import ResultWriter
from magic_tools.values import Kept

__all__ = ["Tool", "tool"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
_NO_POLICY = Policy()


class Tool(Generic[P, R]):
    """A function that a model may call, and that is still called like the function it is made of.

    Made by `tool`. `name` and `description` are what a model is told of it, `policy` is what its author
    declares. `strict` is whether a provider is to hold a model to its schema: None where that loses nothing.
    """

    def __init__(
        self, fn: Callable[P, R], executable: Executable, description: str, policy: Policy, strict: bool | None
    ) -> None:
        functools.update_wrapper(self, fn, updated=())  # a function's own attributes would hide the tool's
        self.name = executable.name
        self.description = description
        self.policy = policy
        self.strict = strict
        self.executable = executable
        self._fn = fn
        self._renderings: dict[Any, tuple[Kept, Rendered]] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the function itself returns; nothing is checked."""
        return self._fn(*args, **kwargs)

    def __reduce__(self) -> str | tuple[Any, ...]:
        if inspect.ismethod(self._fn):
            return getattr, (self._fn.__self__, self._fn.__name__)
        if not hasattr(self._fn, "__qualname__"):
            raise pickle.PicklingError(f"{self!r} has no name in a module: make it anew where it is wanted.")
        return self._fn.__qualname__  # pickle finds it again by its name in its module, as it does functions

    def __copy__(self) -> Tool[P, R]:
        return self

    def __deepcopy__(self, _: Any) -> Tool[P, R]:
        return self

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    @property
    def contract(self) -> ToolContract:
        """What the tool promises; made on first use and kept, and a copy that the caller may change."""
        return copy.deepcopy(self._contract)

    @classmethod
    def from_schema(
        cls,
        fn: Callable[..., Any],
        *,
        name: str,
        description: str,
        input_schema: Mapping[str, Any],
        output_schema: Mapping[str, Any] | None = None,
        policy: Policy = _NO_POLICY,
        strict: bool | None = None,
        limits: SchemaLimits = FOREIGN_TOOL,
    ) -> Tool[..., Any]:
        """A tool whose parameters are known only at run time, from JSON Schemas that anybody may have written.

        `fn` is called with the arguments by keyword, as plain JSON data, and with the schema's defaults for
        those that are left out; its own hidden parameters are filled from the context, and its other
        annotations count for nothing. DefinitionError where a schema is not one, is larger than its limits or
        could make a check hang, or where the function cannot be called so.
        """
        _check_options(name, description, policy, strict)
        told: object = description  # which a caller without a type checker may leave at None
        if told is None or not isinstance(limits, SchemaLimits):
            raise DefinitionError(f"{name}(): a description is wanted, and limits that are a SchemaLimits.")
        if len(description) > limits.texts:
            raise DefinitionError(
                f"{name}(): the description has {len(description):,} characters, and SchemaLimits.texts allows "
                f"{limits.texts:,}. Shorten it, or pass limits=SchemaLimits(texts=...)."
            )
        where = f"{name}(): the input schema"
        arguments: Schema[Any] = Schema(
            foreign_reader(input_schema, where=where, limits=limits), name=f"{name}()", closed=True
        )
        where = f"{name}(): the output schema"
        results: Schema[Any] = Schema(
            foreign_reader(
                {} if output_schema is None else output_schema, where=where, limits=replace(limits, object_root=False)
            ),
            name=where,
        )
        root = arguments.json_schema
        given = {*root.get("required", ()), *with_defaults({}, {**root, "required": []}, root)}
        signature = open_signature(fn, name, root.get("properties", {}).keys(), given)
        executable = Executable(
            _checked_name(name), fn, signature, arguments, ResultWriter(results), frozenset(policy.scopes), ARGUMENTS
        )
        return Tool(fn, executable, description, policy, strict)

    def definition(self, dialect: Dialect = "openai-chat", strict: bool | None = None) -> dict[str, Any]:
        """What a provider is sent of the tool; a copy that the caller may change.

        Strict where that loses nothing; SchemaRejectedError if `strict` is True and it would.
        """
        return self._rendered(dialect, strict)[0].fresh()

    def dialect_report(self, dialect: Dialect = "openai-chat", strict: bool | None = None) -> tuple[DialectChange, ...]:
        """What the dialect says in another way than the contract, or cannot say."""
        return self._rendered(dialect, strict)[1].changes

    @overload
    def restore(self, arguments: str, dialect: Dialect = ..., strict: bool | None = ...) -> str: ...
    @overload
    def restore(
        self, arguments: Mapping[str, Any], dialect: Dialect = ..., strict: bool | None = ...
    ) -> dict[str, Any]: ...
    def restore(
        self, arguments: str | Mapping[str, Any], dialect: Dialect = "openai-chat", strict: bool | None = None
    ) -> str | dict[str, Any]:
        """The arguments that a model sent by `definition(dialect, strict)`, as the contract has them.

        For callers who send requests by themselves: what a report says was wrapped or moved is put back, also
        in a text with a fence or a comma too many, which stay for `invoke` to mend. A mapping is JSON data that
        was read already, and comes back as such.
        """
        if isinstance(arguments, Mapping):
            restored: dict[str, Any] = json.loads(self.restore(json.dumps(arguments), dialect, strict))
            return restored
        rendered = self._rendered(dialect, strict)[1]
        return reshaped(arguments, lambda found: rendered.restore(found.source, found.members), prose=False)

    def told(self) -> ToolDefinition:
        """The tool as a request carries it to any model; a copy that the model may change."""
        return ToolDefinition(
            self.name,
            self.description,
            self.executable.arguments.json_schema,
            self.strict,
            self.executable.results.schema,
            self.policy.read_only,
            self.policy.idempotent,
        )

    def invoke(
        self, arguments: Arguments = None, *, call_id: str = "call", context: Any = None, language: Language = "en"
    ) -> ToolResult:
        """What a call comes to; never raises for what a model got wrong.

        `arguments` is the text that a model sent, or a mapping. An async function is awaited too.
        `context`, a mapping or an object, fills the hidden parameters; ContextError if it does not. The model is told
        what is wrong in English or Chinese (`language`).
        """
        return run_sync(execute(self._bound(), arguments, call_id, context, language))

    async def ainvoke(
        self, arguments: Arguments = None, *, call_id: str = "call", context: Any = None, language: Language = "en"
    ) -> ToolResult:
        """What a call comes to, awaited; an ordinary function runs in a worker thread."""
        return await run_async(execute(self._bound(), arguments, call_id, context, language))

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Tool[P, R]: ...
    @overload
    def __get__(self: Tool[Concatenate[S, Q], R], instance: S, owner: type | None = None) -> Tool[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Tool[..., R]:
        if not self._is_method or (instance is None and not isinstance(self._fn, classmethod)):
            return self
        bound = self._fn.__get__(instance, owner)
        executable = replace(self.executable, fn=bound, signature=replace(self.executable.signature, unbound=False))
        return self._remade(bound, executable)

    def renamed(self, name: str) -> Tool[P, R]:
        """The same tool under another name, by which a model calls it; DefinitionError if it cannot be one."""
        return self._remade(self._fn, replace(self.executable, name=_checked_name(name)))

    def _remade(self, fn: Callable[Q, R], executable: Executable) -> Tool[Q, R]:
        made = Tool(fn, executable, self.description, self.policy, self.strict)
        made._renderings = self._renderings  # which are kept by name, and are the same for every object
        return made

    @functools.cached_property
    def _contract(self) -> ToolContract:
        return ToolContract(
            id=self.policy.id or self.name,
            description=self.description,
            input_schema=self.executable.arguments.json_schema,
            output_schema=self.executable.results.schema,
            error_schema=self.policy.error_schema,
        )

    @property
    def _is_method(self) -> bool:
        return self.executable.signature.unbound

    def _bound(self) -> Executable:
        if self._is_method:
            raise DefinitionError(
                f"{self._fn.__qualname__} is a method without its object: use it from an instance, "
                f"as in `obj.{self.name}`. For a class method, write @tool above @classmethod."
            )
        return self.executable

    def _rendered(self, dialect: Dialect, strict: bool | None) -> tuple[Kept, Rendered]:
        key = (dialect, strict, self.name, self.description)
        if key not in self._renderings:
            told, rendered = render_tool(self.told(), dialect, strict)
            self._renderings[key] = (Kept(told), rendered)
        return self._renderings[key]


@overload
def tool(
    fn: Callable[P, R], /, *, name: str | None = ..., description: str | None = ..., policy: Policy = ...,
    strict: bool | None = ..., flat: bool = ...,
) -> Tool[P, R]: ...  # fmt: skip
@overload
def tool(
    *, name: str | None = ..., description: str | None = ..., policy: Policy = ..., strict: bool | None = ...,
    flat: bool = ...,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...  # fmt: skip
def tool(
    fn: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    policy: Policy = _NO_POLICY,
    strict: bool | None = None,
    flat: bool = False,
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Make a tool of an annotated function; used as a decorator, with or without arguments.

    The function's name and the prose of its docstring are what a model is told, unless `name` or
    `description` say otherwise. With `flat`, the fields of a function's only parameter, a model or the
    like, are the tool's own; a union has no fields of its own, and stays under its name. DefinitionError
    names the parameter that has no annotation, or one that cannot become a schema.
    """
    _check_options(name, description, policy, strict)
    if fn is not None:
        return _make(fn, name, description, policy, strict, flat)

    def decorate(fn: Callable[P, R]) -> Tool[P, R]:
        return _make(fn, name, description, policy, strict, flat)

    return decorate


def _check_options(name: object, description: object, policy: object, strict: object) -> None:
    """DefinitionError for an option of the wrong kind, which would come out far from here."""
    wanted: Mapping[str, tuple[object, type, str]] = {
        "name": (name, str, "a text"),
        "description": (description, str, "a text"),
        "policy": (policy, Policy, "a Policy, such as Policy(tags=('read',))"),
        "strict": (strict, bool, "True, False or None"),
    }
    for option, (given, kind, words) in wanted.items():
        if not isinstance(given, kind) and not (given is None and option != "policy"):
            raise DefinitionError(f"tool({option}=...) wants {words}, got {given!r:.80}.")


def _make(
    fn: Callable[P, R], name: str | None, description: str | None, policy: Policy, strict: bool | None, flat: bool
) -> Tool[P, R]:
    made = getattr(fn, "__func__", None)
    if isinstance(made, Tool):  # @classmethod above @tool
        return made.__get__(getattr(fn, "__self__", None))
    signature = _signature(fn)
    name = _checked_name(signature.name if name is None else name)
    only = _flattened(signature) if flat else None
    executable = Executable(
        name,
        fn.__func__ if isinstance(fn, staticmethod) else fn,
        signature,
        _arguments(signature) if only is None else only,
        ResultWriter.of(signature),
        frozenset(policy.scopes),
        None if only is None else signature.parameters[0].name,
    )
    return Tool(executable.fn, executable, signature.docs.prose if description is None else description, policy, strict)


def _signature(fn: Callable[..., Any]) -> Signature:
    if isinstance(fn, classmethod | staticmethod):
        return read_signature(fn.__func__, is_method=isinstance(fn, classmethod))
    return read_signature(fn)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise DefinitionError(
            f"{name!r} cannot be a tool's name: providers take letters, digits, _ and -, up to 64, and no digit or - "
            f"first ({_NAME.pattern}). Give another with `@tool(name=...)`."
        )
    return name


def _arguments(signature: Signature) -> Schema[dict[str, Any]]:
    schema = Schema(signature.adapter, name=f"{signature.name}()", closed=True, said=signature.said())
    try:
        schema.check("input")
    except DefinitionError as error:
        fault = error
    else:
        return schema
    signature.check_each()  # names the parameter, if it is one alone
    raise fault


def _flattened(signature: Signature) -> Schema[Any] | None:
    """The schema of a function's only parameter, if that is an object with fields of its own; None for a union."""
    if len(signature.parameters) != 1:
        raise DefinitionError(
            f"{signature.name}(): flat=True wants one parameter that a model fills, and there are "
            f"{len(signature.parameters)}. Leave flat out."
        )
    (parameter,) = signature.parameters
    where = f"{signature.name}(): parameter '{parameter.name}'"
    if not parameter.required:
        raise DefinitionError(
            f"{where} is offered field by field by flat=True, so that it cannot be left out as a whole, and has a "
            "default or a star. Leave the one or the other out."
        )
    adapter = adapt(parameter.annotation, where=where)
    schema = Schema(adapter, name=f"{signature.name}()", closed=True, annotation=parameter.annotation)
    whole = schema.json_schema
    root = resolve(whole, whole)
    if "properties" in root:
        return schema
    if "anyOf" in root or "oneOf" in root:
        return None
    raise DefinitionError(f"{where} has no fields of its own that flat=True could offer. Leave flat out.")
