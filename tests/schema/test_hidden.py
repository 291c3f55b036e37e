"""Hidden parameters: in no schema, filled from the context alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from magic_tools.errors import ContextError, DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.schema.hidden import ABSENT, Context, Injected, context_value
from magic_tools.schema.reading import read_signature
from magic_tools.values import JsonObject

if TYPE_CHECKING:
    from nowhere import Db, Tenant  # type: ignore[import-not-found]  # what only a type checker would know


def schema_of(fn: Callable[..., Any]) -> JsonObject:
    """The schema of a function's arguments."""
    signature = read_signature(fn)
    return Schema(signature.adapter(), name=signature.name, closed=True, additions=signature.additions()).json_schema


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
    """What a model sends in an open object never overwrites a hidden parameter."""
    with pytest.raises(ValueError, match="more may not hold the key 'tenant', which is a parameter of its own"):
        read_signature(before_stars).bind({"more": {"tenant": 2}}, {"tenant": "t1"})


def inside(names: list[Injected[str]]) -> None: ...


def in_union(name: Injected[str] | None) -> None: ...


def of_stars(*names: Injected[str]) -> None: ...


def of_key_words(**names: Injected[str]) -> None: ...


def visible(sql: str, tenant: Tenant) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (inside, r"inside\(\): parameter 'names' .* hide a whole parameter. Write Injected\[...\] around all of it"),
        (in_union, r"in_union\(\): parameter 'name' .* Write Injected"),
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
