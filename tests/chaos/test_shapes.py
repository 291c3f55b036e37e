"""Answers in which one value at some place is of another kind: they are read, or refused as a ModelError."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import pytest

from magic_tools import ModelError, ModelRequest
from magic_tools.chat import TextPiece, fault_of
from magic_tools.messages import Message
from magic_tools.models.forms import Forms
from magic_tools.models.registry import REMOTE
from tests.chaos.faults import PIECES
from tests.chaos.voices import VOICES, Said, SentCall, Voice

OTHERS: Sequence[Any] = (None, True, 7, 1e300, -1, "x", "", [], {}, [None], ["x"], [[]], [{}], {"x": None}, {"text": 5})
CALLS = (SentCall(('{"a"', ": 1}"), id="c1", index=0), SentCall(('{"b": 2}',), id="c2", index=1))
REQUEST = ModelRequest((Message.user("Hi"),))

each_voice = pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.prefix)


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Every place in a value."""
    items: Iterable[tuple[Any, Any]] = ()
    match value:
        case dict():
            items = value.items()
        case list():
            items = enumerate(value)
        case _:
            pass
    for key, held in items:
        yield (key,)
        yield from ((key, *rest) for rest in _places(held))


def _changed(value: Any, place: tuple[Any, ...], other: Any) -> Any:
    changed = copy.deepcopy(value)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if other is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = other
    return changed


def _variants(value: Any) -> Iterator[Any]:
    """The value with each place of it left out, or of another kind."""
    for place in _places(value):
        for other in (..., *OTHERS):
            yield _changed(value, place, other)
    yield from OTHERS


def _complaint(read: Callable[[], str]) -> str:
    """What is wrong with how an answer is read; nothing where it is refused."""
    try:
        return read()
    except ModelError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _whole(voice: Voice, body: Any) -> str:
    wire = REMOTE[voice.prefix][0]
    return fault_of(wire.reply(body, Forms(wire.dialect).of(REQUEST)))


def _streamed(voice: Voice, events: Iterable[Said]) -> str:
    """As a stream is read; of one that is cut, what has come."""
    wire = REMOTE[voice.prefix][0]
    reader = wire.reader()
    pieces: list[Any] = []
    with suppress(ModelError):
        for event in events:
            if isinstance(event, dict):
                pieces += reader.feed(event)
    for piece in pieces:
        texts = (piece.text,) if isinstance(piece, TextPiece) else (piece.id, piece.name, piece.arguments)
        if not all(isinstance(text, str) for text in texts):
            return f"a piece is {piece!r}"
    is_whole: object = reader.is_whole
    if not isinstance(is_whole, bool):
        return f"whether it is whole is {is_whole!r}"
    return fault_of(wire.decode(reader.payload())) or _whole(voice, reader.payload())


@each_voice
def test_bodies(voice: Voice) -> None:
    """Of text and of calls."""
    bodies = [voice.text(*PIECES), voice.calls(*CALLS), voice.error("overloaded_error", "sorry")]
    wrong = {
        complaint: body
        for body in chain.from_iterable(map(_variants, bodies))
        if (complaint := _complaint(partial(_whole, voice, body)))
    }
    assert wrong == {}


@each_voice
def test_streams(voice: Voice) -> None:
    """Of text, of calls, and with an error in their midst."""
    wrong: dict[str, Any] = {}
    for reply in (voice.text_events(*PIECES), voice.call_events(*CALLS)):
        events = [*reply.before, *reply.said, voice.error_event("overloaded_error", "sorry"), *reply.after]
        for left_out in (len(events) - len(reply.after) - 1, None):
            kept = [event for at, event in enumerate(events) if at != left_out]
            for at, event in enumerate(kept):
                for other in _variants(event):
                    changed = [*kept[:at], other, *kept[at + 1 :]]
                    if complaint := _complaint(partial(_streamed, voice, changed)):
                        wrong[complaint] = other
    assert wrong == {}
