"""Answers: how each type is asked for by what a model can do, and what each reply is as an answer."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, Field, model_validator

from magic_tools.chat import Capabilities, FinishReason, ModelReply
from magic_tools.errors import DefinitionError
from magic_tools.messages import Message, TextPart, ToolCall
from magic_tools.outputs.answer import Answer, Checked, answer_for

NATIVE = Capabilities(native_schema=True)
OBJECTS = Capabilities(native_schema=True, object_root=True)
PLAIN = Capabilities()
EVERY = pytest.mark.parametrize("capabilities", [NATIVE, OBJECTS, PLAIN], ids=["native", "objects", "plain"])


class Item(BaseModel):
    """A thing for sale."""

    name: str


class Loose(BaseModel):
    size: int | None = None


class Apple(BaseModel):
    kind: Literal["apple"]
    size: int


class Banana(BaseModel):
    kind: Literal["banana"]
    length: int


class Box(BaseModel):
    value: int


def check(target: Any, text: str, capabilities: Capabilities, finish: FinishReason | None = "stop") -> Checked:
    return answer_for(target, capabilities).check(ModelReply((TextPart(text),) if text else (), finish))


def told(checked: Checked) -> str:
    return "; ".join(str(issue) for issue in checked.issues)


@EVERY
def test_text_is_asked_for_as_it_is(capabilities: Capabilities) -> None:
    """For plain text nothing is asked beside the prompt, and any text is the answer, unchanged."""
    assert answer_for(str, capabilities) == Answer()
    assert check(str, ' {"a": 1} \n', capabilities) == Checked("valid", ' {"a": 1} \n')


def test_a_model_with_schemas_is_sent_the_schema() -> None:
    """The canonical schema goes with the request, under the type's name; no message changes."""
    answer = answer_for(Item, OBJECTS)
    assert answer.format is not None
    assert (answer.format.name, answer.instruction, answer.wrapper) == ("Item", None, None)
    assert answer.format.schema == {
        "type": "object",
        "description": "A thing for sale.",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    transcript = (Message.system("Be brief."), Message.user("Hello"))
    assert answer.addressed(transcript) is transcript


def test_the_schema_is_told_in_its_own_characters() -> None:
    """Texts of other scripts reach the model as they are, and not as escapes."""
    answer = answer_for(Annotated[str, Field(description="商品の名前")], PLAIN)
    assert answer.instruction is not None
    assert "商品の名前" in answer.instruction


def test_a_model_without_schemas_is_told_the_schema() -> None:
    """The schema stands in the system message, after what is there already, and the transcript stays as it was."""
    answer = answer_for(Item, PLAIN)
    assert (answer.format, answer.wrapper) == (None, None)
    (system, user) = answer.addressed((Message.user("Hello"),))
    assert (system.role, user) == ("system", Message.user("Hello"))
    instruction, _, schema = system.text.partition("\n")
    assert "one JSON value and nothing else" in instruction
    assert json.loads(schema)["properties"] == {"name": {"type": "string"}}
    transcript = (Message.system("Be brief."), Message.user("Hello"))
    assert answer.addressed(transcript) == (Message.system(f"Be brief.\n\n{system.text}"), user)
    assert transcript[0] == Message.system("Be brief.")
    assert answer.addressed(()) == (system,)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Item, "Item"),
        (list[int], "list"),
        (int | None, "answer"),
        (Literal["a"], "Literal"),
        (type("Größe [cm]", (BaseModel,), {}), "Gr_e_cm"),
        (type("天気", (BaseModel,), {}), "answer"),
        (type("A" * 100, (BaseModel,), {}), "A" * 64),
    ],
)
def test_the_name_is_one_that_providers_take(target: Any, name: str) -> None:
    """The name of a schema has letters, digits, _ and - alone, at most 64, and is never empty."""
    answer = answer_for(target, OBJECTS)
    assert answer.format is not None
    assert answer.format.name == name


@pytest.mark.parametrize("target", [int, list[Item], Item | None, Apple | Banana, Literal["a"], Any, None, Decimal])
def test_what_is_no_object_is_wrapped(target: Any) -> None:
    """A provider that takes only objects is asked for one with one required key; elsewhere the type is asked for."""
    wrapped, bare = answer_for(target, OBJECTS).format, answer_for(target, NATIVE).format
    assert wrapped is not None
    assert bare is not None
    assert (wrapped.schema["type"], wrapped.schema["required"]) == ("object", ["value"])
    assert list(wrapped.schema["properties"]) == ["value"]
    assert wrapped.name == bare.name
    assert answer_for(target, NATIVE).wrapper is None


