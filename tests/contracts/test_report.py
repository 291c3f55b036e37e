"""What is told of tools that differ: to programs whole, to a page and a workflow safely, to a person in 80 columns."""

from __future__ import annotations

import json
import re
from itertools import permutations

import pytest

from magic_tools.contracts.changes import Change, Witness
from magic_tools.contracts.drift import Drift
from magic_tools.contracts.report import (
    Commands,
    as_annotations,
    as_data,
    as_markdown,
    counts,
    hints,
    in_width,
    told_written,
)
from magic_tools.contracts.report_table import as_text

BROKEN = Change(
    "input.rows[].qty",
    "maximum_lowered",
    20,
    10,
    "breaking",
    "callers that send up to 20 are refused",
    "Take both for a while.",
    "major",
    Witness({"rows": [{"qty": 15}]}),
)
WORDED = Change(
    "description", "description_changed", "How | `many` @all", "How\n`much`", "behavioural", "models read it"
)
WIDER = Change("input.unit", "field_added", None, {"type": "string"}, "compatible", "it may be left out", bump="minor")
DRIFTS = [
    Drift("a.new", "new", "snapshots/a.new.json", "it has no snapshot yet"),
    Drift("b.wide", "changed", "snapshots/b.wide.json", "", (WIDER,), "1.0.0", "1.1.0"),
    Drift("c.words", "changed", "snapshots/c.words.json", "", (WORDED,)),
    Drift("d.torn", "unreadable", "snapshots/d.torn.json", "it cannot be read: <b>100%</b>, line 1\nline 2"),
    Drift("e.broken", "changed", "snapshots/e.broken.json", "", (BROKEN, WIDER), "1.0.0", "1.0.1", "1.0.1 is too low"),
    Drift("f.gone", "unused", "snapshots/f.gone.json", "there is no such tool any more"),
]
COMMANDS = Commands("snap", "snap --update", "snap --anyway", "snap --retire {}")
SAID = [
    "To write what is new: snap",
    "To accept what changed: snap --update",
    "Where a version has to rise, raise it, and then: snap --update",
    "To accept it under the same version all the same: snap --anyway",
    "To retire what has no tool, and keep its id reserved: snap --retire f.gone",
]


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("To write: snap", ["To write: snap"]),
        ("To write what is new: snap --update a", ["To write what is", "new:", "  snap --update a"]),
        ("Take it: " + "snap " * 9 + "x: y", ["Take it:", "  " + "snap " * 9 + "x: y"]),
        ("Give it another id, and say why.", ["Give it another id,", "and say why."]),
    ],
)
def test_what_is_said_at_the_end_fits(said: str, lines: list[str]) -> None:
    """Long lines are broken between words, and a command stays whole on a line of its own."""
    assert in_width(said, 20).splitlines() == lines


def test_what_was_written_is_told() -> None:
    """By its kind, and of an id that is reserved by its name."""
    assert told_written(DRIFTS[0]) == "wrote snapshots/a.new.json: new"
    reserving = Drift("depot", "unreserved", "snapshots/retired.json", "")
    assert told_written(reserving) == (
        "wrote snapshots/retired.json: the id 'depot' is reserved for the tool, which is to retire"
    )


def test_a_tool_as_a_whole_is_told_in_words() -> None:
    """Where there is no path, no form shows one."""
    added = Drift("g.new", "added", "g.py", "", (Change("", "tool_added", None, "g.new", "compatible", "it is new"),))
    assert "compatible   the tool\n" in as_text([added])
    assert "| compatible | the tool | `tool_added`" in as_markdown([added])


def test_the_worst_is_told_first() -> None:
    """In every form tools stand by what they do to others: what breaks, what no change describes, and the rest."""
    order = ["e.broken", "a.new", "d.torn", "f.gone", "c.words", "b.wide"]
    assert [each["id"] for each in as_data(DRIFTS)["tools"]] == order
    for told in (as_text(DRIFTS), as_markdown(DRIFTS), as_annotations(DRIFTS)):
        assert sorted(order, key=told.index) == order


@pytest.mark.parametrize("form", [as_data, as_markdown, as_annotations, as_text])
def test_the_order_in_which_they_are_given_says_nothing(form) -> None:  # type: ignore[no-untyped-def]
    """Every form is the same for the same tools."""
    assert len({json.dumps(form(given)) for given in list(permutations(DRIFTS))[::97]}) == 1


def test_data_is_whole() -> None:
    """JSON data holds each change with all that it says, the worst effect, the largest bump and what to do."""
    data = as_data(DRIFTS, COMMANDS)
    assert (data["effect"], data["bump"], data["what_to_do"]) == ("breaking", "major", SAID)
    assert data["tools"][0] == {
        "id": "e.broken",
        "kind": "changed",
        "place": "snapshots/e.broken.json",
        "says": "",
        "effect": "breaking",
        "bump": "major",
        "version": {"before": "1.0.0", "after": "1.0.1", "fault": "1.0.1 is too low"},
        "changes": [BROKEN.to_data(), WIDER.to_data()],
    }
    assert as_data([]) == {"effect": None, "bump": "none", "tools": []}


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (slice(0, 1), SAID[:1]),
        (slice(1, 3), SAID[1:2]),
        (slice(3, 4), []),
        (slice(4, 5), SAID[2:4]),
        (slice(5, 6), SAID[4:]),
        (slice(0, 6), SAID),
    ],
)
def test_what_to_do_fits_what_differs(chosen: slice, said: list[str]) -> None:
    """Each command is named where it would do something."""
    assert hints(DRIFTS[chosen], COMMANDS) == said
    assert hints(DRIFTS[chosen], None) == []


