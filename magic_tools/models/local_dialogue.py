"""A request as a local model is asked: turns of text, in words that even a very small model follows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from magic_tools.messages import Message, ToolCall, ToolResult
from magic_tools.models.local_offer import Offer, head_of_call
from magic_tools.models.payloads import arguments_text
from magic_tools.models.weights import Turn
from magic_tools.values import JsonObject

__all__ = ["dialogue_of"]

# The wording with which the embedded model got the most fields right, of some twenty that were tried on two dozen
# letters: it is too small to take a hint, and wants to be led to the first bracket.
_TASK = (
    "You are a data extraction assistant. Read the user's text and fill in this JSON Schema with the values found in "
    "the text:\n{schema}\nAnswer with the JSON only."
)
_TEXT, _LEAD = "Text:\n", "\n\nJSON:"

# A call is asked for as the same task, which got more right than any talk of tools. To choose among tools, or between
# a call and words, the model must have seen each done once: of thirteen wishes it then took eleven right, and not five.
_OR_TEXT = " If it asks for nothing of the kind, answer with text."
_OR_CALL = "\nIf the text lacks them, call a tool with JSON of this JSON Schema:\n{schema}"
_GREETING, _GREETED = "Hello!", "Hello! How can I help you?"
_RESULT, _TOLD = '{"state":"ready","count":3}', "It is ready, and there are 3."

_MOST_SHOWN = 120
"""The longest beginning of a tool's description that stands for a wish which the tool fulfils, in characters."""


def dialogue_of(messages: Sequence[Message], offer: Offer) -> list[Turn]:
    """The messages as turns, led to what may be answered.

    Calls are the JSON that the model would write, and results are told by the user, those in a row in one turn. Where
    an answer is to be made of results, the whole is one text: the model would else go on with calls like its last.
    """
    has_results = any(message.role == "tool" for message in messages)
    calls = [_schema_of_call(tool) for tool in offer.tools]
    if offer.answer is not None and calls and has_results:
        told, spoken = _parted(_turns(messages, _told_call))
        text = "\n\n".join(turn["content"] for turn in spoken)
        task = _filled(_TASK, [offer.answer]) + _filled(_OR_CALL, calls)
        return [_turn("system", "\n\n".join([*told, task])), _turn("user", _TEXT + text + _LEAD)]
    schemas = calls if offer.answer is None else [*calls, offer.answer]
    if not schemas:
        return list(_turns(messages, _written_call))
    told, spoken = _parted(_turns(messages, _written_call))
    task = _filled(_TASK, schemas)
    shown = _shown(offer, has_results=has_results)
    if offer.free:
        task += _OR_TEXT
    else:
        for turn in (*spoken[:1], *shown[::2]):
            turn["content"] = _TEXT + turn["content"]
        for turn in (*spoken[-1:], *shown[::2]):
            turn["content"] += _LEAD
    return [_turn("system", "\n\n".join([*told, task])), *shown, *spoken]


def _turn(role: str, content: str) -> Turn:
    return {"role": role, "content": content}


def _parted(turns: Iterator[Turn]) -> tuple[list[str], list[Turn]]:
    """What the system says, and the turns of the others."""
    told, spoken = [], []
    for turn in turns:
        if turn["role"] == "system":
            told.append(turn["content"])
        else:
            spoken.append(turn)
    return told, spoken


def _turns(messages: Sequence[Message], write: Callable[[ToolCall], str]) -> Iterator[Turn]:
    for is_results, group in groupby(messages, key=lambda message: message.role == "tool"):
        if is_results:
            results = (part for message in group for part in message.parts if isinstance(part, ToolResult))
            yield _turn("user", "\n\n".join(_result(result.name, result.content) for result in results))
            continue
        for message in group:
            content = "\n".join([*([message.text] if message.text else []), *map(write, message.calls)])
            if content or message.role != "assistant":  # of which all may be another provider's own
                yield _turn(message.role, content)


def _result(name: str, content: str) -> str:
    return f"Result of {name}:\n{content}"


def _written_call(call: ToolCall) -> str:
    return f"{head_of_call(call.name)}{arguments_text(call.arguments)}}}"


def _told_call(call: ToolCall) -> str:
    return f"Call of {call.name} with {arguments_text(call.arguments)}"


def _schema_of_call(tool: JsonObject) -> JsonObject:
    said = {"description": tool["description"]} if tool["description"] else {}
    properties = {"name": {"const": tool["name"]}, "arguments": tool["input_schema"]}
    return {"type": "object", **said, "properties": properties}


def _filled(words: str, schemas: Sequence[JsonObject]) -> str:
    """The words with the schema of what fits one of several."""
    schema = {"anyOf": schemas} if len(schemas) > 1 else schemas[0]
    return words.format(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _shown(offer: Offer, *, has_results: bool) -> list[Turn]:
    """What the model is shown before it is asked: a wish for each tool, and what to make of a result and a greeting.

    Nothing, where there is nothing to choose.
    """
    if not offer.tools or (len(offer.tools) == 1 and not offer.free and offer.answer is None):
        return []
    shown = [_GREETING, _GREETED] if offer.free else []
    for index, tool in enumerate(offer.tools):
        first, *_ = tool["description"].strip().split("\n")
        shown += [first[:_MOST_SHOWN] or tool["name"].replace("_", " "), f"{head_of_call(tool['name'])}{{}}}}"]
        if has_results and offer.free and index == 0:
            shown += [_result(tool["name"], _RESULT), _TOLD]
    return [_turn("assistant" if index % 2 else "user", content) for index, content in enumerate(shown)]
