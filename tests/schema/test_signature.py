"""A function's signature: what a model is told to send, how a call is bound, and what is refused at definition."""

from __future__ import annotations

import collections
import dataclasses
import functools
import importlib.util
import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Self, TypedDict, Unpack, cast

import pytest
import typing_extensions
from pydantic import AliasChoices, BaseModel, Field, OnErrorOmit, SecretStr

from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.schema.hidden import Context
from magic_tools.schema.reading import read_signature
from magic_tools.schema.signature import Signature
from magic_tools.tools.tool import tool
from magic_tools.values import JsonObject

DECIMAL = {"type": "string", "pattern": "^[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}


def schema_of(fn: Callable[..., Any]) -> JsonObject:
    """The schema of a function's arguments."""
    signature = read_signature(fn)
    return Schema(signature.adapter, name=signature.name, closed=True, said=signature.said()).json_schema


class Model(BaseModel):
    a: int


def no_parameters() -> None: ...


def plain(a: int, b: str = "x", *, c: Literal["p", "q"] | None = None) -> None: ...


def positional_only(a: int, /, b: int) -> int:
    return a - b


def stars(*args: Annotated[int, "One of them"], **kwargs: Decimal) -> None:
    """Take all.

    Args:
        *args: Numbers.
        **kwargs: Prices.
    """


def called_like_pydantic_s(schema: int, json: str, copy: bool, model_config: int, validate: int, _x: int) -> None: ...


def unusual(self_: int, Model: Model, 数: int) -> None: ...


def with_field(count: Annotated[int, "Text"] = Field(ge=1), size: int = Field(5, description="Size")) -> None: ...


def with_field_in_annotated(count: Annotated[int, Field(default=5)]) -> None: ...


def with_alias(
    city: str = Field(alias="from", description="Where"), to: Annotated[str, Field(alias="TO")] = "x"
) -> None:
    """Go.

    Args:
        city: Not told, since the field says more.
        to: Whither.
    """


def with_texts(
    a: Annotated[int, "Annotated"],
    b: Annotated[int, "Annotated", Field(description="Field")],
    c: int,
    d: Annotated[list[int], Field(max_length=2)],
    e: Model,
    f: Annotated[int, "inside"] | None = None,
) -> None:
    """Do it.

    Args:
        a: Docstring.
        b: Docstring.
        c: Docstring.
        d: Docstring.
        e: Docstring.
        z: Nobody is called so.
    """


SECRET = SecretStr("hunter2")
MODEL = Model(a=1)


def with_defaults(
    secret: SecretStr = SECRET,
    names: frozenset[str] = frozenset({"b", "a"}),
    nothing: float = float("nan"),
    model: Model = MODEL,
    price: Decimal = Decimal("1.10"),
    wrong: int = None,  # type: ignore[assignment]  # noqa: RUF013 - Python lets it be
    made: list[int] = Field(default_factory=lambda: pytest.fail("called while the schema is made")),  # noqa: B008
) -> None: ...


CASES: Mapping[str, tuple[Callable[..., Any], JsonObject, list[str]]] = {
    "no parameters": (no_parameters, {}, []),
    "plain": (
        plain,
        {
            "a": {"type": "integer"},
            "b": {"type": "string", "default": "x"},
            "c": {"anyOf": [{"type": "string", "enum": ["p", "q"]}, {"type": "null"}], "default": None},
        },
        ["a"],
    ),
    "positional only": (positional_only, {"a": {"type": "integer"}, "b": {"type": "integer"}}, ["a", "b"]),
    "stars": (
        stars,
        {
            "args": {
                "type": "array",
                "description": "Numbers.",
                "items": {"type": "integer", "description": "One of them"},
            },
            "kwargs": {"type": "object", "description": "Prices.", "additionalProperties": DECIMAL},
        },
        [],
    ),
    "names of pydantic's": (
        called_like_pydantic_s,
        {
            "schema": {"type": "integer"},
            "json": {"type": "string"},
            "copy": {"type": "boolean"},
            "model_config": {"type": "integer"},
            "validate": {"type": "integer"},
            "_x": {"type": "integer"},
        },
        ["schema", "json", "copy", "model_config", "validate", "_x"],
    ),
    "unusual names": (
        unusual,
        {
            "self_": {"type": "integer"},
            "Model": {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "数": {"type": "integer"},
        },
        ["self_", "Model", "数"],
    ),
    "fields": (
        with_field,
        {
            "count": {"type": "integer", "description": "Text", "minimum": 1},
            "size": {"type": "integer", "description": "Size", "default": 5},
        },
        ["count"],
    ),
    "a field in Annotated": (with_field_in_annotated, {"count": {"type": "integer", "default": 5}}, []),
    "aliases": (
        with_alias,
        {
            "from": {"type": "string", "description": "Where"},
            "TO": {"type": "string", "description": "Whither.", "default": "x"},
        },
        ["from"],
    ),
    "texts": (
        with_texts,
        {
            "a": {"type": "integer", "description": "Annotated"},
            "b": {"type": "integer", "description": "Field"},
            "c": {"type": "integer", "description": "Docstring."},
            "d": {"type": "array", "description": "Docstring.", "items": {"type": "integer"}, "maxItems": 2},
            "e": {
                "type": "object",
                "description": "Docstring.",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            "f": {"anyOf": [{"type": "integer", "description": "inside"}, {"type": "null"}], "default": None},
        },
        ["a", "b", "c", "d", "e"],
    ),
    "defaults": (
        with_defaults,
        {
            "secret": {"type": "string", "format": "password", "writeOnly": True},
            "names": {"type": "array", "items": {"type": "string"}, "default": ["a", "b"], "uniqueItems": True},
            "nothing": {"type": "number"},
            "model": {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "required": ["a"],
                "additionalProperties": False,
                "default": {"a": 1},
            },
            "price": {**DECIMAL, "default": "1.10"},
            "wrong": {"type": "integer"},
            "made": {"type": "array", "items": {"type": "integer"}},
        },
        [],
    ),
}


@pytest.mark.parametrize(("fn", "properties", "required"), CASES.values(), ids=CASES)
def test_the_schema_of_a_function(fn: Callable[..., Any], properties: JsonObject, required: list[str]) -> None:
    """Each parameter is a property with its text and its default, in their order; no key beside them is taken."""
    schema = schema_of(fn)
    assert json.dumps(schema.pop("properties")) == json.dumps(properties)
    assert schema.pop("required", []) == required
    assert schema == {"type": "object", "additionalProperties": False}


MODULE = """
from pathlib import Path
from typing import Annotated, Literal
from pydantic import BaseModel, Field

class Filter(BaseModel):
    path: Path | None = None
    inner: "Filter | None" = None

def search(
    q: Annotated[str, Field(description="Query")],
    mode: Literal["a", "b"] = "a",
    where: Path | None = None,
    *filters: Filter,
) -> list[Filter]: ...
"""


def test_text_annotations_mean_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module with `from __future__ import annotations` has the schemas, to the byte, that it has without."""
    schemas = []
    for name, source in (("eager", MODULE), ("late", "from __future__ import annotations\n" + MODULE)):
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module: Any = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        assert str(read_signature(module.search).returns) == f"list[{name}.Filter]"
        schemas.append(json.dumps(schema_of(module.search)))
    assert schemas[0] == schemas[1]
    assert '"mode": {"type": "string", "enum": ["a", "b"], "default": "a"}' in schemas[0]


def greet(name: str, greeting: str = "Hi", *, loud: bool = False) -> str:
    """Greet somebody."""
    return f"{greeting}, {name}{'!' if loud else '.'}"


@pytest.mark.parametrize(
    ("fn", "names", "values", "result"),
    [
        (functools.partial(greet, greeting="Hello"), ["name", "loud"], {"name": "Ann"}, "Hello, Ann."),
        (
            functools.update_wrapper(functools.partial(greet, greeting="Hello"), greet),
            ["name", "loud"],
            {"name": "Ann"},
            "Hello, Ann.",
        ),
        (functools.partial(functools.partial(greet, "Ann"), loud=True), ["greeting"], {}, "Hi, Ann!"),
    ],
)
def test_what_a_partial_has_bound_is_no_parameter(
    fn: Callable[..., str], names: list[str], values: dict[str, Any], result: str
) -> None:
    """A partial offers what is left to give, under the name and with the prose of its function."""
    signature = read_signature(fn)
    assert [parameter.name for parameter in signature.parameters] == names
    assert (signature.name, signature.docs.prose) == ("greet", "Greet somebody.")
    args, kwargs = signature.bind(values)
    assert fn(*args, **kwargs) == result


def decorated(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return wrapper


@decorated
def behind_a_decorator(a: Model) -> None:
    """Behind."""


class Holder:
    """Something that holds functions."""

    def method(self, x: int) -> None: ...

    def typed(self: Holder, x: int) -> None: ...

    @classmethod
    def of_class(cls, x: int) -> None: ...

    @staticmethod
    def static(x: int) -> None: ...

    def __call__(self, x: int) -> int:
        """Call it."""
        return x


def takes_class(cls: int) -> None: ...


@pytest.mark.parametrize(
    ("fn", "name", "parameters", "unbound"),
    [
        (Holder.method, "method", ["x"], True),
        (Holder.typed, "typed", ["x"], True),
        (Holder.__dict__["of_class"].__func__, "of_class", ["x"], True),
        (Holder().method, "method", ["x"], False),
        (Holder().typed, "typed", ["x"], False),
        (Holder.of_class, "of_class", ["x"], False),
        (Holder.static, "static", ["x"], False),
        (Holder.__dict__["static"], "static", ["x"], False),
        (Holder(), "Holder", ["x"], False),
        (functools.partial(Holder.method, Holder()), "method", ["x"], False),
        (behind_a_decorator, "behind_a_decorator", ["a"], False),
        (takes_class, "takes_class", ["cls"], False),
        (lambda: None, "<lambda>", [], False),
    ],
)
def test_what_a_call_takes_beside_its_object(
    fn: Callable[..., Any], name: str, parameters: list[str], unbound: bool
) -> None:
    """No `self` and no `cls` is a parameter; a method without its object is marked so."""
    signature = read_signature(fn)
    assert (signature.name, [p.name for p in signature.parameters], signature.unbound) == (name, parameters, unbound)


def every_kind(a: int, /, b: int, c: int = 3, *args: int, d: int, e: int = 5, **kwargs: int) -> object:
    return (a, b, c, args, d, e, kwargs)


@pytest.mark.parametrize(
    ("values", "result"),
    [
        ({"a": 1, "b": 2, "d": 4}, (1, 2, 3, (), 4, 5, {})),
        ({"a": 1, "b": 2, "d": 4, "args": [], "kwargs": {}}, (1, 2, 3, (), 4, 5, {})),
        ({"a": 1, "b": 2, "d": 4, "args": [7, 8], "kwargs": {"z": 9}}, (1, 2, 3, (7, 8), 4, 5, {"z": 9})),
        (
            {"a": 1, "b": 2, "c": 0, "d": 4, "e": 0, "kwargs": {"a": 9, "args": 9}},
            (1, 2, 0, (), 4, 0, {"a": 9, "args": 9}),
        ),
    ],
)
def test_a_call_is_bound(values: dict[str, Any], result: object) -> None:
    """Validated values reach the parameters of their names, of whatever kind; what is absent has its default."""
    args, kwargs = read_signature(every_kind).bind(values)
    assert every_kind(*args, **kwargs) == result


@pytest.mark.parametrize("key", ["b", "c", "d", "e"])
def test_an_open_keyword_may_not_name_a_parameter(key: str) -> None:
    """A key among `**kwargs` that is a parameter's is refused by name."""
    with pytest.raises(ValueError, match=f"kwargs.{key}: expected no key of this name"):
        read_signature(every_kind).bind({"a": 1, "b": 2, "d": 4, "kwargs": {key: 9}})


def test_absent_arguments_are_left_absent() -> None:
    """Validation fills in nothing that Python's own default gives, and what a `Field` gives it does."""
    plainly = read_signature(plain).adapter.validate_json('{"a": 1}')
    assert plainly == {"a": 1}
    fields = read_signature(with_field).adapter.validate_json('{"count": 1}')
    assert fields == {"count": 1, "size": 5}


def test_local_names() -> None:
    """Annotations may use names of the function around, which the caller hands over, and of a closure."""

    class Local(BaseModel):
        x: int

    def of_locals(a: Local) -> list[Local]:
        return [a]

    def of_closure(a: Local) -> type[Local]:
        return Local

    signature = read_signature(of_locals)
    assert (signature.parameters[0].annotation, signature.returns) == (Local, list[Local])
    assert read_signature(of_closure).parameters[0].annotation is Local


def unannotated(a, b: int) -> None: ...  # type: ignore[no-untyped-def]  # the fault that is tested


def unknown_name(a: int, b: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - the fault


class Waits(BaseModel):
    later: NotYet  # type: ignore[name-defined]  # noqa: F821 - the fault that is tested


class Weird: ...


class PlainDict(TypedDict):
    a: int


def returns_nowhere() -> Nowhere: ...  # type: ignore[name-defined]  # noqa: F821 - the fault


def returns_a_number() -> 5 | int: ...  # type: ignore[valid-type]  # the fault


def no_expression(a: "list[") -> None: ...  # type: ignore[valid-type]  # noqa: F722 - the fault


def waits(a: Waits) -> None: ...


def weird(a: int, b: Weird) -> None: ...


def callback(a: int, b: Callable[[int], int]) -> None: ...


def bad_pattern(a: Annotated[str, Field(pattern="(")]) -> None: ...


def bad_limit(a: Annotated[int, Field(ge="x")]) -> None: ...


def bad_tag(a: Annotated[Model | Waits, Field(discriminator="kind")]) -> None: ...


def absent(a: NotRequired[int]) -> None: ...  # type: ignore[valid-type]  # the fault


def unpacked(**kwargs: Unpack[PlainDict]) -> None: ...


def plain_typed_dict(a: PlainDict) -> None: ...


def number(a: 5) -> None: ...  # type: ignore[valid-type]  # the fault


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (unannotated, r"unannotated\(\): parameter 'a' has no annotation, .* Write its type, such as `a: str`"),
        (unknown_name, r"unknown_name\(\): parameter 'b' has the annotation 'Nowhere', which cannot be resolved"),
        (returns_a_number, r"returns_a_number\(\): the result has the annotation '5 | int', which cannot be resolved"),
        (no_expression, r"no_expression\(\): parameter 'a' has the annotation .*, which cannot be resolved"),
        (waits, r"waits\(\): parameter 'a' has the annotation .*Waits'>, which uses a name .* 'NotYet' is not defined"),
        (weird, r"weird\(\): parameter 'b' has the annotation .*Weird'>, which cannot be made into a schema"),
        (callback, r"callback\(\): parameter 'b' has the annotation .*Callable.*, which JSON cannot state"),
        (bad_pattern, r"bad_pattern\(\): parameter 'a' .* cannot be made into a schema \(.*unclosed group\)"),
        (bad_limit, r"bad_limit\(\): parameter 'a' .* cannot be made into a schema \("),
        (bad_tag, r"bad_tag\(\): parameter 'a' has the annotation "),
        (absent, r"absent\(\): parameter 'a' .* is for a TypedDict. Give the parameter a default instead"),
        (number, r"number\(\): parameter 'a' has the annotation 5, which cannot be made into a schema"),
        (print, r"print\(\): parameter 'args' has no annotation"),
        (dict, r"<class 'dict'> has no signature to read .* wrap it in a function"),
    ],
)
def test_what_cannot_be_a_signature(fn: Callable[..., Any], message: str) -> None:
    """What a model cannot be told is refused at definition, naming function, parameter and annotation."""
    with pytest.raises(DefinitionError, match=message) as refused:
        tool(name="made")(fn)
    assert "errors.pydantic.dev" not in str(refused.value)


def test_a_typed_dict_of_typing() -> None:
    """The TypedDict of `typing` is taken on every Python, also unpacked."""
    object_of_a = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert schema_of(plain_typed_dict)["properties"]["a"] == object_of_a
    assert schema_of(unpacked)["properties"]["kwargs"] == object_of_a


@pytest.mark.parametrize(("fn", "returns"), [(greet, str), (plain, type(None)), (lambda: 1, inspect.Parameter.empty)])
def test_the_result(fn: Callable[..., Any], returns: Any) -> None:
    """The return annotation is resolved too; where there is none, the result is open."""
    signature: Signature = read_signature(fn)
    assert signature.returns is returns


def test_a_result_that_only_a_checker_knows() -> None:
    """A return annotation with names that are unknown at run time leaves the result open, and is kept as written."""
    signature = read_signature(returns_nowhere)
    assert (signature.returns, signature.unresolved_return) == (inspect.Parameter.empty, "Nowhere")
    assert read_signature(greet).unresolved_return is None


class Options(typing_extensions.TypedDict):
    a: int
    b: NotRequired[str]


class Loose(typing_extensions.TypedDict, total=False):
    a: int


def unpacks(x: int, **options: Unpack[Options]) -> Any:
    return x, options


def unpacks_loose(**options: Unpack[Loose]) -> Any:
    return options


def unpacks_a_tuple(*pair: *tuple[int, str]) -> Any:
    return pair


def unpacks_by_name(*row: Unpack[tuple[int]]) -> Any:  # noqa: UP044 - the older spelling
    return row


def unpacks_any_number(*row: *tuple[int, ...]) -> Any:
    return row


def unpacks_none(*row: *tuple[()]) -> Any:
    return row


OPTIONS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("fn", "properties", "required", "values", "result"),
    [
        (unpacks, {"x": {"type": "integer"}, "options": OPTIONS}, ["x", "options"], {"x": 1, "options": {"a": 2}},
         (1, {"a": 2})),
        (unpacks_loose, {"options": {"type": "object", "properties": {"a": {"type": "integer"}},
                                     "additionalProperties": False}}, None, {}, {}),
        (unpacks_a_tuple, {"pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}],
                                    "maxItems": 2, "minItems": 2}}, ["pair"], {"pair": [1, "x"]}, (1, "x")),
        (unpacks_by_name, {"row": {"type": "array", "prefixItems": [{"type": "integer"}],
                                   "maxItems": 1, "minItems": 1}}, ["row"], {"row": [1]}, (1,)),
        (unpacks_any_number, {"row": {"type": "array", "items": {"type": "integer"}}}, None, {}, ()),
        (unpacks_none, {"row": {"type": "array", "maxItems": 0, "minItems": 0}}, None, {}, ()),
    ],
)  # fmt: skip
def test_what_is_unpacked(fn: Callable[..., Any], properties: Any, required: Any, values: Any, result: Any) -> None:
    """Stars with an unpacked type are the array or object that the type says, required where that cannot be empty."""
    schema = schema_of(fn)
    assert (schema["properties"], schema.get("required")) == (properties, required)
    args, kwargs = read_signature(fn).bind(values)
    assert fn(*args, **kwargs) == result


