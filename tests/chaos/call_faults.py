"""Faults of calls: their ids, names, places and arguments, and streams that end in the midst of one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.chaos.faults import IMPATIENT, KEY, PIECES, VALUE, Ends, Fault, Scene, both
from tests.chaos.server import End, Step
from tests.chaos.voices import SentCall

__all__ = ["CALL_FAULTS"]

_CUT = Ends("StreamCutError", "the answer broke off", again=True)
_NO_NAME = Ends("ModelError", "a tool call without a function's name")


def _calls(make: Callable[[Scene], Sequence[SentCall]]) -> Callable[[Scene], Iterable[Step]]:
    return lambda scene: [scene.called(*make(scene))]


def _two(name: str, make: Callable[[Scene], Sequence[SentCall]], *, only_streamed: bool = False) -> Fault:
    """Two calls, both of which are to be made."""
    return Fault(name, _calls(make), None if only_streamed else Ends(VALUE), Ends(VALUE), first=True, effects=2)


def _placed(scene: Scene, *places: int | None) -> Sequence[SentCall]:
    """Calls that a stream has at these places, which are told as their arguments too."""
    return [
        scene.call(f"call-{at}", place, arguments=(json.dumps({"cell": scene.cell, "place": at}),))
        for at, place in enumerate(places)
    ]


def _cut(name: str, keep: Callable[[Scene], Sequence[Any]], *ends: Step, told: bool = False, **more: Any) -> Fault:
    """A stream that ends so, with no call made; where text was told, it is not asked for again."""

    def plays(scene: Scene) -> Iterable[Step]:
        text = scene.voice.text_events(*PIECES)
        before = [*text.before, *text.said, *(text.after[:1] if scene.voice.prefix == "anthropic" else ())]
        head = before if told else scene.voice.call_events(scene.call("call-1")).before
        yield scene.stream(*head, *keep(scene), whole=not ends)
        yield from ends

    return Fault(name, plays, None, _CUT._replace(again=not told), first=True, effects=0, **more)


def _said(scene: Scene, *calls: SentCall) -> Sequence[Any]:
    return scene.voice.call_events(*(calls or (scene.call("call-1"),))).said


def _with_sibling(scene: Scene) -> Sequence[Any]:
    """A whole call, and half of another."""
    first, second = _placed(scene, 0, 1)
    return _said(scene, first, second)[: len(_said(scene, first)) + 1]


def _unstopped(scene: Scene) -> Iterable[Step]:
    """A call whose block is not said to end, though the message is."""
    reply = scene.voice.call_events(scene.call("call-1"))
    yield scene.stream(*reply.before, *reply.said[:-1], *reply.after)


def _as_object(scene: Scene) -> Iterable[Step]:
    """Arguments as an object where a text is due, and as a text where an object is."""
    held = {"cell": scene.cell, "place": 0}
    by_voice: dict[str, dict[str, Any]] = {
        "openai": {"function": {"name": "count", "arguments": held}},
        "openai-responses": {"arguments": held},
        "anthropic": {"input": json.dumps(held)},
    }
    yield scene.called(scene.call("call-1", more=by_voice[scene.voice.prefix]))


CALL_FAULTS: Sequence[Fault] = (
    _two("two calls with the same id", lambda scene: [scene.call("call-1", 0), scene.call("call-1", 1)]),
    _two("two calls without an id", lambda scene: [scene.call(None, 0), scene.call(None, 1)]),
    _two("two calls with an empty id", lambda scene: [scene.call("", 0), scene.call("", 1)]),
    _two("a gap between the places of calls", lambda scene: _placed(scene, 0, 2), only_streamed=True),
    _two("places of calls that do not begin with 0", lambda scene: _placed(scene, 7, 3), only_streamed=True),
    _two("calls without a place", lambda scene: _placed(scene, None, None), only_streamed=True),
    _two("two calls at the same place", lambda scene: _placed(scene, 0, 0), only_streamed=True),
    both(
        "a call without a name",
        _calls(lambda scene: [scene.call("call-1", name=None)]),
        _NO_NAME,
        first=True,
        effects=0,
    ),
    both(
        "a call with an empty name",
        _calls(lambda scene: [scene.call("call-1", name="")]),
        _NO_NAME,
        first=True,
        effects=0,
    ),
    Fault("arguments of the other JSON type", _as_object, Ends(VALUE), None, first=True),
    both(
        "arguments that are half an object, with a good end",
        _calls(lambda scene: [scene.call("call-1", arguments=('{"cell": "' + scene.cell,))]),
        Ends(VALUE),
        first=True,
        effects=0,
    ),
    _cut("a stream that ends after a call's name", lambda scene: _said(scene)[:1]),
    _cut("a stream that ends in a call's arguments", lambda scene: _said(scene)[:2]),
    _cut("a stream that ends in the second call", _with_sibling),
    _cut("a stream that ends after a whole call, without its own end", _said),
    _cut("a stream that ends in a call, after text", lambda scene: _said(scene, *_placed(scene, 1))[:2], told=True),
    _cut("a reset in a call's arguments", lambda scene: _said(scene)[:2], End.RESET),
    _cut("a hang after a whole call", _said, End.HANG, timeouts=IMPATIENT),
    _cut(
        "overload in a stream, after a whole call",
        lambda scene: [*_said(scene), scene.voice.error_event("overloaded_error", f"sorry, {KEY}")],
    ),
    Fault(
        "a call that is not said to end, in a whole stream",
        _unstopped,
        None,
        None,
        first=True,
        effects=0,
        but={"anthropic": (None, _CUT)},
    ),
)
