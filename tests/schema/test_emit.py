"""The canonical schema of each type, and the values that it and the validator agree about."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema_rs
import pytest
from pydantic import (
    AliasPath,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    EmailStr,
    Field,
    Json,
    with_config,
)
from typing_extensions import TypeAliasType

from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.decode import Schema
from magic_tools.schema.adapting import adapt
from magic_tools.schema.emit import Side, check_stated
from magic_tools.values import JsonObject
from tests.schema.type_table import (
    CASES,
    ROOT,
    Allows,
    Case,
    Choosy,
    Color,
    Defaults,
    Ignores,
    Item,
    Keeper,
    Node,
    Order,
    Partial,
    Silent,
    closed_object,
    opened,
    text_of,
)

ALL_TEXTS = [(name, text) for name, case in CASES.items() for text, *_ in (*case.good, *case.bad, *case.mended)]


def compiled(annotation: Any, *, closed: bool = True) -> Schema[Any]:
    return Schema(adapt(annotation, where="the type"), name="the type", closed=closed, annotation=annotation)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_schema_of_a_type(case: Case) -> None:
    """Each type has this schema, to the order of the keywords, closed for tools and open for answers."""
    assert json.dumps(compiled(case.annotation).json_schema) == text_of(case.schema)
    left_open = opened(case.schema) if case.open is None else case.open
    assert json.dumps(compiled(case.annotation, closed=False).json_schema) == text_of(left_open)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [(case.annotation, text, value) for case in CASES.values() for text, value in case.good],
    ids=[f"{name}: {text:.40}" for name, case in CASES.items() for text, _ in case.good],
)
def test_a_text_that_fits(annotation: Any, text: str, value: Any, closed: bool) -> None:
    """A text that fits gives this value, of this very type, as it stands."""
    parsed = compiled(annotation, closed=closed).parse(text)
    check_value(parsed.value, value)
    assert parsed.repairs == ()


def check_value(parsed: Any, value: Any) -> None:
    assert parsed == value
    assert type(parsed) is type(value)
    assert not isinstance(value, Decimal) or str(parsed) == str(value)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(
    ("annotation", "text", "value", "kind"),
    [(case.annotation, *mended) for case in CASES.values() for mended in case.mended],
    ids=[f"{name}: {text:.40}" for name, case in CASES.items() for text, *_ in case.mended],
)
def test_a_text_that_is_mended(annotation: Any, text: str, value: Any, kind: str, closed: bool) -> None:
    """A text of another type that stands for a value beyond doubt gives it, of this very type, and that is listed."""
    parsed = compiled(annotation, closed=closed).parse(text)
    check_value(parsed.value, value)
    assert [repair.kind for repair in parsed.repairs] == [kind]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize(
    ("annotation", "text", "piece"),
    [(case.annotation, text, piece) for case in CASES.values() for text, piece in case.bad],
    ids=[f"{name}: {text:.40}" for name, case in CASES.items() for text, _ in case.bad],
)
def test_a_text_that_does_not_fit(annotation: Any, text: str, piece: str, closed: bool) -> None:
    """A text that does not fit is refused, saying where, what was expected and what came."""
    with pytest.raises(ParseError) as refused:
        compiled(annotation, closed=closed).parse(text)
    assert refused.value.kind == "invalid"
    assert piece in str(refused.value)


# Where the validator and the schema, read by a validator of JSON Schema, differ on purpose.
STRICTER = {
    "a number without a fraction is an integer to the schema; here it is taken for one, and listed": {
        ("int", "3.0"),
        ("int", "1e3"),
        ("literal of int", "1.0"),
        ("enum of int", "1.0"),
        ("literal of several kinds", "1.0"),
    },
    "a number without a fraction may be meant for an integer or for a text": {("union", "1.0")},
    "the schema of a Decimal cannot state its limits": {("limited decimal", '"-1"'), ("limited decimal", '"1.234"')},
    "no schema can state a validator": {("validator", '{"number": 3}')},
    "no keyword states how bytes are written; contentEncoding is a word for readers": {
        ("bytes", '"hi!"'),
        ("bytes", '"/+8"'),
        ("bytes", '"_-8="'),
        ("bytes inside", '{"!": []}'),
        ("bytes inside", '{"aGk=": ["!"]}'),
        ("bytes with limits", '"aGVsbG8="'),
        ("bytes with limits around", '"aGVsbG8="'),
        ("bytes with limits around", '""'),
        ("bytes of pydantic", '"a-k="'),
        ("bytes of a class", '{"body": "!"}'),
        ("alias of a type", '["!"]'),
        ("generic dataclass of bytes", '{"held": "!"}'),
    },
    "no keyword states the version of a UUID": {("uuid of a version", '"12345678-9abc-1def-8123-456789abcdef"')},
    "no keyword states the limits of a text": {
        ("dict by int with limits", '{"4": 1}'),
        ("date with limits", '"2027-01-01"'),
        ("date with limits", '"2025-12-31"'),
        ("date in the past", '"9999-01-01"'),
        ("date and time in the future", '"2020-01-01T00:00:00Z"'),
        ("duration with limits", '"P3D"'),
        ("time with limits", '"08:59:59"'),
        ("address", '"ftp://example.org"'),
    },
    "what stands in a text is no part of the value": {("JSON in a text", '"[true]"')},
    "two keys that mean one": {
        ("dict by decimal", '{"1.10": 1, "1.1": 2}'),
    },
}
LAXER = {
    "a time may lack its offset": {("date and time", '"2026-03-01T17:00:00"')},
    "a model may be read by its fields' names": {
        ("aliases", '{"the_amount": "1", "due_day": "2026-11-29"}'),
        ("alias choices", '{"title": "a"}'),
    },
    "what is twice in a set is once": {("set", "[1, 1]")},
}


@pytest.mark.parametrize(("name", "text"), ALL_TEXTS, ids=[f"{name}: {text:.40}" for name, text in ALL_TEXTS])
def test_the_schema_says_what_the_validator_does(name: str, text: str) -> None:
    """A referee that reads the schema alone takes what the validator takes as it stands, but for a few reasons."""
    case = CASES[name]
    try:
        value = json.loads(text, parse_constant=float)
        says_yes = jsonschema_rs.validator_for(case.schema, validate_formats=True).is_valid(value)
    except ValueError:  # NaN, which is no JSON to the referee
        says_yes = False
    fits = text in [good for good, _ in case.good]
    differs = "stricter" if says_yes and not fits else "laxer" if fits and not says_yes else None
    stricter = any((name, text) in cases for cases in STRICTER.values())
    laxer = any((name, text) in cases for cases in LAXER.values())
    assert differs == ("stricter" if stricter else "laxer" if laxer else None)


@pytest.mark.parametrize("name", CASES)
def test_a_schema_is_sound(name: str) -> None:
    """Each schema is valid JSON Schema, and each of its references leads somewhere."""
    schema = CASES[name].schema
    assert jsonschema_rs.meta.is_valid(schema)
    assert jsonschema_rs.validator_for(schema) is not None  # which refuses a reference that leads nowhere


def test_defaults() -> None:
    """A default is its JSON; sets are in order, and there is none where JSON has no form for it."""
    schema = compiled(Defaults).json_schema
    told = {name: held["default"] for name, held in schema["properties"].items() if "default" in held}
    assert told == {
        "item": {"name": "x", "count": 1},
        "color": "red",
        "price": "1.10",
        "day": "2026-01-02",
        "names": ["a", "b", "c"],
        "colors": ["blue", "red"],
        "id": "00000000-0000-0000-0000-000000000001",
        "pair": [1, "a"],
        "wait": "P1D",
        "point": {"x": 1.5, "label": "p", "tags": []},
    }
    assert "required" not in schema


@pytest.mark.parametrize(
    ("side", "schema"),
    [
        ("input", closed_object({"name": {"type": "string"}}, "name")),
        ("output", closed_object({"n": {"type": "string"}}, "n")),
    ],
)
def test_the_two_sides(side: Side, schema: JsonObject) -> None:
    """What is read and what is written have each their schema, each under its own keys."""
    made = compiled(Choosy)
    assert (made.json_schema if side == "input" else made.output_schema) == schema


def test_what_is_written_fits_the_output_schema() -> None:
    """A value is written under its aliases, as its output schema says."""
    made = compiled(Choosy)
    assert made.dump(Choosy(name="a")) == '{"n":"a"}'


def test_undeclared_keys_at_every_depth() -> None:
    """In a closed schema a type's own words about undeclared keys hold, and all else is closed, however deep."""
    made = compiled(Keeper)
    kept = made.parse('{"plain": {"name": "a"}, "allows": {"a": 1, "b": 2}}').value
    assert kept.allows.b == 2
    for inside, path in [
        ('"plain": {"name": "a", "z": 1}', "plain.z"),
        ('"plain": {"name": "a"}, "listed": [{"name": "a"}, {"name": "a", "z": 1}]', "listed[1].z"),
        ('"plain": {"name": "a"}, "named": {"k": {"x": 1, "z": 1}}', "named.k.z"),
        ('"plain": {"name": "a"}, "person": {"name": "a", "id": 1, "z": 1}', "person.z"),
        ('"plain": {"name": "a"}, "z": 1', "z"),
    ]:
        with pytest.raises(ParseError, match="no key of this name, got 1") as refused:
            made.parse(f"{{{inside}}}")
        assert [issue.path for issue in refused.value.issues] == [path]


