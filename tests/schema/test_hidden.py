"""Hidden parameters: in no schema, filled from the context alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.schema.hidden import ABSENT, Context, Injected, context_value
from magic_tools.schema.reading import read_signature
from magic_tools.tools.tool import tool
from magic_tools.values import JsonObject

if TYPE_CHECKING:
    from nowhere import Db, Tenant  # type: ignore[import-not-found]  # what only a type checker would know


def schema_of(fn: Callable[..., Any]) -> JsonObject:
    """The schema of a function's arguments."""
    signature = read_signature(fn)
    return Schema(signature.adapter, name=signature.name, closed=True, said=signature.said()).json_schema


def first(tenant: Injected[str], sql: str) -> None: ...


def middle(sql: str, tenant: Injected[str], limit: int = 3) -> None: ...


def keyword(sql: str, *, tenant: Injected[str] = "t0", ctx: Context) -> None: ...


def positional(tenant: Injected[str], /, sql: str) -> None: ...


def before_stars(ctx: Context, *rows: int, tenant: Injected[str], **more: int) -> None: ...


def described(sql: str, tenant: Annotated[Injected[str], "Whose data"]) -> None:
    """Ask.

    Args:
        tenant: Whose data it is.
    """


def unknown_types(sql: str, tenant: Injected[Tenant], db: Injected[Db.Session | None] = None) -> None: ...


SQL = {"sql": {"type": "string"}}


@pytest.mark.parametrize(
    ("fn", "properties"),
    [
        (first, SQL),
        (middle, {**SQL, "limit": {"type": "integer", "default": 3}}),
        (keyword, SQL),
        (positional, SQL),
        (described, SQL),
        (unknown_types, SQL),
        (
            before_stars,
            {
                "rows": {"type": "array", "items": {"type": "integer"}},
                "more": {"type": "object", "additionalProperties": {"type": "integer"}},
            },
        ),
    ],
)
def test_no_schema_has_a_hidden_parameter(fn: Callable[..., Any], properties: JsonObject) -> None:
    """In whatever position it stands, and whatever is known of its type, a hidden parameter is in no schema."""
    assert schema_of(fn)["properties"] == properties


@dataclass
class Session:
    tenant: str = "t1"


@pytest.mark.parametrize(
    ("fn", "values", "context", "bound"),
    [
        (first, {"sql": "x"}, {"tenant": "t1"}, ((), {"tenant": "t1", "sql": "x"})),
        (middle, {"sql": "x"}, Session(), ((), {"sql": "x", "tenant": "t1", "limit": 3})),
        (keyword, {"sql": "x"}, {"a": 1}, ((), {"sql": "x", "tenant": "t0", "ctx": {"a": 1}})),
        (positional, {"sql": "x"}, {"tenant": None}, ((None,), {"sql": "x"})),
        (
            before_stars,
            {"rows": [1, 2], "more": {"a": 3}},
            {"tenant": "t1"},
            (({"tenant": "t1"}, 1, 2), {"tenant": "t1", "a": 3}),
        ),
        (unknown_types, {"sql": "x"}, {"tenant": 7}, ((), {"sql": "x", "tenant": 7, "db": None})),
    ],
)
def test_the_context_fills_it(fn: Callable[..., Any], values: Any, context: Any, bound: Any) -> None:
    """A hidden parameter has the context's value of its name, its default where there is none, or the context."""
    assert read_signature(fn).bind(values, context) == bound


@pytest.mark.parametrize(
    ("fn", "context", "message"),
    [
        (first, None, r"first\(\): the hidden parameter 'tenant' wants 'tenant' in the context"),
        (first, {"Tenant": 1}, r"'tenant' in the context, and there is none. Pass context=\{'tenant': ...\}"),
        (keyword, None, r"keyword\(\): the hidden parameter 'ctx' wants a context"),
        (middle, object(), r"middle\(\): the hidden parameter 'tenant'"),
    ],
)
def test_what_the_context_lacks(fn: Callable[..., Any], context: Any, message: str) -> None:
    """A context that does not fill a hidden parameter is told by the function's name and the parameter's."""
    signature = read_signature(fn)
    with pytest.raises(ContextError, match=message):
        signature.bind({"sql": "x"}, context)
    with pytest.raises(ContextError, match=message):
        signature.check_context(context)


