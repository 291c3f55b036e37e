"""Texts with fields, and the values that are put into them as data for a model to read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Any

from pydantic_core import to_jsonable_python

from magic_tools.errors import DefinitionError
from magic_tools.tools.plain import NoFormError, plain_form, with_plain_leaves
from magic_tools.tools.secrets import Redactor

__all__ = ["Template", "value_text"]

_NAME_END = re.compile(r"[.\[\]]")
_STEPS = re.compile(r"(?:\.\w+|\[[^\[\]]+\])*")
_STEP = re.compile(r"\.(?P<attribute>\w+)|\[(?P<key>[^\[\]]+)\]")
_CONVERSIONS: Mapping[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
_BRACES = "For braces that are text, write {{ and }}."


class Template:
    """A text with fields as `str.format` has them, one or more for each parameter.

    What is put in is never read for fields again. DefinitionError, starting with `where`, if the text has no words
    or cannot be read, or if a field names none of the `known` parameters or goes into what is private.
    """

    def __init__(self, text: object, parameters: Mapping[str, bool], *, where: str) -> None:
        if not isinstance(text, str) or not text.strip():
            raise DefinitionError(
                f'{where} has to be a text that says something, as in @prompt("Sort this: {{text}}"), got {text!r:.80}.'
            )
        try:
            parsed = list(Formatter().parse(text))
        except ValueError as error:
            raise DefinitionError(f"{where} cannot be read ({error}): {text!r:.80}. {_BRACES}") from error
        self._where = where
        self._pieces: list[str | _Field] = []
        for literal, name, spec, conversion in parsed:
            self._pieces.append(literal)
            if name is not None:
                self._pieces.append(_field(name, spec or "", conversion, parameters, where))

    @property
    def names(self) -> frozenset[str]:
        """The parameters that have a field."""
        return frozenset(piece.name for piece in self._pieces if isinstance(piece, _Field))

    def filled(self, values: Mapping[str, Any]) -> str:
        """The text with the values in it, by parameter.

        TypeError names a parameter whose value has no JSON form, ValueError one that lacks what its field takes of it.
        """
        fields = dict.fromkeys(piece for piece in self._pieces if isinstance(piece, _Field))
        texts = {field: self._text(field, values[field.name]) for field in fields}
        return "".join(piece if isinstance(piece, str) else texts[piece] for piece in self._pieces)

    def _text(self, field: _Field, value: Any) -> str:
        subject = f"{self._where} cannot be filled: parameter '{field.name}', as {field}"
        try:
            return field.text(value)
        except NoFormError as error:
            raise TypeError(
                f"{subject}, is {error}. Pass what JSON can hold, such as a model or a dict, or write "
                f"{{{field.source}!s}} for the text that Python has for it."
            ) from error
        except Exception as error:  # what attributes and formats of any class may raise
            raise ValueError(f"{subject}, raised {type(error).__name__}: {error}") from error


def value_text(value: Any) -> str:
    """A value as a model reads it: text as it is, what is a text in JSON as that text, all else as JSON.

    Bytes are base64; NaN and the infinities, for which JSON has no word, null. Secrets of pydantic are masked, also
    where a class's own code would tell them. NoFormError, which names the class alone, if no JSON can hold the value.
    """
    if isinstance(value, str):
        return str.__str__(value)
    try:
        plain = with_plain_leaves(value)
        data = to_jsonable_python(plain, by_alias=True, bytes_mode="base64", fallback=_form)
        text = data if isinstance(data, str) else _json(data)
    except NoFormError:
        raise
    except Exception as error:  # how a value is written may be the author's code too
        raise NoFormError(
            f"a value of type {type(value).__name__} that cannot be written as JSON ({type(error).__name__})"
        ) from error
    return _masked(text, value)


def _form(value: Any) -> Any:
    return with_plain_leaves(plain_form(value))  # pydantic's own base64 has another alphabet


def _json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False)
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=lambda _: None), ensure_ascii=False)
    return text


def _masked(text: str, value: Any) -> str:
    redact = Redactor.of(value)
    return redact(text) if redact else text


@dataclass(frozen=True, slots=True)
class _Field:
    """A place in a template: a parameter, the attributes and keys that lead on from it, and Python's own format.

    The value's JSON stands there if `conversion` and `spec` are empty.
    """

    source: str
    name: str
    steps: tuple[tuple[bool, str | int], ...]
    conversion: str
    spec: str

    def __str__(self) -> str:
        return f"{{{self.source}{self.conversion and '!'}{self.conversion}{self.spec and ':'}{self.spec}}}"

    def text(self, value: Any) -> str:
        for is_attribute, key in self.steps:
            value = getattr(value, str(key)) if is_attribute else value[key]
        if not (self.conversion or self.spec):
            return value_text(value)
        converted = _CONVERSIONS[self.conversion](value) if self.conversion else value
        return _masked(format(converted, self.spec), value)


def _field(source: str, spec: str, conversion: str | None, parameters: Mapping[str, bool], where: str) -> _Field:
    shown = f"{where} has the field {{{source}}}"
    known = ", ".join(parameter for parameter, is_shown in parameters.items() if is_shown) or "none"
    name = _NAME_END.split(source, maxsplit=1)[0]
    rest = source[len(name) :]
    if not name or name.isdecimal():
        raise DefinitionError(
            f"{shown}, and fields are filled by name: write {{name}}, with one of the parameters: {known}. {_BRACES}"
        )
    if name not in parameters:
        raise DefinitionError(f"{shown}, and {name!r} is none of the parameters: {known}. {_BRACES}")
    if not parameters[name]:
        raise DefinitionError(
            f"{shown}, and the parameter '{name}' is hidden: no model is to see it. Drop the field, or let the "
            "parameter be neither Injected nor Context."
        )
    if not _STEPS.fullmatch(rest):
        raise DefinitionError(f"{shown}, which cannot be read: write it as {{a}}, {{a.b}} or {{a[0]}}.")
    steps = tuple(_steps(rest))
    private = [key for is_attribute, key in steps if is_attribute and str(key).startswith("_")]
    if private:
        raise DefinitionError(f"{shown}, and {private[0]!r} is private: give the class a property for it, or pass it.")
    if "{" in spec or "}" in spec:
        raise DefinitionError(f"{shown} with a field in its format {spec!r}: write the format out.")
    if conversion is not None and conversion not in _CONVERSIONS:
        raise DefinitionError(f"{shown} with the conversion !{conversion}: there are !r, !s and !a.")
    return _Field(source, name, steps, conversion or "", spec)


def _steps(text: str) -> Iterator[tuple[bool, str | int]]:
    """Whether each step goes to an attribute, else to an item, and its name or key; digits are an index."""
    for step in _STEP.finditer(text):
        if step["attribute"]:
            yield True, step["attribute"]
        else:
            key = step["key"]
            yield False, int(key) if key.isdecimal() else key
