"""The chunks of a chat completion that is streamed, and the body that they come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import jiter

from magic_tools.chat import CallPiece, Piece, TextPiece
from magic_tools.models.payloads import AnsweredError, text_of
from magic_tools.values import JsonObject

__all__ = ["THOUGHTS", "ChatReader", "refusal_in"]

THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details")
"""What servers call that in which they tell what a model thinks."""

_MOST_LOOKS = 8
"""How often it is looked whether what has come of a call is all of it."""


class ChatReader:
    """Reads the chunks of a streamed chat completion: of its first choice, as where nothing is streamed."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._thoughts: dict[str, Any] = {}
        self._calls: list[_GrowingCall] = []
        self._by_index: dict[int | str, _GrowingCall] = {}
        self._last: _GrowingCall | None = None
        self._choice: list[object] = []  # the index of the first choice, once there is one
        self._rest: JsonObject = {}
        self._finish: object = None

    @property
    def is_whole(self) -> bool:
        """Whether a chunk said why the model stopped."""
        return self._finish is not None

    def feed(self, event: Mapping[str, Any]) -> Iterable[Piece]:
        """What a chunk brings that is new."""
        if event.get("error"):
            raise AnsweredError(event["error"])
        for key in ("model", "usage"):
            if held := event.get(key):
                self._rest[key] = held
        choices = event.get("choices")
        pieces: list[Piece] = []
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and self._is_first(choice.get("index")):
                self._finish = choice.get("finish_reason") or self._finish
                delta = choice.get("delta") or self._unsaid(choice.get("message"))
                if isinstance(delta, dict):
                    self._read(delta, pieces)
        return pieces

    def _is_first(self, index: object) -> bool:
        if not self._choice:
            self._choice.append(index)
        return index == self._choice[0]

    def _unsaid(self, message: object) -> JsonObject:
        """What a whole message, with which some servers end, has beside what has come of it."""
        if not isinstance(message, dict):
            return {}
        called = bool(self._calls)
        said = {"content": bool(self._texts), "refusal": bool(self._refusals)}
        said |= {"tool_calls": called, "function_call": called}
        return {key: held for key, held in message.items() if not said.get(key)}

    def _read(self, delta: JsonObject, pieces: list[Piece]) -> None:
        content, refused, calls = delta.get("content"), delta.get("refusal"), delta.get("tool_calls")
        for key in THOUGHTS:
            if thought := delta.get(key):
                held = self._thoughts.get(key)
                self._thoughts[key] = held + thought if isinstance(held, type(thought)) else thought
        if (refused or isinstance(content, list)) and (words := text_of(refused) or refusal_in(content)):
            self._refusals.append(words)
        if content and (text := text_of(content)):
            self._texts.append(text)
            pieces.append(TextPiece(text))
        if not isinstance(calls, list):
            function = delta.get("function_call")  # the API's older form, which has one call
            calls = [{"index": 0, "function": function}] if function else ()
        for each in calls:
            if isinstance(each, dict):
                pieces += self._grown(each)

    def _grown(self, sent: JsonObject) -> Iterable[Piece]:
        index, call_id, function = sent.get("index"), sent.get("id"), sent.get("function")
        index = index if isinstance(index, int | str) else None
        told = function if isinstance(function, dict) else {}
        name, arguments = told.get("name"), told.get("arguments")
        if not (call_id or name) and isinstance(arguments, str) and index in self._by_index:  # as nearly all are
            self._last = call = self._by_index[index]
            return call.grow_on(arguments)
        fragment = _Fragment(
            index,
            text_of(call_id),
            text_of(name),
            json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else text_of(arguments),
        )
        if not fragment.says_something:
            return ()
        self._last = call = self._call_of(fragment)
        return call.grow(fragment)

    def _call_of(self, fragment: _Fragment) -> _GrowingCall:
        """The call that a fragment is of: by its index, else by its id, else the one before it; else a new one."""
        call = self._known(fragment)
        if call is None or call.is_another(fragment):
            call = _GrowingCall(len(self._calls))
            self._calls.append(call)
        if fragment.key is not None:
            self._by_index[fragment.key] = call
            call.has_index = True
        return call

    def _known(self, fragment: _Fragment) -> _GrowingCall | None:
        key, call_id = fragment.key, fragment.call_id
        indexed = None if key is None else self._by_index.get(key)
        if indexed is not None and (not call_id or indexed.id in ("", call_id)):
            return indexed
        free = [call for call in self._calls if key is None or indexed is not None or not call.has_index]
        same = next((call for call in reversed(free) if call_id and call.id == call_id), indexed)
        if same is None and self._last in free and fragment.goes_on(self._last):
            return self._last
        return same

    def payload(self) -> JsonObject:
        """What has come, as the body of a completion."""
        message: JsonObject = {"role": "assistant", "content": "".join(self._texts) or None}
        message |= self._thoughts
        if self._refusals:
            message["refusal"] = "".join(self._refusals)
        if self._calls:
            message["tool_calls"] = [call.written() for call in self._calls]
        return {**self._rest, "choices": [{"index": 0, "message": message, "finish_reason": self._finish}]}


