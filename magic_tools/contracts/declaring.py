"""Declarations as an author gives them: taken over as his own copy, or refused saying what is meant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["json_copy", "of_kind", "several", "texts"]

T = TypeVar("T")


def several(where: str, name: str, given: Any) -> tuple[Any, ...]:
    """What several were given, as a tuple; DefinitionError for one alone, such as a bare text."""
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise DefinitionError(f"{where}({name}={given!r}) is to hold several: write {name}=(..., ...).")
    if isinstance(given, str):
        raise DefinitionError(
            f"{where}({name}={given!r}) is a bare text, which would be taken letter by letter: "
            f"write {name}=({given!r},)."
        )
    return tuple(given)


def texts(where: str, name: str, given: Any) -> tuple[str, ...]:
    """The same for texts, none of which is blank."""
    held = several(where, name, given)
    if not all(isinstance(each, str) and each.strip() for each in held):
        raise DefinitionError(f"{where}({name}={held!r}) is to hold texts, none of them blank.")
    return held


def of_kind(where: str, name: str, given: Any, kind: type[T], example: str) -> T:
    """What was given, if it is of a kind; DefinitionError shows an example of it."""
    if not isinstance(given, kind):
        raise DefinitionError(f"{where}({name}={given!r:.80}) is to be such as {example}.")
    return given


def json_copy(given: Any, refuse: Callable[[str], DefinitionError]) -> JsonObject:
    """A copy of an object as JSON has it; what `refuse` makes of the reason is raised where JSON cannot hold it."""
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise refuse("it is no mapping from names to values")
    try:
        held: JsonObject = json.loads(json.dumps(dict(given), allow_nan=False, default=_as_mapping))
    except (TypeError, ValueError, RecursionError) as error:
        raise refuse(f"JSON cannot hold it ({error})") from None
    return held


def _as_mapping(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of {type(value).__name__} is in it")
