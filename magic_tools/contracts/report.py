"""What is told of tools that differ, to programs: JSON, Markdown for a pull request, and annotations of a workflow."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from magic_tools.contracts.changes import BUMPS, EFFECTS, Change, Effect
from magic_tools.contracts.drift import Drift
from magic_tools.values import JsonObject, JsonValue

__all__ = [
    "Commands",
    "as_annotations",
    "as_data",
    "as_markdown",
    "compact",
    "counts",
    "heading",
    "hints",
    "in_width",
    "told_written",
    "where_of",
    "worst_first",
]

_ROWS = 8
"""From so many rows on, the table of a tool is folded in Markdown."""

_BEFORE_COMMAND = ": "
_LEVELS: dict[Effect | None, str] = {"breaking": "error", "behavioural": "warning", "compatible": "notice"}
_ORDER = {"breaking": 0, "behavioural": 2, "compatible": 3, None: 1}
"""The order of tools: after what breaks comes what no change describes, such as a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Commands:
    """What a person types to accept what differs; `anyway` does so though a version did not rise."""

    write: str
    update: str
    anyway: str
    retire: str


def worst_first(drifts: Iterable[Drift]) -> list[Drift]:
    """The tools that differ, those that break first."""
    return sorted(drifts, key=lambda each: (_ORDER[each.effect], each.id, each.kind))


def heading(drift: Drift) -> str:
    """What became of a tool, in a line: its versions, the worst effect, and how large the change is."""
    words: str = drift.kind if drift.effect is None else f"{drift.kind}, {drift.effect}"
    if drift.bump != "none" and drift.kind in ("changed", "old"):
        words += f", a {drift.bump} change"
    return f"{_versions(drift)}: {words}" if _versions(drift) else words


def counts(drifts: Sequence[Drift]) -> str:
    """How many changes have which effect, and the bump that the largest of them needs."""
    effects = Counter(change.effect for drift in drifts for change in drift.changes)
    bump = max((drift.bump for drift in drifts), key=BUMPS.index, default="none")
    listed = ", ".join(f"{effect}: {effects[effect]}" for effect in reversed(EFFECTS))
    return f"tools that differ: {len(drifts)}; changes {listed}; needed bump: {bump}"


def told_written(drift: Drift) -> str:
    """What was done to a file, in a line."""
    done = heading(drift)
    if drift.kind == "unreserved":
        done = f"the id {drift.id!r} is reserved for the tool, which is to retire"
    return f"wrote {drift.place}: {done}"


def in_width(said: str, width: int) -> str:
    """What is said in lines of a width; a command at its end, which is to be copied, stays whole on its own line."""
    if len(said) <= width:
        return said
    words, colon, command = said.partition(_BEFORE_COMMAND)
    lines = textwrap.wrap(f"{words}:" if colon else words, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, *([f"  {command}"] if colon else [])])


def where_of(change: Change) -> str:
    """Where something changed, in words: the path, or the tool as a whole."""
    return change.path or "the tool"


def hints(drifts: Iterable[Drift], commands: Commands | None) -> list[str]:
    """What to do about what differs, each with the command that does it."""
    if commands is None:
        return []
    held = list(drifts)
    kinds = {drift.kind for drift in held}
    said = []
    if kinds & {"new", "unreserved"}:
        said.append(f"To write what is new: {commands.write}")
    if any(drift.kind in ("changed", "redefined", "respelled", "old") and drift.fault is None for drift in held):
        said.append(f"To accept what changed: {commands.update}")
    if any(drift.fault is not None for drift in held):
        said.append(f"Where a version has to rise, raise it, and then: {commands.update}")
        said.append(f"To accept it under the same version all the same: {commands.anyway}")
    unused = [drift.id for drift in held if drift.kind == "unused"]
    if unused:
        said.append(f"To retire what has no tool, and keep its id reserved: {commands.retire.format(' '.join(unused))}")
    if "reused" in kinds:
        said.append(
            "Give a tool under a reserved id another id; if it is the very tool that comes back, or changes before its "
            "end, take its entry out of the file of reserved ids, and say why in the review."
        )
    return said


