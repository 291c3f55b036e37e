"""Edges of the explicit end: what is no object, where no length is said, and what is not picked out of prose."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from magic_tools.chat import Capabilities, FinishReason, ModelReply
from magic_tools.errors import DefinitionError, ParseError
from magic_tools.messages import TextPart
from magic_tools.outputs.answer import Checked, answer_for
from magic_tools.outputs.output_tool import OutputLimits, OutputTool, output_tool

OBJECTS = Capabilities(native_schema=True, object_root=True)


def made(target: Any, **options: Any) -> OutputTool[Any]:
    return output_tool("finish", "Call this with the answer.", target, **options)


def schema_of(target: Any, **options: Any) -> dict[str, Any]:
    return made(target, **options).told().input_schema


def read(target: Any, arguments: Any, **options: Any) -> Any:
    return made(target, **options).read(json.dumps(arguments)).value


def check(target: Any, text: str, capabilities: Capabilities) -> Checked:
    return answer_for(target, capabilities).check(ModelReply((TextPart(text),), "stop"))


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"type": ["object", "null"], "properties": {"a": {}}}, "at the root, the whole is of no one type"),
        ({"enum": ["a"], "properties": {"a": {}}}, "at the root, the whole is a string"),
    ],
)
def test_what_is_no_one_object(target: Any, said: str) -> None:
    """What is not one object is refused, with the ways out, of which a summary is one."""
    with pytest.raises(DefinitionError, match=f"^the output tool 'finish': {said}.*summary=True"):
        made(target)


@pytest.mark.parametrize("more", [{}, {"description": "Whatever."}, {"description": "Whatever.", "x-unit": "kg"}])
def test_where_anything_may_stand_the_limit_is_said(more: dict[str, Any]) -> None:
    """A schema that says nothing of what it takes has no keyword for it, and its description says so."""
    told = schema_of({"type": "object", "properties": {"a": more}})["properties"]["a"]
    assert "Texts in it have at most 200 characters." in told["description"]
    assert told["description"].startswith(more.get("description", "Texts"))
    assert "maxLength" not in told


def test_a_length_that_a_part_states() -> None:
    """A length that stands in a part of `allOf` is the text's own, in what is told and in what is read."""
    target = {"type": "object", "properties": {"a": {"type": "string", "allOf": [{"maxLength": 500}]}}}
    assert '"maxLength": 200' not in json.dumps(schema_of(target))
    assert read(target, {"a": "x" * 500}) == {"a": "x" * 500}


def test_what_a_pattern_of_keys_states() -> None:
    """A text has the length that its key's pattern states, of several patterns its own one."""
    patterns = {"^a": {"type": "string"}, "^b": {"type": "string", "maxLength": 500}}
    target = {"type": "object", "patternProperties": patterns}
    assert read(target, {"a": "x" * 200, "b": "x" * 500}) == {"a": "x" * 200, "b": "x" * 500}
    with pytest.raises(ParseError, match="a: expected text of at most 200 characters"):
        made(target).read(json.dumps({"a": "x" * 201, "b": ""}))


class Account(BaseModel):
    model_config = ConfigDict(extra="allow")
    pin: SecretStr
    name: str


def test_a_text_that_may_be_a_secret_is_not_shown() -> None:
    """A text that is too long under an undeclared key may be the secret; one under a key of its own is shown."""
    with pytest.raises(ParseError) as caught:
        made(Account).read(json.dumps({"pin": "1", "name": "Ann" * 100, "pim": "0815" * 100}))
    name, other = map(str, caught.value.issues)
    assert name.startswith('name: expected text of at most 200 characters, got "AnnAnn')
    assert other == "pim: expected text of at most 200 characters, got a value that is not shown"


@pytest.mark.parametrize("target", [int, {"type": "integer"}])
def test_what_the_summary_is_told_to_be(target: Any) -> None:
    """The sentence beside the data has a description, as long as that is itself no longer than a text may be."""
    sentence = {"type": "string", "minLength": 1, "maxLength": 200}
    told = schema_of(target, summary=True)["properties"]["summary"]
    assert told == {**sentence, "description": "What the answer comes to, in one sentence."}
    told = schema_of(target, summary=True, limits=OutputLimits(text_chars=41))["properties"]["summary"]
    assert told == {**sentence, "maxLength": 41}


def test_the_least_limits() -> None:
    """One is a limit like any other."""
    assert OutputLimits(depth=1, properties=1, text_chars=1).text_chars == 1


@pytest.mark.parametrize("stated", [{"minLength": 200}, {"default": "x" * 200}])
def test_a_text_that_has_to_be_just_as_long(stated: dict[str, Any]) -> None:
    """A least length, or a default, of just the limit fits into it."""
    told = schema_of({"type": "object", "properties": {"a": {"type": "string", **stated}}})
    assert told["properties"]["a"] == {"type": "string", **stated, "maxLength": 200}


def test_a_description_of_just_the_length_that_providers_take() -> None:
    """A tool's own description has its limit of them, not of `text_chars`."""
    assert output_tool("finish", "x" * 1024, Account).description == "x" * 1024


@pytest.mark.parametrize(
    ("arguments", "finish"),
    [
        ('Here: {"pin": "1", "name": "a"}', "tool_calls"),
        ('{"pin": "1", "name": "a"} as asked', None),
        ('{"pin": "1", "name": "a"', None),
        ('{"pin": "1", "name": "a"', "length"),
    ],
)
def test_arguments_are_read_by_the_rules_of_arguments(arguments: str, finish: FinishReason | None) -> None:
    """Nothing is picked out of prose, and no bracket is closed where the text may have been cut."""
    with pytest.raises(ParseError):
        made(Account).read(arguments, finish=finish)


@pytest.mark.parametrize(("target", "value", "text"), [(int, 5, '"5"'), (list[int], [5], '"[5]"')])
def test_a_value_that_is_mended_under_the_key(target: Any, value: Any, text: str) -> None:
    """What is mended right under the key that was asked for is no reason to ask again."""
    checked = check(target, f'{{"value": {text}}}', OBJECTS)
    assert (checked.kind, checked.value) == ("valid", value)
    assert checked.repairs


@pytest.mark.parametrize("finish", [None, "length", "stop"])
@pytest.mark.parametrize("text", ['{"pin": "1", "name": true}', '{"pin": "1"}'])
def test_a_whole_answer_that_does_not_fit_was_not_cut(text: str, finish: FinishReason | None) -> None:
    """It is asked for again, whatever is said of how the reply ended."""
    checked = answer_for(Account, OBJECTS).check(ModelReply((TextPart(text),), finish))
    assert checked.kind == "invalid"
