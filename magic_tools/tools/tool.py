"""From an annotated function to a tool that a model may call."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from magic_tools.chat import ToolDefinition
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import Policy
from magic_tools.effects.program import Program
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import DefinitionError
from magic_tools.loose.reshape import reshaped
from magic_tools.messages import ToolResult
from magic_tools.options import NO_FALLBACK, RunOptions
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.dialects.table import Dialect, render_tool
from magic_tools.schema.guard.guard import FOREIGN_TOOL, SchemaLimits
from magic_tools.tools.admitting import admitted
from magic_tools.tools.behaviour import Behaviour, named
from magic_tools.tools.compiling import check_options, checked_name, of_function, of_schema
from magic_tools.tools.contracted import contract_of, of_contract
from magic_tools.tools.describing import beside
from magic_tools.tools.examples import checked_contract
from magic_tools.tools.executable import Executable
from magic_tools.tools.execution import execute
from magic_tools.tools.hooking import Hooked
from magic_tools.tools.preparing import Arguments, prepare
from magic_tools.tools.scope import RunScope
from magic_tools.values import Kept

__all__ = ["Tool", "tool"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_NO_POLICY = Policy()


class Tool(Hooked, Generic[P, R]):
    """A function that a model may call, and that is still called like the function it is made of.

    Made by `tool`. `name` and `description` are what a model is told of it, `policy` is what its author
    declares. `strict` is whether a provider is to hold a model to its schema: None where that loses nothing.
    """

    def __init__(self, fn: Callable[P, R], executable: Executable, strict: bool | None) -> None:
        functools.update_wrapper(self, fn, updated=())  # a function's own attributes would hide the tool's
        self.name = executable.name
        self.description = executable.told_description
        self.policy = executable.policy
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
        """What the tool promises; made on first use and kept, and a copy that the caller may change.

        DefinitionError where a wrong example names a rule that is not attached, or that lets it pass.
        """
        return copy.deepcopy(checked_contract(self.executable))

    @classmethod
    def from_schema(
        cls,
        fn: Callable[..., Any],
        *,
        name: str,
        description: str,
        input_schema: Mapping[str, Any],
        output_schema: Mapping[str, Any] | None = None,
        timeout: float | None = 30.0,
        retries: int = 0,
        fallback: Any = NO_FALLBACK,
        repeatable: bool = False,
        keep: Iterable[str] = (),
        policy: Policy = _NO_POLICY,
        strict: bool | None = None,
        limits: SchemaLimits = FOREIGN_TOOL,
    ) -> Tool[..., Any]:
        """A tool whose parameters are known only at run time, from JSON Schemas that anybody may have written.

        `fn` is called with the arguments by keyword, as plain JSON data, and with the schema's defaults for
        those that are left out; its own hidden parameters are filled from the context, and its other
        annotations count for nothing. The other options are those of `tool`. DefinitionError where a schema is
        not one, is larger than its limits or could make a check hang, or where the function cannot be called so.
        """
        check_options(name, description, policy, strict)
        told: object = description  # which a caller without a type checker may leave at None
        if told is None or not isinstance(limits, SchemaLimits):
            raise DefinitionError(f"{name}(): a description is wanted, and limits that are a SchemaLimits.")
        behaviour = Behaviour(timeout, retries, fallback, named(keep), repeatable)
        schemas = (input_schema, output_schema)
        return Tool(fn, of_schema(fn, name, description, schemas, policy, behaviour, limits), strict)

    @classmethod
    def from_contract(
        cls,
        source: str | Path | ToolContract,
        fn: Callable[..., Any],
        *,
        rules: Iterable[Callable[..., Any]] = (),
        result_rules: Iterable[Callable[..., Any]] = (),
        fallback: Any = NO_FALLBACK,
        strict: bool | None = None,
        limits: SchemaLimits = FOREIGN_TOOL,
    ) -> Tool[..., Any]:
        """A tool for a contract, given or in a text or file in YAML or JSON, whose function has no types of its own.

        `fn` is called as by `from_schema`. DefinitionError where the rules and the fall-back that the contract names
        are not those that are given.
        """
        made = of_contract(contract_of(source), fn, rules, result_rules, fallback, limits)
        return Tool(fn, made, strict)

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
            self.executable.told_arguments,
            self.strict,
            self.executable.results.schema,
            self.executable.guards.read_only,
            self.executable.guards.idempotent,
        )

    def invoke(
        self,
        arguments: Arguments = None,
        *,
        call_id: str = "call",
        context: Any = None,
        options: RunOptions | None = None,
        approved: bool = False,
    ) -> ToolResult:
        """What a call comes to; never raises for what a model got wrong.

        `arguments` is the text that a model sent, or a mapping. An async function is awaited too.
        `context`, a mapping or an object, fills the hidden parameters; ContextError if it does not. `options`
        choose the language in which the model is told what is wrong, and who is told of events and alerts.
        A tool whose policy asks for approval runs only if a person has `approved` this very call.
        """
        return run_sync(self._calling(arguments, call_id, RunScope(context, options), approved))

    async def ainvoke(
        self,
        arguments: Arguments = None,
        *,
        call_id: str = "call",
        context: Any = None,
        options: RunOptions | None = None,
        approved: bool = False,
    ) -> ToolResult:
        """What a call comes to, awaited; an ordinary function that may block runs in a worker thread."""
        return await run_async(self._calling(arguments, call_id, RunScope(context, options), approved))

    def _calling(self, arguments: Arguments, call_id: str, scope: RunScope, approved: bool) -> Program[ToolResult]:
        target = admitted(self._bound(), scope)
        return execute(target, prepare(target, arguments, scope), call_id, scope, approved=approved)

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
        return self._remade(self._fn, replace(self.executable, name=checked_name(name)))

    def served_as(self, executable: Executable) -> Tool[P, R]:
        """The same tool as a run is served it, which may tell a model of it otherwise."""
        return Tool(self._fn, executable, None if self.strict and executable.standing.upgrade else self.strict)

    def _remade(self, fn: Callable[Q, R], executable: Executable) -> Tool[Q, R]:
        made = Tool(fn, executable, self.strict)
        made._renderings = self._renderings  # which are kept by name, and are the same for every object
        return made

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
            self._renderings[key] = (Kept({**told, **beside(self.executable, dialect)}), rendered)
        return self._renderings[key]


@overload
def tool(
    fn: Callable[P, R], /, *, name: str | None = ..., description: str | None = ..., timeout: float | None = ...,
    retries: int = ..., fallback: Any = ..., repeatable: bool = ..., keep: Iterable[str] = ..., policy: Policy = ...,
    strict: bool | None = ..., flat: bool = ...,
) -> Tool[P, R]: ...  # fmt: skip
@overload
def tool(
    *, name: str | None = ..., description: str | None = ..., timeout: float | None = ..., retries: int = ...,
    fallback: Any = ..., repeatable: bool = ..., keep: Iterable[str] = ..., policy: Policy = ...,
    strict: bool | None = ..., flat: bool = ...,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...  # fmt: skip
def tool(
    fn: Callable[P, R] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = 30.0,
    retries: int = 0,
    fallback: Any = NO_FALLBACK,
    repeatable: bool = False,
    keep: Iterable[str] = (),
    policy: Policy = _NO_POLICY,
    strict: bool | None = None,
    flat: bool = False,
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Make a tool of an annotated function; used as a decorator, with or without arguments.

    The function's name and the prose of its docstring are what a model is told, unless `name` or
    `description` say otherwise. With `flat`, the fields of a function's only parameter, a model or the
    like, are the tool's own; a union has no fields of its own, and stays under its name.

    Each try of a call has `timeout` seconds, or no end if that is None. `retries` more are made where that can
    help and do no harm: after a failure, a time-out or a result that is not what was declared, of a tool that its
    policy calls read-only or idempotent, or where nothing was done. `fallback`, a value or a function of the
    arguments and of what was raised, then stands in for the result, and is marked. `keep` names result fields
    that survive where a result is too long for a model. A `repeatable` tool may be polled: a run lets the same call
    be made again and again.

    DefinitionError names the parameter that has no annotation, or one that cannot become a schema.
    """
    check_options(name, description, policy, strict)
    behaviour = Behaviour(timeout, retries, fallback, named(keep), repeatable)

    def decorate(fn: Callable[P, R]) -> Tool[P, R]:
        made = getattr(fn, "__func__", None)
        if isinstance(made, Tool):  # @classmethod above @tool
            return made.__get__(getattr(fn, "__self__", None))
        executable = of_function(fn, name, description, policy, behaviour, flat=flat)
        return Tool(executable.fn, executable, strict)

    return decorate if fn is None else decorate(fn)
