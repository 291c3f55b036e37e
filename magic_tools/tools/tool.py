"""From an annotated function to a tool that a model may call."""

from __future__ import annotations

import copy
import functools
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from magic_tools.contracts.contract import ToolContract
from magic_tools.effects import run_async, run_sync
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.messages import ToolDefinition, ToolResult
from magic_tools.schema.dialects import DIALECTS, Dialect
from magic_tools.schema.rendered import DialectChange, Rendered
from magic_tools.schema.signature import read_signature
from magic_tools.tools.execution import Arguments, Executable, execute
from magic_tools.tools.results import ResultWriter
from magic_tools.values import JsonObject

__all__ = ["Tool", "tool"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)


class Tool(Generic[P, R]):
    """A function that a model may call, and that is still called like the function it is made of.

    Made by `tool`. `name` and `description` are what a model is told of it.
    """

    def __init__(self, fn: Callable[P, R], executable: Executable, description: str) -> None:
        functools.update_wrapper(self, fn, updated=())  # a function's own attributes would hide the tool's
        self.name = executable.name
        self.description = description
        self.executable = executable
        self._fn = fn

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the function itself returns; nothing is checked."""
        return self._fn(*args, **kwargs)

    def __reduce__(self) -> str:
        return self._fn.__qualname__  # pickle finds it again by its name in its module, as it does functions

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    @property
    def contract(self) -> ToolContract:
        """What the tool promises; made on first use and kept, and a copy that the caller may change."""
        return copy.deepcopy(self._contract)

    def definition(self, dialect: Dialect = "openai-chat", strict: bool | None = None) -> dict[str, Any]:
        """What a provider is sent of the tool; a copy that the caller may change.

        Strict where that loses nothing; SchemaRejectedError if `strict` is True and it would.
        """
        return self._rendered(dialect, strict)[0]

    def dialect_report(self, dialect: Dialect = "openai-chat", strict: bool | None = None) -> tuple[DialectChange, ...]:
        """What the dialect says in another way than the contract, or cannot say."""
        return self._rendered(dialect, strict)[1].changes

    def told(self) -> ToolDefinition:
        """The tool as a request carries it to any model; a copy that the model may change."""
        return ToolDefinition(self.name, self.description, self.executable.arguments.json_schema)

    def invoke(self, arguments: Arguments = None, *, call_id: str = "call") -> ToolResult:
        """What a call comes to; never raises for what a model got wrong.

        `arguments` is the text that a model sent, or a mapping. An async function is awaited too.
        """
        return run_sync(execute(self._bound(), arguments, call_id))

    async def ainvoke(self, arguments: Arguments = None, *, call_id: str = "call") -> ToolResult:
        """What a call comes to, awaited; an ordinary function runs in a worker thread."""
        return await run_async(execute(self._bound(), arguments, call_id))

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Tool[P, R]: ...
    @overload
    def __get__(self: Tool[Concatenate[S, Q], R], instance: S, owner: type | None = None) -> Tool[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Tool[..., R]:
        if instance is None or not self._is_method:
            return self
        bound = self._fn.__get__(instance, owner)
        executable = replace(self.executable, fn=bound, signature=replace(self.executable.signature, unbound=False))
        return Tool(bound, executable, self.description)

    @functools.cached_property
    def _contract(self) -> ToolContract:
        return ToolContract(
            id=self.name,
            description=self.description,
            input_schema=self.executable.arguments.json_schema,
            output_schema=self.executable.results.schema,
        )

    @property
    def _is_method(self) -> bool:
        return self.executable.signature.unbound

    def _bound(self) -> Executable:
        if self._is_method:
            raise DefinitionError(
                f"{self._fn.__qualname__} is a method without its object: use it from an instance, "
                f"as in `obj.{self.name}`."
            )
        return self.executable

    def _rendered(self, dialect: Dialect, strict: bool | None) -> tuple[JsonObject, Rendered]:
        if dialect not in DIALECTS:
            raise ValueError(f"There is no dialect {dialect!r}; there are: {', '.join(DIALECTS)}.")
        return DIALECTS[dialect].tool(self.told(), strict)


@overload
def tool(fn: Callable[P, R], /, *, name: str | None = None, description: str | None = None) -> Tool[P, R]: ...
@overload
def tool(*, name: str | None = None, description: str | None = None) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(
    fn: Callable[P, R] | None = None, /, *, name: str | None = None, description: str | None = None
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Make a tool of an annotated function; used as a decorator, with or without arguments.

    The function's name and the prose of its docstring are what a model is told, unless `name` or
    `description` say otherwise. DefinitionError names the parameter that has no annotation, or one
    that cannot become a schema.
    """
    if fn is not None:
        return _make(fn, name, description, sys._getframe(1).f_locals)

    def decorate(fn: Callable[P, R]) -> Tool[P, R]:
        return _make(fn, name, description, sys._getframe(1).f_locals)

    return decorate


def _make(fn: Callable[P, R], name: str | None, description: str | None, namespace: Mapping[str, Any]) -> Tool[P, R]:
    """The tool; `namespace` has the local names of where the function is decorated, for its annotations."""
    signature = read_signature(fn, namespace=namespace)
    name = signature.name if name is None else name
    if not _NAME.fullmatch(name):
        raise DefinitionError(
            f"{name!r} cannot be a tool's name: providers take letters, digits, _ and -, up to 64, and no digit or - "
            f"first ({_NAME.pattern}). Give another with `@tool(name=...)`."
        )
    arguments = Schema(signature.adapter(), name=f"{name}()", closed=True, additions=signature.additions())
    executable = Executable(name, fn, signature, arguments, ResultWriter(signature))
    return Tool(fn, executable, signature.docs.prose if description is None else description)
