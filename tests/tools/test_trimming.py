"""Trimming: masks hide every place they name, names find theirs, and a cut text is whole JSON of its size."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from magic_tools.tools.trimming import cut_short, masked, selected
from magic_tools.values import JsonObject, JsonValue

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
THUMB = "\U0001f44d\U0001f3fd"
HEART = "\u2764\ufe0f"
KEYCAP = "1\ufe0f\u20e3"
FLAG = "\U0001f1eb\U0001f1f7"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
ACCENTED = "e\u0301\u0323"
SYLLABLE = "\u1112\u1161\u11ab"

ORDERS: JsonValue = {
    "phone": "1",
    "customer": {"phone": "2", "name": "A", "customer": {"phone": "3"}},
    "orders": [{"phone": "4", "lines": [[{"phone": None}]]}, "phone", 5],
}


@pytest.mark.parametrize(
    ("data", "masks", "result"),
    [
        ({"a": 1, "b": 2}, ["a"], {"a": "***", "b": 2}),
        ({"a": 1}, [], {"a": 1}),
        ({"a": 1}, ["b", "A", ""], {"a": 1}),
        ({"a": None}, ["a"], {"a": None}),
        ({"a": {"b": 1}, "c": [1]}, ["a", "c"], {"a": "***", "c": "***"}),
        ({"a": False, "b": "", "c": []}, ["a", "b", "c"], {"a": "***", "b": "***", "c": "***"}),
        ({"a": [{"b": 1}, {"b": None}, [{"b": 2}], 3]}, ["a.b"], {"a": [{"b": "***"}, {"b": None}, [{"b": "***"}], 3]}),
        ([{"a": 1}], ["a"], [{"a": "***"}]),
        ({"x": {"y": {"a": {"b": 1}}}}, ["a.b"], {"x": {"y": {"a": {"b": "***"}}}}),
        ({"a": {"c": {"b": 1}}, "ba": {"b": 2}}, ["a.b"], {"a": {"c": {"b": 1}}, "ba": {"b": 2}}),
        ({"a.b": 1, "b": 2}, ["a.b"], {"a.b": "***", "b": 2}),
        ({"x": {"a.b": {"c": 1}}}, ["a.b.c"], {"x": {"a.b": {"c": "***"}}}),
        ({"a.b": 1}, ["b", "a"], {"a.b": 1}),
        ({"": 1, "a": {"": 2}}, [""], {"": "***", "a": {"": "***"}}),
        ({"电话": 1}, ["电话"], {"电话": "***"}),
        ("phone", ["phone"], "phone"),
        (None, ["a"], None),
        (
            ORDERS,
            ["customer.phone"],
            {
                "phone": "1",
                "customer": {"phone": "***", "name": "A", "customer": {"phone": "***"}},
                "orders": [{"phone": "4", "lines": [[{"phone": None}]]}, "phone", 5],
            },
        ),
    ],
)
def test_masks(data: JsonValue, masks: list[str], result: JsonValue) -> None:
    """A mask hides what stands wherever the last keys are its own, and leaves the rest and the data as they are."""
    before = copy.deepcopy(data)
    assert masked(data, masks) == result
    assert data == before


@pytest.mark.parametrize(
    ("data", "names", "result"),
    [
        ({"a": 1, "b": {"c": 2}}, ["b", "a"], {"b": {"c": 2}, "a": 1}),
        ({"a": 1, "b": {"c": 2}}, ["c", "b.c"], {"c": 2, "b.c": 2}),
        ({"a": 1}, ["b"], {}),
        ({"a": 1}, [], {}),
        ({"a": None}, ["a"], {"a": None}),
        ({"a": [1, 2]}, ["a"], {"a": [1, 2]}),
        ({"a": [{"id": 1}, {"id": 2}]}, ["id"], {"id": [1, 2]}),
        ({"a": [{"id": 1}]}, ["a.id"], {"a.id": [1]}),
        ([{"a": {"id": 1}}], ["id"], {"id": [1]}),
        ({"id": 1, "b": {"id": 2}}, ["id"], {"id": [1, 2]}),
        ({"id": {"id": 1}}, ["id"], {"id": [{"id": 1}, 1]}),
        ({"a.b": 1}, ["a.b"], {"a.b": 1}),
        ("text", ["text"], {}),
        (ORDERS, ["phone", "customer.phone"], {"phone": ["1", "2", "3", "4", None], "customer.phone": ["2", "3"]}),
    ],
)
def test_selection(data: JsonValue, names: list[str], result: JsonObject) -> None:
    """A name finds what a mask of that name hides: one thing as it is, several or those of lists in order."""
    found = selected(data, names)
    assert found == result
    assert list(found) == list(result)


@pytest.mark.parametrize(
    ("content", "limit", "result"),
    [
        ("", 1, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, '{"cut":true,"chars":4,"head":"abc"}'),
        ("ab", 1, '{"cut":true,"chars":2,"head":"a"}'),
        ('""""', 3, '{"cut":true,"chars":4,"head":"\\""}'),
        ('a"b"c', 4, '{"cut":true,"chars":5,"head":"a\\"b"}'),
        ("\x00\x00", 1, '{"cut":true,"chars":2,"head":""}'),
        ("\x00" * 20, 13, '{"cut":true,"chars":20,"head":"\\u0000\\u0000"}'),
        ("a\n\n", 2, '{"cut":true,"chars":3,"head":"a"}'),
        ("東京都", 2, '{"cut":true,"chars":3,"head":"東京"}'),
        ("a\ud800bc", 3, '{"cut":true,"chars":4,"head":"a\ufffdb"}'),
        ("a\r\nb", 3, '{"cut":true,"chars":4,"head":"a"}'),
    ],
)
def test_cut(content: str, limit: int, result: str) -> None:
    """A text within its limit is untouched, a longer one JSON that holds as much of its start as fits when escaped."""
    assert cut_short(content, None, limit) == result