def test_a_key_cannot_reach_a_hidden_parameter() -> None:
    """What a model sends in an open object never overwrites a hidden parameter, nor tells that there is one."""
    with pytest.raises(ValueError, match=r"more\.tenant: expected no key of this name"):
        read_signature(before_stars).bind({"more": {"tenant": 2}}, {"tenant": "t1"})


def inside(names: list[Injected[str]]) -> None: ...


def in_union(name: Injected[str] | None) -> None: ...


def of_stars(*names: Injected[str]) -> None: ...


def of_key_words(**names: Injected[str]) -> None: ...


def visible(sql: str, tenant: Tenant) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (inside, r"inside\(\): parameter 'names' .* hide a whole parameter.* with Injected\[...\] around all of it"),
        (in_union, r"in_union\(\): parameter 'name' .* with Injected"),
        (of_stars, r"of_stars\(\): parameter 'names' is hidden, .* drop the star"),
        (of_key_words, r"of_key_words\(\): parameter 'names' is hidden"),
        (visible, r"visible\(\): parameter 'tenant' has the annotation 'Tenant', which cannot be resolved"),
    ],
)
def test_where_nothing_can_be_hidden(fn: Callable[..., Any], message: str) -> None:
    """A mark that would hide nothing, or a name that a visible parameter needs, is refused at definition."""
    with pytest.raises(DefinitionError, match=message):
        read_signature(fn)


@pytest.mark.parametrize(
    ("context", "value"),
    [({"a": None}, None), ({"b": 1}, ABSENT), (Session(), ABSENT), (None, ABSENT), (type("C", (), {"a": 2}), 2)],
)
def test_a_context_is_a_mapping_or_an_object(context: Any, value: Any) -> None:
    """A value of None is a value; what is not there is absent."""
    assert context_value(context, "a") is value or context_value(context, "a") == value


FIVE = Field(default=5)
EMPTY_LIST: Any = Field(default_factory=list)
REQUIRED = Field(...)


def with_field(a: int, x: Injected[int] = FIVE, made: Injected[list[int]] = EMPTY_LIST) -> Any:
    return a, x, made


def with_required_field(x: Injected[int] = REQUIRED) -> Any:
    return x


def test_defaults_in_a_field() -> None:
    """A hidden parameter's `Field` gives its default, a new one for each call where it makes one, or none."""
    signature = read_signature(with_field)
    _, first = signature.bind({"a": 1}, {})
    assert first == {"a": 1, "x": 5, "made": []}
    first["made"].append(1)
    assert signature.bind({"a": 1}, {"x": 6})[1] == {"a": 1, "x": 6, "made": []}
    with pytest.raises(ContextError, match="the hidden parameter 'x'"):
        read_signature(with_required_field).bind({}, {})


class InModel(BaseModel):
    q: str
    tenant: Injected[str] = "t0"


@dataclass
class InDataclass:
    q: str
    tenant: Injected[str] = "t0"


class InTypedDict(TypedDict):
    q: str
    tenant: NotRequired[Injected[str]]


class InNamedTuple(NamedTuple):
    q: str
    tenant: Injected[str] = "t0"


class Deep(BaseModel):
    held: list[InModel]
    of_context: dict[str, Context] = {}


@pytest.mark.parametrize("held", [InModel, InDataclass, InTypedDict, InNamedTuple, Deep, list[InDataclass]])
def test_nothing_inside_a_value_is_hidden(held: Any) -> None:
    """A mark on a field of a class, where it could hide nothing, is refused: as a parameter and as a target."""

    def fn(it: held) -> None: ...

    fn.__annotations__["it"] = held
    with pytest.raises(DefinitionError, match=r"fn\(\): parameter 'it' .*Injected or Context"):
        tool(fn)
    with pytest.raises(DefinitionError, match="Injected or Context"):
        compile_schema(held)
