"""What keys have to be, as text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import pytest

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import compile_schema
from magic_tools.schema.forms import INTEGER_PATTERN
from magic_tools.schema.key_names import key_names
from magic_tools.values import JsonObject
from tests.schema.type_table import Item, Ratio

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
        ({"type": "number"}, "these are to be of the type number. Use str, a StrEnum, an IntEnum, int or Decimal"),
        ({"type": "integer", "enum": [1, 2]}, r"these are to be one of 1, 2\. Use str"),
        ({"const": 1, "type": "integer"}, r"these are to be one of 1\. Use str"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "these are to be of the type null"),
        ({"anyOf": [{"type": "integer"}, {"const": "all"}]}, r"no key of an object tells which of several kinds it"),
    ],
)
def test_keys_that_no_text_can_be(keys: JsonObject, message: str) -> None:
    """What JSON has no text for, or more than one meaning, is refused with what to use instead."""
    with pytest.raises(DefinitionError, match=message):
        key_names(keys, DEFINITIONS.__getitem__)


@pytest.mark.parametrize(
    "annotation",
    [
        dict[float, int],
        dict[bool, int],
        dict[tuple[int, int], str],
        dict[Literal[1, 2], int],
        dict[Ratio, int],
        dict[Item, int],
        dict[int | None, int],
        dict[int | Decimal, int],
        dict[str, dict[float, int]],
        dict[float, int] | str,
    ],
)
def test_a_type_with_such_keys(annotation: Any) -> None:
    """The type is refused at definition, in a sentence, and is never left out of a union in silence."""
    with pytest.raises(DefinitionError, match=r"the target has the annotation .*: (the keys|no key) of an obj.* Use"):
        compile_schema(annotation)