@pytest.mark.parametrize("character", [FAMILY, THUMB, HEART, KEYCAP, FLAG, SCOTLAND, ACCENTED, SYLLABLE])
def test_no_character_is_cut(character: str) -> None:
    """What a reader sees as one character is in the head or not, and never a part of it."""
    content = f"ab{character * 4}"
    for limit in range(1, len(content)):
        head = json.loads(cut_short(content, None, limit))["head"]
        whole = max(limit - 2, 0) // len(character)
        assert head == ("ab" + character * whole)[:limit]


def test_flags_are_paired_from_their_first() -> None:
    """Of flags in a row, one is not made of the halves of two."""
    flags = "\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea" * 30
    for limit in range(1, len(flags)):
        assert len(json.loads(cut_short(flags, None, limit))["head"]) == limit // 2 * 2


def test_a_character_without_end_is_cut() -> None:
    """Hundreds of marks on one letter do not take the head away."""
    assert len(json.loads(cut_short("a" + "\u0301" * 500, None, 200))["head"]) == 200


@pytest.mark.parametrize(
    ("limit", "keep", "kept"),
    [
        (100, ["id"], {"id": 7}),
        (100, ["next", "id", "none"], {"next": "東京", "id": 7}),
        (100, [], None),
        (100, ["none"], None),
        (100, ["text"], None),
        (100, ["text", "id"], {"id": 7}),
        (40, ["id", "next"], {"id": 7, "next": "東京"}),
        (38, ["id", "next"], {"id": 7}),
        (24, ["id"], {"id": 7}),
        (16, ["id"], {"id": 7}),
        (14, ["id"], None),
        (1, ["id"], None),
    ],
)
def test_kept_fields(limit: int, keep: list[str], kept: Any) -> None:
    """What is to be kept is there as far as it fits into half of the limit, and the head has the rest."""
    data: JsonValue = {"text": "x" * 200, "id": 7, "next": "東京"}
    content = json.dumps(data)
    cut = cut_short(content, data, limit, keep)
    read = json.loads(cut)
    assert read.get("kept") == kept
    assert len(cut) <= limit + 100
    assert content.startswith(read["head"])
    kept_length = len(json.dumps(kept, ensure_ascii=False, separators=(",", ":"))) if kept else 0
    assert limit - 1 <= kept_length + len(json.dumps(read["head"])) - 2 <= limit


@pytest.mark.parametrize("character", ["a", '"', "\x00", "\u0301", FLAG[0], "\ud800", "東"])
def test_long_texts_are_cut_at_once(character: str) -> None:
    """The time goes with the limit, and not with the length of the text."""
    content = character * 2_000_000
    start = time.perf_counter()
    cut_short(content, None, 20_000)
    assert time.perf_counter() - start < 0.5


texts = st.text(st.sampled_from('ab"\\\n\x00\x7f\u2028é東\ud83d\U0001f600\u200d\ufe0f\u0301\U0001f3fd\U0001f1eb\r'))
keys = st.sampled_from(["a", "b", "a.b", ""])
datas: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
names = st.lists(st.sampled_from(["a", "b", "a.b", "b.a", "a.a.b", "", "c"]), max_size=3)


@given(texts, datas, st.integers(1, 60), names)
@example("\x00" * 99, {"a": '"'}, 1, ["a"])
def test_a_cut_text_is_json_of_its_size(content: str, data: Any, limit: int, keep: list[str]) -> None:
    """Whatever is cut, the whole is JSON that can be sent, of at most a hundred characters more than the limit."""
    cut = cut_short(content, data, limit, keep)
    if len(content) <= limit:
        assert cut == content
        return
    read = json.loads(cut)
    cut.encode()
    assert len(cut) <= limit + 100
    assert (read["cut"], read["chars"]) == (True, len(content))
    assert content.replace("\ud83d", "\ufffd").startswith(read["head"])
    assert len(read["head"]) < len(content)
    assert len(json.dumps(read.get("kept", ""), ensure_ascii=False, separators=(",", ":"))) <= max(limit // 2, 2)


def places(data: Any, keys: tuple[str, ...] = (), listed: bool = False) -> list[tuple[tuple[str, ...], bool, Any]]:
    """Every place with keys, written out once more as simply as can be."""
    if isinstance(data, list):
        return [place for item in data for place in places(item, keys, True)]
    if isinstance(data, dict):
        return [
            place
            for key, value in data.items()
            for place in [((*keys, key), listed, value), *places(value, (*keys, key), listed)]
        ]
    return []


def ends(keys: tuple[str, ...], name: str) -> bool:
    return any(".".join(keys[start:]) == name for start in range(len(keys)))


@given(datas, names)
def test_a_name_finds_all_and_a_mask_hides_all(data: Any, wanted: list[str]) -> None:
    """Nothing that a mask names can be read after it, all else can, and the names find just these places."""
    before = copy.deepcopy(data)
    for keys, _, value in places(masked(data, wanted)):
        assert value in (None, "***") or not any(ends(keys, name) for name in wanted)
    assert masked(data, [*wanted, "nowhere"]) == masked(data, wanted)
    expected = {}
    for name in wanted:
        those = [(listed, value) for keys, listed, value in places(data) if ends(keys, name)]
        if those:
            expected[name] = those[0][1] if len(those) == 1 and not those[0][0] else [value for _, value in those]
    assert selected(data, wanted) == expected
    assert data == before
    if not expected:
        assert masked(data, wanted) == data
