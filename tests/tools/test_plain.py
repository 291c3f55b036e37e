"""Plain forms: what the usual classes without a JSON form are written as, and that nothing else ever is."""

from __future__ import annotations

import array
import asyncio
import ipaddress
import json
import math
import re
import sqlite3
import subprocess
import sys
import threading
from collections import ChainMap, UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

from magic_tools.tools.plain import NoFormError, plain_form

base64ed = TypeAdapter(Any, config=ConfigDict(ser_json_bytes="base64"))


def written(value: Any) -> Any:
    """What a reader gets of a value, the same by both of pydantic's writers."""
    text = base64ed.dump_json(value, fallback=plain_form)
    assert to_json(value, fallback=plain_form, bytes_mode="base64", inf_nan_mode="null") == text
    return json.loads(text, parse_constant=pytest.fail)


class Table(Mapping[str, int]):
    def __getitem__(self, key: str) -> int:
        return {"a": 1}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


class Opaque:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Broken(Sequence[int]):
    def __getitem__(self, index: Any) -> Any:
        raise KeyError("my secret")

    def __len__(self) -> int:
        return 1


class Within(Sequence[Any]):
    """A sequence that holds itself."""

    def __getitem__(self, index: Any) -> Any:
        return [self][index]

    def __len__(self) -> int:
        return 1


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def row() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    try:
        return connection.execute("select 1 as a, 'x' as b").fetchone()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (Fraction(1, 3), "1/3"),
        (1 + 2j, "1+2j"),
        (-1.5 - 1j, "-1.5-1j"),
        (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
        (ipaddress.ip_network("fe80::/64"), "fe80::/64"),
        (ipaddress.ip_interface("10.0.0.1/8"), "10.0.0.1/8"),
        (UserString("a"), "a"),
        (memoryview(b"\xfb\xff"), "+/8="),
        (bytearray(b"\xfb\xff"), "-_8="),
        (range(3), [0, 1, 2]),
        (deque([1, (2,)]), [1, [2]]),
        (array.array("i", [1, 2]), [1, 2]),
        (UserList([1]), [1]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.values(), [1]),
        ({"a": 1}.items(), [["a", 1]]),
        (UserDict(a=1), {"a": 1}),
        (ChainMap({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
        (MappingProxyType({"a": MappingProxyType({})}), {"a": {}}),
        (Table(), {"a": 1}),
        ({Fraction(1, 2): [Table()]}, {"1/2": [{"a": 1}]}),
        (ValueError("no such day"), {"error": "ValueError", "message": "no such day"}),
        (KeyError("a"), {"error": "KeyError", "message": "'a'"}),
        (KeyboardInterrupt(), {"error": "KeyboardInterrupt", "message": ""}),
        (
            ExceptionGroup("two", [OSError(2, "gone"), ExceptionGroup("one", [TypeError("x")])]),
            {
                "error": "ExceptionGroup",
                "message": "two",
                "errors": [
                    {"error": "FileNotFoundError", "message": "[Errno 2] gone"},
                    {"error": "ExceptionGroup", "message": "one", "errors": [{"error": "TypeError", "message": "x"}]},
                ],
            },
        ),
    ],
)
def test_the_standard_library(value: Any, form: Any) -> None:
    """Classes of the standard library that JSON does not know are what they stand for, at every depth."""
    assert written([value]) == [form]


def test_a_row_of_a_database() -> None:
    """A row that knows its columns is an object."""
    assert written(row()) == {"a": 1, "b": "x"}


def test_iterators_are_lists() -> None:
    """What pydantic goes through itself needs no help."""
    assert json.loads(base64ed.dump_json(map(Fraction, "12"), fallback=plain_form)) == ["1", "2"]


NUMPY: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda np: np.float64(1.5), 1.5),
    (lambda np: np.float32(1.5), 1.5),
    (lambda np: np.float16("inf"), None),
    (lambda np: np.longdouble(1.5), 1.5),
    (lambda np: np.float64("nan"), None),
    (lambda np: np.int64(-3), -3),
    (lambda np: np.uint64(2**64 - 1), 2**64 - 1),
    (lambda np: np.bool_(True), True),
    (lambda np: np.str_("x"), "x"),
    (lambda np: np.bytes_(b"\xfb\xff"), "-_8="),
    (lambda np: np.void(b"\xfb\xff"), "+/8="),
    (lambda np: np.complex128(1 + 2j), "1+2j"),
    (lambda np: np.complex64(1 + 2j), "1+2j"),
    (lambda np: np.datetime64("2026-01-02"), "2026-01-02"),
    (lambda np: np.datetime64("2026"), "2026"),
    (lambda np: np.datetime64("2026-01-02T03:04:10", "ns"), "2026-01-02T03:04:10"),
    (lambda np: np.datetime64(1, "ns"), "1970-01-01T00:00:00.000000001"),
    (lambda np: np.datetime64("NaT"), None),
    (lambda np: np.timedelta64(90, "s"), "PT1M30S"),
    (lambda np: np.timedelta64(2, "W"), "P14D"),
    (lambda np: np.timedelta64(3, "25s"), "PT1M15S"),
    (lambda np: np.timedelta64(1_500, "ns"), "PT0.000001S"),
    (lambda np: np.timedelta64(-3, "M"), "-P3M"),
    (lambda np: np.timedelta64(3), 3),
    (lambda np: np.timedelta64("NaT"), None),
    (lambda np: np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    (lambda np: np.array([1.5, math.nan, -math.inf]), [1.5, None, None]),
    (lambda np: np.array([np.longdouble(1.5)]), [1.5]),
    (lambda np: np.array([]), []),
    (lambda np: np.array(["a", "b"]), ["a", "b"]),
    (lambda np: np.array([b"\xfb\xff"]), ["+/8="]),
    (lambda np: np.array([1j]), ["1j"]),
    (lambda np: np.array(5), 5),
    (lambda np: np.array("a"), "a"),
    (lambda np: np.array(["2026-01-02", "NaT"], dtype="M8[ns]"), ["2026-01-02T00:00:00", None]),
    (lambda np: np.array([[60]], dtype="m8[s]"), [["PT1M"]]),
    (lambda np: np.array([None, Fraction(1, 2), [1]], dtype=object), [None, "1/2", [1]]),
    (lambda np: np.array({"a": 1}, dtype=object), {"a": 1}),
    (
        lambda np: np.array([(1, "2026-01-02", [1, 2])], dtype=[("n", "i4"), ("at", "M8[D]"), ("pair", "f8", 2)]),
        [{"n": 1, "at": "2026-01-02", "pair": [1.0, 2.0]}],
    ),
    (lambda np: np.array([(1,)], dtype=[("n", "i4")])[0], {"n": 1}),
    (lambda np: np.rec.array([(1, "x")], names="a,b"), [{"a": 1, "b": "x"}]),
    (lambda np: np.ma.array([1, 2], mask=[False, True]), [1, None]),
    (lambda np: np.ma.masked, None),
]


@pytest.mark.parametrize(("make", "form"), NUMPY)
def test_numpy(make: Callable[[Any], Any], form: Any) -> None:
    """numpy's scalars are Python's, its arrays nested lists, structured ones of objects; NaN and NaT are null."""
    numpy = pytest.importorskip("numpy")
    assert written({"a": make(numpy)}) == {"a": form}


def test_numpy_keys() -> None:
    """A numpy scalar can be a key."""
    numpy = pytest.importorskip("numpy")
    assert written({numpy.int64(3): numpy.int64(4)}) == {"3": 4}


def made_table(pd: Any) -> Any:
    return pd.DataFrame({"n": [1, 2], "at": pd.to_datetime(["2026-01-02", None]), "x": [1.5, math.nan]})


RECORDS: list[dict[str, Any]] = [{"n": 1, "at": "2026-01-02T00:00:00", "x": 1.5}, {"n": 2, "at": None, "x": None}]

PANDAS: list[tuple[Callable[[Any], Any], Any]] = [
    (made_table, RECORDS),
    (lambda pd: made_table(pd).iloc[1:], [{"index": 1, **RECORDS[1]}]),
    (lambda pd: made_table(pd).set_index("n")[["x"]], [{"n": 1, "x": 1.5}, {"n": 2, "x": None}]),
    (lambda pd: pd.DataFrame({"x": [5]}, index=pd.Index(["a"], name="x")), [{"x": "a", "x_2": 5}]),
    (
        lambda pd: pd.DataFrame({"x": [5]}, index=pd.MultiIndex.from_tuples([("a", 1)], names=["k", None])),
        [{"k": "a", "level_1": 1, "x": 5}],
    ),
    (lambda pd: pd.DataFrame([[1, 2, 3]], columns=["a", "a", "a_2"]), [{"a": 1, "a_2": 2, "a_2_2": 3}]),
    (
        lambda pd: pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", 1)])),
        [{"a,x": 1, "a,1": 2}],
    ),
    (lambda pd: pd.DataFrame([[1]], columns=[pd.Timestamp("2026-01-02")]), [{"2026-01-02T00:00:00": 1}]),
    (lambda pd: pd.DataFrame(), []),
    (lambda pd: pd.DataFrame({"x": [5]}, index=pd.Index([0], name="id")), [{"id": 0, "x": 5}]),
    (lambda pd: pd.DataFrame({"n": pd.array([1, None], dtype="Int64")}), [{"n": 1}, {"n": None}]),
    (lambda pd: pd.DataFrame({"o": [pd.NaT, Fraction(1, 2)]}), [{"o": None}, {"o": "1/2"}]),
    (lambda pd: pd.Series([1, 2]), [1, 2]),
    (lambda pd: pd.Series(["a", None]), ["a", None]),
    (lambda pd: pd.Series([1, 2], index=["a", "b"]), {"a": 1, "b": 2}),
    (lambda pd: pd.Series([1, 2])[1:], {"1": 2}),
    (lambda pd: pd.Series([1, 2], index=["a", "a"]), {"a": 1, "a_2": 2}),
    (lambda pd: pd.Series([True, False]).value_counts(), {"True": 1, "False": 1}),
    (lambda pd: pd.Series([pd.Timedelta("90s"), None]), ["PT1M30S", None]),
    (lambda pd: pd.Timestamp("2026-01-02T03:04:05", tz="UTC"), "2026-01-02T03:04:05Z"),
    (lambda pd: pd.Timedelta("1D"), "P1D"),
    (lambda pd: pd.NA, None),
    (lambda pd: pd.Categorical(["a", None]), ["a", None]),
    (lambda pd: pd.array([1, None], dtype="Int64"), [1, None]),
    (lambda pd: pd.Index(["a"]), ["a"]),
    (lambda pd: pd.to_datetime(["2026-01-02", None]), ["2026-01-02T00:00:00", None]),
    (lambda pd: pd.period_range("2026-01", periods=2, freq="M"), ["2026-01", "2026-02"]),
    (lambda pd: pd.Interval(0, 1), "(0, 1]"),
]


@pytest.mark.parametrize(("make", "form"), PANDAS)
def test_pandas(make: Callable[[Any], Any], form: Any) -> None:
    """Tables are records, columns lists or objects by label, times ISO text; what is missing is null."""
    pandas = pytest.importorskip("pandas")
    assert written([make(pandas)]) == [form]


def test_pandas_nat() -> None:
    """NaT has a form, although pydantic takes it for a datetime and does not ask."""
    assert plain_form(pytest.importorskip("pandas").NaT) is None


def test_attrs() -> None:
    """Classes made by attrs are objects of their fields, with or without slots."""
    attrs = pytest.importorskip("attrs")
    inner = attrs.make_class("Inner", {"at": attrs.field()}, slots=True)
    outer = attrs.make_class("Outer", {"inner": attrs.field(), "_n": attrs.field(alias="n")}, slots=False)
    assert written(outer(inner(date(2026, 1, 2)), n=Fraction(1, 2))) == {"inner": {"at": "2026-01-02"}, "_n": "1/2"}
    assert written(attrs.make_class("Failed", {}, bases=(ValueError,))()) == {"error": "Failed", "message": ""}


async def numbers() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Opaque(), "Opaque"),
        (Opaque, "type"),
        (print, "builtin_function_or_method"),
        (lambda: None, "function"),
        (json, "module"),
        (threading.Lock(), "lock"),
        (asyncio.Event(), "Event"),
        (numbers(), "async_generator"),
        (..., "ellipsis"),
        (object(), "object"),
        (UTC, "timezone"),
    ],
)
def test_what_has_no_form(value: Any, name: str) -> None:
    """Everything else is refused by the name of its class, and of nothing more."""
    with pytest.raises(NoFormError, match=rf"^a value of type {name} has no JSON form$") as refused:
        plain_form(value)
    assert refused.value.__cause__ is None
    with pytest.raises(PydanticSerializationError, match=rf"a value of type {name} has no JSON form$"):
        written({"a": [value]})


