"""Faults of a connection: it is refused, hangs, trickles, breaks, or carries what is no HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

from magic_tools.settings import Timeouts
from tests.chaos.faults import IMPATIENT, PIECES, VALUE, Ends, Fault, Scene, both, chunk
from tests.chaos.server import End, Step

__all__ = ["CONNECTION_FAULTS"]

_LATE = Ends("ModelTimeoutError", "within 0.8 s", again=True)
_LATE_IN_ALL = Ends("ModelTimeoutError", "did not answer within 1 s", again=True)
_LOST = Ends("ModelError", again=True)
_CUT = Ends("StreamCutError", "the answer broke off")
_IN_ALL = Timeouts(10, 20, 20, 1)


def _half_the_head(scene: Scene) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: appl"


def _within(name: str, *ends: Step, whole: Ends, told: Ends = _CUT, **more: Any) -> Sequence[Fault]:
    """What may befall an answer at each place of it."""
    return (
        both(f"{name} before the head", lambda _: ends, whole, **more),
        both(f"{name} inside the head", lambda scene: [_half_the_head(scene), *ends], whole, **more),
        both(f"{name} before the text", lambda scene: [scene.begun(told=False), *ends], whole, **more),
        Fault(f"{name} inside the text", lambda scene: [scene.begun(told=True), *ends], whole, told, **more),
    )


def _trickle(data: bytes) -> Iterable[Step]:
    """A byte each 50 ms."""
    for at in range(len(data)):
        yield data[at : at + 1]
        yield 0.05


def _trickled_head(_: Scene) -> Iterable[Step]:
    yield from _trickle(b"HTTP/1.1 200 OK\r\nX-More: " + b"x" * 20)  # the thread of a sync run ends with it
    yield End.CLOSE


def _trickled_body(scene: Scene) -> Iterable[Step]:
    head, _, body = scene.good().partition(b"\r\n\r\n")
    yield head + b"\r\n\r\n"
    yield from _trickle(body)


def _trickled_error(scene: Scene) -> Iterable[Step]:
    yield scene.head("500 Internal Server Error")
    yield from _trickle(chunk(b" " * 20))  # the thread of a sync run ends with it
    yield End.CLOSE


def _blanks_for_ever(scene: Scene) -> Iterable[Step]:
    """What servers send to keep a connection open: comments in a stream, blanks before a body."""
    yield scene.head()
    for _ in repeat(None):
        yield chunk(b": still there\n\n" if scene.streamed else b" ")
        yield 0.05


def _text_for_ever(scene: Scene) -> Iterable[Step]:
    yield scene.begun(told=False)
    said = scene.voice.text_events("more ").said[0]
    for _ in repeat(None):
        yield chunk(scene.voice.line(said))
        yield 0.05


def _in_bytes(scene: Scene) -> Iterable[Step]:
    good = scene.good()
    yield from (good[at : at + 1] for at in range(len(good)))


def _half_a_line(scene: Scene, *, told: int) -> Iterable[Step]:
    """The connection ends the body, in the midst of what is said."""
    if scene.streamed:
        reply, line = scene.voice.text_events(*PIECES), scene.voice.line
        yield scene.head(Connection="close") + b"".join(map(line, [*reply.before, *reply.said[:told]]))
        yield line(reply.said[told])[:-20]
    else:
        yield scene.head(Connection="close") + scene.begun(told=True).partition(b"\r\n\r\n")[2]
    yield End.CLOSE


def _bad_chunk(scene: Scene) -> Iterable[Step]:
    reply = scene.voice.text_events(*PIECES)
    sent = scene.stream(*reply.before, *reply.said[:1], whole=False) if scene.streamed else scene.head() + chunk(b"{")
    yield sent + b"not a length\r\n"
    yield End.CLOSE


def _half_a_body(scene: Scene) -> Iterable[Step]:
    """More is announced than comes."""
    if scene.streamed:
        reply = scene.voice.text_events(*PIECES)
        yield scene.head(Content_Length=99_999) + b"".join(map(scene.voice.line, [*reply.before, *reply.said]))
    else:
        yield scene.begun(told=True)
    yield End.CLOSE


def _too_short_a_length(scene: Scene) -> Iterable[Step]:
    """Less is announced than comes."""
    reply = scene.voice.text_events(*PIECES)
    begun = b"".join(map(scene.voice.line, [*reply.before, *reply.said])) if scene.streamed else b'{"id": "x"'
    yield scene.head(Content_Length=len(begun)) + begun + b", and so on"
    yield End.CLOSE


CONNECTION_FAULTS: Sequence[Fault] = (
    both(
        "connection refused",
        lambda _: [],
        Ends("ModelError", "is the base URL right", again=True),
        effects=0,
        first=True,
        requests=0,
        is_answered=False,
    ),
    *_within("a hang", End.HANG, whole=_LATE, timeouts=IMPATIENT),
    *_within("a reset", End.RESET, whole=_LOST),
    *_within("an end of the connection", End.CLOSE, whole=_LOST),
    both("a trickle in the head, beyond the time in all", _trickled_head, _LATE_IN_ALL, timeouts=_IN_ALL),
    both("a trickle in the body, beyond the time in all", _trickled_body, _LATE_IN_ALL, timeouts=_IN_ALL),
    both("a trickle in an error, beyond the time in all", _trickled_error, _LATE_IN_ALL, timeouts=_IN_ALL),
    both("blanks, beyond the time in all", _blanks_for_ever, _LATE_IN_ALL, timeouts=_IN_ALL),
    Fault("text, beyond the time in all", _text_for_ever, None, _CUT, timeouts=_IN_ALL),
    both("a hang before the head, with only a time in all", lambda _: [End.HANG], _LATE_IN_ALL, timeouts=_IN_ALL),
    both("each byte by itself", _in_bytes, Ends(VALUE)),
    Fault(
        "half a line, then the end",
        lambda scene: _half_a_line(scene, told=1),
        Ends("ModelError", "the answer is not JSON"),
        _CUT,
    ),
    Fault(
        "half a line, before any text, then the end",
        lambda scene: _half_a_line(scene, told=0),
        None,
        _CUT._replace(again=True),
    ),
    Fault("less of a body than was announced", _half_a_body, _LOST, _CUT),
    Fault(
        "more of a body than was announced", _too_short_a_length, Ends("ModelError", "is not JSON"), _CUT, is_apart=True
    ),
    Fault("a chunk without a length", _bad_chunk, _LOST, _CUT),
    both("no HTTP", lambda _: [b"hello\r\n\r\n", End.CLOSE], _LOST),
    both("a status that is no number", lambda _: [b"HTTP/1.1 OK\r\n\r\n", End.CLOSE], _LOST),
    both(
        "a head without an end, of 200 kB",
        lambda _: [b"HTTP/1.1 200 OK\r\nX-More: " + b"x" * 200_000, End.CLOSE],
        _LOST,
    ),
    both(
        "early hints before the answer", lambda scene: [b"HTTP/1.1 103 Early Hints\r\n\r\n", scene.good()], Ends(VALUE)
    ),
    both(
        "a connection that ends after each answer, unsaid",
        lambda scene: [scene.good(), End.CLOSE],
        Ends(VALUE),
        is_apart=True,
    ),
)
