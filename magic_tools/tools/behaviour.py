"""How the calls of a tool go: their time, their tries, what stands in for a result, and what its author checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.errors import DefinitionError

__all__ = ["NO_FALLBACK", "Attached", "Behaviour", "Hooks", "attached"]

NO_FALLBACK: Any = object()
"""What stands in the place of a fall-back where there is none, as None may be one."""

_OBJECT = ("self", "cls")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the calls of a tool go.

    `timeout_s` is the time of each try in seconds, None for no end; `retries` is how many more tries there may be;
    `fallback` a value, or a function of the arguments by name and of what was raised; `keep` names the result
    fields that survive when a result is cut. DefinitionError for one that is none of these.
    """

    timeout_s: float | None = 30.0
    retries: int = 0
    fallback: Any = NO_FALLBACK
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        seconds: Any = self.timeout_s
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and seconds > 0):
            raise DefinitionError(f"tool(timeout=...) wants seconds, more than none, or None, got {seconds!r:.80}.")
        tries: object = self.retries
        if isinstance(tries, bool) or not isinstance(tries, int) or tries < 0:
            raise DefinitionError(f"tool(retries=...) wants a whole number of at least 0, got {tries!r:.80}.")
        names: Any = self.keep
        if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
            raise DefinitionError(f"tool(keep=...) wants names of result fields, such as ('id',), got {names!r:.80}.")
        object.__setattr__(self, "keep", (names := tuple(names)))
        if not all(isinstance(name, str) and name for name in names):
            raise DefinitionError(f"tool(keep=...) wants names of result fields, got {self.keep!r:.80}.")
        if callable(self.fallback) and not _takes(self.fallback, 2):
            raise DefinitionError(
                "tool(fallback=...) wants a value, or a function of the arguments and of what was raised, as in "
                "`lambda arguments, error: []`."
            )


@dataclass(frozen=True, slots=True)
class Attached:
    """A function of the author's beside a tool: it is given what it asks for by name, and `first` before that."""

    fn: Callable[..., Any]
    first: int
    names: tuple[str, ...]
    takes_all: bool

    @property
    def name(self) -> str:
        """What a person would call it."""
        return getattr(self.fn, "__name__", type(self.fn).__name__)

    def given(self, held: Mapping[str, Any]) -> dict[str, Any]:
        """What it is called with, of all that there is."""
        return dict(held) if self.takes_all else {name: held[name] for name in self.names if name in held}


@dataclass(slots=True)
class Hooks:
    """What was attached to a tool after it was made; all objects and names of one tool share it."""

    rules: list[Attached] = field(default_factory=list)
    result_rules: list[Attached] = field(default_factory=list)
    reconcile: Attached | None = None


def attached(fn: Callable[..., Any], *, tool: str, known: Collection[str] | None, first: int = 0) -> Attached:
    """A function beside a tool whose arguments are `known`, or any if that is None.

    DefinitionError if it asks for something that there is not.
    """
    try:
        stated = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError) as error:
        raise DefinitionError(f"{tool}(): {fn!r:.80} has no parameters to read ({error}).") from error
    receiver = stated[:1] if stated and stated[0].name in _OBJECT else []
    own = stated[len(receiver) :]
    if len(own) < first:
        raise DefinitionError(
            f"{tool}(): {getattr(fn, '__name__', fn)}() is to take the result, as its first parameter."
        )
    wanted = [*receiver, *own[first:]]
    names = tuple(each.name for each in wanted if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD))
    required = {each.name for each in wanted if each.default is each.empty and each.name in names}
    unknown = set() if known is None else required - {*known, *_OBJECT}
    if unknown or any(each.kind is each.POSITIONAL_ONLY for each in wanted):
        raise DefinitionError(
            f"{tool}(): {getattr(fn, '__name__', fn)}() asks for {', '.join(sorted(unknown)) or 'arguments by place'}, "
            f"and is given arguments by name: {', '.join(sorted(known or ())) or 'none'}."
        )
    return Attached(fn, first, names, any(each.kind is each.VAR_KEYWORD for each in wanted))


def _takes(fn: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(fn).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a built-in that does not say what it takes
        return True
    return True