class Odd:
    def odd(this, x: int) -> int:
        return x

    def takes_all(self, **others: int) -> Any:
        return others

    def takes_self(self, /, **others: int) -> Any:
        return others

    @staticmethod
    def of_none(x: int) -> int:
        return x


class Caller:
    """A caller."""

    def __call__(self, x: int) -> int:
        """Calls it."""
        return x


class Quiet:
    """A quiet caller."""

    def __call__(self, x: int) -> int:
        return x


@pytest.mark.parametrize(
    ("fn", "unbound", "names", "prose"),
    [
        (Odd.odd, True, ["x"], ""),
        (Odd().odd, False, ["x"], ""),
        (Odd.of_none, False, ["x"], ""),
        (Caller(), False, ["x"], "Calls it."),
        (Quiet(), False, ["x"], "A quiet caller."),
    ],
)
def test_methods_and_callable_objects(fn: Callable[..., Any], unbound: bool, names: list[str], prose: str) -> None:
    """The object that a method is called on is no parameter, whatever it is called."""
    signature = read_signature(fn)
    assert (signature.unbound, [p.name for p in signature.parameters], signature.docs.prose) == (unbound, names, prose)


def test_a_key_cannot_be_the_object() -> None:
    """An open object's key never stands for the object that a method is called on, unless Python has room for both."""
    with pytest.raises(ValueError, match=r"others\.self: expected no key of this name"):
        read_signature(Odd().takes_all).bind({"others": {"self": 1}})
    args, kwargs = read_signature(Odd().takes_self).bind({"others": {"self": 1}})
    assert Odd().takes_self(*args, **kwargs) == {"self": 1}