@pytest.mark.parametrize(
    ("annotation", "text", "path"),
    [
        (Item, '{"name": "a", "z": 1}', "z"),
        (Order, '{"items": [{"name": "a", "z": 1}]}', "items[0].z"),
        (dict[str, Silent], '{"k": {"x": 1, "z": 1}}', "k.z"),
        (Partial, '{"name": "a", "z": 1}', "z"),
        (tuple[int, Item | None], '[1, {"name": "a", "z": 1}]', "[1].z"),
    ],
)
def test_undeclared_keys_of_types_without_a_word_about_them(annotation: Any, text: str, path: str) -> None:
    """A closed schema refuses an undeclared key, however deep; an open one lets it be."""
    with pytest.raises(ParseError, match="no key of this name, got 1") as refused:
        compiled(annotation).parse(text)
    assert [issue.path for issue in refused.value.issues] == [path]
    assert compiled(annotation, closed=False).parse(text).repairs == ()


class Refuses(BaseModel):
    """A model without a word about undeclared keys, so that a closed schema refuses them."""

    a: int


@pytest.mark.parametrize("annotation", [Refuses | Allows, Allows | Refuses, Refuses | Ignores, list[Refuses | Allows]])
def test_an_undeclared_key_is_never_dropped_by_a_union(annotation: Any) -> None:
    """Where one branch would take a key and another would drop it, the value is refused."""
    text = '{"a": 1, "b": 2}'
    with pytest.raises(ParseError, match="b: expected no key of this name, got 2"):
        compiled(annotation).parse(f"[{text}]" if annotation == list[Refuses | Allows] else text)