@pytest.mark.parametrize("target", [Item, dict[str, int], Annotated[Item, Field(description="x")]])
def test_an_object_is_not_wrapped(target: Any) -> None:
    """An object is asked for as it is."""
    assert answer_for(target, OBJECTS).wrapper is None


@EVERY
@pytest.mark.parametrize(
    ("target", "value", "text"),
    [
        (Item, Item(name="a"), '{"name": "a"}'),
        (list[Item], [Item(name="a")], '[{"name": "a"}]'),
        (list[Item], [], "[]"),
        (int, 5, "5"),
        (int | None, None, "null"),
        (Loose | None, Loose(), "{}"),
        (Apple | Banana, Banana(kind="banana", length=3), '{"kind": "banana", "length": 3}'),
        (Decimal, Decimal("0.10"), '"0.10"'),
        (dict[str, int], {}, "{}"),
        (Box, Box(value=1), '{"value": 1}'),
    ],
)
def test_a_valid_answer(target: Any, value: Any, text: str, capabilities: Capabilities) -> None:
    """Every form of asking takes the value, in the object that was asked for or bare; the latter is listed."""
    answer = answer_for(target, capabilities)
    bare = answer.check(ModelReply((TextPart(text),), "stop"))
    assert (bare.kind, bare.value) == ("valid", value)
    assert [repair.kind for repair in bare.repairs] == (["unwrapped"] if answer.wrapper else [])
    if answer.wrapper:
        wrapped = answer.check(ModelReply((TextPart(f'{{"value": {text}}}'),), "stop"))
        assert wrapped == Checked("valid", value)


@EVERY
def test_text_around_the_answer(capabilities: Capabilities) -> None:
    """Fences and prose around the value are left out and listed, bare or wrapped."""
    checked = check(list[int], "Here you are:\n```json\n[1, 2]\n```", capabilities)
    assert (checked.kind, checked.value) == ("valid", [1, 2])
    assert [repair.kind for repair in checked.repairs][:2] == ["prose", "fence"]


def test_an_answer_may_come_in_pieces() -> None:
    """The text parts of a reply are one text; calls between them are not read."""
    parts = (TextPart('{"name": '), ToolCall("c", "f", '{"name": "no"}'), TextPart('"a"}'))
    assert answer_for(Item, NATIVE).check(ModelReply(parts, "stop")) == Checked("valid", Item(name="a"))


@EVERY
@pytest.mark.parametrize(
    ("target", "text", "words"),
    [
        (Item, '{"name": true}', "name: expected a string, got true"),
        (Item, "{}", "name: expected a value, since it is required"),
        (Item, "[]", "expected an object, got an empty array"),
        (Item, "I cannot say.", "expected JSON"),
        (Item, '{"name": "a', "expected a whole JSON value"),
        (Item | None, "{}", "name: expected a value, since it is required"),
        (int | None, '""', 'expected an integer, got ""'),
        (list[Item], '{"nane": "a"}', "expected an array, got an object with the keys nane"),
        (list[Item], "{}", "expected an array, got an empty object"),
        (list[Item], '[{"name": true}]', "[0].name: expected a string, got true"),
        (Apple | Banana, '{"kind": "Cherry"}', "kind: expected one of 'apple', 'banana', got \"Cherry\""),
        (
            Annotated[Apple | Banana, Field(discriminator="kind")],
            '{"kind": "Cherry"}',
            "kind: expected one of 'apple', 'banana'",
        ),
    ],
)
def test_an_invalid_answer(target: Any, text: str, words: str, capabilities: Capabilities) -> None:
    """What does not fit is told by place and expectation; values that are wrong are never taken for silence."""
    checked = check(target, text, capabilities)
    assert (checked.kind, checked.value) == ("invalid", None)
    assert words in told(checked)


