"""The events of a response that is streamed, and the body that they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.chat import CallPiece, Piece, TextPiece
from magic_tools.models.payloads import AnsweredError, text_of
from magic_tools.values import JsonObject

__all__ = ["ResponsesReader", "is_call"]


def is_call(item: Mapping[str, Any]) -> bool:
    """Whether an item of output is a call of a function."""
    return item.get("type") == "function_call"


class ResponsesReader:
    """Reads the events of a streamed response."""

    def __init__(self) -> None:
        self._items: list[_GrowingItem] = []
        self._latest: dict[tuple[str, int | str], _GrowingItem] = {}
        self._calls = 0
        self._model = ""
        self._final: JsonObject | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the event came that ends a response, and each of its calls was said to end, or is in that event."""
        if self._final is None:
            return False
        is_complete = self._final.get("status") == "completed" and not self._final.get("output")
        return not is_complete or all(item.is_whole for item in self._items if is_call(item.item))

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """What an event brings that is new; the events that end an item or a text only say again what came."""
        match event:
            case {"type": "response.output_text.delta", "delta": str(delta)} if delta:
                self._found("message", event).fragments.append(delta)
                return (TextPiece(delta),)
            case {"type": "response.function_call_arguments.delta", "delta": str(delta)} if delta:
                return self._found("function_call", event).grown(delta)
            case {"type": "response.refusal.delta", "delta": str(delta)}:
                self._found("message", event).refusals.append(delta)
            case {"type": "response.output_item.added", "item": Mapping() as item}:
                return self._begun(item, event).grown("")
            case {"type": "response.output_item.done", "item": Mapping() as item}:
                found = self._found(text_of(item.get("type")), {"item_id": item.get("id"), **event})
                found.item, found.is_whole = item, True
            case {"type": "response.function_call_arguments.done"}:
                self._found("function_call", event).is_whole = True
            case {"type": "response.failed", "response": {"error": error}} | {"error": error} if error:
                raise AnsweredError(error)
            case {"type": "error" | "response.failed"}:
                raise AnsweredError(event)
            case {"type": "response.completed" | "response.incomplete" as ended}:
                response = event.get("response")
                held = response if isinstance(response, Mapping) else {}
                self._final = {"status": ended.removeprefix("response."), **held}
            case {"response": {"model": str(model)}}:
                self._model = model
            case _:
                pass
        return ()

    def _found(self, kind: str, event: Mapping[str, Any]) -> _GrowingItem:
        """The item that an event speaks of: by its index, else its id; a new one if none is known."""
        index, item_id = event.get("output_index"), text_of(event.get("item_id"))
        found = self._latest.get((kind, index if isinstance(index, int) else item_id))
        return found or self._begun({"type": kind, "id": item_id}, event)

    def _begun(self, item: Mapping[str, Any], event: Mapping[str, Any]) -> _GrowingItem:
        index, kind = event.get("output_index"), text_of(item.get("type"))
        order = index if isinstance(index, int) else len(self._items)
        begun = _GrowingItem(item, order, self._calls)
        self._calls += kind == "function_call"
        self._items.append(begun)
        self._latest[kind, order] = self._latest[kind, text_of(item.get("id"))] = begun
        return begun

    def payload(self) -> JsonObject:
        """What has come, as the body of a response; the one that the last event holds, where it holds the output."""
        final = self._final or {}
        came = [item.written() for item in sorted(self._items, key=lambda item: item.order)]
        return {"model": self._model, **final, "output": final.get("output") or [item for item in came if item]}


@dataclass(slots=True)
class _GrowingItem:
    """An item of output whose fragments arrive: of the text of a message, or of the arguments of a call."""

    item: Mapping[str, Any]
    order: int
    place: int
    is_whole: bool = False
    fragments: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def grown(self, arguments: str) -> Iterable[Piece]:
        """The piece that a fragment of arguments adds; none to what is no call."""
        self.fragments.append(arguments)
        if not is_call(self.item) or not (name := text_of(self.item.get("name"))):
            return ()
        return (CallPiece(self.place, text_of(self.item.get("call_id")), name, arguments),)

    def written(self) -> JsonObject | None:
        """The item as a response that was not streamed has it; None for one of the provider's own that is not whole."""
        came: Any
        text, refusal = "".join(self.fragments), "".join(self.refusals)
        match self.item.get("type"):
            case "function_call":
                key, came = "arguments", text
            case "message":
                said = {"type": "output_text", "text": text}, {"type": "refusal", "refusal": refusal}
                key, came = "content", [each for each, words in zip(said, (text, refusal), strict=True) if words]
            case _:
                return dict(self.item) if self.is_whole else None
        own = self.item.get(key)
        return {**self.item, key: (own or came) if self.is_whole else (came or own)}
