"""Faults of what an answer holds: another type than it says, no JSON, no text, too much, or what nobody knows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, repeat
from typing import Any

from tests.chaos.faults import KEY, PIECES, VALUE, Ends, Fault, Scene, both, chunk
from tests.chaos.server import Step
from tests.chaos.voices import Said

__all__ = ["CONTENT_FAULTS"]

_NOT_JSON = Ends("ModelError", "the answer is not JSON")
_CUT = Ends("StreamCutError", "the answer broke off")
_TOO_LONG = Ends("ModelError", "longer than 33,554,432 bytes")
_MANY = 50 * 1024 * 1024


def _events(change: Callable[[list[bytes]], Iterable[bytes]]) -> Callable[[Scene], Iterable[Step]]:
    """The stream with its lines changed: those before the text, two with the text, and those at the end."""

    def plays(scene: Scene) -> Iterable[Step]:
        reply, line = scene.voice.text_events(*PIECES), scene.voice.line
        lines = [line(event) for events in reply for event in events] + [scene.voice.done]
        at = len(reply.before)
        kept = [b"".join(lines[:at]), *lines[at : at + 2], b"".join(lines[at + 2 :])]
        yield scene.head() + chunk(b"".join(change(kept))) + chunk(b"")

    return plays


def _of(
    whole: Callable[[Scene], bytes], lines: Callable[[list[bytes]], Iterable[bytes]]
) -> Callable[[Scene], Iterable[Step]]:
    """One body for a request that is not streamed, another for one that is."""
    in_stream = _events(lines)
    return lambda scene: in_stream(scene) if scene.streamed else [scene.whole(whole(scene))]


def _noise(scene: Scene, text: str) -> Iterable[Step]:
    """One event that says this, before any text."""
    reply = scene.voice.text_events(*PIECES)
    yield scene.stream(*reply.before, text, *reply.said, *reply.after)


def _noise_later(scene: Scene, text: str) -> Iterable[Step]:
    reply = scene.voice.text_events(*PIECES)
    yield scene.stream(*reply.before, *reply.said, text, *reply.after)


def _body(scene: Scene) -> bytes:
    return json.dumps(scene.voice.text(*PIECES)).encode()


def _failing(kind: str, *, told: bool) -> Callable[[Scene], Iterable[Step]]:
    """An error in the midst of a stream."""

    def plays(scene: Scene) -> Iterable[Step]:
        reply = scene.voice.text_events(*PIECES)
        said = reply.said[: int(told)]
        yield scene.stream(*reply.before, *said, scene.voice.error_event(kind, f"sorry, {KEY}"))

    return plays


def _failing_in_words(scene: Scene) -> Iterable[Step]:
    words = f"sorry, {KEY}"
    by_voice = {
        "openai": f"data: {json.dumps({'error': words})}",
        "openai-responses": f"event: error\ndata: {json.dumps({'type': 'error', 'error': words})}",
        "anthropic": f"event: error\ndata: {words}",
    }
    line = by_voice[scene.voice.prefix]
    yield scene.head() + chunk(f"{line}\n\n".encode()) + chunk(b"")


def _with_more(said: Any, depth: int = 0) -> Any:
    """The same with fields that nobody knows in each object of it."""
    match said:
        case dict():
            return {"x_new": {"a": [1, None]}, **{name: _with_more(held, depth + 1) for name, held in said.items()}}
        case list():
            return [_with_more(held, depth + 1) for held in said]
        case _:
            return said


def _unknown(scene: Scene) -> Iterable[Step]:
    if not scene.streamed:
        yield scene.whole(_with_more(scene.voice.text(*PIECES)))
        return
    reply = scene.voice.text_events(*PIECES)
    strange: Said = {"type": "event_of_tomorrow", "data": {"text": "not me"}, "choices": []}
    events = [each for event in [*reply.before, *reply.said, *reply.after] for each in (strange, _with_more(event))]
    yield scene.stream(*events)


def _as(kind: str, body: Callable[[Scene], bytes]) -> Callable[[Scene], Iterable[Step]]:
    return lambda scene: [scene.whole(body(scene), kind=kind)]


def _lines(scene: Scene) -> bytes:
    events = chain.from_iterable(scene.voice.text_events(*PIECES))
    return b"".join(map(scene.voice.line, events)) + scene.voice.done


def _right_body(scene: Scene) -> bytes:
    """The right body, of whatever was asked for."""
    return _lines(scene) if scene.streamed else _body(scene)


def _other_body(scene: Scene) -> bytes:
    """The right body of what was not asked for."""
    return _body(scene) if scene.streamed else _lines(scene)


def _gzipped(change: Callable[[bytes], bytes]) -> Callable[[Scene], Iterable[Step]]:
    def plays(scene: Scene) -> Iterable[Step]:
        sent = change(gzip.compress(_right_body(scene)))
        kind = "text/event-stream" if scene.streamed else "application/json"
        yield scene.whole(sent, kind=kind, Content_Encoding="gzip")

    return plays


@cache
def _garbage(size: int = _MANY) -> bytes:
    return b"0123456789abcdef" * (size // 16)


@cache
def _bomb() -> bytes:
    return gzip.compress(_garbage(), 1)


def _long_text(scene: Scene) -> Iterable[Step]:
    piece = "x" * 65536
    if scene.streamed:
        yield scene.begun(told=False)
        line = scene.voice.line(scene.voice.text_events(piece).said[0])
        yield from repeat(chunk(line), _MANY // 65536)
        yield chunk(b"")
    else:
        head, _, tail = json.dumps(scene.voice.text("PLACE")).encode().partition(b"PLACE")
        yield scene.head(Content_Length=len(head) + _MANY + len(tail)) + head
        yield _garbage()
        yield tail


def _long_garbage(scene: Scene) -> Iterable[Step]:
    yield scene.head(Content_Length=_MANY)
    yield _garbage()


def _long_error(scene: Scene) -> Iterable[Step]:
    yield scene.head("500 Internal Server Error", "text/plain", Content_Length=_MANY)
    yield _garbage()


def _long_bomb(scene: Scene) -> Iterable[Step]:
    yield scene.head(Content_Length=len(_bomb()), Content_Encoding="gzip") + _bomb()


CONTENT_FAULTS: Sequence[Fault] = (
    both("a page", _as("text/html", lambda _: f"<html>Welcome, {KEY}</html>".encode()), _NOT_JSON),
    both("the right body as text/plain", _as("text/plain", _right_body), Ends(VALUE)),
    both("the right body as application/json", _as("application/json", _right_body), Ends(VALUE)),
    both("the right body as text/html", _as("text/html", _right_body), Ends(VALUE)),
    Fault(
        "a stream where none, or none where one was asked for",
        lambda scene: [scene.whole(_other_body(scene))],
        _NOT_JSON,
        Ends(VALUE),
    ),
    Fault("an empty body", lambda scene: [scene.head() + chunk(b"")], _NOT_JSON, _CUT._replace(again=True)),
    both("words in place of JSON", lambda scene: [scene.whole(f"sorry, {KEY}".encode())], _NOT_JSON),
    both(
        "a byte order mark in front",
        _of(lambda scene: b"\xef\xbb\xbf" + _body(scene), lambda lines: [b"\xef\xbb\xbf", *lines]),
        Ends(VALUE),
    ),
    Fault(
        "invalid JSON, before any text",
        lambda scene: _noise(scene, f'{{"a": {KEY}'),
        None,
        Ends("ModelError", "not JSON"),
    ),
    Fault(
        "invalid JSON",
        lambda scene: _noise_later(scene, f'{{"a": {KEY}') if scene.streamed else [scene.whole(_body(scene)[:-1])],
        _NOT_JSON,
        _CUT,
    ),
    Fault(
        "JSON of 100,000 levels",
        lambda scene: _noise(scene, "[" * 100_000) if scene.streamed else [scene.whole(b"[" * 100_000)],
        _NOT_JSON,
        Ends("ModelError", "nested too deep"),
    ),
    Fault(
        "JSON that is no object",
        lambda scene: _noise(scene, "[1]") if scene.streamed else [scene.whole(b"[1]")],
        Ends("ModelError", "not a JSON object"),
        Ends("ModelError", "not a JSON object"),
    ),
    Fault("an empty object", lambda scene: [scene.whole(b"{}")], Ends("ModelError", "{}"), Ends("ModelError", "{}")),
    Fault(
        "invalid UTF-8, before any text",
        _events(lambda lines: [lines[0], lines[1].replace(b"It is", b"It \xff is"), *lines[2:]]),
        None,
        Ends("ModelError", "UTF-8"),
    ),
    Fault(
        "invalid UTF-8",
        _of(
            lambda scene: _body(scene).replace(b"done", b"\xff"),
            lambda lines: [*lines[:2], lines[2].replace(b"done", b"\xff"), lines[3]],
        ),
        _NOT_JSON,
        _CUT,
    ),
    both("fields and events that nobody knows", _unknown, Ends(VALUE)),
    Fault(
        "comments and lines that end with CR LF",
        _events(lambda lines: [b": hello\r\n\r\n", *(line.replace(b"\n", b"\r\n") for line in lines)]),
        None,
        Ends(VALUE),
    ),
    Fault("a stream without its end", _events(lambda lines: lines[:3]), None, _CUT),
    Fault(
        "a stream without its end, before any text", _events(lambda lines: lines[:1]), None, _CUT._replace(again=True)
    ),
    Fault(
        "overload in a stream, before any text",
        _failing("overloaded_error", told=False),
        None,
        Ends("ModelError", "sorry, ***", again=True),
    ),
    Fault(
        "overload in a stream, after text",
        _failing("overloaded_error", told=True),
        None,
        Ends("StreamCutError", "sorry, ***"),
    ),
    Fault(
        "a rate limit in a stream, before any text",
        _failing("rate_limit_error", told=False),
        None,
        Ends("RateLimitError", "sorry, ***", again=True),
    ),
    Fault(
        "an error in a stream, before any text",
        _failing("invalid_request_error", told=False),
        None,
        Ends("ModelError", "sorry, ***"),
    ),
    Fault(
        "an error in a stream, in words alone", _failing_in_words, None, Ends("ModelError", "is an error: sorry, ***")
    ),
    both("compressed", _gzipped(lambda sent: sent), Ends(VALUE)),
    both(
        "compressed, and broken",
        _gzipped(lambda sent: sent[:9] + b"\x00\xff" * 9 + sent[27:]),
        Ends("ModelError", "cannot be unpacked"),
    ),
    both(
        "said to be compressed, which it is not",
        lambda scene: [scene.head(Content_Encoding="gzip") + chunk(_right_body(scene)) + chunk(b"")],
        Ends("ModelError", "cannot be unpacked"),
    ),
    Fault("a text of 50 MB", _long_text, _TOO_LONG, _TOO_LONG._replace(kind="StreamCutError"), is_heavy=True),
    both("garbage of 50 MB, in one line", _long_garbage, _TOO_LONG, is_heavy=True),
    both("an error with 50 MB of garbage", _long_error, Ends("ModelError", "failed with status 500"), is_heavy=True),
    both("garbage of 50 MB, compressed", _long_bomb, _TOO_LONG, is_heavy=True),
)