class _Fragment(NamedTuple):
    """What a chunk says of a call; `key` is the index that it has there, where it has one."""

    key: int | str | None
    call_id: str
    name: str
    arguments: str

    @property
    def says_something(self) -> bool:
        """Whether it is more than a placeholder."""
        return bool(self.call_id or self.name or self.arguments)

    def goes_on(self, last: _GrowingCall | None) -> bool:
        """Whether it is more of the call before it, though nothing says of which it is."""
        if last is None:
            return False
        if not self.name:
            return self.key is None or not self.call_id
        return self.key is None and (bool(last.id) or self.name == last.name)


class _GrowingCall:
    """A call whose fragments arrive; servers differ in what of it a later one says again."""

    def __init__(self, place: int) -> None:
        self.id = ""
        self.name = ""
        self.has_index = False
        self._place = place
        self._arguments: list[str] = []
        self._told = 0
        self._looks = 0

    def is_another(self, fragment: _Fragment) -> bool:
        """Whether a fragment begins another call, though it has this one's index or id, or none of its own."""
        if not fragment.name or not self.name:
            return False
        if fragment.call_id and self.id and fragment.call_id != self.id:
            return True
        if not self._arguments:
            return False
        if fragment.name != self.name:
            return True
        came = self._object() if self._is_followed(fragment.arguments) else None
        return bool(came) and _object(fragment.arguments) != came

    def grow(self, fragment: _Fragment) -> Iterable[Piece]:
        """The piece that a fragment adds; none where it only says again what came."""
        before = self.name
        self.id = self.id or fragment.call_id
        if not before or (not self._arguments and fragment.name != before):
            self.name += fragment.name
        return self.grow_on(fragment.arguments) or (self._piece("") if self.name != before else ())

    def grow_on(self, arguments: str) -> Iterable[Piece]:
        """The piece that more of the arguments is; none before the call has a name."""
        if self._is_followed(arguments) and (came := self._object()) is not None:
            if _object(arguments) == came:  # a chunk at the end that holds all of it
                return ()
            if came == {}:  # which stands for what is to come
                self._arguments.clear()
                self._told = 0
        if arguments:
            self._arguments.append(arguments)
        if not self.name or self._told == len(self._arguments):
            return ()
        untold = self._arguments[self._told :]
        self._told = len(self._arguments)
        return self._piece("".join(untold))

    def _piece(self, arguments: str) -> Iterable[Piece]:
        return (CallPiece(self._place, self.id or _made_id(self._place), self.name, arguments),)

    def _is_followed(self, arguments: str) -> bool:
        """Whether these may be all arguments once more: within a JSON object no other begins where one ends."""
        return arguments.lstrip()[:1] == "{" and bool(self._arguments) and self._arguments[-1].rstrip()[-1:] == "}"

    def _object(self) -> JsonObject | None:
        """The arguments, where they are a whole object."""
        self._looks += 1
        return _object("".join(self._arguments)) if self._looks <= _MOST_LOOKS else None

    def written(self) -> JsonObject:
        """The call as a message that was not streamed has it."""
        return {
            "id": self.id or _made_id(self._place),
            "type": "function",
            "function": {"name": self.name, "arguments": "".join(self._arguments)},
        }


def _made_id(place: int) -> str:
    """The id of the call at a place, where its server gives it none."""
    return f"call_{place + 1}"


def _object(text: str) -> JsonObject | None:
    try:
        value = jiter.from_json(text.encode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def refusal_in(content: object) -> str:
    """The words of a refusal that stands among the parts of a content."""
    parts = content if isinstance(content, list) else []
    return "".join(text_of(part.get("refusal")) for part in parts if isinstance(part, Mapping))