def with_a_mark(
    a: int = cast(int, object()), b: float = math.nan, c: int = Field(default_factory=lambda: -1, ge=0)
) -> None:
    """Defaults for Python's callers alone."""


def breaks_its_bound(a: Annotated[int, Field(ge=1)] = 0) -> None: ...


def breaks_its_own_field(a: int = Field(0, ge=1)) -> None: ...


def is_another_type(a: Literal["x"] = "y", b: int = Field(default_factory=int)) -> None: ...  # type: ignore[assignment]  # the fault


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (breaks_its_bound, r"breaks_its_bound\(\): parameter 'a' has the default 0, .* greater than or equal to 1"),
        (breaks_its_own_field, r"breaks_its_own_field\(\): parameter 'a' has the default 0"),
        (is_another_type, r"is_another_type\(\): parameter 'a' has the default 'y'"),
    ],
)
def test_a_default_that_its_annotation_refuses(fn: Callable[..., Any], message: str) -> None:
    """A default that a model could not send is refused at definition."""
    with pytest.raises(DefinitionError, match=message):
        read_signature(fn).said()


def test_a_default_for_Python_alone() -> None:
    """What JSON cannot hold is not checked and not told, and what a call makes is not made at definition."""
    assert [said.keywords for said in read_signature(with_a_mark).said().values()] == [{}, {}, {}]
    assert schema_of(with_a_mark)["properties"]["a"] == {"type": "integer"}


