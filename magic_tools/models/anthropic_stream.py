"""The events of a message of Anthropic's that is streamed, and the body that they come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from magic_tools.chat import CallPiece, Piece, TextPiece
from magic_tools.errors import ModelError
from magic_tools.models.payloads import AnsweredError, shortened, text_of
from magic_tools.values import JsonObject

__all__ = ["AnthropicReader"]


class AnthropicReader:
    """Reads the events of a streamed message."""

    def __init__(self) -> None:
        self._blocks: list[_GrowingBlock] = []
        self._by_index: dict[int, _GrowingBlock] = {}
        self._calls = 0
        self._message: JsonObject = {}
        self._has_stopped = False

    @property
    def is_whole(self) -> bool:
        """Whether the message was said to end, and each of its blocks was."""
        has_ended = self._has_stopped or bool(self._message.get("stop_reason"))
        return has_ended and all(block.has_ended for block in self._blocks)

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """What an event brings that is new; none does after the message was said to stop."""
        if self._has_stopped:
            return ()
        match event:
            case {"type": "content_block_delta", "delta": Mapping() as delta}:
                return self._block_of(event).grow(delta)
            case {"type": "content_block_start", "content_block": Mapping() as begun}:
                return self._begun(event.get("index"), begun)
            case {"type": "content_block_stop"}:
                return self._block_of(event).end()
            case {"type": "message_start", "message": Mapping() as message}:
                self._message |= message
            case {"type": "message_delta"}:
                self._change(event)
            case {"type": "message_stop"}:
                self._has_stopped = True
            case {"error": error} if error:
                raise AnsweredError(error)
            case _:
                pass
        return ()

    def _begun(self, index: object, begun: Mapping[str, Any]) -> Iterable[Piece]:
        is_call = begun.get("type") == "tool_use"
        block = _GrowingBlock(begun, self._calls if is_call else None)
        self._calls += is_call
        self._blocks.append(block)
        if isinstance(index, int):
            self._by_index[index] = block
        return block.begin()

    def _block_of(self, event: Mapping[str, Any]) -> _GrowingBlock:
        """The block that an event is about: that of its index, or the last one where it has none."""
        index = event.get("index")
        block = self._by_index.get(index) if isinstance(index, int) else next(reversed(self._blocks), None)
        if block is None:
            raise ModelError(f"the answer goes on with a block that has not begun: {shortened(event)}")
        return block

    def _change(self, event: Mapping[str, Any]) -> None:
        """What has changed of the message; its counts are those of the whole of it so far."""
        match event.get("delta"):
            case Mapping() as delta:
                self._message |= _told(delta)
        match event.get("usage"), self._message.get("usage"):
            case Mapping() as usage, before:
                self._message["usage"] = {**(before if isinstance(before, Mapping) else {}), **_told(usage)}

    def payload(self) -> JsonObject:
        """What has come, as the body of a message."""
        return {**self._message, "content": [block.written() for block in self._blocks]}


def _told(fields: Mapping[str, Any]) -> JsonObject:
    return {key: held for key, held in fields.items() if held is not None}


class _GrowingBlock:
    """A block whose deltas arrive: texts go behind those of the same name, whatever kind of block it is.

    Of a call, `call` is its place among the calls.
    """

    def __init__(self, begun: Mapping[str, Any], call: int | None) -> None:
        self.has_ended = False
        self._begun = dict(begun)
        self._texts: dict[str, list[str]] = {}
        self._call = call

    def begin(self) -> Iterable[Piece]:
        """The piece that its beginning is."""
        if self._call is not None:
            return (self._piece(""),)
        text = self._begun.get("text") if self._begun.get("type") == "text" else None
        return (TextPiece(text),) if isinstance(text, str) and text else ()

    def grow(self, delta: Mapping[str, Any]) -> Iterable[Piece]:
        """The pieces that a delta brings."""
        pieces: list[Piece] = []
        for key, held in delta.items():
            if key == "citation":
                self._begun["citations"] = [*(self._begun.get("citations") or ()), held]
            elif key != "type" and isinstance(held, str) and held:
                self._texts.setdefault(key, []).append(held)
                if key == "text" and self._begun.get("type") == "text":
                    pieces.append(TextPiece(held))
                elif key == "partial_json" and self._call is not None:
                    pieces.append(self._piece(held))
        return pieces

    def end(self) -> Iterable[Piece]:
        """The piece that its end is: the arguments of a call of which none came before."""
        is_first = not self.has_ended
        self.has_ended = True
        if self._call is None or not is_first or "partial_json" in self._texts:
            return ()
        return (self._piece(json.dumps(self._begun.get("input") or {}, ensure_ascii=False)),)

    def _piece(self, arguments: str) -> Piece:
        place = self._call or 0
        return CallPiece(place, text_of(self._begun.get("id")), text_of(self._begun.get("name")), arguments)

    def written(self) -> JsonObject:
        """The block as a message that was not streamed has it; the input of a call is the text that came of it."""
        block = dict(self._begun)
        for key, texts in self._texts.items():
            if key != "partial_json":
                block[key] = text_of(block.get(key)) + "".join(texts)
        if "partial_json" in self._texts:
            block["input"] = self._input("".join(self._texts["partial_json"]))
        elif self._call is not None:
            block["input"] = block.get("input") or ({} if self.has_ended else "")
        return block

    def _input(self, text: str) -> Any:
        """An input as it goes into the block: of a call as its text, else read, where it can be."""
        if self._call is not None:
            return text
        try:
            return json.loads(text)
        except ValueError:
            return text
