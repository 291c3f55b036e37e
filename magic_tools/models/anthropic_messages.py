"""Anthropic's Messages API: requests out, replies in.

What its format demands of a history is made so, whoever wrote it: all system messages in front, roles in turn from a
user's on, each turn's results first, its calls last. What it cannot be told in its own way is told in words, such as
the schema of an answer that it cannot hold a model to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from magic_tools.chat import Capabilities, FinishReason, ModelReply, ReplyPart, ToolChoice
from magic_tools.errors import ModelError
from magic_tools.messages import Message, Part, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.anthropic_stream import AnthropicReader
from magic_tools.models.payloads import AnsweredError, arguments_object, count_of, shortened, text_of, tool_calls
from magic_tools.models.wire import Flavour, Prepared, Wire
from magic_tools.values import JsonObject

__all__ = ["ANTHROPIC", "WIRE"]

_NAME = "anthropic"

_FINISHES: Mapping[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "pause_turn": "pause",
}

ANTHROPIC = Flavour(_NAME)

# anthropic 2.14, November 2026: it took temperature and top_p out of messages.create, and the API never had a seed.
_FIELDS = {"max_tokens": "max_tokens", "stop": "stop_sequences"}

# The API asks for a limit, and thinking counts towards it. Every model since Claude 3.7 takes this one, and no answer
# of that length is so long under way that the SDK would have it streamed (over 21,333 tokens).
_MAX_TOKENS = 16_384

_MODEL = re.compile(r"claude-(?:(\d+)(?:[-.](\d{1,2}))?-)?([a-z]+)(?:-(\d{1,2})(?:[-.](\d{1,2}))?)?(?!\d)")

# platform.claude.com/docs/en/build-with-claude: structured-outputs, thinking and context-windows, November 2026.
_SINCE: Mapping[str, tuple[int, int]] = {"native_schema": (4, 5), "strict_tools": (4, 5), "thinking": (3, 7)}
_LONG_CONTEXT = (4, 6)

# The same pages: "any" and "tool" are an error with Fable 5.1, Mythos 5.1, Opus 5.5 and Sonnet 5.5. What came later
# is not known to take them, and to be refused is worse than to be answered in words.
_LAST_FORCED: Mapping[str, tuple[int, int]] = {"haiku": (5, 5)}
_LAST_FORCED_OF_OTHERS = (5, 0)

_OPENING = "(The conversation begins.)"
_NO_WORDS = "The tool failed."
_NO_TOOL = "Cannot be called any more."
_TASK = (
    "When you give your answer, it is one JSON value that fits this JSON Schema, with nothing before or after it:\n{}"
)


def _able(model: str) -> Capabilities:
    """What a model can do, by its name; of one that is no Claude of a known version, what is safe."""
    found = _MODEL.search(model)
    safe = Capabilities(object_root=True, tools=True, parallel_calls=True, streaming=True)
    if found is None or not (major := found[1] or found[4]):
        return safe
    line, version = found[3], (int(major), int(found[2] or found[5] or 0))
    held = {name: version >= since for name, since in _SINCE.items()}
    return Capabilities(
        **held,
        object_root=True,
        tools=True,
        forced_choice=version <= _LAST_FORCED.get(line, _LAST_FORCED_OF_OTHERS),
        parallel_calls=True,
        streaming=True,
        context_tokens=1_000_000 if version >= _LONG_CONTEXT else 200_000,
    )


def _body(prepared: Prepared) -> JsonObject:
    """The body of a request.

    A request without tools whose history has calls tells the names that were called, as tools not to be called any
    more: without tools, some services that speak this format refuse such a history.
    """
    request, form, extra = prepared.request, prepared.form, prepared.settings.extra
    turns = _turns(request.messages)
    payload: JsonObject = {"model": prepared.model, "messages": turns}
    if form.tools:
        payload["tools"] = _tools(form.tools, is_strict=prepared.capabilities.strict_tools)
        if choice := _choice(request.tool_choice, may_force=_may_force(prepared)):
            payload["tool_choice"] = choice
    elif "tools" not in extra and (called := _called(turns)):
        payload["tools"] = [
            {"name": name, "description": _NO_TOOL, "input_schema": {"type": "object"}} for name in called
        ]
        payload["tool_choice"] = {"type": "none"}
    told = [message.text for message in request.messages if message.role == "system"]
    if form.output is not None:
        # A schema that is not strict is refused, and an output_config of the caller's own replaces this one.
        if form.output.strict and prepared.capabilities.native_schema and "output_config" not in extra:
            payload["output_config"] = {"format": {"type": "json_schema", "schema": form.output.schema}}
        else:
            told.append(_TASK.format(json.dumps(form.output.schema, ensure_ascii=False)))
    if system := "\n\n".join(text for text in told if text.strip()):
        payload["system"] = system
    if prepared.streamed:
        payload["stream"] = True
    return payload


def _tools(tools: Sequence[JsonObject], *, is_strict: bool) -> list[JsonObject]:
    if is_strict:
        return list(tools)
    return [{key: held for key, held in tool.items() if key != "strict"} for tool in tools]


def _may_force(prepared: Prepared) -> bool:
    """Whether a call can be forced: with a budget for thinking it cannot (the page on thinking, November 2026)."""
    thinking = prepared.settings.extra.get("thinking")
    has_budget = isinstance(thinking, Mapping) and thinking.get("type") == "enabled"
    return prepared.capabilities.forced_choice and not has_budget


def _choice(choice: ToolChoice, *, may_force: bool) -> JsonObject | None:
    """A choice as the API has it; None for `auto`, its default, and where a call is to be forced that cannot be."""
    match choice:
        case "none":
            return {"type": "none"}
        case "required" if may_force:
            return {"type": "any"}
        case "auto" | "required":
            return None
        case name:
            return {"type": "tool", "name": name} if may_force else None


def _called(turns: Iterable[JsonObject]) -> Iterable[str]:
    """The names that are called in the turns, each once."""
    return dict.fromkeys(block["name"] for turn in turns for block in turn["content"] if block["type"] == "tool_use")


def _turns(messages: Iterable[Message]) -> list[JsonObject]:
    """The messages that are not the system's, as the turns of a conversation that a user begins.

    A turn's results come first. Its calls come last of what stands behind the provider's own blocks, in front of which
    nothing may be changed.
    """
    turns: list[JsonObject] = []
    for message in messages:
        blocks = _blocks(message)
        role = "assistant" if message.role == "assistant" else "user"
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        content = turn["content"]
        if turn["role"] == "user":
            content.sort(key=lambda block: block["type"] != "tool_result")
        else:
            own = [at for at, block in enumerate(content, 1) if block["type"] not in ("text", "tool_use")]
            start = own[-1] if own else 0
            content[start:] = sorted(content[start:], key=lambda block: block["type"] == "tool_use")
    if not turns or turns[0]["role"] != "user":
        turns.insert(0, {"role": "user", "content": [{"type": "text", "text": _OPENING}]})
    last = turns[-1]["content"][-1]
    if turns[-1]["role"] == "assistant" and last["type"] == "text":
        last["text"] = last["text"].rstrip()  # "final assistant content cannot end with trailing whitespace"
    return turns


def _blocks(message: Message) -> list[JsonObject]:
    match message.role:
        case "system":
            return []
        case "user":
            return _text_block(message.text)
        case _:
            return [block for part in message.parts for block in _part_blocks(part)]


def _part_blocks(part: Part) -> list[JsonObject]:
    match part:
        case TextPart(text):
            return _text_block(text)
        case ToolCall(id=call_id, name=name, arguments=arguments):
            held = arguments_object(arguments)
            return [{"type": "tool_use", "id": _fitting(call_id), "name": _fitting(name), "input": held}]
        case ProviderPart(wire=wire, data=data):
            return [json.loads(data)] if wire == _NAME else []
        case ToolResult():
            return [_result_block(part)]


def _text_block(text: str) -> list[JsonObject]:
    """A block of text; none where it is blank: "text content blocks must contain non-whitespace text"."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _result_block(result: ToolResult) -> JsonObject:
    block: JsonObject = {"type": "tool_result", "tool_use_id": _fitting(result.call_id)}
    if result.content.strip():
        block["content"] = result.content
    elif result.is_error:
        block["content"] = _NO_WORDS  # "content cannot be empty if `is_error` is true"
    if result.is_error:
        block["is_error"] = True
    return block


