"""Patterns whose flags JSON Schema does not have, and leaves that a config has written in another way."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt


def compiled(annotation: Any) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", annotation=annotation)


Loud = Field(pattern=re.compile("^a", re.IGNORECASE))


class Held(BaseModel):
    text: str = Loud


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[str, Loud],
        Annotated[str | None, Loud],
        list[Annotated[str, Field(pattern=re.compile("^a$", re.MULTILINE))]],
        dict[Annotated[str, Loud], int],
        Held,
    ],
)
def test_flags_of_a_pattern(annotation: Any) -> None:
    """A flag that a schema would lose is refused at definition, with what to write in its place."""
    words = (
        r"the pattern '\^a\$?' has flags, which JSON Schema has none of\. Say it in the pattern itself, such as \[Aa\]"
    )
    with pytest.raises(DefinitionError, match=words):
        _ = compiled(annotation).json_schema


@pytest.mark.parametrize("pattern", [re.compile("^a"), re.compile("^[é数]$", re.UNICODE), "^a"])
def test_patterns_without_flags(pattern: Any) -> None:
    """A pattern that needs none is the same text in the schema, compiled or not."""
    schema = compiled(Annotated[str, Field(pattern=pattern)]).json_schema
    assert schema == {"type": "string", "pattern": getattr(pattern, "pattern", pattern)}


class Timed(BaseModel):
    model_config = ConfigDict(ser_json_timedelta="float")

    length: timedelta


def test_a_duration_that_is_written_as_a_number() -> None:
    """What a config has written as a number is one in the schema of the output, and still text in that of the input."""
    schema = compiled(Timed)
    assert schema.output_schema["properties"]["length"] == {"type": "number"}
    assert schema.json_schema["properties"]["length"]["type"] == "string"
    assert schema.dump(Timed(length=timedelta(seconds=5))) == '{"length":5.0}'
