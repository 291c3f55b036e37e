"""What a rule of the linter is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from magic_tools.schema.emit import Side
from magic_tools.tools.lint.findings import LintConfig, Profile, Severity
from magic_tools.tools.lint.places import Place
from magic_tools.tools.tool import Tool

__all__ = ["Fault", "PlaceRule", "Rule", "SetRule", "ToolRule"]

C = TypeVar("C")


class Fault(NamedTuple):
    """What a rule found: the words, where they are about, and of a set of tools the one that it is about.

    Of a pair of tools, `beside` is the other one, and stands in the words where they have `{}`; what is the same
    beside several tools is told once.
    """

    message: str
    path: str = ""
    tool: str | None = None
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Rule(Generic[C]):
    """A rule: its name, how grave its findings are, what it looks at, what to do, and the check itself.

    `sides` are those that it looks at of a schema, `profile` the least strict one in which it holds.
    """

    name: str
    severity: Severity
    about: str
    advice: str
    check: C
    sides: tuple[Side, ...] = ("input",)
    profile: Profile = "default"


PlaceRule: TypeAlias = Rule[Callable[[Place, LintConfig], str | None]]
ToolRule: TypeAlias = Rule[Callable[[Tool[..., Any], LintConfig], Iterator[Fault]]]
SetRule: TypeAlias = Rule[Callable[[Sequence[Tool[..., Any]], LintConfig], Iterator[Fault]]]
