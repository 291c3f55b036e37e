"""A local model's reply as it grows: calls told from text, and every piece part of the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools.chat import CallPiece, FinishReason, ModelReply, ModelRequest, OutputFormat, Piece, TextPiece
from magic_tools.chat import ToolDefinition as Definition
from magic_tools.messages import Message, TextPart, ToolCall
from magic_tools.models.forms import Forms
from magic_tools.models.local_offer import offer_of
from magic_tools.models.local_reply import GrowingReply


def schema(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ADD = Definition("add", "", schema(a={"type": "integer"}))
ADD_ALL = Definition("add_all", "", schema(text={"type": "string"}))
NESTED = Definition("move", "", schema(to=schema(x={"type": "integer"}, y={"type": "integer"})))
ANSWER = OutputFormat("answer", schema(name={"type": "string"}))
NESTED_ANSWER = OutputFormat("answer", schema(at=schema(x={"type": "integer"})))


def read(text: str, finish: FinishReason = "stop", size: int = 1, **request: Any) -> tuple[list[Piece], ModelReply]:
    """What comes of a text that arrives so many characters at a time."""
    asked = ModelRequest((Message.user("Go on."),), **{"tools": (ADD, ADD_ALL, NESTED), **request})
    form = Forms("simple").of(asked)
    growing = GrowingReply(offer_of(asked, form), form)
    pieces = [piece for at in range(0, len(text), size) for piece in growing.feed(text[at : at + size])]
    reply = growing.ended(finish)
    pieces += growing.rest(reply)
    return pieces, reply


def joined(pieces: list[Piece]) -> str:
    return "".join(piece.text if isinstance(piece, TextPiece) else piece.arguments for piece in pieces)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('{"name": "add", "arguments": {"a": 1}}', "add", '{"a": 1}'),
        ('{"name": "add", "arguments": { "a": 1 } }', "add", '{ "a": 1 }'),
        ('{"name": "add", "arguments": {"a": 1}\n  }\n', "add", '{"a": 1}'),
        # A name that begins like another, and braces and blanks in a text.
        ('{"name": "add_all", "arguments": {"text": "} }  } \\""}}', "add_all", '{"text": "} }  } \\""}'),
        ('{"name": "add_all", "arguments": {"text": "}"}}', "add_all", '{"text": "}"}'),
    ],
)
def test_calls(text: str, name: str, arguments: str, size: int) -> None:
    """A call is told by its name first; its arguments come without the brace that is the call's."""
    pieces, reply = read(text, size=size)
    assert reply == ModelReply((ToolCall("call_1", name, arguments),), "tool_calls")
    assert pieces[0] == CallPiece(0, "call_1", name, "")
    assert {(piece.index, piece.id, piece.name) for piece in pieces if isinstance(piece, CallPiece)} == {
        (0, "call_1", name)
    }
    assert joined(pieces) == arguments


@pytest.mark.parametrize(
    ("text", "arguments", "finish"),
    [
        ('{"name": "add", "arguments": ', "", "length"),
        ('{"name": "add", "arguments": {"a": 1', '{"a": 1', "length"),
        ('{"name": "add_all", "arguments": {"text": "a }', '{"text": "a }', "length"),
        # Whole but for the brace of the call.
        ('{"name": "add", "arguments": {"a": 1}', '{"a": 1}', "tool_calls"),
    ],
)
@pytest.mark.parametrize("ended", ["length", "stop"])
def test_cut_calls(text: str, arguments: str, finish: str, ended: FinishReason) -> None:
    """A call that is not whole is one that was cut, whatever cut it, and has the arguments as far as they came."""
    pieces, reply = read(text, ended)
    (call,) = reply.calls
    assert (call.arguments, reply.finish) == (arguments, finish)
    assert joined(pieces) == arguments


@pytest.mark.parametrize(
    "text",
    ["Hello", "", " {", '{"name": "add', '{"name": "other", "arguments": {}}', '{"names": 1}', "{", "a\n\nb "],
)
def test_text(text: str) -> None:
    """What does not begin like a call of a tool is text, all of which comes."""
    pieces, reply = read(text)
    assert reply == ModelReply((TextPart(text),) if text else (), "stop")
    assert all(isinstance(piece, TextPiece) for piece in pieces)
    assert joined(pieces) == text


def test_text_at_once() -> None:
    """Text comes when it is certain that it is no call."""
    assert read('{"name": "b"}')[0] == [TextPiece('{"name": "b'), TextPiece('"'), TextPiece("}")]
    assert read('{"n', tools=())[0] == [TextPiece("{"), TextPiece('"'), TextPiece("n")]


def test_an_answer_beside_tools() -> None:
    """An answer that begins with a name is told from a call where they part."""
    pieces, reply = read('{"name": "adder"}', output=ANSWER)
    assert reply == ModelReply((TextPart('{"name": "adder"}'),), "stop")
    assert pieces[0] == TextPiece('{"name": "adde')
    assert read('{"name": "add", "arguments": {"a": 1}}', output=ANSWER)[1].calls


def test_another_form() -> None:
    """What the model is told flat comes in one piece, where its schema has it."""
    pieces, reply = read('{"name": "move", "arguments": {"to_x": 1, "to_y": 2}}')
    arguments = '{"to":{"x":1,"y":2}}'
    assert reply.parts == (ToolCall("call_1", "move", arguments),)
    assert pieces == [CallPiece(0, "call_1", "move", ""), CallPiece(0, "call_1", "move", arguments)]
    pieces, reply = read('{"at_x": 1}', output=NESTED_ANSWER)
    assert json.loads(reply.text) == {"at": {"x": 1}}
    assert pieces == [TextPiece(reply.text)]
    # A call of another tool is not held back for that.
    assert len(read('{"name": "add", "arguments": {"a": 1}}', output=NESTED_ANSWER)[0]) > 3


def test_arguments_that_are_too_deep() -> None:
    """Arguments nested beyond all reason are a call that is not whole, and no crash."""
    reply = read('{"name": "add", "arguments": ' + "[" * 100_000, size=200_000)[1]
    assert reply.finish == "length"


def test_what_has_come() -> None:
    """What broke off is told as far as it has come."""
    asked = ModelRequest((Message.user("Go on."),), tools=(ADD,))
    form = Forms("simple").of(asked)
    growing = GrowingReply(offer_of(asked, form), form)
    assert (growing.has_come, growing.cut()) == (False, ModelReply(()))
    assert [*growing.feed('{"name": "add", "arguments": {"a')][1:] == [CallPiece(0, "call_1", "add", '{"a')]
    assert growing.has_come
    assert growing.cut() == ModelReply((ToolCall("call_1", "add", '{"a'),))
