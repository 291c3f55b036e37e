"""Templates: what is inserted is data, of any type, and what a template asks for is known when it is made."""

from __future__ import annotations

import dataclasses
import uuid
from collections import deque, namedtuple
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel, Field, Secret, SecretBytes, SecretStr, computed_field, field_serializer

from magic_tools.errors import DefinitionError
from magic_tools.tools.templates import Template, value_text


def filled(text: str, **values: Any) -> str:
    return Template(text, dict.fromkeys(values, True), where="f(): the template").filled(values)


class Unit(Enum):
    METRE = "m {x}"
    PAIR = (1, 2)


class Level(IntEnum):
    LOW = 1


class Mood(StrEnum):
    GOOD = "good"


class Loud(str):
    def __str__(self) -> str:
        return "LOUD"

    def __format__(self, _: str) -> str:
        return "LOUD"


class User(BaseModel):
    name: str
    born: date | None = Field(default=None, alias="bornOn")
    tags: list[str] = []


@dataclasses.dataclass
class Pair:
    left: int
    right: bytes


class Measured(BaseModel):
    x: float


Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        ("{n} {{}} {0.__class__} %s $x", "{n} {{}} {0.__class__} %s $x"),
        ("'\"\\\n\t\x00", "'\"\\\n\t\x00"),
        ("\ud800 alone", "\ud800 alone"),
        ("汉字 é 🙂", "汉字 é 🙂"),
        (Loud("quiet"), "quiet"),
        (Mood.GOOD, "good"),
        (Unit.METRE, "m {x}"),
        (Unit.PAIR, "[1, 2]"),
        (Level.LOW, "1"),
        (date(2026, 1, 2), "2026-01-02"),
        (Decimal("1.20"), "1.20"),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Path("/tmp/a b"), "/tmp/a b"),
        (b"ab\xff", "YWL/"),
        (True, "true"),
        (None, "null"),
        (5, "5"),
        (10**30, "1" + "0" * 30),
        (1.5, "1.5"),
        (float("nan"), "null"),
        ([float("inf"), "NaN"], '[null, "NaN"]'),
        ([1, "a", None], '[1, "a", null]'),
        (("汉",), '["汉"]'),
        ({"b": 1, "a": {"c": [True]}}, '{"b": 1, "a": {"c": [true]}}'),
        ({1: date(2026, 1, 2)}, '{"1": "2026-01-02"}'),
        (["\ud800"], '["\ud800"]'),
        ([b"a", Loud("quiet"), Unit.METRE], '["YQ==", "quiet", "m {x}"]'),
        (User(name="A{n}", bornOn=date(2026, 1, 2)), '{"name": "A{n}", "bornOn": "2026-01-02", "tags": []}'),
        ([User(name="A")], '[{"name": "A", "bornOn": null, "tags": []}]'),
        (Pair(1, b"\xff"), '{"left": 1, "right": "/w=="}'),
        (Point(1, "y"), '[1, "y"]'),
        (deque([b"ab"]), '["YWI="]'),
        (MappingProxyType({"a": b"\xff"}), '{"a": "/w=="}'),
        (Measured(x=float("nan")), '{"x": null}'),
        ((n for n in (1, 2)), "[1, 2]"),
        (range(2), "[0, 1]"),
        (ValueError("bad"), '{"error": "ValueError", "message": "bad"}'),
    ],
)
def test_a_value_is_inserted_as_data(value: Any, text: str) -> None:
    """Text as it is, what JSON has as a text without its quotes, all else as JSON; never formatted again."""
    assert value_text(value) == text
    assert filled("<{v}>", v=value) == (f"<{text}>" if not hasattr(value, "gi_frame") else "<[]>")


class Opaque:
    def __repr__(self) -> str:
        return "the inside"


class Raising(BaseModel):
    n: int

    @field_serializer("n")
    def fail(self, _: int) -> int:
        raise ZeroDivisionError("the author's own")


circle: list[Any] = []
circle.append(circle)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Opaque(), "Opaque has no JSON form"),
        ([1, {"a": Opaque()}], "Opaque has no JSON form"),
        (len, "builtin_function_or_method has no JSON form"),
        (User, "ModelMetaclass has no JSON form"),
        (circle, "list that cannot be written as JSON"),
        (Raising(n=1), "Raising that cannot be written as JSON"),
        ({"\ud800": 1}, "dict that cannot be written as JSON"),
        ([10**5000], "list that cannot be written as JSON"),
    ],
)
def test_a_value_without_a_json_form(value: Any, kind: str) -> None:
    """It is an error that names the parameter, the class alone, and a way out; nothing falls back to `repr`."""
    with pytest.raises(
        TypeError, match=rf"f\(\): the template cannot be filled: parameter 'v', as {{v}}, is a value of type {kind}"
    ) as caught:
        filled("{v}", v=value)
    assert "{v!s} for the text" in str(caught.value)
    assert "the inside" not in str(caught.value)


SECRET = "hunter2-and-more"


class Login(BaseModel):
    user: str
    password: SecretStr = SecretStr(SECRET)


class Telling(Login):
    @field_serializer("password")
    def clear(self, password: SecretStr) -> str:
        return password.get_secret_value()

    @computed_field  # type: ignore[prop-decorator]  # mypy has no decorated properties
    @property
    def url(self) -> str:
        return f"https://{self.user}:{self.password.get_secret_value()}@host"


@dataclasses.dataclass
class Held:
    key: SecretBytes

    def __str__(self) -> str:
        return self.key.get_secret_value().decode()