def takes_options(sql: str, **options: str) -> Any:
    return sql, options


def test_a_key_cannot_be_what_a_partial_has_bound() -> None:
    """What a partial has bound stays bound, also where it is a key of an open object."""
    bound = functools.partial(takes_options, tenant="t1")
    with pytest.raises(ValueError, match=r"options\.tenant: expected no key of this name"):
        read_signature(bound).bind({"sql": "x", "options": {"tenant": "t2"}})
    args, kwargs = read_signature(bound).bind({"sql": "x", "options": {"a": "b"}})
    assert bound(*args, **kwargs) == ("x", {"tenant": "t1", "a": "b"})


def of_numbers(a: Decimal = 5, b: Annotated[Decimal, "Price"] = 1.5, c: int = True, d: float = 1) -> None: ...  # type: ignore[assignment]  # what is tested


def test_a_default_is_told_as_its_annotation_reads_it() -> None:
    """A number of another kind is told as what it stands for, so that it fits its own schema."""
    told = {name: held["default"] for name, held in schema_of(of_numbers)["properties"].items()}
    assert json.dumps(told) == '{"a": "5", "b": "1.5", "c": 1, "d": 1.0}'


def with_two_defaults(a: Annotated[int, Field(default=4)] = 5) -> None: ...


def divides(a: 1 / 0) -> None: ...  # type: ignore[valid-type]  # the fault


