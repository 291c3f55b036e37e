"""The table of faults in `docs/`, made of what a run of all cells found: `python -m tests.chaos.table` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.chaos.all_faults import FAULTS
from tests.chaos.cells import WAYS, Cell, Found, Way
from tests.chaos.faults import VALUE, Fault
from tests.chaos.judging import report_of
from tests.chaos.voices import VOICES, Voice

__all__ = ["PAGE", "written"]

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"

_INTRODUCTION = """\
# What becomes of faults

What may go wrong between a model and a run, and what a run then comes to. Each line was found by the tests, which play
each fault on a server of their own on the loopback, to the SDKs of `openai:NAME` (chat), `openai-responses:NAME` and
`anthropic:NAME`, through `run`, `arun`, `run_stream` and `arun_stream`. The fault befalls the answer after a tool was
called; the tool is called once, whatever becomes of that answer.

- "the value": the run ends with the value, as if nothing was wrong.
- An error is one of `magic_tools.errors`, all of which are a `ModelError`; it holds the run so far as its `outcome`, a
  `StreamCutError` what came of the answer as its `partial`. Its text never holds the API key.
- "sent again": after a wait, as often as `ModelSettings.tries` says; where the next try is answered, the run goes on. A
  stream that broke off before it told any of the text is sent again by the run, at once, and once only.
- A dash: the fault cannot befall this way.
- Each cell ends within its time, and leaves no thread and no connection, but for one: a server that goes on sending a
  head, or the body of an error, in small pieces keeps the thread of a sync run beyond the time in all, until it ends;
  `magic_tools.abandoned_calls()` counts it.

The times are those of `ModelSettings.timeouts`. The table is written by `python -m tests.chaos.table`, and the tests
compare it with what they find.
"""

_GROUPS: Mapping[str, tuple[Way, ...]] = {
    "not streamed": ("run", "arun"),
    "streamed": ("run_stream", "arun_stream"),
}


def _words(found: Mapping[Cell, Found], cell: Cell) -> str:
    """What came of a fault in one way, and whether the request was sent again."""
    cells = [cell._replace(mode=mode) for mode in ("always", "once", "asked")]
    always, once, asked = (found.get(each) for each in cells)
    first = always or asked or once
    if first is None:
        return "–"
    kind = once.kind if always is None and once is not None else first.kind
    word = "the value" if kind == VALUE else f"`{kind}`"
    sent_again = always is not None and always.kind != VALUE and _is_sent_again(cell.fault, always)
    return f"{word}, sent again" if sent_again else word


def _is_sent_again(fault: Fault, always: Found) -> bool:
    """Whether a fault that befell every try befell more than one."""
    before = 0 if fault.first else 1
    return bool(always.waits) or len(always.requests) > before + fault.requests


def _rows(fault: Fault, found: Mapping[Cell, Found]) -> Iterator[str]:
    """A row for all providers and ways; more than one where they differ."""
    by_provider: dict[tuple[str, ...], list[Voice]] = {}
    for voice in VOICES:
        words = tuple(_words(found, Cell(voice, fault, way, "always")) for way in WAYS)
        by_provider.setdefault(words, []).append(voice)
    for words, voices in by_provider.items():
        told = dict(zip(WAYS, words, strict=True))
        if set(words) == {"–"}:
            continue
        whose = "all" if len(voices) == len(VOICES) else ", ".join(voice.prefix for voice in voices)
        columns = [" / ".join(dict.fromkeys(told[way] for way in ways)) for ways in _GROUPS.values()]
        yield f"| {fault.name} | {whose} | {' | '.join(columns)} |"


def written(found: Mapping[Cell, Found]) -> str:
    """The page that tells what was found."""
    parts = [_INTRODUCTION]
    for title, faults in FAULTS.items():
        rows = [row for fault in faults for row in _rows(fault, found)]
        head = f"| fault | providers | {' | '.join(_GROUPS)} |", "|---|---|---|---|"
        parts.append("\n".join((f"## {title}", "", *head, *rows, "")))
    return "\n".join(parts)


if __name__ == "__main__":
    everything = {cell: came for voice in VOICES for cell, came in report_of(voice).found.items()}
    PAGE.write_text(written(everything), encoding="utf-8")
