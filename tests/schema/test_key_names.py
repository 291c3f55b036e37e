"""What keys have to be, as text."""

from __future__ import annotations

import pytest
from pydantic.errors import PydanticInvalidForJsonSchema

from magic_tools.schema.forms import INTEGER_PATTERN
from magic_tools.schema.key_names import key_names
from magic_tools.values import JsonObject

DEFINITIONS: dict[str, JsonObject] = {
    "text": {"type": "string", "enum": ["a", "b"]},
    "whole": {"type": "integer", "minimum": 1},
    "alias": {"$ref": "whole"},
}


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ({}, {}),
        ({"type": "string"}, {}),
        ({"type": "string", "title": "T", "pattern": "^a", "minLength": 1}, {"pattern": "^a", "minLength": 1}),
        ({"type": "integer", "description": "A year"}, {"description": "A year", "pattern": INTEGER_PATTERN}),
        ({"$ref": "text"}, {"$ref": "text"}),
        (
            {"$ref": "alias"},
            {"pattern": INTEGER_PATTERN, "x-limits": {"minimum": "1"}, "x-words": ["At least 1."]},
        ),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, {}),
        (
            {"anyOf": [{"type": "string", "maxLength": 1}, {"$ref": "text"}]},
            {"anyOf": [{"maxLength": 1}, {"$ref": "text"}]},
        ),
    ],
)
def test_the_names_of_keys(keys: JsonObject, names: JsonObject) -> None:
    """Keys of text are as they are, whole numbers are digits with limits in words, a branch of any text is any."""
    assert key_names(keys, DEFINITIONS.__getitem__) == names


def test_an_enumeration_that_is_read_from_digits() -> None:
    """The values are listed as text, and in no other spelling."""
    keys = {"type": "integer", "enum": [1, 20], "x-choices": "One or twenty"}
    assert key_names(keys, DEFINITIONS.__getitem__, counted=True) == {
        "enum": ["1", "20"],
        "pattern": INTEGER_PATTERN,
        "x-choices": "One or twenty",
    }


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"type": "number"}, "these are to be of the type number: use str"),
        ({"type": "integer", "enum": [1, 2]}, "these are to be one of 1, 2: use str"),
        ({"const": 1, "type": "integer"}, "these are to be one of 1: use str"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "these are to be of the type null"),
        ({"anyOf": [{"type": "integer"}, {"const": "all"}]}, "no key tells which of several kinds it is of: use str"),
    ],
)
def test_keys_that_no_text_can_be(keys: JsonObject, message: str) -> None:
    """What JSON has no text for, or more than one meaning, is refused with what to use instead."""
    with pytest.raises(PydanticInvalidForJsonSchema, match=message):
        key_names(keys, DEFINITIONS.__getitem__)
