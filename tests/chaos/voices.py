"""How each provider says things: a text, calls, an error, whole and as the events of a stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

__all__ = ["VOICES", "Said", "SentCall", "Streamed", "Voice"]

Said: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class SentCall:
    """A call as it is sent, with its arguments in pieces; None is a key that is left out.

    `index` is what a stream says of its place, `more` is said in each fragment or item of it.
    """

    arguments: tuple[str, ...]
    id: str | None = None
    name: str | None = "count"
    index: int | None = None
    more: Said = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The arguments, joined."""
        return "".join(self.arguments)


class Streamed(NamedTuple):
    """A reply as events: those before it says something, those that say something, those that end it."""

    before: list[Said]
    said: list[Said]
    after: list[Said]


def _told(**fields: Any) -> Said:
    return {name: value for name, value in fields.items() if value is not None}


class Voice(ABC):
    """One provider's wire format, as its server speaks it."""

    prefix: ClassVar[str]
    base: ClassVar[str]
    done: ClassVar[bytes] = b""
    """What stands at the very end of a stream."""

    @abstractmethod
    def text(self, *pieces: str) -> Said:
        """The body of a text."""

    @abstractmethod
    def calls(self, *calls: SentCall) -> Said:
        """The body of calls."""

    @abstractmethod
    def text_events(self, *pieces: str) -> Streamed:
        """A text that is streamed."""

    @abstractmethod
    def call_events(self, *calls: SentCall) -> Streamed:
        """Calls that are streamed."""

    @abstractmethod
    def sent_calls(self, body: Said) -> tuple[list[str], list[str]]:
        """The ids of the calls that a request tells of, and those of the results."""

    def faults_of_calls(self, body: Said) -> Iterator[str]:
        """What is wrong with the calls and results that a request tells of."""
        calls, results = self.sent_calls(body)
        if calls != results or len({*calls}) < len(calls) or "" in calls:
            yield f"a request has the calls {calls} and the results {results}"

    @abstractmethod
    def error(self, kind: str, message: str) -> Said:
        """The body of an error."""

    @abstractmethod
    def error_event(self, kind: str, message: str) -> Said:
        """An error in the midst of a stream."""

    def line(self, event: Said | str) -> bytes:
        """An event as it is sent."""
        data = event if isinstance(event, str) else json.dumps(event)
        kind = "noise" if isinstance(event, str) else event["type"]
        return f"event: {kind}\ndata: {data}\n\n".encode()


class _Chat(Voice):
    prefix = "openai"
    base = "/v1"
    done = b"data: [DONE]\n\n"

    def line(self, event: Said | str) -> bytes:
        return f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()

    def _body(self, message: Said, finish: str) -> Said:
        usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}

    def text(self, *pieces: str) -> Said:
        return self._body({"content": "".join(pieces)}, "stop")

    def _call(self, call: SentCall, arguments: str, *, begins: bool = True) -> Said:
        function = _told(name=call.name if begins else None, arguments=arguments)
        head = _told(id=call.id, type="function") if begins else {}
        return head | {"function": function} | call.more

    def calls(self, *calls: SentCall) -> Said:
        sent = [self._call(call, call.text) for call in calls]
        return self._body({"content": None, "tool_calls": sent}, "tool_calls")

    def _chunk(self, delta: Said, finish: str | None = None) -> Said:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def _end(self, finish: str) -> list[Said]:
        usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
        return [self._chunk({}, finish), self._chunk({}) | {"choices": [], "usage": usage}]

    def text_events(self, *pieces: str) -> Streamed:
        begun = [self._chunk({"role": "assistant", "content": ""})]
        return Streamed(begun, [self._chunk({"content": piece}) for piece in pieces], self._end("stop"))

    def call_events(self, *calls: SentCall) -> Streamed:
        said = []
        for call in calls:
            for at, piece in enumerate(("", *call.arguments)):
                sent = _told(index=call.index) | self._call(call, piece, begins=at == 0)
                said.append(self._chunk({"tool_calls": [sent]}))
        return Streamed([self._chunk({"role": "assistant", "content": None})], said, self._end("tool_calls"))

    def sent_calls(self, body: Said) -> tuple[list[str], list[str]]:
        messages = body["messages"]
        calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        return calls, [message["tool_call_id"] for message in messages if message["role"] == "tool"]

    def error(self, kind: str, message: str) -> Said:
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    def error_event(self, kind: str, message: str) -> Said:
        return self.error(kind, message)