def test_what_of_numpy_and_pandas_has_no_form() -> None:
    """Other classes of these packages are refused too."""
    numpy = pytest.importorskip("numpy")
    with pytest.raises(NoFormError, match="Generator has no JSON form"):
        plain_form(numpy.random.default_rng())
    pandas = pytest.importorskip("pandas")
    with pytest.raises(NoFormError, match="DataFrameGroupBy has no JSON form"):
        plain_form(pandas.DataFrame({"a": [1]}).groupby("a"))


@pytest.mark.parametrize(("value", "cause"), [(Broken(), KeyError), (Mute(), RuntimeError)])
def test_a_conversion_that_raises(value: Any, cause: type[Exception]) -> None:
    """A class that cannot be converted is refused without its words, which are only in the cause."""
    with pytest.raises(NoFormError, match=rf"^a value of type {type(value).__name__} has no JSON form$") as refused:
        plain_form(value)
    assert type(refused.value.__cause__) is cause


def test_what_holds_itself() -> None:
    """A sequence without an end is an error, and not the end of the process."""
    with pytest.raises(PydanticSerializationError, match=r"Maximum|Circular"):
        written(Within())


def test_a_field_of_a_model() -> None:
    """The form is asked for in fields that are open, too."""

    class Held(BaseModel):
        it: Any

    assert TypeAdapter(Held).dump_json(Held(it=range(2)), fallback=plain_form) == b'{"it":[0,1]}'