def test_classes_of_one_name() -> None:
    """Definitions are named after their classes, with numbers where names meet; no module shows in them."""

    def make(held: Any) -> Any:
        class Node(BaseModel):
            value: held
            children: list[Node] = []

        return Node

    classes = (make(int), make(str), Node, make(int))
    schema = compiled(tuple.__class_getitem__(classes)).json_schema
    assert [item["$ref"] for item in schema["prefixItems"]] == [f"#/$defs/Node{n}" for n in ("", "2", "3", "4")]
    assert list(schema["$defs"]) == ["Node", "Node2", "Node3", "Node4"]
    assert schema["$defs"]["Node2"]["properties"]["value"] == {"type": "string"}
    assert schema["$defs"]["Node2"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node2"}


class Egg(BaseModel):
    model_config = ConfigDict(title="An egg")
    laid_by: Hen | None = None


class Hen(BaseModel):
    lays: list[Egg] = []


def test_types_that_hold_each_other() -> None:
    """Types that lead back to themselves stay definitions, under the names of their classes, whatever their titles."""
    schema = compiled(tuple[Egg, Egg]).json_schema
    assert schema["prefixItems"] == [{"$ref": "#/$defs/Egg"}, {"$ref": "#/$defs/Egg"}]
    assert schema["$defs"]["Egg"]["properties"]["laid_by"]["anyOf"] == [{"$ref": "#/$defs/Hen"}, {"type": "null"}]
    assert schema["$defs"]["Hen"]["properties"]["lays"]["items"] == {"$ref": "#/$defs/Egg"}


Named = TypeAliasType("Named", Annotated[int, "Of the alias"])


def test_the_nearest_text_counts() -> None:
    """A text beside the use of an alias counts more than the alias's own."""
    texts = [
        item.get("description") for item in compiled(tuple[Named, Annotated[Named, "Here"]]).json_schema["prefixItems"]
    ]
    assert texts == ["Of the alias", "Here"]


def test_the_texts_of_a_local_class() -> None:
    """A class in a function that holds itself has its texts too."""

    @dataclass
    class Local:
        x: Annotated[int, "How far"]
        next: list[Local] = field(default_factory=list)

    assert compiled(Local).json_schema["$defs"]["Local"]["properties"]["x"]["description"] == "How far"


def test_a_definition_inside_embedded_json() -> None:
    """A model used once beside its use in embedded JSON keeps its definition."""
    schema = compiled(tuple[Item, Json[list[Item]]]).json_schema
    assert schema["prefixItems"][1]["contentSchema"] == {"type": "array", "items": {"$ref": "#/$defs/Item"}}
    assert list(schema["$defs"]) == ["Item"]


class Bits(Flag):
    A = 1
    B = 2


class Sums(Enum):
    ONE = Decimal("1.10")


class Deep(BaseModel):
    x: int = Field(validation_alias=AliasPath("a", 0))


class Lazy(BaseModel):
    numbers: Iterable[int]


class Mere(BaseModel):
    color: Literal[Color.RED]


@dataclass
class Raw:
    held: list[bytes]


class RawModel(BaseModel):
    """Bytes without a word about how JSON has them."""

    held: bytes | None = None


class RawPair(NamedTuple):
    held: bytes


RawForest = TypeAliasType("RawForest", "list[bytes | RawForest]")
FUNCTION: Any = Callable[[int], int]


@pytest.mark.parametrize(
    ("annotation", "piece"),
    [
        (FUNCTION, "CallableSchema"),
        (dict[str, FUNCTION], "CallableSchema"),
        (Bits, "Bits is a Flag"),
        (Sums, "Sums has members that are no JSON scalar"),
        (Deep, "the field 'x' is read from inside another"),
        (type[int], "a class, such as int, is no value"),
        (list[type], "IsInstanceSchema (<class 'type'>)"),
        (Lazy, "an Iterable inside a class is read unchecked: use a list there"),
        (Literal[b"a"], "pydantic reads no b'a' for a Literal"),
        (Mere, "pydantic reads no Color.RED for a Literal: use the value in JSON"),
    ],
)
def test_what_no_schema_can_state(annotation: Any, piece: str) -> None:
    """A type that has no form in JSON is refused when its schema is made, with what to use instead."""
    with pytest.raises(DefinitionError, match=r"the type has the annotation .*, which JSON cannot state \(") as refused:
        _ = compiled(annotation).json_schema
    assert piece in str(refused.value)
    assert "Use what has a JSON form" in str(refused.value)


@pytest.mark.parametrize(
    ("annotation", "place"),
    [
        (Raw, "/properties/held/items"),
        (list[RawModel], "/$defs/RawModel/properties/held/anyOf/0"),
        (RawPair, "/prefixItems/0"),
        (RawForest, "/$defs/RawForest/items/anyOf/0"),
    ],
)
@pytest.mark.parametrize("side", ["input", "output"])
def test_bytes_that_a_class_would_lose(annotation: Any, place: str, side: Side) -> None:
    """Bytes in a class that says nothing of them are refused both ways, with the place and the config that mends it."""
    with pytest.raises(DefinitionError, match="val_json_bytes='base64', ser_json_bytes='base64'") as refused:
        check_stated(adapt(annotation, where="the type"), where="the type", annotation=annotation, side=side)
    assert place in str(refused.value)


@with_config(ConfigDict(val_json_bytes="base64", ser_json_bytes="base64"))
@dataclass
class Mended:
    held: list[bytes]


Forest = TypeAliasType("Forest", "list[Base64Bytes | Forest]")


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [(Mended, Mended([b"\xff"]), '{"held":["_w=="]}'), (Forest, [b"\xff", []], '["/w==",[]]')],
)
def test_bytes_that_a_class_has_as_base64(annotation: Any, value: Any, text: str) -> None:
    """A class that says in one of the two ways that its bytes are base64 has them so both ways."""
    made = compiled(annotation)
    assert made.dump(value) == text
    assert made.parse(text).value == value
    assert "contentEncoding" in json.dumps(made.json_schema)


