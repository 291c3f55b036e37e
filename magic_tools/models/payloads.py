"""What the bodies of different wire formats have in common, read and written in one way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from itertools import count

import jiter

from magic_tools.errors import ModelError
from magic_tools.loose.phrases import printable
from magic_tools.messages import ToolCall
from magic_tools.values import JsonObject

__all__ = [
    "AnsweredError",
    "arguments_object",
    "arguments_text",
    "count_of",
    "joined",
    "short_id",
    "shortened",
    "text_of",
    "tool_calls",
]

# Errors that may be otherwise a moment later, as the answers of the providers call them (openai 3.57, anthropic 2.14).
_PASSING = frozenset(
    {"overloaded_error", "rate_limit_error", "rate_limit_exceeded", "api_error", "server_error", "timeout_error"}
)
_RATE_LIMITS = frozenset({"rate_limit_error", "rate_limit_exceeded", "insufficient_quota"})


class AnsweredError(ModelError):
    """An answer, or an event of a stream, is an error, which `body` tells."""

    def __init__(self, body: object) -> None:
        super().__init__(f"the answer is an error: {shortened(body)}")
        self.body = body

    @property
    def kinds(self) -> frozenset[str]:
        """What the provider calls it."""
        told = self.body if isinstance(self.body, Mapping) else {}
        return frozenset(str(told[key]) for key in ("type", "code") if told.get(key))

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered a moment later."""
        return not self.kinds.isdisjoint(_PASSING)

    @property
    def is_rate_limit(self) -> bool:
        """Whether it asks to slow down."""
        return not self.kinds.isdisjoint(_RATE_LIMITS)


def arguments_text(arguments: str) -> str:
    """Arguments as servers take them back: always an object's text, with what the model wrote kept in it."""
    if arguments.strip() in ("", "null"):
        return "{}"
    try:
        value = jiter.from_json(arguments.encode(), allow_inf_nan=False)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return arguments
    return json.dumps({"unparsed_arguments": printable(arguments)}, ensure_ascii=False)


def arguments_object(arguments: str) -> JsonObject:
    """Arguments as an object: `arguments_text`, read."""
    held: JsonObject = json.loads(arguments_text(arguments))
    return held


def tool_calls(sent: Iterable[tuple[object, object, object]]) -> tuple[ToolCall, ...]:
    """Calls from what was sent as their ids, names and arguments, with ids that are not empty, each another.

    ModelError for a call without a name.
    """
    calls = list(sent)
    given = [call_id for call_id, _, _ in calls]
    fresh = (call_id for call_id in map("call_{}".format, count(1)) if call_id not in given)
    used: set[str] = set()
    named: list[ToolCall] = []
    for given_id, name, arguments in calls:
        if not isinstance(name, str) or not name:
            raise ModelError(
                f"the answer has a tool call without a function's name: {shortened([given_id, name, arguments])}"
            )
        call_id = given_id if isinstance(given_id, str) and given_id and given_id not in used else next(fresh)
        used.add(call_id)
        named.append(ToolCall(call_id, name, _written(arguments)))
    return tuple(named)


def _written(sent: object) -> str:
    match sent:
        case None:
            return ""
        case str():
            return sent
        case _:
            return json.dumps(sent, ensure_ascii=False)


def short_id(call_id: str, longest: int) -> str:
    """The id of a call as a server takes it that takes so many characters; for the same id always the same."""
    if 0 < len(call_id) <= longest:
        return call_id
    return f"call_{hashlib.sha256(call_id.encode(errors='backslashreplace')).hexdigest()[:32]}"


def joined(text: str) -> str:
    """A text in which halves of a character that came one after the other are that character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text


def text_of(content: object) -> str:
    """The text of a content: a text, or parts that hold some."""
    match content:
        case str():
            return content
        case [*parts]:
            return "".join(text_of(part.get("text")) for part in parts if isinstance(part, Mapping))
        case _:
            return ""


def count_of(usage: object, *path: str) -> int:
    """A count of tokens at a place of what a server says of them; 0 where it says nothing that is one."""
    for key in path:
        usage = usage.get(key) if isinstance(usage, Mapping) else None
    return usage if isinstance(usage, int) and not isinstance(usage, bool) and usage > 0 else 0


def shortened(said: object) -> str:
    """What a server said, on one line and short enough for an error's text."""
    match said:
        case {"message": str(text)} | str(text):
            pass
        case BaseException():
            text = str(said)
        case _:
            text = json.dumps(said, ensure_ascii=False, default=repr)
    text = " ".join(text.split())
    if len(text) <= 300:
        return text
    whole_words = text[:300].rpartition(" ")[0]  # of a key that was cut, the rest would be shown
    return f"{whole_words}... ({len(text)} characters)"
