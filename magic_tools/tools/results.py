"""What a function returns, as the text that a model reads, held to what the function declares."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json, to_jsonable_python

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_annotation
from magic_tools.loose.issues import Finding, Place, shown, told
from magic_tools.loose.phrases import say
from magic_tools.loose.promised import Promise
from magic_tools.messages import listed
from magic_tools.schema.signature import Signature
from magic_tools.schema.walk import subschemas
from magic_tools.tools.plain import NoFormError, plain_form, with_plain_leaves
from magic_tools.values import JsonObject, Kept

__all__ = ["BrokenResultError", "ResultWriter", "Written", "has_open_place"]

_DONE = {"ok": True}
_DONE_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"ok": {"const": True}},
    "required": ["ok"],
    "additionalProperties": False,
}


_SHOWN = (str, int, float, Decimal, date)
_LEAVES = frozenset({str, int, float, bytes})
_TEXTS = frozenset({"title", "description", "default", "examples"})


class BrokenResultError(ValueError):
    """A value is not what its function declares; `kind` is the class that is at fault, `findings` say where.

    `has_form` is false where no JSON can hold it.
    """

    def __init__(self, kind: type, findings: tuple[Finding, ...], *, has_form: bool = True) -> None:
        super().__init__(listed(told(findings, "en")))
        self.kind = kind
        self.findings = findings
        self.has_form = has_form


class Written(NamedTuple):
    """A result as text: JSON, or, if `is_text`, the text itself that the function returned."""

    text: str
    is_text: bool = False


class ResultWriter:
    """Writes a function's results by a schema, and holds what it has written to the schema.

    Text goes as it is, everything else as JSON; of a function that `says_nothing`, since it returns None
    by its annotation, the model reads `{"ok": true}`.
    """

    def __init__(self, schema: Schema[Any], *, says_nothing: bool = False) -> None:
        self._schema = schema
        self._says_nothing = says_nothing

    @classmethod
    def of(cls, signature: Signature) -> ResultWriter:
        """The writer by a return annotation; without one, or where nobody can resolve it, the result is open."""
        returns = signature.returns
        annotation = Any if returns is inspect.Parameter.empty else returns
        schema = compile_annotation(annotation, where=f"{signature.name}(): the result", side="output")
        return cls(schema, says_nothing=returns is None or returns is type(None))

    @property
    def schema(self) -> JsonObject:
        """The canonical schema of the results, `{}` where they may be anything; a fresh copy."""
        return self._kept.fresh()

    def write(self, value: Any) -> Written:
        """The text of a result; BrokenResultError if it is not of the declared type, or no JSON can hold it."""
        if value is None:
            return Written(self._nothing())
        if self._says_nothing:
            raise _not(type(value), say("null, since the function is declared to return nothing"))
        try:
            plain = with_plain_leaves(value) if self._is_open else value
            text = self._schema.dump(plain, fallback=plain_form)
        except Exception:  # noqa: BLE001 - how a value is written may be the author's code too; why it failed is found next
            return Written(self._in_plain(value))
        data = self._data_of(text, value)
        is_text = isinstance(value, str) and isinstance(data, str)
        written = Written(data, is_text=True) if is_text else Written(text)
        findings = () if self._promise is None else self._findings(value, data)
        if not findings and self._has_numbers and type(value) not in _LEAVES:
            findings = _lost_truths(value, data)
        if not findings and self._asks_more:
            findings = tuple(_unheld(value, place) for place in self._schema.unheld(value))
        if findings:
            raise BrokenResultError(type(value), findings)
        return written

    @cached_property
    def _kept(self) -> Kept:
        return Kept(_DONE_SCHEMA if self._says_nothing else self._schema.output_schema)

    @cached_property
    def _is_open(self) -> bool:
        """Whether something in a result is not declared, so that it may be of any class."""
        return has_open_place(self.schema)

    @cached_property
    def _asks_more(self) -> bool:
        return self._schema.asks_more

    @cached_property
    def _has_numbers(self) -> bool:
        """Whether a number is declared somewhere."""
        text = json.dumps(self.schema)
        return '"integer"' in text or '"number"' in text

    @cached_property
    def _promise(self) -> Promise | None:
        schema = self.schema
        return Promise(schema) if schema else None

    def _nothing(self) -> str:
        if self._says_nothing:
            return json.dumps(_DONE, separators=(",", ":"))
        try:
            self._schema.parse("null")  # pydantic writes None for any type; reading tells which types have it
        except ParseError:
            raise _not(type(None), say("a value, since the function is not declared to return None")) from None
        return "null"

    def _data_of(self, text: str, value: Any) -> Any:
        """The data of a JSON text that was written; BrokenResultError if it is beyond what others read."""
        try:
            return from_json(text)
        except ValueError:
            expected = say("JSON of at most 200 levels and numbers of at most 4,300 digits")
            raise BrokenResultError(type(value), (Finding((), expected, say("more than that")),)) from None

    def _findings(self, value: Any, data: Any) -> tuple[Finding, ...]:
        """What is wrong with a result's data; null stands for a float that JSON has no word for."""
        if self._promise is None or self._promise.fits(data):
            return ()
        plain = _plain(value)
        if _has_endless(plain) and self._promise.fits(_zeroed(plain)):
            return ()
        return self._promise.findings(data)

    def _in_plain(self, value: Any) -> str:
        """The JSON of a value that is not written as its type: as it is, if something in it is foreign to pydantic.

        Else why not.
        """
        foreign: list[type] = []
        lost: list[NoFormError] = []

        def form(held: Any) -> Any:
            foreign.append(type(held))
            try:
                return plain_form(held)
            except NoFormError as error:
                lost.append(error)
                raise

        try:
            text = to_json(value, by_alias=True, inf_nan_mode="null", bytes_mode="base64", fallback=form).decode()
        except Exception as error:  # whatever the author's own code for it raises
            kind = foreign[-1] if lost else type(value)
            expected, got = say("a value that has a JSON form"), say("one of type {kind}", kind=kind.__name__)
            raise BrokenResultError(kind, (Finding((), expected, got),), has_form=not lost) from error
        if findings := self._findings(value, self._data_of(text, value)):
            raise BrokenResultError(type(value), findings)
        if foreign:
            return text
        places = self._schema.strangers(value) or ((),)
        raise BrokenResultError(type(value), tuple(_stranger(value, place) for place in places))