@pytest.mark.parametrize(
    ("target", "text", "words"),
    [
        (list[Item], '{"name": "a"}', "value: expected an array, got one item of it"),
        (list[Item], '{"value": {"name": "a"}}', "value: expected an array, got one item of it"),
        (list[Item], '[{"name": true}]', "value[0].name: expected a string, got true"),
        (Apple | Banana, '{"kind": "Cherry"}', "value.kind: expected one of 'apple', 'banana'"),
        (Box | None, '{"value": "a"}', 'value: expected an object, got "a"'),
    ],
)
def test_the_wrapper_s_key_is_named(target: Any, text: str, words: str) -> None:
    """Where an object of one key was asked for, what is wrong is told below that key, whatever came."""
    assert words in told(check(target, text, OBJECTS))


def test_one_item_is_an_array_of_one_only_where_an_array_was_asked_for() -> None:
    """A plain array takes one item, listed; under the key that a provider was given, it is asked for again."""
    for capabilities in (NATIVE, PLAIN):
        checked = check(list[Item], '{"name": "a"}', capabilities)
        assert (checked.kind, checked.value) == ("valid", [Item(name="a")])
        assert [repair.kind for repair in checked.repairs] == ["one_as_list"]
    assert check(list[Item], '{"name": "a"}', OBJECTS).kind == "invalid"


def test_a_wrapped_value_is_never_read_as_a_bare_one() -> None:
    """What stands under the key that was asked for is the answer, also where it is wrong and the whole would fit."""
    assert check(dict[str, int] | None, '{"value": 5}', OBJECTS).kind == "invalid"
    assert check(dict[str, int] | None, '{"other": 5}', OBJECTS).value == {"other": 5}


NOTHING = ["", "   ", "\n", "...", "。", "—", "?!", "\u200b", "\u00a0"]


@EVERY
@pytest.mark.parametrize("text", NOTHING)
def test_silence(text: str, capabilities: Capabilities) -> None:
    """Blanks and punctuation are silence, and where None is an answer, that one."""
    assert check(str, text, capabilities) == Checked("silent")
    assert check(Item, text, capabilities) == Checked("silent")
    assert check(Item | None, text, capabilities) == Checked("valid")
    assert check(None, text, capabilities) == Checked("valid")


@pytest.mark.parametrize("text", ["0", "a", "\U0001f44d", "好", "$", "+"])
def test_what_is_not_silence(text: str) -> None:
    """One letter, digit, sign or picture says something."""
    assert check(str, text, NATIVE) == Checked("valid", text)
    assert check(Item, text, NATIVE).kind == "invalid"


@EVERY
@pytest.mark.parametrize(
    ("target", "text", "finish", "kind"),
    [
        (str, "The answer is", "length", "truncated"),
        (str, "", "length", "truncated"),
        (str, "The answer is", None, "valid"),
        (Item, '{"name": "a', "length", "truncated"),
        (Item, "Let me think", "length", "truncated"),
        (Item, "", "length", "truncated"),
        (Item | None, "", "length", "truncated"),
        (Item, '{"name": "a"}', "length", "valid"),
        (Item, '{"name": "a', None, "truncated"),
        (Item, '{"name": "a', "stop", "invalid"),
        (Item, '{"name": "a', "other", "invalid"),
        (Item, '{"name": "a', "tool_calls", "invalid"),
    ],
)
def test_a_cut_answer(
    target: Any, text: str, finish: FinishReason | None, kind: str, capabilities: Capabilities
) -> None:
    """A reply at its length's end is cut unless it is whole; a broken one that ended by itself is only broken."""
    assert check(target, text, capabilities, finish).kind == kind


class Unready(BaseModel):
    x: int

    @model_validator(mode="before")
    @classmethod
    def look(cls, data: Any) -> Any:
        return {"x": data["x"]}


def test_a_check_that_is_not_ready_for_null() -> None:
    """Whether null is an answer is found out without harm from the type's own checks."""
    assert answer_for(Unready, NATIVE).may_be_null is False
    assert check(Unready, '{"x": 1}', NATIVE).value == Unready(x=1)


def test_null_that_is_made_something_else() -> None:
    """A type that takes null for another value has no answer None: silence is not taken for it."""
    target = Annotated[list[int], BeforeValidator(lambda value: value or [])]
    assert check(target, "null", NATIVE).value == []
    assert check(target, "", NATIVE).kind == "silent"


def test_a_target_that_is_no_type() -> None:
    """What pydantic cannot validate is a DefinitionError before any request."""
    with pytest.raises(DefinitionError, match="the target has the annotation 5"):
        answer_for(5, NATIVE)