def subscripts(a: Context[int]) -> None: ...  # type: ignore[type-arg]  # the fault


def of_self(a: Self) -> None: ...  # type: ignore[misc]  # the fault


def of_no_literal(a: Literal[()]) -> None: ...  # type: ignore[valid-type]  # the fault


def of_function(a: greet) -> None: ...  # type: ignore[valid-type]  # the fault


def of_functions(a: list[greet]) -> None: ...  # type: ignore[valid-type]  # the fault


class Double(BaseModel):
    a: int = Field(alias="k")
    b: int = Field(alias="k")


class Overlap(BaseModel):
    a: int = Field(validation_alias=AliasChoices("p", "q"))
    b: int = Field(validation_alias=AliasChoices("q", "r"))


def of_double(a: Double) -> None: ...


def of_overlap(a: Overlap) -> None: ...


def of_one_key(x: Annotated[int, Field(alias="y")], y: int = 0) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (with_two_defaults, r"with_two_defaults\(\): parameter 'a' has two defaults, one in its Field and 5"),
        (divides, r"divides\(\): parameter 'a' has the annotation '1 / 0', .*ZeroDivisionError"),
        (subscripts, r"subscripts\(\): parameter 'a' has the annotation .*not a generic.* Write a type"),
        (of_self, r"of_self\(\): parameter 'a' has the annotation .*Self"),
        (of_no_literal, r"of_no_literal\(\): parameter 'a' has the annotation "),
        (of_function, r"of_function\(\): parameter 'a' .*greet.* is a function and no type"),
        (of_functions, r"of_functions\(\): parameter 'a' .*greet.* is a function and no type"),
        (of_double, r"of_double\(\): parameter 'a' .*the fields 'a' and 'b' .* the key 'k'"),
        (of_overlap, r"of_overlap\(\): parameter 'a' .*the fields 'a' and 'b' .* the key 'q'"),
        (of_one_key, r"of_one_key.*'x' and 'y' .* the key 'y'"),
    ],
)
def test_what_says_two_things_or_none(fn: Callable[..., Any], message: str) -> None:
    """Whatever evaluating an annotation raises, and what could be read in two ways, is a definition error."""
    with pytest.raises(DefinitionError, match=message):
        tool(name="made")(fn)


