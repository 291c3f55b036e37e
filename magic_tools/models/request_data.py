"""A request as plain data: by which two are known to be the same, and what two that are not differ in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple, assert_never

from pydantic_core import to_jsonable_python

from magic_tools.chat import ModelRequest, ToolDefinition
from magic_tools.messages import Part, ProviderPart, TextPart, ToolCall, ToolResult, part_to_data
from magic_tools.settings import ModelSettings
from magic_tools.values import JsonObject, JsonValue, digest

__all__ = ["Difference", "differences", "hidden_texts", "request_data"]

_MASK = "***"

_TELLING = ("temperature", "top_p", "max_tokens", "seed", "stop", "unsupported")
"""The settings that a reply may depend on; the times and tries that it may take are none."""

# How a key ends under which a secret stands, written in lower case and without signs: not max_tokens, not cache_key.
_SECRET_ENDINGS = (
    "apikey", "accesskey", "secretkey", "privatekey", "token", "secret", "password", "passphrase", "credentials",
    "authorization", "auth", "cookie", "cookies", "headers",
)  # fmt: skip
_SIGNS = re.compile(r"[\W_]+")
_LONG_WORD = 8
_BETWEEN_WORDS = re.compile(r"[\s;,=]+")  # as of `Bearer KEY`, and of what a cookie holds

_SHOWN = 40
_NOT_TOLD = frozenset({"content", "data", "arguments"})
"""What is not told of in words: it is only kept as a digest, or may hold what the model was to keep to itself."""


def request_data(request: ModelRequest, *, masked: bool = True) -> JsonObject:
    """The messages, tools, choice, output and settings of a request, as JSON data.

    Of tools' results and of parts that a provider alone can read there are digests in place of what they hold. Tools
    stand under their names, so their order says nothing. Where it is `masked`, so are the secrets of the settings'
    `extra`, such as keys, tokens and headers; elsewhere the data is for a digest alone, and not to be written.
    """
    output = request.output
    return {
        "messages": [
            {"role": message.role, "parts": [_part_data(part) for part in message.parts]}
            for message in request.messages
        ],
        "tools": {tool.name: _tool_data(tool) for tool in request.tools},
        "tool_choice": request.tool_choice,
        "output": None if output is None else {"name": output.name, "schema": output.schema},
        "settings": _settings_data(request.settings, masked=masked),
    }


def hidden_texts(request: ModelRequest) -> tuple[str, ...]:
    """The texts that are masked in the data of a request, and the longer words in them."""
    extra = {} if request.settings is None else _plain(request.settings.extra)
    return tuple(_texts_under_secrets(extra, hidden=False))


def _part_data(part: Part) -> JsonObject:
    match part:
        case TextPart() | ToolCall():
            return part_to_data(part)
        case ToolResult():
            held = {"call_id": part.call_id, "name": part.name, "is_error": part.is_error}
            return {"type": "tool_result", **held, "content": digest(part.content)}
        case ProviderPart():
            return {"type": "provider", "wire": part.wire, "data": digest(part.data)}
        case _:
            assert_never(part)


def _tool_data(tool: ToolDefinition) -> JsonObject:
    data: JsonObject = {"description": tool.description, "input_schema": tool.input_schema}
    return data if tool.strict is None else {**data, "strict": tool.strict}


def _settings_data(settings: ModelSettings | None, *, masked: bool) -> JsonObject:
    if settings is None:
        return {}
    told = {name: _plain(value) for name in _TELLING if (value := getattr(settings, name)) is not None}
    if settings.extra:
        extra = _plain(settings.extra)
        told["extra"] = _masked(extra) if masked else extra
    return told


def _plain(value: Any) -> Any:
    return to_jsonable_python(
        value, inf_nan_mode="constants", bytes_mode="base64", fallback=lambda held: f"<{type(held).__qualname__}>"
    )


def _masked(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return {
                key: _MASK if _is_secret(key) and held is not None else _masked(held) for key, held in value.items()
            }
        case list():
            return [_masked(held) for held in value]
        case _:
            return value


def _is_secret(key: str) -> bool:
    return _SIGNS.sub("", key).casefold().endswith(_SECRET_ENDINGS)


def _texts_under_secrets(value: JsonValue, *, hidden: bool) -> Iterator[str]:
    match value:
        case dict():
            for key, held in value.items():
                yield from _texts_under_secrets(held, hidden=hidden or _is_secret(key))
        case list():
            for held in value:
                yield from _texts_under_secrets(held, hidden=hidden)
        case str() if hidden and value:
            yield value
            yield from (word for word in _BETWEEN_WORDS.split(value) if len(word) >= _LONG_WORD)
        case _:
            pass


class Difference(NamedTuple):
    """One place in which two requests differ, in words, and how many values stand there."""

    words: str
    values: int


def differences(asked: JsonValue, recorded: JsonValue, path: str = "") -> Iterator[Difference]:
    """Where the data of a request differs from that of a recorded one, in order."""
    match asked, recorded:
        case dict(), dict():
            yield from _of_objects(asked, recorded, path)
        case list(), list():
            for index, (one, other) in enumerate(zip(asked, recorded, strict=False)):
                yield from differences(one, other, f"{path}[{index}]")
            if len(asked) != len(recorded):
                rest = (asked if len(asked) > len(recorded) else recorded)[min(len(asked), len(recorded)) :]
                yield Difference(f"{path}: {len(asked)}, recorded {len(recorded)}", _size(rest))
        case _ if asked != recorded or isinstance(asked, bool) != isinstance(recorded, bool):
            yield Difference(f"{path}: {_beside(asked, recorded, path)}", max(_size(asked), _size(recorded)))
        case _:
            pass


def _of_objects(asked: Mapping[str, Any], recorded: Mapping[str, Any], path: str) -> Iterator[Difference]:
    place = path or "the request"
    for key, held in asked.items():
        if key in recorded:
            yield from differences(held, recorded[key], f"{path}.{key}" if path else key)
        else:
            yield Difference(f"{place}: {key!r:.60} is not among what was recorded", _size(held))
    for key, held in recorded.items():
        if key not in asked:
            yield Difference(f"{place}: {key!r:.60} was recorded, and is missing", _size(held))


def _size(value: JsonValue) -> int:
    """How many values stand in one, the empty ones too."""
    match value:
        case dict():
            return 1 + sum(map(_size, value.values()))
        case list():
            return 1 + sum(map(_size, value))
        case _:
            return 1


def _beside(asked: JsonValue, recorded: JsonValue, path: str) -> str:
    if path.rpartition(".")[2] in _NOT_TOLD:
        return "another than was recorded"
    start = 0
    if isinstance(asked, str) and isinstance(recorded, str):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(asked, recorded, strict=False))
        start = max(0, sum(1 for _ in same) - _SHOWN // 2)
    return f"{_shown(asked, start)}, recorded {_shown(recorded, start)}"


def _shown(value: JsonValue, start: int) -> str:
    if not isinstance(value, str):
        text = repr(value)
        return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}..."
    end = start + _SHOWN
    return f"{'...' if start else ''}{value[start:end]!r}{'...' if len(value) > end else ''}"
