"""A snapshot: what a tool promises and what models are sent of it, as one file that people review.

The file is JSON of one form: the members of every object stand in one order, `format`, `contract`, `id`, `name`,
`title`, `version`, `type` and `description` first and the others by name; two blanks of indentation; every character
as it is, but for lone surrogates, which UTF-8 cannot hold. Neither the order in which a function names its parameters
nor that in which modules are imported changes it. A file that somebody has laid out otherwise is still the same
snapshot.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from magic_tools.contracts.contract import ToolContract
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = [
    "Snapshot",
    "SnapshotKind",
    "is_of_others",
    "is_snapshot",
    "json_text",
    "parse_object",
    "read_snapshot",
]

SnapshotKind = Literal["snapshot", "old", "contract"]
"""A snapshot of now, one of the first format, or a contract by itself."""

_FORMAT = "magic_tools snapshot 2"
_OLD_FORMAT = "magic_tools snapshot 1"
_ANY_FORMAT = "magic_tools snapshot "

_FIRST = {
    word: place
    for place, word in enumerate(
        ("format", "contract", "id", "name", "title", "version", "type", "description"), start=-100
    )
}
_ITS_FORMAT = re.compile(rf'"format"\s*:\s*"{_ANY_FORMAT}')
_FOREMOST = 400
_MARK = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MERGED = re.compile(r"^(<{7}|={7}|>{7})", re.MULTILINE)


@dataclass(frozen=True)
class Snapshot:
    """A contract, and by dialect what a provider is sent of the tool, or why it cannot be sent there."""

    contract: ToolContract
    definitions: JsonObject
    kind: SnapshotKind = "snapshot"

    def to_data(self) -> JsonObject:
        """Plain JSON data, digests included."""
        return {"format": _FORMAT, "contract": self.contract.to_data(), "definitions": self.definitions}

    @property
    def text(self) -> str:
        """The text of the file: the same for the same contract and definitions, wherever it is made."""
        return json_text(self.to_data())

    def is_text(self, text: str) -> bool:
        """Whether a file's text holds this very snapshot, however it is laid out."""
        try:
            return _packed(parse_object(text, "")) == _packed(self.to_data())
        except DefinitionError:
            return False


def json_text(data: JsonObject) -> str:
    """The one text of JSON data, made to be read and compared line by line."""
    text = json.dumps(_in_order(data), ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def is_snapshot(text: str) -> bool:
    """Whether a text says of itself that it is a snapshot, of whatever format, be it whole or not."""
    return _ITS_FORMAT.search(text[:_FOREMOST]) is not None


def is_of_others(text: str) -> bool:
    """Whether a text is JSON that is plainly something else than a snapshot: whole, and with none of its members."""
    try:
        data: Any = json.loads(text.removeprefix(_MARK))
    except (ValueError, RecursionError):
        return False
    is_ours = isinstance(data, dict) and str(data.get("format")).startswith(_ANY_FORMAT)
    return isinstance(data, dict) and bool(data) and not is_ours and not {"contract", "definitions"} & data.keys()


def read_snapshot(text: str, place: str) -> Snapshot:
    """The snapshot, or the contract, that a file holds; DefinitionError says what is wrong with it, and what to do.

    A contract by itself has no definitions.
    """
    data = parse_object(text, place)
    match data:
        case {"format": format_, "contract": {} as contract, "definitions": {} as definitions} if format_ == _FORMAT:
            return Snapshot(_contract(contract, place), definitions)
        case {"format": format_, "id": str()} if format_ == _OLD_FORMAT:
            definitions = data.get("definitions")
            return Snapshot(_old_contract(data, place), definitions if isinstance(definitions, dict) else {}, "old")
        case {"format": str() as format_} if format_.startswith(_ANY_FORMAT) and format_ != _FORMAT:
            raise DefinitionError(
                f"{place}: its format is {format_!r}, which this magic_tools does not know: use the one that wrote it."
            )
        case {"id": str()}:
            return Snapshot(_contract(data, place), {}, "contract")
        case _:
            raise DefinitionError(f"{place}: it is no snapshot and no contract: it lacks what these are made of.")


def parse_object(text: str, place: str) -> JsonObject:
    """The JSON object that a text is; DefinitionError says where it is none, and names a merge that was not ended."""
    try:
        data: Any = json.loads(text.removeprefix(_MARK), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise DefinitionError(f"{place}: it is nested too deeply to be read.") from None
    except ValueError as error:
        why = "a merge was not ended in it (it has lines of <<<<<<<)" if _MERGED.search(text) else str(error)
        raise DefinitionError(f"{place}: it cannot be read as JSON: {why}.") from None
    if not isinstance(data, dict):
        raise DefinitionError(f"{place}: it is JSON, and no object.")
    return data


def _once(pairs: list[tuple[str, Any]]) -> JsonObject:
    held = dict(pairs)
    if len(held) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} stands twice in one object")
    return held


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is a number that JSON cannot hold")


def _contract(data: JsonObject, place: str) -> ToolContract:
    try:
        return ToolContract.from_data(data)
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from error


def _old_contract(data: JsonObject, place: str) -> ToolContract:
    """What the first format holds: schemas and text; its digests were of another normal form."""
    known = ("id", "description", "input_schema", "output_schema", "error_schema")
    return _contract({word: data[word] for word in known if word in data}, place)


def _packed(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: (_FIRST.get(name, 0), name))
        return {name: _in_order(value[name]) for name in names}
    return [_in_order(item) for item in value] if isinstance(value, list) else value