@dataclasses.dataclass
class Settled:
    a: int
    b: int = dataclasses.field(init=False, default=3)


def of_settled(it: Settled) -> Any:
    return it


def test_a_field_that_is_never_given() -> None:
    """What a dataclass sets itself is not offered, and is told of results."""
    assert list(schema_of(of_settled)["properties"]["it"]["properties"]) == ["a"]
    assert tool(of_settled).invoke({"it": {"a": 1}}).value == Settled(1)


@dataclasses.dataclass
class Basket:
    items: list[int]


def changes_its_default(
    a: tuple[list[int], ...] = ([1],),
    b: Basket = Basket([1]),  # noqa: B008 - what is tested
    c: collections.deque[int] = collections.deque([1]),  # noqa: B006 - what is tested
) -> Any:
    a[0].append(2)
    b.items.append(2)
    c.append(2)
    return a[0], b.items, list(c)


def test_no_call_changes_the_next_one_s_default() -> None:
    """Whatever a call does to a default, or to what is in it, the next call has it as it was written."""
    made = tool(changes_its_default)
    assert [made.invoke({}).value for _ in range(2)] == [([1, 2], [1, 2], [1, 2])] * 2


def of_omitted(x: OnErrorOmit[int]) -> None: ...


def test_parameters_that_only_together_fail() -> None:
    """Where each parameter alone has a schema, the error names all of them, and nothing that nobody wrote."""
    with pytest.raises(DefinitionError, match=r"of_omitted\(\) has parameters \(x\), one of which cannot be made"):
        tool(of_omitted)
