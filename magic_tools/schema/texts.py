"""The texts that annotations state, put where they belong in a schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, NotRequired, Required, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from typing_extensions import ReadOnly

from magic_tools.errors import DefinitionError
from magic_tools.schema.docstrings import DocTexts, read_docstring
from magic_tools.schema.fields import class_hints
from magic_tools.schema.prepare import ALIASES
from magic_tools.schema.wording import CHOICES, cleaned
from magic_tools.values import JsonObject

__all__ = ["class_docs", "describe", "describe_root", "field_annotations", "member_texts", "say"]

_QUALIFIERS = (Required, NotRequired, ReadOnly)

_WITHOUT_FIELDS = frozenset({"builtins", "pydantic", "typing", "typing_extensions"})


def describe_root(schema: JsonObject, annotation: Any) -> None:
    """Describe a whole schema; its text counts more than that of its class, which stands in the same place."""
    stated = _stated(annotation)
    if stated.text and not stated.by_field:
        schema["description"] = stated.text
    describe(schema, annotation)


def describe(schema: JsonObject, annotation: Any) -> None:
    """Give a schema, and those of what it holds, the texts in their annotations that they lack.

    A text is a string in `Annotated`, the last of several, as Python cannot tell two strings from a string
    around an alias that has its own. A dict there has the texts of single values of a Literal or an
    Enum; DefinitionError if one of them is no value of it.
    """
    stated = _stated(annotation)
    say(schema, stated.text)
    if stated.values and (told := _told(stated.values, list(_choices(stated.type)), stated.type)):
        schema[CHOICES] = told
    for inner, held in _held(schema, stated.type):
        if isinstance(inner, dict):
            describe(inner, held)


def say(schema: JsonObject, text: str) -> None:
    """Give a schema a text, if there is one and it has none yet; a blank one is none."""
    if not schema.get("description", "").strip():
        schema.pop("description", None)
        schema.update({"description": text} if text else {})


def class_docs(cls: type | None) -> DocTexts:
    """What the docstring of a class says, with the texts of fields in those of its bases."""
    docs = [read_docstring(vars(base).get("__doc__")) for base in _bases(cls)]
    texts = {name: text for each in reversed(docs) for name, text in each.parameters.items()}
    return DocTexts(docs[0].prose if docs else "", texts)


def _bases(cls: Any) -> Sequence[Any]:
    """A class and those that it has fields of, as far as users write them.

    A TypedDict stands alone: that of `typing` has its bases on some versions of Python, and forgets them on others.
    """
    bases = getattr(cls, "__mro__", ())
    return [base for base in bases if base is cls or base.__module__.partition(".")[0] not in _WITHOUT_FIELDS]


def field_annotations(cls: type | None) -> dict[str, Any]:
    """The annotations of a class's fields by name, resolved and with their metadata."""
    if cls is None:
        return {}
    fields = getattr(cls, "__pydantic_fields__", None)
    if fields is not None:
        return {name: Annotated[field.annotation, *field.metadata, None] for name, field in fields.items()}
    return class_hints(cls)


def member_texts(cls: type[Enum], members: Sequence[Enum]) -> str:
    """What the members of an Enum mean, by their own docstrings or the one of their class; `""` if it is not said."""
    said = read_docstring(vars(cls).get("__doc__")).parameters
    own = {member: vars(member).get("__doc__") or said.get(member.name, "") for member in members}
    return _told(own.items(), members, cls)


@dataclass(slots=True)
class _Stated:
    """What an annotation comes down to: a type, and the texts around it."""

    type: Any
    text: str = ""
    by_field: bool = False
    values: list[tuple[Any, str]] = field(default_factory=list)


def _stated(annotation: Any) -> _Stated:
    stated = _Stated(annotation)
    while True:
        origin = get_origin(stated.type)
        if origin is Annotated:
            stated.type, *metadata = get_args(stated.type)
            texts = [cleaned(item) for item in metadata if isinstance(item, str)]
            stated.text = stated.text or next(filter(None, reversed(texts)), "")
            stated.by_field |= any(
                isinstance(item, FieldInfo) and (item.description or "").strip() for item in metadata
            )
            values = [each for item in metadata if isinstance(item, Mapping) for each in item.items()]
            stated.values = [*values, *stated.values]
        elif origin in _QUALIFIERS:
            (stated.type,) = get_args(stated.type)
        elif isinstance(stated.type, ALIASES):
            stated.type = stated.type.__value__
        elif isinstance(stated.type, NewType):
            stated.type = stated.type.__supertype__
        else:
            return stated


def _choices(annotation: Any) -> Iterator[Any]:
    """The values that an annotation lists, members of an Enum as such."""
    kind = _stated(annotation).type
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from kind
    elif get_origin(kind) in (Union, UnionType):
        listed = [choice for branch in get_args(kind) for choice in _choices(branch)]
        yield from [*listed, *([None] if listed and NoneType in get_args(kind) else [])]


def _told(texts: Iterable[tuple[Any, str]], choices: Sequence[Any], kind: Any) -> str:
    """What the choices mean, in their order, by the last text of each; what lists no choices has nothing to tell."""
    if not choices:
        return ""
    places = {_key(_value(choice)): index for index, choice in enumerate(choices)}
    places |= {_key(choice): index for index, choice in enumerate(choices)}
    told: dict[int, str] = {}
    for value, text in texts:
        if _key(value) not in places:
            listed = ", ".join(map(_spelled, choices))
            raise DefinitionError(f"it has a text for {value!r}, which is no value of {kind!r}; there are: {listed}")
        told[places[_key(value)]] = text
    said = {place: " ".join(told[place].split()) for place in sorted(told)}
    return "; ".join(f"{_spelled(choices[place])}: {text}" for place, text in said.items() if text)


def _key(value: Any) -> tuple[type, Any]:
    return type(value), value  # since True is 1 to Python


def _value(choice: Any) -> Any:
    return choice.value if isinstance(choice, Enum) else choice


def _spelled(choice: Any) -> str:
    """A choice as a model writes it, text without its quotation marks."""
    value = _value(choice)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _held(schema: JsonObject, annotation: Any) -> Sequence[tuple[Any, Any]]:
    """The schemas directly inside one, each with the annotation that it was made of."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        branches = schema.get("anyOf") or schema.get("oneOf") or []
        # pydantic puts null last; where it has left out or joined branches, none can be told
        stated = sorted(arguments, key=lambda argument: argument is NoneType)
        return list(zip(branches, stated, strict=True)) if len(branches) == len(stated) else []
    if not isinstance(origin, type):
        return []
    if issubclass(origin, Mapping) and len(arguments) == 2:
        if "type" in schema and _stated(arguments[0]).text:
            schema.setdefault("propertyNames", {})  # which states nothing of keys that may be any text
        return [(schema.get("propertyNames"), arguments[0]), (schema.get("additionalProperties"), arguments[1])]
    if origin is tuple and Ellipsis not in arguments:
        return list(zip(schema.get("prefixItems", ()), arguments, strict=False))
    return [(schema.get("items"), arguments[0])] if arguments and "items" in schema else []