@pytest.mark.parametrize(
    "value",
    [
        SecretStr(SECRET),
        SecretBytes(SECRET.encode()),
        Secret[str](SECRET),
        [SecretStr(SECRET)],
        {"a": {"b": SecretStr(SECRET)}},
        {SecretStr(SECRET): 1},
        Login(user="ann"),
        Telling(user="ann"),
        [Telling(user="ann")],
        Held(SecretBytes(SECRET.encode())),
    ],
)
def test_a_secret_is_masked(value: Any) -> None:
    """In no form of a field is it clear, even where its class's own code would tell it."""
    for field in ("{v}", "{v!r}", "{v!s}", "{v!s:>80}"):
        text = filled(field, v=value)
        assert SECRET not in text
        assert "***" in text
    assert value_text(SecretStr("x")) == "**********"


counter = iter(range(1, 9))


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("{{a}} {n} {{{n}}}", {"n": 1}, "{a} 1 {1}"),
        ("no field", {}, "no field"),
        ("{u.name}, {u.tags[1]}, {u.tags}", {"u": User(name="A", tags=["x", "y"])}, 'A, y, ["x", "y"]'),
        ("{d[a key]} {d[0]}", {"d": {"a key": "x", 0: "zero"}}, "x zero"),
        ("{d[__class__]}", {"d": {"__class__": "a key"}}, "a key"),
        ("{d[a}b]}", {"d": {"a}b": 1}}, "1"),
        ("{x:.2f} {y:>4}|{z:%d.%m.}", {"x": 1.005, "y": "a", "z": date(2026, 1, 2)}, "1.00    a|02.01."),
        ("{x!r} {x!s:_<4} {y!a}", {"x": "q", "y": "é"}, "'q' q___ '\\xe9'"),
        ("{x:>9}", {"x": "{x} {{"}, "   {x} {{"),
        ("{x} {x}", {"x": (n for n in (1, 2))}, "[1, 2] [1, 2]"),
        ("{x:}", {"x": True}, "true"),
        ("{_x} {名}", {"_x": 1, "名": "n"}, "1 n"),
        ("{f.n} {f.n}", {"f": type("F", (), {"n": property(lambda _: next(counter))})()}, "1 1"),
        ("{big}{big}", {"big": "x" * 1_000_000}, "x" * 2_000_000),
    ],
)
def test_a_template_is_filled(template: str, values: Mapping[str, Any], text: str) -> None:
    """Attributes, keys, formats, conversions and braces are as `str.format` has them; each field is read once."""
    assert filled(template, **values) == text


@pytest.mark.parametrize(
    ("template", "values", "message"),
    [
        ("{u.nam}", {"u": User(name="A")}, "parameter 'u', as {u.nam}, raised AttributeError: 'User' object has no"),
        ("{d[b]}", {"d": {"a": 1}}, r"parameter 'd', as {d\[b\]}, raised KeyError: 'b'"),
        ("{d[3]}", {"d": [1]}, "raised IndexError: list index out of range"),
        ("{d[-1]}", {"d": [1]}, "raised TypeError: list indices must be integers"),
        ("{x:.2f}", {"x": "a"}, "parameter 'x', as {x:.2f}, raised ValueError: Unknown format code 'f'"),
        ("{x!s:d}", {"x": "a"}, "parameter 'x', as {x!s:d}, raised ValueError"),
    ],
)
def test_a_value_that_lacks_what_its_field_takes(template: str, values: Mapping[str, Any], message: str) -> None:
    """It is an error that names the parameter and the field."""
    with pytest.raises(ValueError, match=message):
        filled(template, **values)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "has to be a text that says something"),
        (" \n", "has to be a text that says something"),
        (None, "has to be a text that says something.*got None"),
        (b"{x}", "has to be a text that says something"),
        (
            "{x",
            r"cannot be read \(expected '}' before end of string\): '{x'. For braces that are text, write {{ and }}",
        ),
        ("x}", r"cannot be read \(Single '}' encountered in format string\)"),
        ("{x!rr}", "cannot be read"),
        ("{}", "has the field {}, and fields are filled by name: write {name}, with one of the parameters: x"),
        ("{:>5}", "has the field {}, and fields are filled by name"),
        ("{0}", r"has the field \{0}, and fields are filled by name"),
        ("{.a}", "has the field {.a}, and fields are filled by name"),
        ("{y}", "has the field {y}, and 'y' is none of the parameters: x. For braces that are text"),
        ("{ x }", "has the field { x }, and ' x ' is none of the parameters: x"),
        ('Answer {"a": {"b": 1}}', """has the field {"a"}, and '"a"' is none of the parameters.* write {{ and }}"""),
        ("{x(1)}", "is none of the parameters"),
        ("{x + 1}", "is none of the parameters"),
        ("{secret}", "has the field {secret}, and the parameter 'secret' is hidden: no model is to see it"),
        ("{secret.name!r}", "the parameter 'secret' is hidden"),
        ("{x.__class__}", "has the field {x.__class__}, and '__class__' is private"),
        ("{x[0].a._b!r:>3}", "'_b' is private"),
        ("{x.}", "has the field {x.}, which cannot be read"),
        ("{x..a}", "which cannot be read"),
        ("{x[]}", "cannot be read"),
        ("{x]}", "cannot be read"),
        ("{x[0]y}", "cannot be read"),
        ("{x.a b}", "cannot be read"),
        ("{x:{w}}", "has the field {x} with a field in its format '{w}': write the format out"),
        ("{x!z}", "has the field {x} with the conversion !z: there are !r, !s and !a"),
    ],
)
def test_a_template_that_cannot_be(template: Any, message: str) -> None:
    """What is wrong with a template is told when it is made, with what to write in its place."""
    with pytest.raises(DefinitionError, match=message) as caught:
        Template(template, {"x": True, "secret": False}, where="f(): the template")
    assert str(caught.value).startswith("f(): the template")