def test_nothing_heavy_is_imported() -> None:
    """No form needs numpy, pandas or attrs to be there."""
    program = (
        "import sys, fractions; from magic_tools.tools.plain import plain_form;"
        "before = set(sys.modules); assert plain_form(fractions.Fraction(1, 3)) == '1/3';"
        "print(sorted({'numpy', 'pandas'} & set(sys.modules)), set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[] set()\n"


known = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.fractions(),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary().map(lambda data: memoryview(data)),
    st.datetimes(min_value=datetime(1000, 1, 1)),
    st.timedeltas(timedelta(-1000), timedelta(1000)),
    st.ip_addresses(),
    st.builds(ValueError, st.text(st.characters(exclude_categories=["Cs"]))),
)
nested = st.recursive(
    known,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(deque),
        st.lists(inner, max_size=3).map(UserList),
        st.dictionaries(st.text("ab."), inner, max_size=3).map(MappingProxyType),
        st.lists(st.builds(ValueError, inner.map(lambda _: "x")), min_size=1, max_size=2).map(
            lambda errors: ExceptionGroup("some", errors)
        ),
    ),
    max_leaves=8,
)


@given(nested)
def test_everything_known_is_json(value: Any) -> None:
    """Whatever is made of the classes that have forms, strict JSON comes out, the same by both writers."""
    data = written(value)
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@given(st.lists(st.text("ab_2", max_size=3), max_size=6))
def test_no_column_is_lost(labels: list[str]) -> None:
    """Columns of equal names all come out, in order."""
    pandas = pytest.importorskip("pandas")
    (record,) = plain_form(pandas.DataFrame([range(len(labels))], columns=labels)) if labels else ({},)
    assert list(record.values()) == list(range(len(labels)))
    assert all(re.fullmatch(rf"{label}(_\d+)*", key) for label, key in zip(labels, record, strict=True))
