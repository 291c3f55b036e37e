"""How the calls of a tool go: their time, their tries, what stands in for a result, and what its author checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.contracts.execution import Execution, FallbackKind
from magic_tools.effects.program import Call
from magic_tools.errors import DefinitionError
from magic_tools.options import NO_FALLBACK
from magic_tools.tools.upgrading import Adapter

__all__ = ["Attached", "Behaviour", "Hooks", "attached", "named"]

_OBJECT = ("self", "cls")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the calls of a tool go.

    `timeout_s` is the time of each try in seconds, None for no end; `retries` is how many more tries there may be;
    `fallback` a value, or a function of the arguments by name and of what was raised; `keep` names the result
    fields that survive when a result is cut. With `repeatable` the same call may be made over and over in a run, and
    with `asks_person` it is a person who answers it. DefinitionError for one that is none of these.
    """

    timeout_s: float | None = 30.0
    retries: int = 0
    fallback: Any = NO_FALLBACK
    keep: tuple[str, ...] = ()
    repeatable: bool = False
    asks_person: bool = False

    def __post_init__(self) -> None:
        seconds: Any = self.timeout_s
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and seconds > 0):
            raise DefinitionError(f"tool(timeout=...) wants seconds, more than none, or None, got {seconds!r:.80}.")
        tries: object = self.retries
        if isinstance(tries, bool) or not isinstance(tries, int) or tries < 0:
            raise DefinitionError(f"tool(retries=...) wants a whole number of at least 0, got {tries!r:.80}.")
        for name in ("repeatable", "asks_person"):
            if not isinstance(getattr(self, name), bool):
                raise DefinitionError(f"tool({name}=...) wants True or False, got {getattr(self, name)!r:.80}.")
        if callable(self.fallback) and not _takes(self.fallback, 2):
            raise DefinitionError(
                "tool(fallback=...) wants a value, or a function of the arguments and of what was raised, as in "
                "`lambda arguments, error: []`."
            )

    @property
    def execution(self) -> Execution:
        """The same as a contract says it, where a function stands for what it computes."""
        kind: FallbackKind = "computed" if callable(self.fallback) else "value"
        kind = "none" if self.fallback is NO_FALLBACK else kind
        return Execution(self.timeout_s, self.retries, kind, self.repeatable, self.keep)


def named(keep: Any) -> tuple[str, ...]:
    """The result fields to keep; DefinitionError unless they are names."""
    if isinstance(keep, str | Mapping) or not isinstance(keep, Iterable):
        raise DefinitionError(f"tool(keep=...) wants names of result fields, such as ('id',), got {keep!r:.80}.")
    names = tuple(keep)
    if not all(isinstance(name, str) and name for name in names):
        raise DefinitionError(f"tool(keep=...) wants names of result fields, got {names!r:.80}.")
    return names


@dataclass(frozen=True, slots=True)
class Attached:
    """A function of the author's beside a tool: it is given what it asks for by name, and the first by place.

    With `on_object` it is a method of the object that the tool is called on.
    """

    fn: Callable[..., Any]
    names: tuple[str, ...]
    takes_all: bool
    on_object: bool

    @property
    def name(self) -> str:
        """What a person would call it."""
        return getattr(self.fn, "__name__", type(self.fn).__name__)

    def call(self, target: Callable[..., Any], held: Mapping[str, Any], *first: Any, timeout_s: float | None) -> Call:
        """The call of it beside the function of its tool, given of all that is held what it asks for."""
        receiver = (getattr(target, "__self__", None),) if self.on_object else ()
        given = dict(held) if self.takes_all else {name: held[name] for name in self.names if name in held}
        return Call(self.fn, (*receiver, *first), given, timeout_s=timeout_s)


@dataclass(slots=True)
class Hooks:
    """What was attached to a tool after it was made; all objects and names of one tool share it."""

    rules: list[Attached] = field(default_factory=list)
    result_rules: list[Attached] = field(default_factory=list)
    reconcile: Attached | None = None
    preview: Attached | None = None
    adapters: list[Adapter] = field(default_factory=list)

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the rules, and of those of results."""
        return tuple(rule.name for rule in self.rules), tuple(rule.name for rule in self.result_rules)


def attached(fn: Callable[..., Any], *, tool: str, known: Collection[str] | None, first: int = 0) -> Attached:
    """A function beside a tool whose arguments are `known`, or any if that is None.

    DefinitionError if it asks for something that there is not.
    """
    try:
        stated = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError) as error:
        raise DefinitionError(f"{tool}(): {fn!r:.80} has no parameters to read ({error}).") from error
    name = getattr(fn, "__name__", type(fn).__name__)
    if inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn):
        raise DefinitionError(
            f"{tool}(): {name}() is a generator, whose body nobody would run: let it return or raise."
        )
    on_object = bool(stated) and stated[0].name in _OBJECT
    own = stated[on_object:]
    if len(own) < first:
        raise DefinitionError(f"{tool}(): {name}() is to take the result, as its first parameter.")
    by_name = [each for each in own[first:] if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    required = {each.name for each in by_name if each.default is each.empty}
    unknown = set() if known is None else required - set(known)
    by_place = any(each.kind is each.POSITIONAL_ONLY for each in own[first:])
    if unknown or by_place:
        asked = ", ".join(sorted(unknown)) or "arguments by place"
        raise DefinitionError(
            f"{tool}(): {name}() asks for {asked}, and is given arguments by name: "
            f"{', '.join(sorted(known or ())) or 'none'}."
        )
    names = tuple(each.name for each in by_name)
    return Attached(fn, names, any(each.kind is each.VAR_KEYWORD for each in own), on_object)


def _takes(fn: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(fn).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a built-in that does not say what it takes
        return True
    return True
