"""Declared adapters: old arguments and results as what a tool takes and gives today, or says where not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json, to_json

from magic_tools.contracts.manifest import Pin
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.errors import DefinitionError, ParseError, UpgradeError
from magic_tools.loose.decode import Schema
from magic_tools.loose.issues import told
from magic_tools.loose.promised import Promise
from magic_tools.loose.taker import Parsed
from magic_tools.messages import Issue, listed
from magic_tools.tools.plain import plain_form
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Adapter", "Part", "Upgrade", "adapter_for", "adapter_of", "upgraded_arguments", "upgraded_result"]

Part = Literal["arguments", "result"]
"""What an adapter takes from an old version to the present one."""

_PARTS: tuple[Part, ...] = ("arguments", "result")


@dataclass(frozen=True, slots=True)
class Adapter:
    """A function from what a tool took, or gave, in some of its older versions to what it takes, or gives, now."""

    versions: VersionRange
    part: Part
    fn: Callable[[Any], Any]

    @property
    def name(self) -> str:
        """What a person would call it."""
        return getattr(self.fn, "__name__", type(self.fn).__name__)


class Upgrade(NamedTuple):
    """How a run that is pinned to an older version of a tool is served: by an adapter of its arguments."""

    pin: Pin
    adapter: Adapter
    from_version: str
    to_version: str


def adapter_of(
    tool: str, version: str | None, known: list[Adapter], text: str, part: Any, fn: Callable[[Any], Any]
) -> Adapter:
    """The adapter from a range of versions of a tool; DefinitionError where it would never, or not surely, be used."""
    if version is None:
        raise DefinitionError(
            f"{tool}(): an adapter is from older versions to the tool's own, and it has none: "
            "give it Policy(version='2.0.0')."
        )
    if part not in _PARTS:
        raise DefinitionError(f"{tool}(): upgrade_from(part=...) is 'arguments' or 'result', got {part!r:.80}.")
    versions = VersionRange.parse(text)
    if Version.parse(version) in versions:
        raise DefinitionError(
            f"{tool}(): upgrade_from({text!r}) has the tool's own version, {version}: name older ones alone."
        )
    for each in known:
        if each.part == part and each.versions.overlaps(versions):
            raise DefinitionError(
                f"{tool}(): upgrade_from({text!r}) and upgrade_from('{each.versions}') of its {part} share versions, "
                "so that nobody knows which one counts: part them."
            )
    given: object = fn
    if not callable(given) or iscoroutinefunction(given):
        raise DefinitionError(f"{tool}(): upgrade_from takes an ordinary function of one value, got {given!r:.80}.")
    return Adapter(versions, part, fn)


def adapter_for(adapters: list[Adapter], part: Part, version: str | None) -> Adapter | None:
    """The adapter that covers a version, if there is one."""
    if version is None or not adapters:
        return None
    meant = Version.parse(version)
    return next((each for each in adapters if each.part == part and meant in each.versions), None)


def upgraded_arguments(
    tool: str, adapter: Adapter, versions: tuple[str, str], arguments: Mapping[str, Any], schema: Schema[Any]
) -> tuple[JsonObject, Parsed[Any]]:
    """What an adapter makes of old arguments, as JSON data and as read by today's schema; UpgradeError says why not."""
    made, text = _made(tool, adapter, versions, arguments)
    if not isinstance(made, Mapping):
        raise UpgradeError(f"{_which(tool, adapter, versions)} made no arguments by name, but {_kind(made)}.", made)
    try:
        parsed = schema.parse(text)
    except ParseError as error:
        raise _unfit(tool, adapter, versions, made, error.issues) from None
    if parsed.repairs:
        notes = "; ".join(repair.note for repair in parsed.repairs)
        raise UpgradeError(f"{_misfit(tool, adapter, versions, made)}: {notes}.", made)
    data: JsonObject = from_json(text)
    return data, parsed


def upgraded_result(
    tool: str, adapter: Adapter, versions: tuple[str, str], result: JsonValue, schema: JsonObject
) -> JsonValue:
    """What an adapter makes of an old result, as JSON data that fits today's schema; UpgradeError says why not."""
    made, text = _made(tool, adapter, versions, result)
    data: JsonValue = from_json(text)
    promise = Promise(schema)
    if not promise.fits(data):
        raise _unfit(tool, adapter, versions, made, told(promise.findings(data), "en"))
    return data


def _made(tool: str, adapter: Adapter, versions: tuple[str, str], old: Any) -> tuple[Any, str]:
    """What an adapter makes of a copy of old data, and the JSON text of it."""
    try:
        made = adapter.fn(from_json(_text_of(old)))
    except Exception as error:
        raise UpgradeError(f"{_which(tool, adapter, versions)} raised {type(error).__name__}.") from error
    try:
        return made, _text_of(made).decode()
    except (ValueError, TypeError, RecursionError) as error:
        raise UpgradeError(f"{_which(tool, adapter, versions)} made what no JSON can hold.", made) from error


def _text_of(value: Any) -> bytes:
    return to_json(value, by_alias=True, inf_nan_mode="constants", bytes_mode="base64", fallback=plain_form)


def _unfit(
    tool: str, adapter: Adapter, versions: tuple[str, str], made: Any, issues: tuple[Issue, ...]
) -> UpgradeError:
    return UpgradeError(f"{_misfit(tool, adapter, versions, made)}: {listed(issues)}.", made, issues)


def _misfit(tool: str, adapter: Adapter, versions: tuple[str, str], made: Any) -> str:
    return f"{_which(tool, adapter, versions)} made {_kind(made)}, which does not fit"


def _which(tool: str, adapter: Adapter, versions: tuple[str, str]) -> str:
    return f"The adapter {adapter.name} of {tool}, for the {adapter.part} from {versions[0]} to {versions[1]},"


def _kind(made: Any) -> str:
    """What was made, without the values in it, which may be secret."""
    if isinstance(made, Mapping):
        return f"an object with the keys {', '.join(map(str, made)) or 'none'}"
    return f"a value of type {type(made).__name__}"