class _Responses(Voice):
    prefix = "openai-responses"
    base = "/v1"

    def _body(self, output: Sequence[Said], status: str = "completed") -> Said:
        usage = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
        head = {"id": "r", "object": "response", "created_at": 1, "model": "m", "error": None}
        return head | {"status": status, "output": list(output), "usage": usage if status == "completed" else None}

    def _message(self, *pieces: str) -> Said:
        content = [{"type": "output_text", "text": "".join(pieces), "annotations": []}] if pieces else []
        return {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": content}

    def text(self, *pieces: str) -> Said:
        return self._body([self._message(*pieces)])

    def _call(self, at: int, call: SentCall, arguments: str) -> Said:
        sent = _told(type="function_call", id=f"i{at}", call_id=call.id, name=call.name, arguments=arguments)
        return sent | call.more

    def calls(self, *calls: SentCall) -> Said:
        return self._body([self._call(at, call, call.text) for at, call in enumerate(calls)])

    def _begun(self) -> list[Said]:
        held = self._body((), "in_progress")
        return [{"type": "response.created", "response": held}, {"type": "response.in_progress", "response": held}]

    def _end(self, output: Sequence[Said]) -> Said:
        return {"type": "response.completed", "response": self._body(output)}

    def text_events(self, *pieces: str) -> Streamed:
        place = {"item_id": "i", "output_index": 0, "content_index": 0}
        part = {"type": "output_text", "text": "", "annotations": []}
        item = self._message(*pieces)
        before = [
            *self._begun(),
            {"type": "response.output_item.added", "output_index": 0, "item": self._message()},
            {"type": "response.content_part.added", **place, "part": part},
        ]
        said: list[Said] = [{"type": "response.output_text.delta", **place, "delta": piece} for piece in pieces]
        after = [
            {"type": "response.output_text.done", **place, "text": "".join(pieces)},
            {"type": "response.content_part.done", **place, "part": item["content"][0]},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            self._end([item]),
        ]
        return Streamed(before, said, after)

    def call_events(self, *calls: SentCall) -> Streamed:
        said: list[Said] = []
        for at, call in enumerate(calls):
            place = _told(output_index=call.index)
            own = {"item_id": f"i{at}", **place}
            said.append({"type": "response.output_item.added", **place, "item": self._call(at, call, "")})
            for piece in call.arguments:
                said.append({"type": "response.function_call_arguments.delta", **own, "delta": piece})
            said.append({"type": "response.function_call_arguments.done", **own, "arguments": call.text})
            said.append({"type": "response.output_item.done", **place, "item": self._call(at, call, call.text)})
        return Streamed(
            self._begun(), said, [self._end([self._call(at, call, call.text) for at, call in enumerate(calls)])]
        )

    def sent_calls(self, body: Said) -> tuple[list[str], list[str]]:
        of_kind = "function_call", "function_call_output"
        calls, results = ([item["call_id"] for item in body["input"] if item.get("type") == kind] for kind in of_kind)
        return calls, results

    def error(self, kind: str, message: str) -> Said:
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    def error_event(self, kind: str, message: str) -> Said:
        return {"type": "error", "code": kind, "message": message, "param": None, "sequence_number": 3}


class _Anthropic(Voice):
    prefix = "anthropic"
    base = ""

    def _body(self, content: Sequence[Said], stop: str | None) -> Said:
        usage = {"input_tokens": 9, "output_tokens": 2}
        head = {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": list(content)}
        return head | {"stop_reason": stop, "stop_sequence": None, "usage": usage}

    def text(self, *pieces: str) -> Said:
        return self._body([{"type": "text", "text": "".join(pieces)}], "end_turn")

    def _call(self, call: SentCall, held: object) -> Said:
        return _told(type="tool_use", id=call.id, name=call.name, input=held) | call.more

    def calls(self, *calls: SentCall) -> Said:
        return self._body([self._call(call, _object(call.text)) for call in calls], "tool_use")

    def _begun(self) -> list[Said]:
        return [{"type": "message_start", "message": self._body((), None)}, {"type": "ping"}]

    def _end(self, stop: str) -> list[Said]:
        ended = {"stop_reason": stop, "stop_sequence": None}
        return [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 2}}, {"type": "message_stop"}]

    def text_events(self, *pieces: str) -> Streamed:
        start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        said: list[Said] = [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces
        ]
        stop: Said = {"type": "content_block_stop", "index": 0}
        return Streamed([*self._begun(), start], said, [stop, *self._end("end_turn")])

    def call_events(self, *calls: SentCall) -> Streamed:
        said: list[Said] = []
        for call in calls:
            place = _told(index=call.index)
            said.append({"type": "content_block_start", **place, "content_block": self._call(call, {})})
            for piece in call.arguments:
                delta = {"type": "input_json_delta", "partial_json": piece}
                said.append({"type": "content_block_delta", **place, "delta": delta})
            said.append({"type": "content_block_stop", **place})
        return Streamed(self._begun(), said, self._end("tool_use"))

    def sent_calls(self, body: Said) -> tuple[list[str], list[str]]:
        blocks = [block for turn in body["messages"] for block in turn["content"] if isinstance(block, dict)]
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        return calls, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]

    def error(self, kind: str, message: str) -> Said:
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req"}

    def error_event(self, kind: str, message: str) -> Said:
        return self.error(kind, message)


def _object(text: str) -> object:
    """Arguments as an object, as the provider reads them; as the text, where it could not."""
    try:
        return json.loads(text)
    except ValueError:
        return text


VOICES: Sequence[Voice] = (_Chat(), _Responses(), _Anthropic())
