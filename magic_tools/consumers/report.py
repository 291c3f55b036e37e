"""What a candidate does to all consumers, and which of its changes reach nobody: as data, as text, as Markdown."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from magic_tools.contracts.changes import EFFECTS, Change, Effect, worst
from magic_tools.contracts.report import compact
from magic_tools.values import JsonObject

__all__ = ["ConsumerCheck", "FixtureReport", "Status", "UnusedChange"]

Status = Literal["broken", "unused", "affected", "upgraded", "works"]
"""How a consumer stands to a candidate, the worst first.

It breaks; its tool is gone; it gets something else; its calls pass by way of an adapter; or all is as before.
"""

_WIDTH = 80
_MOST = 160
"""So many characters of a value are shown."""


@dataclass(frozen=True, slots=True)
class ConsumerCheck:
    """What a candidate does to one consumer of one tool; as text, sentences for whoever is to be told.

    `kept` and `now` are versions; `gone` says what became of a tool that is not there. `upgraded` counts the calls
    that pass by way of an adapter, of `calls` in all; `bridged` is what would be found without it. `place` is the file
    of the fixture.
    """

    consumer: str
    kind: str
    contact: str | None
    tool: str
    kept: str | None
    now: str | None
    place: str
    findings: tuple[Change, ...] = ()
    upgraded: int = 0
    bridged: tuple[Change, ...] = ()
    calls: int = 0
    gone: str | None = None

    @property
    def status(self) -> Status:
        """How it stands to the candidate."""
        if self.gone is not None:
            return "unused"
        effect = worst(self.findings)
        if effect == "breaking":
            return "broken"
        return "affected" if effect is not None else "upgraded" if self.upgraded else "works"

    @property
    def heading(self) -> str:
        """What became of it, in a line."""
        is_other = self.gone is None and self.kept != self.now
        versions = f"{self.kept or 'no version'} -> {self.now or 'no version'}" if is_other else self.kept
        told = f"{self.kind} {self.consumer}, {self.tool}" + (f" {versions}" if versions else "")
        passed = f", {self.upgraded} of {self.calls} calls by way of an adapter" if self.upgraded else ""
        return f"{told}: {self.status}{passed}"

    def __str__(self) -> str:
        told = [self.heading, *([f"tell {self.contact}"] if self.contact else []), *([self.gone] if self.gone else [])]
        return "; ".join(told) + "".join(f"\n{_sentence(change)}" for change in self.findings)

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        return {
            "consumer": self.consumer,
            "kind": self.kind,
            "contact": self.contact,
            "tool": self.tool,
            "version": {"kept": self.kept, "now": self.now},
            "place": self.place,
            "status": self.status,
            "calls": {"kept": self.calls, "upgraded": self.upgraded},
            "says": self.gone,
            "findings": [change.to_data() for change in self.findings],
            "bridged": [change.to_data() for change in self.bridged],
        }


@dataclass(frozen=True, slots=True)
class UnusedChange:
    """A change of a tool's contract that reaches none of the consumers that keep fixtures of it."""

    tool: str
    change: Change

    def __str__(self) -> str:
        change = self.change
        told = f"{self.tool}, {change.path}: {change.kind}: {_values(change)}"
        return f"{told}: {change.effect} by {_part(change)}, used by no kept consumer"