_FITTING = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def _fitting(word: str) -> str:
    """An id or a tool's name as the API takes it; of one that it refuses, always the same one that it takes."""
    if _FITTING.fullmatch(word):
        return word
    digest = crc32(word.encode(errors="surrogatepass"))
    return f"{re.sub('[^a-zA-Z0-9_-]', '_', word)[:100]}_{digest:08x}"


def _decode(payload: Mapping[str, Any]) -> ModelReply:
    """The reply in the body of a message; ModelError if there is none.

    Blocks that are neither text nor calls are kept as they are. A refusal without words has its explanation as its
    text. An input that is a text, as of a call that was cut, is the raw arguments.
    """
    blocks = _content(payload)
    called = (block for block in blocks if block.get("type") == "tool_use")
    calls = iter(tool_calls((block.get("id"), block.get("name"), block.get("input")) for block in called))
    parts: list[ReplyPart] = []
    for block in blocks:
        match block.get("type"):
            case "text":
                if text := text_of(block.get("text")):
                    parts.append(TextPart(text))
            case "tool_use":
                parts.append(next(calls))
            case _:
                parts.append(ProviderPart(_NAME, json.dumps(block), text_of(block.get("thinking"))))
    finish = _finish(payload.get("stop_reason"))
    if finish == "refusal" and not any(isinstance(part, TextPart) for part in parts):
        parts += _explanation(payload.get("stop_details"))
    return ModelReply(tuple(parts), finish, _usage(payload.get("usage")), text_of(payload.get("model")))