def as_data(drifts: Iterable[Drift], commands: Commands | None = None) -> JsonObject:
    """Plain JSON data of all that is known."""
    ranked = worst_first(drifts)
    effects = [drift.effect for drift in ranked if drift.effect is not None]
    return {
        "effect": max(effects, key=EFFECTS.index, default=None),
        "bump": max((drift.bump for drift in ranked), key=BUMPS.index, default="none"),
        "tools": [drift.to_data() for drift in ranked],
        **({} if commands is None else {"what_to_do": hints(ranked, commands)}),
    }


def as_markdown(drifts: Iterable[Drift], commands: Commands | None = None) -> str:
    """Markdown for a pull request: a table a tool, the worst first, folded where it is long."""
    ranked = worst_first(drifts)
    parts = ["### Tool contracts", _prose(f"{counts(ranked)}.") if ranked else "Nothing changed."]
    for drift in ranked:
        parts += [f"#### {_code(drift.id)} {_prose(heading(drift))}", *filter(None, [_prose(drift.says)])]
        parts += [f"**{_prose(drift.fault)}**"] if drift.fault else []
        parts += [_markdown_table(drift.changes)] if drift.changes else []
    parts += [_hint(said) for said in hints(ranked, commands)]
    return "\n\n".join(parts)


def as_annotations(drifts: Iterable[Drift], commands: Commands | None = None) -> str:
    """Workflow commands of GitHub Actions, a line for each change (docs.github.com, workflow commands, 2026)."""
    ranked = worst_first(drifts)
    lines = []
    for drift in ranked:
        if not drift.changes:
            lines.append(_annotation("error", drift, drift.kind, drift.says))
        if drift.fault:
            lines.append(_annotation("error", drift, "version", drift.fault))
        for change in drift.changes:
            became = f"{compact(change.before)} -> {compact(change.after)}"
            told = f"{where_of(change)}: {became}\n{change.why}\n{change.advice}"
            shown = "" if change.witness is None else f"\nfor example {compact(change.witness.value)}"
            lines.append(_annotation(_LEVELS[change.effect], drift, change.kind, f"{told.rstrip()}{shown}"))
    lines += [f"::notice title=tool contracts::{_escaped(said)}" for said in hints(ranked, commands)]
    return "\n".join(lines)


def compact(value: JsonValue) -> str:
    """A JSON value on one line; `(nothing)` for what is not there."""
    return "(nothing)" if value is None else json.dumps(value, ensure_ascii=False)


def _versions(drift: Drift) -> str:
    match drift.before, drift.after:
        case None, None:
            return ""
        case before, after if before == after:
            return str(after)
        case before, None:
            return str(before)
        case None, after:
            return str(after)
    return f"{drift.before} -> {drift.after}"


def _annotation(level: str, drift: Drift, kind: str, message: str) -> str:
    title = f"{drift.id}: {kind}".replace(":", "%3A").replace(",", "%2C")
    file = f"file={_escaped(drift.place).replace(':', '%3A').replace(',', '%2C')}," if drift.place else ""
    return f"::{level} {file}title={title}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _markdown_table(changes: Sequence[Change]) -> str:
    rows = [
        "| effect | where | what | why |",
        "|---|---|---|---|",
        *(f"| {change.effect} | {_where(change)} | {_what(change)} | {_why(change)} |" for change in changes),
    ]
    if len(changes) < _ROWS:
        return "\n".join(rows)
    return "\n".join([f"<details><summary>{len(changes)} changes</summary>", "", *rows, "", "</details>"])


def _where(change: Change) -> str:
    return _code(change.path) if change.path else where_of(change)


def _what(change: Change) -> str:
    return f"{_code(change.kind)}: {_code(compact(change.before))} → {_code(compact(change.after))}"


def _why(change: Change) -> str:
    said = _prose(" ".join(filter(None, (f"{change.why}.".replace("..", "."), change.advice))))
    return said if change.witness is None else f"{said} For example {_code(compact(change.witness.value))}"


def _hint(said: str) -> str:
    words, colon, command = said.partition(_BEFORE_COMMAND)
    return f"{_prose(words)}: {_code(command)}" if colon else _prose(said)


def _prose(text: str) -> str:
    """A text in which nothing is Markdown, HTML or the name of a person who would be told."""
    plain = re.sub(r"([\\`*_{}\[\]<>|~#&])", r"\\\1", " ".join(text.split()))
    return plain.replace("@", "@<!-- -->")


def _code(text: str) -> str:
    """A text as code, also in the cell of a table, whatever stands in it."""
    line = " ".join(text.splitlines()).replace("|", "\\|")
    longest = max((len(found) for found in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"
