"""YAML by the core schema: nothing is guessed, nothing grows, each fault has its line, and what is written is read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import yaml

from magic_tools.contracts.yaml_core import LEVELS, read_yaml, write_yaml
from magic_tools.errors import DefinitionError


def value_of(text: str) -> Any:
    return read_yaml(text, "f.yaml")[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("null", None),
        ("Null", None),
        ("~", None),
        ("nULL", "nULL"),
        ("'null'", "null"),
        ('"true"', "true"),
        ("2.10", 2.1),
        ("'2.10'", "2.10"),
        ("2.1.0", "2.1.0"),
        ("!!str 2.10", "2.10"),
        ("! 2.10", "2.10"),
        ("2.x", "2.x"),
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01T09:30:00Z", "2026-12-01T09:30:00Z"),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("+5", 5),
        ("-5", -5),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5E-1", -0.05),
        (".", "."),
        ("1.2.3", "1.2.3"),
        ("=", "="),
        ("<<", "<<"),
        ("9007199254740993", 9007199254740993),
        ("|\n  a: 1\n  b\n", "a: 1\nb\n"),
        (">-\n  a\n  b\n", "a b"),
        ("a # b", "a"),
        ("客户", "客户"),
        ("[1, a, {b: no}]", [1, "a", {"b": "no"}]),
        ("- a\n- - b\n", ["a", ["b"]]),
        ("a:\nb: ''\n", {"a": None, "b": ""}),
        ("{}", {}),
        ("---\na: 1\n...\n", {"a": 1}),
        ("&anchor 1", 1),
        ("'no': 1", {"no": 1}),
        ("no: 1", {"no": 1}),
        ("'1': 1", {"1": 1}),
    ],
)
def test_scalars_are_what_the_core_schema_says(text: str, value: Any) -> None:
    """A scalar without quotes is null, a truth, a number or, in every other case, a text; in quotes it is a text."""
    read = value_of(text)
    assert (read, type(read)) == (value, type(value))
    assert json.dumps(read) == json.dumps(value)


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"^f\.yaml: it is empty"),
        ("# only a remark\n", r"^f\.yaml: it is empty"),
        ("---\n", None),
        ("a: 1\n---\nb: 2\n", r"^f\.yaml, line 2: a second document begins here"),
        (BOMB, r"^f\.yaml, line 2: \*a repeats what stands elsewhere: write it out"),
        ("a: &a\n  b: *a\n", r"line 2: \*a repeats"),
        ("a: 1\nb: 2\na: 3\n", r"^f\.yaml, line 3: the key 'a' stands twice"),
        ("a: {b: 1, b: 2}", "line 1: the key 'b' stands twice"),
        ("'a': 1\na: 1\n", "line 2: the key 'a' stands twice"),
        ("1: a\n", "line 1: the key 1 is no text: put it in quotes"),
        ("true: a\n", "the key True is no text"),
        ("~: a\n", "the key None is no text"),
        ("? [a]\n: b\n", r"the key \['a'\] is no text"),
        ("a:\n\tb: 1\n", r"^f\.yaml, line 2, column 1: this is no YAML: .*Indent with blanks, not with tabs"),
        ("a: b: c\n", "line 1, column 5: this is no YAML: mapping values are not allowed.*Put a text that holds ': '"),
        ("a: [1, 2\n", r"^f\.yaml, line 2, column 1: this is no YAML"),
        ("a: 'b\n", "this is no YAML"),
        ("a: *b\n", r"\*b repeats"),
        (
            "a: !!python/object/apply:os.system [ls]\n",
            "line 1: the tag 'tag:yaml.org,2002:python/object/apply:os.system'",
        ),
        ("a: !!timestamp 2026-12-01\n", "the tag 'tag:yaml.org,2002:timestamp' means nothing here: take it out"),
        ("a: !!binary aGk=\n", "means nothing here"),
        ("a: !custom b\n", "the tag '!custom' means nothing here"),
        ("a: !!set {b}\n", "means nothing here"),
        ("a: !!str [b]\n", "means nothing here"),
        ("a: .nan\n", r"line 1: \.nan is a number that JSON cannot hold"),
        ("a:\n  - -.INF\n", r"line 2: -\.INF is a number that JSON cannot hold"),
        ("a: 1e999\n", "line 1: 1e999 is too large a number"),
        ("a: " + "9" * 5000, "is too large a number"),
        ("a: 0x" + "f" * 400, "is too large a number"),
        ("[" * 101 + "]" * 101, f"line 1: more than {LEVELS} values are inside one another"),
        ("".join("  " * n + "a:\n" for n in range(102)), f"line 101: more than {LEVELS} values"),
        ("[" * 20_000, "more than"),
        ("a: \x07\n", r"^f\.yaml: this is no YAML: .*special characters"),
        ("%YAML 3.0\n---\na\n", "this is no YAML"),
    ],
)
def test_what_is_refused(text: str, words: str | None) -> None:
    """What could say two things, grow, run code or not be JSON is refused at its line, and what to do is said."""
    if words is None:
        assert value_of(text) is None
        return
    with pytest.raises(DefinitionError, match=words):
        read_yaml(text, "f.yaml")


def test_as_deep_as_is_allowed() -> None:
    """The limit of depth is no less than it says."""
    held = value_of("[" * LEVELS + "]" * LEVELS)
    for _ in range(LEVELS - 1):
        (held,) = held
    assert held == []


def test_each_value_knows_its_line() -> None:
    """By the keys that lead to it; a member of a mapping stands where its key does."""
    lines = read_yaml("a: 1\nb:\n  c:\n  - x\n  -\n    d: 2\n", "f.yaml")[1]
    assert lines == {
        (): 1,
        ("a",): 1,
        ("b",): 2,
        ("b", "c"): 3,
        ("b", "c", 0): 4,
        ("b", "c", 1): 6,
        ("b", "c", 1, "d"): 6,
    }


TEXTS = [
    "", " ", "no", "yes", "null", "~", "true", "2.10", "2.1.0", "1e3", "0o17", "017", "0x1F", "0b1", "1_000",
    "12:30:00", "2026-12-01", ".nan", ".inf", "-.INF", ".", "=", "<<", "-", "- a", "a: b", "a #b", "#a", "*a", "&a",
    "!a", "%a", "@a", "`a", "{a}", "[a]", "|", ">", "'", '"', "a\nb", "a\nb\n", "\na", "a\n\n", " a", "a ", "a\n b ",
    "\ta", "a\tb", "\r", "a\r\nb", "\x00", "\x07", "\x85", "a\x85\nb", "\u2028", "\ufeff", "\U0001f600", "\ud800",
    "客户\n第二", "a" * 300, "a b " * 60, "---", "...", "? a", "\\", "\\N", "%YAML",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_written_so_that_it_is_read(text: str) -> None:
    """Whatever it looks like, as a value, a key and an item, it comes back; also by a reader of YAML 1.1."""
    data = {"a": text, text + "k": [text], "n": {"t": text}}
    written = write_yaml(data)
    assert value_of(written) == data
    assert yaml.safe_load(written) == data


@pytest.mark.parametrize(
    "value", [0, -1, 2**63, 1.5, 1e20, 1e-7, -0.0, 1e300, True, False, None, [], {}, [[]], [{}], {"a": {}}]
)
def test_a_value_is_written_so_that_it_is_read(value: Any) -> None:
    """Numbers, truths, null and what is empty come back as what they are."""
    read = value_of(write_yaml({"a": value, "b": [value]}))
    assert json.dumps(read) == json.dumps({"a": value, "b": [value]})
    if isinstance(value, float):
        assert math.copysign(1, read["a"]) == math.copysign(1, value)


def test_the_written_form() -> None:
    """Keys as they come, texts of several lines as blocks, short lists in a line, no aliases."""
    again = ["x", "y"]
    data = {"b": "one\ntwo\n", "a": again, "c": {"again": again, "day": "2026-12-01"}}
    assert write_yaml(data) == ("b: |\n  one\n  two\na: [x, y]\nc:\n  again: [x, y]\n  day: '2026-12-01'\n")