def test_a_reserved_id_has_its_own_advice() -> None:
    """Where an id is used anew no command helps."""
    (said,) = hints([Drift("a", "reused", "a.json", "it is reserved")], COMMANDS)
    assert said.startswith("Give a tool under a reserved id another id")


def test_counts() -> None:
    """The sums of all changes by effect, and the bump that the largest needs."""
    assert counts(DRIFTS) == (
        "tools that differ: 6; changes breaking: 1, behavioural: 1, compatible: 2; needed bump: major"
    )


def test_a_table_of_markdown_holds_whatever_is_said() -> None:
    """No text ends a cell, a line or a code span, none is HTML, and none calls a person."""
    told = as_markdown(DRIFTS, COMMANDS)
    row = next(line for line in told.splitlines() if "description_changed" in line)
    assert row == (
        '| behavioural | `description` | `description_changed`: ``"How \\| `many` @all"`` → ``"How\\n`much`"`` '
        "| models read it. |"
    )
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "\\<b\\>100%\\</b\\>, line 1 line 2" in told
    assert 'For example `{"rows": [{"qty": 15}]}`' in told
    assert "**1.0.1 is too low**" in told
    assert "To accept what changed: `snap --update`" in told
    assert "@" not in as_markdown([Drift("x", "unreadable", "x", "ask @team")]).replace("@<!-- -->", "")


def test_a_long_table_is_folded() -> None:
    """Many rows stand behind a line that can be opened, few do not."""
    assert "<details>" not in as_markdown(DRIFTS)
    many = as_markdown([Drift("a", "changed", "a.json", "", (WIDER,) * 8)])
    assert "<details><summary>8 changes</summary>\n\n| effect |" in many
    assert many.endswith("|\n\n</details>")


def test_nothing_is_said_of_nothing() -> None:
    """Where nothing differs a page says so."""
    assert as_markdown([]) == "### Tool contracts\n\nNothing changed."
    assert as_annotations([]) == ""


def test_annotations_are_workflow_commands() -> None:
    """A line each, of the level that the effect has, at the file, with nothing in it that ends it early."""
    lines = as_annotations(DRIFTS, COMMANDS).splitlines()
    told = f'input.rows[].qty: 20 -> 10%0A{BROKEN.why}%0A{BROKEN.advice}%0Afor example {{"rows": [{{"qty": 15}}]}}'
    broken = "file=snapshots/e.broken.json,title=e.broken%3A"
    assert lines[:3] == [
        f"::error {broken} version::1.0.1 is too low",
        f"::error {broken} maximum_lowered::{told}",
        f'::notice {broken} field_added::input.unit: (nothing) -> {{"type": "string"}}%0A{WIDER.why}',
    ]
    assert (
        "::error file=snapshots/d.torn.json,title=d.torn%3A unreadable::it cannot be read: <b>100%25</b>, line 1"
        in ("\n".join(lines))
    )
    assert [line.partition(" ")[0] for line in lines if "c.words" in line] == ["::warning"]
    assert len([line for line in lines if line.startswith("::notice title=tool contracts::")]) == len(SAID)
    odd = as_annotations([Drift("a", "new", "C:\\x,y.json", "new")])
    assert odd == "::error file=C%3A\\x%2Cy.json,title=a%3A new::new"


LONG = Change(
    "input." + ".".join(f"very_long_name_{n}" for n in range(12)),
    "type_changed",
    "長" * 100,
    "x" * 500,
    "breaking",
    "it is " + "long " * 40,
    "w" * 200,
    "major",
    Witness("y" * 1000),
)


def test_the_table_fits_the_terminal() -> None:
    """In 80 columns what is long goes on in the next line, also in wide characters, and what is left out is said."""
    told = as_text([Drift("a." + "b" * 120, "changed", "s/" + "c" * 100 + ".json", "", (LONG,), "1.0.0", "1.0.1")])
    assert max(len(line) + sum(character == "長" for character in line) for line in told.splitlines()) <= 80
    assert "…" not in told
    squeezed = re.sub(r"\s", "", told)
    assert LONG.path in squeezed
    assert "長" * 100 in squeezed
    assert "b" * 120 in squeezed
    assert "w" * 200 in squeezed
    assert "x" * 399 in squeezed
    assert "x" * 400 not in squeezed
    assert "(102 characters more: --format json has them)".replace(" ", "") in squeezed
    assert "1.0.0 -> 1.0.1: changed, breaking, a major change" in told.replace("\n", " ")


def test_the_table_reads_like_this() -> None:
    """Each tool has its head, its file, what is wrong with its version, and its changes one below the other."""
    assert (
        as_text([DRIFTS[4]])
        == """\
e.broken  1.0.0 -> 1.0.1: changed, breaking, a major change
  snapshots/e.broken.json
  1.0.1 is too low
  breaking     input.rows[].qty
               maximum_lowered: 20 -> 10
               callers that send up to 20 are refused
               for example {"rows": [{"qty": 15}]}
               Take both for a while.
  compatible   input.unit
               field_added: (nothing) -> {"type": "string"}
               it may be left out

tools that differ: 1; changes breaking: 1, behavioural: 0, compatible: 1; needed
bump: major"""
    )
