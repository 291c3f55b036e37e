"""What a server says in each wire format, streamed: made from texts and calls, so that a case is one for all wires."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from magic_tools import ChatModel, load_model
from magic_tools.models.registry import REMOTE
from magic_tools.models.wire import Wire
from tests.models.wire_server import Answer, WireServer
from tests.ways import RunIt

__all__ = ["VOICES", "Call", "Refused", "Said", "Voice", "Way", "streamed"]

Events: TypeAlias = Iterable[Mapping[str, Any]]

USAGE = {"prompt_tokens": 10, "completion_tokens": 7}
COUNTS = {"input_tokens": 10, "output_tokens": 7}


class Call(NamedTuple):
    """A call whose arguments come in these fragments; one that is not `whole` is not said to be over."""

    id: str
    name: str
    fragments: tuple[str, ...] = ()
    whole: bool = True


class Refused(NamedTuple):
    """Words by which a model declines."""

    words: str


Said: TypeAlias = str | Call | Refused


class Way(NamedTuple):
    """A way to run."""

    run: RunIt
    is_streamed: bool


def streamed(events: Events) -> Answer:
    """The answer of a server that streams these events; those of chat completions have no names."""
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    return Answer("".join(lines), content_type="text/event-stream; charset=utf-8")


def chat(said: Iterable[Said], finish: str | None) -> Events:
    """The chunks of a chat completion."""
    yield _chunk({"role": "assistant", "content": ""})
    place = 0
    for each in said:
        match each:
            case str(text):
                yield _chunk({"content": text})
            case Refused(words):
                yield _chunk({"refusal": words})
            case Call(id=call_id, name=name, fragments=fragments):
                head = {"index": place, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
                yield _chunk({"tool_calls": [head]})
                for fragment in fragments:
                    yield _chunk({"tool_calls": [{"index": place, "function": {"arguments": fragment}}]})
                place += 1
    if finish is not None:
        yield _chunk({}, finish)
        yield {"model": "m", "choices": [], "usage": USAGE}


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def responses(said: Iterable[Said], finish: str | None) -> Events:
    """The events of a response."""
    yield {"type": "response.created", "response": {"model": "m", "status": "in_progress", "output": []}}
    output: list[dict[str, Any]] = []
    for at, each in enumerate(said):
        item, kind, filled, fragments = _item(each, at)
        yield {"type": "response.output_item.added", "output_index": at, "item": item}
        for fragment in fragments:
            yield {"type": f"response.{kind}.delta", "output_index": at, "item_id": f"i{at}", "delta": fragment}
        whole = {**item, **filled("".join(fragments))}
        if not isinstance(each, Call) or each.whole:
            yield {"type": "response.output_item.done", "output_index": at, "item": whole}
        output.append(whole)
    reason = _INCOMPLETE.get(finish or "")
    if finish is not None:
        ended = "incomplete" if reason else "completed"
        body = {"model": "m", "status": ended, "output": output, "usage": COUNTS}
        details = {"incomplete_details": {"reason": reason}} if reason else {}
        yield {"type": f"response.{ended}", "response": {**body, **details}}


def _item(said: Said, at: int) -> tuple[dict[str, Any], str, Callable[[str], dict[str, Any]], tuple[str, ...]]:
    """An item as it begins, the kind of its deltas, what it is with a text in it, and the fragments of that."""
    if isinstance(said, Call):
        call = {"type": "function_call", "id": f"i{at}", "call_id": said.id, "name": said.name, "arguments": ""}
        return call, "function_call_arguments", lambda text: {"arguments": text}, said.fragments
    message: dict[str, Any] = {"type": "message", "id": f"i{at}", "role": "assistant", "content": []}
    if isinstance(said, Refused):
        return message, "refusal", lambda text: {"content": [{"type": "refusal", "refusal": text}]}, (said.words,)
    return message, "output_text", lambda text: {"content": [{"type": "output_text", "text": text}]}, (said,)


_STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "pause": "pause_turn"}


def anthropic(said: Iterable[Said], finish: str | None) -> Events:
    """The events of a message."""
    message: dict[str, Any] = {"type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, "usage": {"input_tokens": 10, "output_tokens": 1}}}
    for at, each in enumerate(said):
        yield from _block(each, at)
    if finish is not None:
        delta = {"stop_reason": _STOPS.get(finish, finish), "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}
        yield {"type": "message_stop"}


def _block(said: Said, at: int) -> Iterator[Mapping[str, Any]]:
    begun: dict[str, Any] = {"type": "text", "text": ""}
    if isinstance(said, Call):
        begun = {"type": "tool_use", "id": said.id, "name": said.name, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": fragment} for fragment in said.fragments]
    else:
        deltas = [{"type": "text_delta", "text": said.words if isinstance(said, Refused) else said}]
    yield {"type": "content_block_start", "index": at, "content_block": begun}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": at, "delta": delta}
    if not isinstance(said, Call) or said.whole:
        yield {"type": "content_block_stop", "index": at}


@dataclass(frozen=True)
class Voice:
    """A wire format as a server speaks it."""

    spec: str
    events: Callable[[Iterable[Said], str | None], Events]

    def says(self, *said: Said, finish: str | None = "stop") -> Answer:
        """A streamed answer of these; one without a `finish` breaks off."""
        calls = any(isinstance(each, Call) for each in said)
        return streamed(self.events(said, "tool_calls" if calls and finish == "stop" else finish))

    def says_at_once(self, *said: Said, finish: str = "stop") -> Answer:
        """The same in one piece, as where no stream was asked for."""
        reader = self.wire.reader()
        calls = any(isinstance(each, Call) for each in said)
        for event in self.events(said, "tool_calls" if calls and finish == "stop" else finish):
            reader.feed(event)
        return Answer(reader.payload())

    @property
    def wire(self) -> Wire:
        """The format itself."""
        return REMOTE[self.spec.partition(":")[0]][0]

    def model(self, server: WireServer) -> ChatModel:
        """The model behind a server that speaks so."""
        return load_model(self.spec, base_url=server.base_url)


VOICES = {
    "chat": Voice("openai:m", chat),
    "responses": Voice("openai-responses:m", responses),
    "anthropic": Voice("anthropic:claude-opus-4-5", anthropic),
}