@dataclass(frozen=True, slots=True)
class FixtureReport:
    """What a candidate does to the consumers that keep fixtures, and which changes reach none of them; text in lines.

    `changes` are those that reach nobody and would break or change something, the worst first.
    """

    consumers: tuple[ConsumerCheck, ...]
    changes: tuple[UnusedChange, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nobody breaks, and every fixture still has its tool."""
        return self.effect != "breaking"

    @property
    def effect(self) -> Effect | None:
        """The worst that happens to a consumer; None where all is as before."""
        effects: list[Effect] = [effect for each in self.consumers if (effect := worst(each.findings)) is not None]
        effects += ["breaking" for each in self.consumers if each.gone is not None]
        return max(effects, key=EFFECTS.index, default=None)

    def having(self, status: Status) -> tuple[ConsumerCheck, ...]:
        """The consumers of a status."""
        return tuple(each for each in self.consumers if each.status == status)

    @property
    def summary(self) -> str:
        """How many consumers have which status, and how many changes reach nobody."""
        counted = Counter(each.status for each in self.consumers)
        told = ", ".join(f"{status} {counted[status]}" for status in get_args(Status))
        effects = Counter(each.change.effect for each in self.changes)
        unused = ", ".join(f"{effect} {effects[effect]}" for effect in reversed(EFFECTS[1:]))
        return f"consumers: {told}; changes that nobody uses: {unused}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        return {
            "ok": self.ok,
            "effect": self.effect,
            "consumers": [each.to_data() for each in self._ranked()],
            "unused_changes": [{"tool": each.tool, **each.change.to_data()} for each in self.changes],
        }

    def to_markdown(self) -> str:
        """Markdown for a pull request."""
        parts = ["### Consumers of tools", _prose(f"{self.summary}.")]
        for each in self._ranked():
            told = f"#### {_prose(each.heading)}"
            contact = [f"Tell {_prose(each.contact)}."] if each.contact and each.status != "works" else []
            rows = [f"- **{change.effect}** {_prose(_sentence(change))}" for change in each.findings]
            gone = [_prose(each.gone)] if each.gone else []
            rows += [f"- bridged {_prose(f'{change.path}: {change.kind}')}" for change in each.bridged]
            parts += [told, *contact, *gone, *(["\n".join(rows)] if rows else [])]
        if self.changes:
            parts += ["#### Changes that reach nobody", "\n".join(f"- {_prose(str(each))}" for each in self.changes)]
        return "\n\n".join(parts)

    def _ranked(self) -> list[ConsumerCheck]:
        order = get_args(Status)
        return sorted(self.consumers, key=lambda each: (order.index(each.status), each.consumer, each.tool))

    def _lines(self) -> Iterator[str]:
        for each in self._ranked():
            yield from _folded(each.heading)
            if each.status != "works":
                yield from _folded(each.place, 2)
            if each.contact and each.status != "works":
                yield from _folded(f"tell {each.contact}", 2)
            if each.gone:
                yield from _folded(each.gone, 2)
            for change in each.findings:
                yield from _folded(f"{change.effect}  {change.path}", 2)
                yield from _folded(f"{change.kind}: {_values(change)}", 4)
                yield from _folded(change.why, 4)
                yield from _folded(change.advice, 4) if change.advice else ()
            for change in each.bridged:
                yield from _folded(f"bridged  {change.path}  {change.kind}", 2)
            yield ""
        if self.changes:
            yield "changes that reach nobody"
            for unused in self.changes:
                yield from _folded(str(unused), 2)
            yield ""
        yield from _folded(self.summary)


def _sentence(change: Change) -> str:
    return f"{change.path}: {_values(change)}: {change.why} {change.advice}".rstrip()


def _values(change: Change) -> str:
    return f"{_shown(change.before)} -> {_shown(change.after)}"


def _part(change: Change) -> str:
    """What the change is of: schemas, or what is declared beside them."""
    return "schema" if change.path.startswith(("input", "output", "error")) else "declaration"


def _folded(text: str, indent: int = 0) -> Iterable[str]:
    pad = " " * indent
    return textwrap.wrap(
        " ".join(text.split()), _WIDTH, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False
    )


def _shown(value: object) -> str:
    text = compact(value)  # type: ignore[arg-type]  # JSON data, as every change holds
    return text if len(text) <= _MOST else f"{text[:_MOST]} ... ({len(text) - _MOST:,} characters more)"


def _prose(text: str) -> str:
    """A text in which nothing is Markdown, HTML or the name of a person who would be told."""
    plain = "".join(f"\\{each}" if each in "\\`*_{}[]<>|~#&" else each for each in " ".join(text.split()))
    return plain.replace("@", "@<!-- -->")