def _content(payload: object) -> Sequence[Mapping[str, Any]]:
    match payload:
        case {"error": error} if error:
            raise AnsweredError(error)
        case {"content": [*blocks]}:
            for block in blocks:
                if not isinstance(block, Mapping):
                    raise ModelError(f"the answer's content holds what is no block: {shortened(block)}")
            return blocks
        case Mapping():
            raise ModelError(f"the answer is no message with a content: {shortened(payload)}")
        case _:
            raise ModelError(f"the answer is not a JSON object: {shortened(payload)}")


def _explanation(details: object) -> list[TextPart]:
    text = text_of(details.get("explanation")) if isinstance(details, Mapping) else ""
    return [TextPart(text)] if text else []


def _finish(reason: object) -> FinishReason | None:
    return _FINISHES.get(reason, "other") if isinstance(reason, str) and reason else None


def _usage(usage: object) -> Usage:
    """Tokens, with all of the input in `input_tokens`: the API counts there what no cache had to do with."""
    cached = count_of(usage, "cache_read_input_tokens")
    return Usage(
        input_tokens=count_of(usage, "input_tokens") + cached + count_of(usage, "cache_creation_input_tokens"),
        output_tokens=count_of(usage, "output_tokens"),
        cached_tokens=cached,
        reasoning_tokens=count_of(usage, "output_tokens_details", "thinking_tokens"),
    )


WIRE = Wire(
    name=_NAME,
    prefix=_NAME,
    path="/v1/messages",
    dialect="anthropic",
    body=_body,
    decode=_decode,
    reader=AnthropicReader,
    able=_able,
    fields=_FIELDS,
    flavour=ANTHROPIC,
    required={"max_tokens": _MAX_TOKENS},
)