class Spoken(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")

    held: bytes = b"hi"
    listed: list[bytes] | None = [b"a"]


class Hexadecimal(BaseModel):
    model_config = ConfigDict(val_json_bytes="hex", ser_json_bytes="hex")

    held: bytes = b"hi"


class Encoded(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")

    held: bytes = b"hi"


@pytest.mark.parametrize(
    ("cls", "schema", "text"),
    [
        (Spoken, {"type": "string"}, '"hi"'),
        (Hexadecimal, {"type": "string", "contentEncoding": "base16"}, '"6869"'),
        (
            Encoded,
            {
                "type": "string",
                "description": "Bytes as base64url like aGVsbG8=.",
                "default": "aGk=",
                "contentEncoding": "base64url",
            },
            '"aGk="',
        ),
    ],
)
def test_bytes_that_a_class_has_in_its_own_way(cls: Any, schema: JsonObject, text: str) -> None:
    """What a class's config says of its bytes counts, and no default is told in another encoding."""
    made = compiled(cls)
    assert made.json_schema["properties"]["held"] == made.output_schema["properties"]["held"] == schema
    assert "default" not in made.json_schema["properties"].get("listed", {})
    assert made.parse(f'{{"held": {text}}}').value == cls(held=b"hi")
    assert f'"held":{text}' in made.dump(cls(held=b"hi"))


def test_an_iterable_of_a_class_can_be_written() -> None:
    """What is read lazily is still written whole."""
    made = compiled(Lazy)
    assert made.output_schema["properties"]["numbers"] == {"type": "array", "items": {"type": "integer"}}
    assert made.dump(Lazy(numbers=[1, 2])) == '{"numbers":[1,2]}'


@pytest.mark.parametrize("annotation", [EmailStr, list[EmailStr]])
def test_an_e_mail_address(annotation: Any) -> None:
    """An e-mail address has its format and is checked."""
    schema = compiled(annotation)
    assert {"type": "string", "format": "email"} in (schema.json_schema, schema.json_schema.get("items"))
    with pytest.raises(ParseError, match="email"):
        schema.parse('"x"' if annotation is EmailStr else '["x"]')


def test_what_a_schema_hands_out_is_the_callers_own() -> None:
    """Changing a schema that was handed out changes nothing for the next caller."""
    made = compiled(Item)
    made.json_schema["properties"].clear()
    made.output_schema["properties"].clear()
    assert made.json_schema["properties"]
    assert made.output_schema["properties"]


PRINT_ALL = """
import sys
sys.path.insert(0, sys.argv[1])
for module in sys.argv[3:]:
    __import__(module)
from tests.schema.test_emit import CASES, Defaults, compiled
import json
annotations = {**{name: case.annotation for name, case in CASES.items()}, "defaults": Defaults}
order = list(annotations) if sys.argv[2] == "forward" else list(reversed(annotations))
written = {name: [compiled(annotations[name], closed=closed) for closed in (True, False)] for name in order}
schemas = {name: [[made.json_schema, made.output_schema] for made in pair] for name, pair in written.items()}
print(json.dumps([schemas[name] for name in annotations]))
"""

# The digest of what the above prints; new after each change of the table of types or of what is emitted.
GOLDEN = "820c378f6e467f91e688642d6162ffd837730ae2200eb0d934fce495b20cba9f"


@pytest.mark.parametrize(
    ("seed", "order"),
    [
        ("1", ("forward",)),
        ("2", ("backward",)),
        ("3", ("backward", "magic_tools.tools.tool", "pydantic.networks", "tests.schema.type_table")),
    ],
)
def test_the_same_bytes_in_every_process(seed: str, order: Sequence[str]) -> None:
    """A schema is the same text whatever the seed of hashes, the order of imports and compiling, and pydantic are."""
    printed = subprocess.run(
        [sys.executable, "-c", PRINT_ALL, str(ROOT), *order],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
    ).stdout
    assert len(json.loads(printed)) == len(CASES) + 1
    assert hashlib.sha256(printed).hexdigest() == GOLDEN
