"""What a type writes, held to the schema of it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, EmailStr, Field, HttpUrl, NameEmail

from magic_tools.loose.decode import compile_schema
from magic_tools.loose.phrases import phrased
from magic_tools.loose.promised import Promise


class Named(BaseModel):
    model_config = ConfigDict(regex_engine="python-re")

    name: Annotated[str, Field(pattern=r"^(?P<first>[a-z])(?!z)\w+\Z")]
    age: Annotated[int, Field(ge=0)] = 0


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (datetime, datetime(2026, 1, 2, 3, 4, 5)),  # naive
        (datetime, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (time, time(12, 30)),
        (time, time(12, 30, tzinfo=UTC)),
        (timedelta, -timedelta(days=1, microseconds=5)),
        (EmailStr, "张@例子.公司"),
        (NameEmail, NameEmail("Ann", "ann@example.org")),
        (HttpUrl, HttpUrl("http://müller.de/ü")),
        (Decimal, Decimal("1E+5")),
        (Named, Named(name="abc")),
    ],
)
def test_what_a_type_writes_keeps_its_promise(annotation: Any, value: Any) -> None:
    """Also where the format itself asks for more, and where only Python can match a pattern."""
    schema = compile_schema(annotation)
    assert Promise(schema.output_schema).fits(_data(schema.dump(value)))


@pytest.mark.parametrize(
    ("annotation", "data", "expected"),
    [
        (datetime, "tomorrow", "an ISO 8601 date and time"),
        (time, "noon", "text that matches"),
        (timedelta, "P", "an ISO 8601 duration"),
        (EmailStr, "nobody", "an e-mail address"),
        (EmailStr, "x@y", "an e-mail address"),
        (Named, {"name": "abc", "age": -1}, "a number of at least 0"),
    ],
)
def test_what_breaks_it(annotation: Any, data: Any, expected: str) -> None:
    """A text that the type would not read is not what it writes."""
    promise = Promise(compile_schema(annotation).output_schema)
    assert not promise.fits(data)
    (finding,) = promise.findings(data)
    assert expected in phrased(finding.expected, "en")


def _data(text: str) -> Any:
    return compile_schema(Any).parse(text).value
