"""Secrets: where they stand, and that nobody is shown them."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from magic_tools.errors import ParseError
from magic_tools.loose.decode import parse
from magic_tools.loose.secrets import Secrets, secrets_of

SECRET = {"type": "string", "writeOnly": True}


@pytest.mark.parametrize(
    ("schema", "everywhere", "keys"),
    [
        ({"type": "string"}, False, set()),
        (SECRET, True, set()),
        ({"anyOf": [SECRET, {"type": "null"}]}, True, set()),
        ({"type": "array", "items": SECRET}, True, set()),
        ({"properties": {"a": SECRET, "b": {"type": "string"}}}, False, {"a"}),
        ({"properties": {"a": {"additionalProperties": {"items": SECRET}}}}, False, {"a"}),
        ({"properties": {"a": {"properties": {"b": SECRET}}}}, False, {"b"}),
        ({"properties": {"a": {"$ref": "#/$defs/S"}}, "$defs": {"S": SECRET}}, False, {"a"}),
        ({"$ref": "#/$defs/S", "$defs": {"S": {"items": {"$ref": "#/$defs/S"}}}}, False, set()),
        ({"properties": {"a": SECRET}, "x-other-keys": {"b": "a", "c": "d"}}, False, {"a", "b"}),
    ],
)
def test_where_secrets_stand(schema: dict[str, Any], everywhere: bool, keys: set[str]) -> None:
    """A secret stands under the nearest key above it, by whichever of its names, or anywhere where there is none."""
    assert secrets_of(schema) == Secrets(everywhere, frozenset(keys))


SECRETS = Secrets(everywhere=False, keys=frozenset({"key"}))


@pytest.mark.parametrize(
    ("value", "place", "texts"),
    [
        ("hunter2", ("key",), ["hunter2"]),
        ("hunter2", ("user",), []),
        ({"user": "ann", "key": "hunter2"}, (), ["hunter2"]),
        ({"key": {"old": ["hunter1", 2, 12345], "new": "a  b"}}, (), ["hunter1", "12345", "a b"]),
        ([{"key": "hunter2"}, "x"], ("logins",), ["hunter2"]),
        ({"key": "ab"}, (), []),
        (None, ("key",), ["None"]),
    ],
)
def test_the_secrets_in_a_value(value: Any, place: tuple[str, ...], texts: list[str]) -> None:
    """Each is found as text, in one line, unless it is so short that it may be in any text by chance."""
    assert list(SECRETS.texts_in(value, place)) == texts


class Login(BaseModel):
    user: str
    key: SecretStr


def loud(value: SecretStr) -> SecretStr:
    """A check that says what it should not."""
    raise ValueError(f"{value.get_secret_value()} is known to all")


class Loud(BaseModel):
    key: Annotated[SecretStr, AfterValidator(loud)]


class Told(BaseModel):
    user: str
    key: Annotated[str, Field(json_schema_extra={"writeOnly": True})]

    @model_validator(mode="after")
    def check(self) -> Told:
        raise ValueError("the user may not be in the key" if self.user == "ann" else f"{self.key} is known")


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        (Login, '{"user": "ann", "key": 5552368}', "key: expected a string, got a value that is not shown"),
        (Login | int, '"hunter2"', "expected an object or an integer, got a value that is not shown"),
        (list[Login], '"hunter2"', "expected an array, got a value that is not shown"),
        (dict[str, Login] | list[int], '"hunter2"', "expected an object or an array, got a value that is not shown"),
        (Loud, '{"key": "hunter2"}', "key: expected a value that passes its check, got a value that is not shown"),
        (Told, '{"user": "bob", "key": "hunter2"}', "expected a value that passes its check, got an object"),
        (
            Told,
            '{"user": "ann", "key": "hunter2"}',
            "(the user may not be in the key), got an object with the keys user",
        ),
    ],
)
def test_a_secret_is_in_no_error(target: Any, text: str, said: str) -> None:
    """What stands at or below a secret's key is not shown, nor in its place, nor by an author's check."""
    with pytest.raises(ParseError) as refused:
        parse(target, text)
    assert said in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert "5552368" not in str(refused.value)
