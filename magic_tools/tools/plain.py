"""What values, for which pydantic-core has no JSON form, are written as."""

from __future__ import annotations

import base64
import dataclasses
import ipaddress
import operator
import sys
from collections import UserString
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, ValuesView
from datetime import timedelta
from fractions import Fraction
from typing import Any

__all__ = ["NoFormError", "plain_form", "with_plain_leaves"]


class NoFormError(ValueError):
    """A value that nothing tells how to write as JSON; the text names its class only."""


def plain_form(value: Any) -> Any:
    """The form, by one level, of a value that pydantic-core cannot write; NoFormError if it has none.

    It is the `fallback` of pydantic's `dump_json` and of `pydantic_core.to_json`, which go on with what
    it returns. numpy, pandas and attrs are known by a value's class and never imported for it.
    """
    try:
        return _form(value)
    except NoFormError:
        raise
    except Exception as error:
        raise _no_form(value) from error


def with_plain_leaves(value: Any) -> Any:
    """A value in whose containers and dataclasses bytes stand as base64 (RFC 4648, section 4), and NaT as None.

    pydantic-core would write bytes of UTF-8 as that text, and cannot write NaT; the value itself is not changed.
    """
    match value:
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode()
        case dict():
            leaves = {key: with_plain_leaves(held) for key, held in value.items()}
            return value if all(map(operator.is_, leaves.values(), value.values())) else leaves
        case list() | tuple() | set() | frozenset():
            items = [with_plain_leaves(held) for held in value]
            return value if all(map(operator.is_, items, value)) else items
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            plain = with_plain_leaves(fields)
            return value if plain is fields else plain
        case _:
            return None if type(value).__name__ == "NaTType" else value


def _no_form(value: Any) -> NoFormError:
    return NoFormError(f"a value of type {type(value).__name__} has no JSON form")


def _form(value: Any) -> Any:
    packages = {str(base.__module__).partition(".")[0] for base in type(value).__mro__}
    if isinstance(value, BaseException):
        return _failure(value)
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in type(value).__attrs_attrs__}
    if "numpy" in packages:
        return _numpy_form(value, sys.modules["numpy"])
    if "pandas" in packages:
        return _pandas_form(value, sys.modules["pandas"])
    for classes, form in _FORMS:
        if isinstance(value, classes):
            return form(value)
    raise _no_form(value)


def _failure(error: BaseException) -> dict[str, Any]:
    name = type(error).__name__
    if isinstance(error, BaseExceptionGroup):
        return {"error": name, "message": error.message, "errors": list(error.exceptions)}
    return {"error": name, "message": str(error)}


def _items(sequence: Any) -> Any:
    """A list; of a row of a database, which also knows the names of its columns, a mapping."""
    return dict(sequence) if hasattr(type(sequence), "keys") else list(sequence)


_FORMS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((Fraction, UserString), str),
    (complex, lambda number: str(number).strip("()")),
    ((ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv6Address, ipaddress.IPv6Network), str),
    (memoryview, lambda view: with_plain_leaves(view.tobytes())),
    (Mapping, dict),
    ((Sequence, Set, ValuesView), _items),
)
"""The forms of the standard library's classes, the first that fits; some are known to pydantic >= 2.13 itself."""


_WIDEST = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64", "c": "complex128"}
"""The numpy types, by the letter of their kind, of which `tolist` makes Python's own values."""

_DAY = 86_400 * 10**18
_ATTOSECONDS = {
    "W": 7 * _DAY,
    "D": _DAY,
    "h": _DAY // 24,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}


def _numpy_form(value: Any, numpy: Any) -> Any:
    if not isinstance(value, numpy.generic | numpy.ndarray):
        raise _no_form(value)
    array = numpy.asanyarray(value)
    kind = array.dtype.kind
    if kind in _WIDEST:
        return array.astype(_WIDEST[kind], copy=False).tolist()
    if array.ndim and kind not in "UT":
        return with_plain_leaves(list(array.tolist() if kind == "S" else array))
    match kind:
        case "M":
            return _moment(array, numpy)
        case "m":
            return _duration(array, numpy)
        case "V" if array.dtype.names:
            return {name: array[name] for name in array.dtype.names}
        case "V":
            return with_plain_leaves(array.tobytes())
        case _:
            return array.tolist()


def _moment(moment: Any, numpy: Any) -> str | None:
    text = str(numpy.datetime_as_string(moment))
    if text == "NaT":
        return None
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration(duration: Any, numpy: Any) -> timedelta | str | int | None:
    """A span of time, to the microsecond; in years and months, which have no length, as text."""
    if numpy.isnat(duration):
        return None
    unit, step = numpy.datetime_data(duration.dtype)
    count: int = int(duration.astype("int64")) * step
    if unit in ("Y", "M"):
        return f"{'-' * (count < 0)}P{abs(count)}{unit}"
    if unit == "generic":
        return count
    return timedelta(microseconds=count * _ATTOSECONDS[unit] // 10**12)


def _pandas_form(value: Any, pandas: Any) -> Any:
    if isinstance(value, pandas.DataFrame):
        return _records(value, pandas)
    if isinstance(value, pandas.Series):
        cells = _cells(value, pandas)
        return cells if _is_default(value.index, pandas) else dict(zip(_unique(value.index), cells, strict=True))
    if isinstance(value, pandas.Index | pandas.api.extensions.ExtensionArray):
        return _cells(value, pandas)
    if isinstance(value, pandas.Period | pandas.Interval):
        return str(value)
    if value is pandas.NaT or value is pandas.NA:
        return None
    raise _no_form(value)


def _records(frame: Any, pandas: Any) -> list[dict[str, Any]]:
    """The rows of a table, in front the index where it says more than the number of the row."""
    labels, columns = list(frame.columns), [frame.iloc[:, position] for position in range(len(frame.columns))]
    if not _is_default(frame.index, pandas):
        names, single = list(frame.index.names), frame.index.nlevels == 1
        unnamed = ["index"] if single else [f"level_{level}" for level in range(len(names))]
        labels[:0] = [other if name is None else name for name, other in zip(names, unnamed, strict=True)]
        columns[:0] = [frame.index.get_level_values(level) for level in range(len(names))]
    keys = _unique(labels)
    rows = zip(*(_cells(column, pandas) for column in columns), strict=True)
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _is_default(index: Any, pandas: Any) -> bool:
    return list(index.names) == [None] and bool(index.equals(pandas.RangeIndex(len(index))))


def _cells(column: Any, pandas: Any) -> list[Any]:
    return [None if cell is pandas.NaT or cell is pandas.NA else cell for cell in column.tolist()]


def _unique(labels: Iterable[Any]) -> list[str]:
    """The labels as texts, of which those that were there before get a number: `price`, `price_2`."""
    counts: dict[str, int] = {}
    for label in labels:
        text = name = _label(label)
        while name in counts:
            counts[text] += 1
            name = f"{text}_{counts[text]}"
        counts[name] = 1
    return list(counts)


def _label(label: Any) -> str:
    if isinstance(label, tuple):
        return ",".join(map(_label, label))
    return str(label.isoformat()) if hasattr(label, "isoformat") else str(label)