def has_open_place(schema: JsonObject) -> bool:
    """Whether something in a schema may be anything."""
    is_open = not schema.keys() - _TEXTS or schema.get("additionalProperties") is True
    return is_open or any(map(has_open_place, subschemas(schema)))


def _not(kind: type, expected: Any) -> BrokenResultError:
    return BrokenResultError(kind, (Finding((), expected, say("one of type {kind}", kind=kind.__name__)),))


def _stranger(value: Any, place: Place) -> Finding:
    kind = type(_at(value, place)).__name__
    return Finding(place, say("a value of the declared type"), say("one of type {kind}", kind=kind))


def _unheld(value: Any, place: Place) -> Finding:
    found = _at(value, place)
    got = shown(found) if isinstance(found, _SHOWN) else say("one of type {kind}", kind=type(found).__name__)
    return Finding(place, say("a value that passes the checks of its type"), got)


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _lost_truths(value: Any, data: Any) -> tuple[Finding, ...]:
    """Where true or false was written as a number, as pydantic does it for one that is declared."""
    plain = _plain(value)
    return tuple(_numbered(plain, data, ()))


def _numbered(plain: Any, data: Any, place: Place) -> Iterator[Finding]:
    match plain:
        case bool() if isinstance(data, int | float) and not isinstance(data, bool):
            yield Finding(place, say("an integer" if isinstance(data, int) else "a number"), shown(plain))
        case dict() if isinstance(data, dict):
            for key in plain.keys() & data.keys():
                yield from _numbered(plain[key], data[key], (*place, key))
        case list() if isinstance(data, list):
            for index, (one, other) in enumerate(zip(plain, data, strict=False)):
                yield from _numbered(one, other, (*place, index))
        case _:
            return


def _plain(value: Any) -> Any:
    """A value as JSON data apart from what is declared of it, NaN as such; None where it has no such form."""
    try:
        return to_jsonable_python(
            value, by_alias=True, inf_nan_mode="constants", bytes_mode="base64", serialize_unknown=True
        )
    except Exception:  # noqa: BLE001 - it was written by its declared type, which is what counts
        return None


def _has_endless(data: Any) -> bool:
    layer = [data]
    while layer:
        held = layer.pop()
        if isinstance(held, float) and not math.isfinite(held):
            return True
        if isinstance(held, dict | list):
            layer.extend(held.values() if isinstance(held, dict) else held)
    return False


def _zeroed(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _zeroed(held) for key, held in data.items()}
    if isinstance(data, list):
        return [_zeroed(held) for held in data]
    return 0.0 if isinstance(data, float) and not math.isfinite(data) else data
