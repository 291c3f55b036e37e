"""Results made smaller: some places masked, some selected, and the whole cut to a size."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from magic_tools.values import JsonObject, JsonValue

__all__ = ["cut_short", "is_masked", "masked", "selected"]

_MASK = "***"

_Keys: TypeAlias = tuple[str, ...]


def masked(data: JsonValue, masks: Sequence[str]) -> JsonValue:
    """A copy in which `"***"` stands at each place whose last keys are those of a mask; null stays null.

    A mask is dotted keys, such as `phone` or `customer.phone`; lists are passed through, and a key may
    have dots in it.
    """
    return _masked(data, (), masks) if masks else data


def is_masked(place: Sequence[str | int], masks: Sequence[str]) -> bool:
    """Whether what stands at a place, or around it, is masked."""
    keys = tuple(step for step in place if isinstance(step, str))
    return any(_ends_in(keys[:end], mask) for end in range(1, len(keys) + 1) for mask in masks)


def selected(data: JsonValue, names: Sequence[str]) -> JsonObject:
    """What stands at each place whose last keys are those of a name, by the names that are found.

    Of a name that is found once, and not in a list, it is the value itself, otherwise a list of all in order.
    """
    found: dict[str, list[_Found]] = {name: [] for name in names}
    for each in _places(data, (), in_list=False) if found else ():
        for name, those in found.items():
            if _ends_in(each.keys, name):
                those.append(each)
    return {name: _one_or_all(those) for name, those in found.items() if those}


def cut_short(content: str, data: JsonValue, limit: int, keep: Sequence[str] = ()) -> str:
    """The content if it has at most `limit` characters, else JSON of at most a hundred more with its start.

    The JSON is `{"cut":true,"chars":n,"kept":{...},"head":"..."}`, where `kept` has what is `selected` by
    `keep` from the data, as far as it fits into half of the limit, and is absent if that is nothing.
    """
    if len(content) <= limit:
        return content
    kept = _kept(data, limit // 2, keep)
    head = content[: _end_of_head(content, limit - len(kept))]
    shown = f'"kept":{kept},' if kept else ""
    return _UNPAIRED.sub("\ufffd", f'{{"cut":true,"chars":{len(content)},{shown}"head":{_json(head)}}}')


def _masked(data: JsonValue, place: _Keys, masks: Sequence[str]) -> JsonValue:
    if isinstance(data, list):
        return [_masked(item, place, masks) for item in data]
    if not isinstance(data, dict):
        return data
    copy: dict[str, JsonValue] = {}
    for key, value in data.items():
        below = (*place, key)
        if any(_ends_in(below, mask) for mask in masks):
            copy[key] = None if value is None else _MASK
        else:
            copy[key] = _masked(value, below, masks)
    return copy


class _Found(NamedTuple):
    keys: _Keys
    in_list: bool
    value: JsonValue


def _places(data: JsonValue, keys: _Keys, *, in_list: bool) -> Iterator[_Found]:
    """Every place that has a key, an outer one before those inside it."""
    if isinstance(data, list):
        for item in data:
            yield from _places(item, keys, in_list=True)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield _Found((*keys, key), in_list, value)
            yield from _places(value, (*keys, key), in_list=in_list)


def _ends_in(place: _Keys, name: str) -> bool:
    """Whether a dotted name is the last keys of a place, of which some may have dots themselves."""
    rest = name
    for key in reversed(place):
        if rest == key:
            return True
        if not rest.endswith(f".{key}"):
            return False
        rest = rest[: -len(key) - 1]
    return False


def _one_or_all(those: Sequence[_Found]) -> JsonValue:
    first, *others = those
    return first.value if not others and not first.in_list else [each.value for each in those]


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _kept(data: JsonValue, room: int, keep: Sequence[str]) -> str:
    """The JSON object of the selected fields that fit, `""` where none does."""
    fields: list[str] = []
    left = room - 1  # each field takes a comma or the closing brace with it, here is the opening one
    for name, value in selected(data, keep).items():
        field = f"{_json(name)}:{_json(value)}"
        if len(field) + 1 <= left:
            fields.append(field)
            left -= len(field) + 1
    return f"{{{','.join(fields)}}}" if fields else ""


_ESCAPES = {character: len(_json(character)) - 2 for character in (*map(chr, range(32)), '"', "\\")}
_ESCAPED = re.compile(r'[\x00-\x1f"\\]')
_UNPAIRED = re.compile("[\ud800-\udfff]")


def _end_of_head(content: str, room: int) -> int:
    """Where the head ends that, escaped as in JSON, has as many characters as there is room for."""
    end = room
    for found in _ESCAPED.finditer(content, 0, room):
        length = _ESCAPES[found.group()]
        if found.start() + length > end:
            end = min(found.start(), end)
            break
        end -= length - 1
    return _between_characters(content, end)


_STEPS = 40
_JOINER = "\u200d"
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_EXTENDING = re.compile(f"[\u200c{_JOINER}\uff9e\uff9f\u1160-\u11ff{_SKIN_TONES}\U000e0020-\U000e007f]")
"""What belongs to the character before it, apart from marks: joiners, skin tones, tags, later jamo."""

_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def _between_characters(content: str, end: int) -> int:
    """The end, or a little before it where what a reader sees as one character would be cut."""
    for position in range(end, max(end - _STEPS, 0), -1):
        if not _is_inside(content, position):
            return position
    return end if end > _STEPS else 0


def _is_inside(content: str, position: int) -> bool:
    before, after = content[position - 1], content[position]
    if before in _FLAG_LETTERS and after in _FLAG_LETTERS:
        letters = position - len(content[:position].rstrip(_FLAG_LETTERS))
        return letters % 2 == 1
    joined = before == _JOINER or f"{before}{after}" == "\r\n"
    return joined or unicodedata.category(after).startswith("M") or _EXTENDING.match(after) is not None
