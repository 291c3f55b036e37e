"""The keys of an open object, which JSON has as text whatever they are in Python."""

from __future__ import annotations

from collections.abc import Callable

from magic_tools.errors import DefinitionError
from magic_tools.schema.forms import INTEGER_PATTERN, text_form
from magic_tools.schema.limits import INTEGER, with_limits
from magic_tools.values import JsonObject

__all__ = ["key_names"]

_KEY_TYPES = ("string", "integer")


def key_names(keys: JsonObject, definition: Callable[[str], JsonObject], *, counted: bool = False) -> JsonObject:
    """The `propertyNames` for keys of a schema; DefinitionError where no text can be one of them.

    `definition` gives what a reference stands for. `counted` is true of an enumeration whose values
    pydantic reads from their digits, as it does those of an IntEnum alone.
    """
    if "$ref" in keys:
        meant = key_names(definition(keys["$ref"]), definition, counted=counted)
        return meant if "pattern" in meant else keys  # which is of text itself
    if branches := keys.get("anyOf", keys.get("oneOf")):
        return _one_of([key_names(branch, definition) for branch in branches])
    _check_text(keys, counted=counted)
    stated = {keyword: held for keyword, held in keys.items() if keyword not in ("type", "title")}
    if counted:
        return {**stated, "enum": [str(choice) for choice in _choices(keys)], "pattern": INTEGER_PATTERN}
    if keys.get("type") == "integer":
        limits = {name: stated.pop(keyword) for name, (keyword, _) in INTEGER.items() if keyword in stated}
        return with_limits({**stated, "pattern": INTEGER_PATTERN}, limits, INTEGER)
    return stated


def _one_of(names: list[JsonObject]) -> JsonObject:
    if {} in names:
        return {}
    if any(map(text_form, names)):
        raise DefinitionError("no key of an object tells which of several kinds it is of. Use str for it.")
    return {"anyOf": names}


def _check_text(keys: JsonObject, *, counted: bool) -> None:
    choices = _choices(keys)
    kind = keys.get("type", "string")
    if kind not in _KEY_TYPES or not (counted or all(isinstance(choice, str) for choice in choices)):
        those = f"one of {', '.join(map(str, choices))}" if choices else f"of the type {kind}"
        raise DefinitionError(
            f"the keys of an object are text in JSON, and these are to be {those}. "
            "Use str, a StrEnum, an IntEnum, int or Decimal for them, or a list of pairs."
        )


def _choices(keys: JsonObject) -> list[object]:
    return [keys["const"]] if "const" in keys else list(keys.get("enum", ()))
