"""What is sent of a transcript: older results shortened, and a window that parts no call from its result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from magic_tools.messages import Message, Part, ToolResult
from magic_tools.options import History
from magic_tools.tools.trimming import cut_short

__all__ = ["fitted"]


def fitted(transcript: tuple[Message, ...], history: History, asked: int | None = None) -> tuple[Message, ...]:
    """What is sent of a whole transcript; the same tuple where there is nothing to do.

    It is whole too, has at most `history.messages` messages, and begins with the leading system messages (the first
    of them, where there are more than may be sent), and then with a user's, unless the transcript has none. `asked`
    is where the question stands that is being answered, without it the last user message: it stays as long as there
    is room for one message. Everything else that stays is newer than everything that goes, but for the user message
    that stands before a turn of which only the end fits.
    """
    window = transcript if history.messages is None else _window(transcript, history.messages, asked)
    return window if history.result_chars is None else _shortened(window, history.result_chars, history.recent)


def _window(transcript: tuple[Message, ...], limit: int, asked: int | None) -> tuple[Message, ...]:
    """The transcript from the oldest user message on that fits, if that makes use of half of the room.

    Else the user message before what fits, and as much of the end as fits with it: where a turn is longer than the
    room, the alternative is little or nothing of it.
    """
    count = len(transcript)
    if count <= limit:
        return transcript
    leading = next((at for at, message in enumerate(transcript) if message.role != "system"), count)
    room = limit - leading
    if room <= 0:
        return transcript[:limit]
    system, last = transcript[:leading], count - 1 if asked is None else asked
    begin = _start(transcript, count - room)
    whole = _user_at(transcript, range(begin, last + 1))
    if whole is not None and 2 * (count - whole) >= room:
        return system + transcript[whole:]
    opener = _user_at(transcript, range(min(begin - 1, last), leading - 1, -1))
    if opener is None:
        return system + transcript[begin if whole is None else whole :]
    return (*system, transcript[opener], *transcript[_start(transcript, count - room + 1) :])


def _start(transcript: Sequence[Message], at: int) -> int:
    """The first place from there on at which a transcript may begin: not among results."""
    return next((place for place in range(at, len(transcript)) if transcript[place].role != "tool"), len(transcript))


def _user_at(transcript: Sequence[Message], places: range) -> int | None:
    return next((place for place in places if transcript[place].role == "user"), None)


def _shortened(transcript: tuple[Message, ...], limit: int, recent: int) -> tuple[Message, ...]:
    """The transcript with the results before the latest groups shortened."""
    groups = [at for at, message in enumerate(transcript) if message.calls]
    older = [*groups, len(transcript)][-1 - min(recent, len(groups))]
    changed = dict(_all_shorter(transcript[:older], limit))
    if not changed:
        return transcript
    return tuple(changed.get(at, message) for at, message in enumerate(transcript))


def _all_shorter(messages: Sequence[Message], limit: int) -> Iterator[tuple[int, Message]]:
    """The messages that become shorter, by where they stand."""
    for at, message in enumerate(messages):
        if message.role == "tool":
            parts = tuple(_shorter(part, limit) for part in message.parts)
            if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                yield at, Message("tool", parts)


def _shorter(part: Part, limit: int) -> Part:
    """A result of which at most the limit is left, and about a hundred characters that say so; else the same part."""
    if not isinstance(part, ToolResult) or len(part.content) <= limit:
        return part
    earlier = _earlier_cut(part.content)
    content = cut_short(part.content, None, limit) if earlier is None else _cut_again(earlier, limit)
    return replace(part, content=content) if len(content) < len(part.content) else part


_CUT = re.compile(r'\{\s*"cut"\s*:\s*true\s*,')
_UNPAIRED = re.compile("[\ud800-\udfff]")


class _Cut(NamedTuple):
    """What a content says that was cut before: its true number of characters, its start, and the fields it kept."""

    chars: int
    head: str
    fields: Sequence[str]


def _earlier_cut(content: str) -> _Cut | None:
    if _CUT.match(content) is None:
        return None
    try:
        match json.loads(content):
            case {"chars": int(chars), "head": str(head), **more} if more.keys() <= {"cut", "kept"}:
                kept = more.get("kept", {})
                fields = [_field(name, value) for name, value in kept.items()] if isinstance(kept, dict) else []
                return _Cut(chars, head, fields) if chars >= len(head) else None
            case _:
                return None
    except (ValueError, RecursionError):  # which is what another's JSON may be
        return None


def _field(name: str, value: Any) -> str:
    """A field as it stands in JSON."""
    return _json({name: value})[1:-1]


def _json(value: Any) -> str:
    return _UNPAIRED.sub("\ufffd", json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _cut_again(earlier: _Cut, limit: int) -> str:
    """A content that was cut before with less of its head, and of what was kept what fits into half of the limit."""
    kept = _kept(earlier.fields, limit // 2)
    shown = f'"kept":{kept},' if kept else ""
    return f'{{"cut":true,"chars":{earlier.chars:d},{shown}"head":{_head(earlier.head, limit - len(kept))}}}'


def _head(text: str, room: int) -> str:
    """The JSON of a text, or of as much of its start as there is room for."""
    whole = _json(text)
    if len(whole) - len('""') <= room:
        return whole
    cut = cut_short(text + " " * room, None, room)  # longer than the room even where only what is escaped is
    return cut[cut.index('"head":') + len('"head":') : -1]


def _kept(fields: Iterable[str], room: int) -> str:
    """The JSON object of the fields that fit, `""` where none does."""
    shown: list[str] = []
    left = room - 1  # each field takes a comma or the closing brace with it, here is the opening one
    for field in fields:
        if len(field) + 1 <= left:
            shown.append(field)
            left -= len(field) + 1
    return f"{{{','.join(shown)}}}" if shown else ""
