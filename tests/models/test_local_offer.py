"""What a local model may answer, and the grammar that says it, as llama.cpp reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from magic_tools.chat import ModelRequest, OutputFormat, ToolChoice, ToolDefinition
from magic_tools.errors import ModelError
from magic_tools.messages import Message
from magic_tools.models.forms import Forms
from magic_tools.models.local_offer import Offer, head_of_call, offer_of
from magic_tools.models.weights import Weights, checked, embedded_weights, loaded_weights


@pytest.fixture
def weights() -> Weights:
    pytest.importorskip("llama_cpp")
    return loaded_weights(checked(embedded_weights()), None)


def tool(name: str, **schema: Any) -> ToolDefinition:
    return ToolDefinition(name, f"Does {name}.", {"type": "object", "additionalProperties": False, **schema})


ADD = tool("add", properties={"a": {"type": "integer"}}, required=["a"])
LOOK = tool("look_up", properties={"key": {"type": "string"}}, required=["key"])
ANSWER = OutputFormat("answer", {"type": "boolean"})


def offer(tools: tuple[ToolDefinition, ...], output: OutputFormat | None = None, choice: ToolChoice = "auto") -> Offer:
    request = ModelRequest((Message.user("Hi"),), tools=tools, output=output, tool_choice=choice)
    return offer_of(request, Forms("simple").of(request))


@pytest.mark.parametrize(
    ("tools", "output", "choice", "names", "has_answer", "is_free"),
    [
        ((), None, "auto", [], False, True),
        ((), ANSWER, "auto", [], True, False),
        ((ADD, LOOK), None, "auto", ["add", "look_up"], False, True),
        ((ADD, LOOK), ANSWER, "auto", ["add", "look_up"], True, False),
        ((ADD, LOOK), None, "none", [], False, True),
        ((ADD, LOOK), ANSWER, "none", [], True, False),
        ((ADD, LOOK), None, "required", ["add", "look_up"], False, False),
        ((ADD, LOOK), ANSWER, "required", ["add", "look_up"], False, False),
        ((ADD, LOOK), None, "look_up", ["look_up"], False, False),
    ],
)
def test_offers(
    tools: tuple[ToolDefinition, ...],
    output: OutputFormat | None,
    choice: ToolChoice,
    names: list[str],
    has_answer: bool,
    is_free: bool,
) -> None:
    """The tool choice says which calls may be made, and whether anything else may be said."""
    made = offer(tools, output, choice)
    assert [each["name"] for each in made.tools] == names
    assert (made.answer is not None, made.free) == (has_answer, is_free)


@pytest.mark.parametrize(("tools", "choice"), [((), "required"), ((), "add"), ((ADD,), "look_up")])
def test_no_such_tool(tools: tuple[ToolDefinition, ...], choice: ToolChoice) -> None:
    """A choice that cannot be kept is an error, and not silently another."""
    with pytest.raises(ModelError, match=f"'{choice}' cannot be kept: the request has no such tool"):
        offer(tools, choice=choice)


def test_rules() -> None:
    """Calls are spelled one way; each schema has rules of its own, and its texts stay as they are."""
    pytest.importorskip("llama_cpp")
    rules = offer((ADD, LOOK)).rules()
    assert rules is not None
    by_name = dict(line.split(" ::= ", 1) for line in rules.splitlines())
    assert by_name["root"] == "call0 | call1 | text"
    assert by_name["call1"] == r'"{\"name\": \"look_up\", \"arguments\": " call1-root "}"'
    assert by_name["call1-root"].startswith("call1-")
    assert '"\\"key\\"" call1-space ":" call1-space' in by_name["call1-d0-key-kv"]
    assert offer(()).rules() is None
    assert offer((), ANSWER).rules() == offer((ADD,), ANSWER, "none").rules()
    assert len(by_name) == len(rules.splitlines())


STRANGE = {
    "root": {"type": "string", "pattern": '^[a-z\\]]{2,3}"x"$'},
    "text": {"enum": ["call0", 'a "b" [c] \\ d', "ключ"]},
    "call0-root": {"type": "object", "additionalProperties": {"type": "number"}},
    "space": {"type": "array", "items": {"type": "string", "format": "date"}, "maxItems": 3},
}


@pytest.mark.parametrize("choice", ["auto", "required"])
@pytest.mark.parametrize("output", [None, ANSWER, OutputFormat("x", {"type": "object", "properties": STRANGE})])
@pytest.mark.parametrize("name", ["root", "text", "call0", 'say "hi" \\ [now]', "查询", "a-b_c"])
def test_every_grammar_is_read(weights: Weights, name: str, output: OutputFormat | None, choice: str) -> None:
    """Whatever tools and parameters are called, llama.cpp takes the grammar."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    tools = (
        tool(name, properties=STRANGE, required=["text"]),
        tool("root2", properties=STRANGE),
        tool("walk", properties={"node": {"$ref": "#/$defs/Node"}}, **{"$defs": {"Node": node}}),
        tool("nothing", properties={}),
    )
    rules = offer(tools, output, choice).rules()
    assert rules is not None
    assert weights.grammar(rules) is not None


def test_heads() -> None:
    """A call begins like the JSON that it is, with the characters of its name themselves."""
    assert head_of_call("查询") == '{"name": "查询", "arguments": '
    assert json.loads(head_of_call('a"b') + "{}}") == {"name": 'a"b', "arguments": {}}


def test_whose_schemas() -> None:
    """Each schema can be told by whose it is."""
    made = offer((ADD, LOOK), ANSWER)
    assert [whose for whose, _ in made.schemas()] == ["the tool 'add'", "the tool 'look_up'", "the answer"]
