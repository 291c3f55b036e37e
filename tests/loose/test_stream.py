"""JSON read while it is being written: what there is to see after each piece, and where it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from magic_tools.loose.growing import Closed
from magic_tools.loose.stream import IncrementalParser

DICT = (dict,)


def fed(*pieces: str, kinds: tuple[type, ...] = (dict, list)) -> IncrementalParser:
    """A parser that was fed with these pieces."""
    parser = IncrementalParser(kinds=kinds)
    for piece in pieces:
        parser.feed(piece)
    return parser


def seen(parser: IncrementalParser) -> tuple[Any, Any]:
    return parser.value, parser.open_path


@pytest.mark.parametrize(
    ("text", "value", "open_path"),
    [
        ("", None, None),
        ("{", None, None),
        ('{"', {}, ()),
        ('{"na', {}, ()),
        ('{"name"', {}, ()),
        ('{"name":', {}, ()),
        ('{"name": "', {"name": ""}, ("name",)),
        ('{"name": "Ro', {"name": "Ro"}, ("name",)),
        ('{"name": "Rome"', {"name": "Rome"}, ("name",)),
        ('{"name": "Rome",', {"name": "Rome"}, ()),
        ('{"n": 1', {}, ()),
        ('{"n": 12 ', {}, ()),
        ('{"n": 12,', {"n": 12}, ()),
        ('{"n": -1.5e3}', {"n": -1500.0}, None),
        ('{"n": tru', {}, ()),
        ('{"n": true', {}, ()),
        ('{"n": true}', {"n": True}, None),
        ('{"n": null, "m": fal', {"n": None}, ()),
        ("[1", None, None),
        ("[1,", [1], ()),
        ('["a", "b', ["a", "b"], (1,)),
        ('{"a": [{"b": "c', {"a": [{"b": "c"}]}, ("a", 0, "b")),
        ('{"a": [{"b": "c"}', {"a": [{"b": "c"}]}, ("a",)),
        ('{"a": [', {"a": []}, ("a",)),
        ("[]", [], None),
    ],
)
def test_what_is_whole_is_given_and_what_is_not_is_marked(text: str, value: Any, open_path: Any) -> None:
    """A number, literal or key is not there before its end was seen; a string is there, and marked until then."""
    assert seen(fed(text)) == (value, open_path)
    assert seen(fed(*text)) == (value, open_path)


def test_values_are_given_as_each_closes() -> None:
    """A piece gives what it makes whole, inside out, with its place and its extent in the text."""
    parser = IncrementalParser()
    assert parser.feed('So: {"items": [{"n": 1') == ()
    assert parser.feed("2}, ") == (
        Closed(("items", 0, "n"), 12, 21, 23),
        Closed(("items", 0), {"n": 12}, 15, 24),
    )
    assert parser.feed('"x"') == ()
    assert parser.feed("]") == (Closed(("items", 1), "x", 26, 29), Closed(("items",), [{"n": 12}, "x"], 14, 30))
    assert parser.feed("}!") == (Closed((), {"items": [{"n": 12}, "x"]}, 4, 31),)


def test_changed_tells_whether_there_is_more_to_see() -> None:
    """Prose, blanks, comments, keys and half tokens are nothing to see; what opens, grows or closes is."""
    parser = IncrementalParser()
    pieces = ['Here: {"', "a", '": ', "tr", "ue", " ", ",", "// no\n", '"t":"', "x", "\\", "n", '"', "}", "}", "Done."]
    changed = []
    for piece in pieces:
        parser.feed(piece)
        changed.append(parser.changed)
    assert changed == [True, *[False] * 5, True, False, True, True, False, True, False, True, False, False]


@pytest.mark.parametrize(
    "escaped",
    ["\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\ud83d\\ud83d\\ude00", "\\ud83dx", "\\\\ud83d", '\\"'],
)
def test_an_escape_may_be_cut_anywhere(escaped: str) -> None:
    """Pairs are joined, lone surrogates kept, as by json.loads; and the text so far ends in no half of anything."""
    text = f'{{"k{escaped}": "a{escaped}b{escaped}"}}'
    whole = json.loads(text)
    ((key, said),) = whole.items()
    parser = IncrementalParser()
    for character in text:
        parser.feed(character)
        assert (
            parser.value is None
            or parser.value == {}
            or (list(parser.value) == [key] and said.startswith(parser.value[key]))
        )
    assert seen(parser) == (whole, None)


@pytest.mark.parametrize("cut", ["\\", "\\u", "\\u00e", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude0"])
def test_half_an_escape_is_held_back(cut: str) -> None:
    """Also half of a pair of surrogates is, which might be one that stands alone."""
    assert seen(fed('["a' + cut)) == (["a"], (0,))


READ = {"a": 1, "b": ["x"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": ["x"]}',
        '\ufeff \u3000{\xa0"a"\t: 1,\r\n"b":["x"\u200b] }',
        '{"a": 1, "b": ["x",],\n}',
        '{ // first: {\n"a": /* [ " */ 1 // last,\n, "b": ["x"]/**/}',
        '```json\n{"a": 1, "b": ["x"]}\n```',
        'Here you are, as in fig. 2 of {name}: {"a": 1, "b": ["x"]}. Anything else?',
        '<think>Is it {"a": 2} or [1]?</think>{"a": 1, "b": ["x"]}',
        '<Reasoning>{</Thinking>\n{"a": 1, "b": ["x"]} <think>or {"a": 2}?</think>',
        'Perhaps {"a": 2} or {"a" </think> {"a": 1, "b": ["x"]}',
        '1 < 2 <b> <thin {"a": 1, "b": ["x"]}',
        'See [1 of 2], [note], [true story], [[wiki]], items[0], f(x)[0]: {"a": 1, "b": ["x"]}',
        '{{"a": 1, "b": ["x"]}}',
    ],
)
def test_what_stands_around_and_between_is_passed_over(text: str) -> None:
    """Prose, fences, reasoning, also without its beginning, comments, trailing commas and odd blanks are."""
    for pieces in ((text,), tuple(text)):
        parser = fed(*pieces)
        assert (*seen(parser), parser.state) == (READ, None, "closed")


def test_raw_control_characters_are_kept() -> None:
    """A string may go over lines, and hold what JSON wants escaped."""
    assert fed('["a\nb\t\x00c"]').value == ["a\nb\t\x00c"]


@pytest.mark.parametrize(
    ("text", "value", "open_path"),
    [
        ('{"a": 1 "b": 2}', {}, ()),
        ('{"a": "x" "b": 2}', {"a": "x"}, ("a",)),
        ('{"t": "say "hi" now"}', {"t": "say "}, ("t",)),
        ('{"a": [1] "b": 2}', {"a": [1]}, ()),
        ('{"a": 12/3}', {}, ()),
        ('{"a": 1 234}', {}, ()),
        ('["x", .5]', ["x"], ()),
        ('["x", 01]', ["x"], ()),
        ('["x", 1.]', ["x"], ()),
        ('["x", NaN]', ["x"], ()),
        ('["x", True]', ["x"], ()),
        ('["x",, 1]', ["x"], ()),
        ('["x"}', ["x"], (0,)),
        ("[1, see below]", [1], ()),
        ('["x", ...]', ["x"], ()),
        ('["C:\\Users"]', ["C:"], (0,)),
        ('["\\u12x"]', [""], (0,)),
        ('["\\ud83d\\x"]', [""], (0,)),
        ('{"a": 1, "a": 2}', {"a": 1}, ()),
        ('{"a": 1, "\\u0061": 1}', {"a": 1}, ()),
        ('{"a"}', {}, ()),
        ('{"a": }', {}, ()),
        ('{"a": 1, b: 2}', {"a": 1}, ()),
        ("{'a': {\"b\": 1}}", None, None),
        ('{a: {"b": 1}}', None, None),
        ("['a', {\"b\": 1}]", None, None),
        ('["x", ' + "1" * 4301 + "]", ["x"], ()),
        ('["x", 0.' + "1" * 4300 + "]", ["x"], ()),
        ('["x", ' + "a" * 9999, ["x"], ()),
    ],
)
def test_damage_ends_what_is_given(text: str, value: Any, open_path: Any) -> None:
    """What was sure until there stays as it was; what follows, even JSON, changes nothing, and nothing is raised."""
    for pieces in ((text,), tuple(text)):
        parser = fed(*pieces, ' {"c": 3} ]}')
        assert (*seen(parser), parser.state) == (value, open_path, "damaged")


def test_numbers_are_those_of_json_loads() -> None:
    """Whole numbers are exact, up to the digits that Python reads, and others are what Python makes of them."""
    text = f"[{'9' * 4300}, -{'9' * 4300}, -0, -0.0, 1e5, 1E-7, 0.1, 1e400, 123456789012345678901234567890, 1.10]"
    assert repr(fed(*text).value) == repr(json.loads(text))


def test_depth_is_bounded() -> None:
    """Five hundred levels are read, one more is damage, and no depth is too much for Python."""
    assert fed('["",' * 500 + "]" * 500).state == "closed"
    assert fed('["",' * 501).state == "damaged"
    assert fed('{"a":' * 100_000).state == "damaged"
    assert fed("[" * 100_000).state == "searching"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", "searching"),
        ("<think>[1", "searching"),
        ("{", "searching"),
        ('{"', "reading"),
        ("{}", "closed"),
        ('{"a": 1} {', "undecided"),
        ("[1] [2]", "undecided"),
        ('{"a": tr', "reading"),
        ('{"a": tr,', "damaged"),
    ],
)
def test_states(text: str, state: str) -> None:
    """The state tells how far the text has come, and whether a second value makes it undecided."""
    assert fed(text).state == state


def test_values_of_another_kind_are_passed_over() -> None:
    """Where an object is wanted an array is read to its end and not seen, nor is an object inside it."""
    parser = IncrementalParser(kinds=DICT)
    assert parser.feed('As [1] says, [{"a": 0}, ') == ()
    assert (seen(parser), parser.changed) == ((None, None), False)
    assert parser.feed('["x"]]: {"a": 1') == ()
    assert seen(parser) == ({}, ())
    assert seen(fed('[{"a": 0}, x {"a": 1}', kinds=DICT)) == (None, None)
    assert seen(fed('{"a": 1}', kinds=())) == (None, None)


def test_reasoning_without_a_beginning_is_withdrawn() -> None:
    """What was seen of it is gone, and with it what the same piece made whole."""
    parser = IncrementalParser()
    parser.feed('Perhaps {"a": [1, ')
    assert parser.feed('2]} or </think> {"a": 3') == ()
    assert parser.changed
    assert seen(parser) == ({}, ())
    assert parser.feed("}") == (Closed(("a",), 3, 40, 41), Closed((), {"a": 3}, 34, 42))


def test_the_value_grows_and_a_snapshot_does_not() -> None:
    """The containers are the same all the time; a snapshot has its own of those that are open, and shares the rest."""
    parser = fed('{"a": [1, {"b": 2}, [')
    value, kept = parser.value, parser.snapshot()
    parser.feed('"x"], {}], "c": "so')
    assert parser.value is value
    assert value == {"a": [1, {"b": 2}, ["x"], {}], "c": "so"}
    assert kept == {"a": [1, {"b": 2}, []]}
    assert kept["a"][1] is value["a"][1]
    text = parser.snapshot()
    parser.feed(' far"}')
    assert (text["c"], value["c"]) == ("so", "so far")
    assert parser.snapshot() is value
    assert IncrementalParser().snapshot() is None


def test_an_open_string_that_somebody_keeps_is_not_changed() -> None:
    """Growing in place is for strings that nobody else holds."""
    parser = IncrementalParser()
    parser.feed('["')
    kept: list[str] = []
    for _ in range(200):
        parser.feed("xyz")
        kept.append(parser.value[0])
    assert kept == ["xyz" * count for count in range(1, 201)]


def characters_kept(pieces: Iterable[str]) -> int:
    """The most that is kept of the text, as the size of whatever a parser holds beside the value."""
    parser, most = IncrementalParser(), 0
    for piece in pieces:
        parser.feed(piece)
        most = max(most, *(sys.getsizeof(held) for held in vars(parser).values() if isinstance(held, str)))
    return most


@pytest.mark.parametrize("piece", ["x", " ", "<", "\\u00e9", "{", "[", "1", '"', "/* ", "// ", "a\n", "<think>"])
@pytest.mark.parametrize("start", ["", "<think>", '{"', '{"a":', '{"a":"', '{"a": //', '{"a": /*'])
def test_little_of_the_text_is_kept(start: str, piece: str) -> None:
    """Whatever comes, and however long it goes on, what waits for more is short, since each piece reads it again."""
    assert characters_kept([start, *[piece] * 20_000]) < 5_000
