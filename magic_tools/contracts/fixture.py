"""What one consumer keeps of one tool: what it uses, the contract against which that was kept, and whom to tell.

Kept by whoever consumes, and replayed against each candidate: the idea is that of consumer-driven contracts
(docs.pact.io, 2026). A file is JSON of the form that snapshots have, one a consumer and tool:
`fixtures/<consumer>/<tool id>.json`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.declaring import of_kind
from magic_tools.contracts.identifiers import checked_id
from magic_tools.contracts.snapshot import json_text, parse_object
from magic_tools.contracts.used_parts import Steps, known_paths, path_of, read_path, stray_path
from magic_tools.contracts.uses import KINDS, AgentUse, UiUse, Use
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["Fixture", "file_of", "read_fixtures"]

T = TypeVar("T")

_FORMAT = "magic_tools fixture 1"
_KEYS = frozenset({"format", "consumer", "kind", "contract", "uses"})
_MOST_NAMED = 12


@dataclass(frozen=True)
class Fixture:
    """What one consumer uses of one tool, with the contract against which that was kept, and whom to tell.

    DefinitionError where it uses a part of results that the contract does not have.
    """

    consumer: str
    contract: ToolContract
    use: Use
    contact: str | None = None

    def __post_init__(self) -> None:
        checked_id(self.consumer, f"Fixture(consumer={self.consumer!r:.80})")
        of_kind("Fixture", "contract", self.contract, ToolContract, "create_ticket.contract")
        given: object = self.use  # which a caller without a type checker may give as anything
        if not isinstance(given, Use):
            raise DefinitionError(f"Fixture(use={given!r:.80}) is to be such as UiUse(fields=('rows[].qty',)).")
        contact: object = self.contact
        if contact is not None and not (isinstance(contact, str) and contact.strip()):
            raise DefinitionError(f"Fixture(contact={self.contact!r:.80}) is to be a text that is not blank, or None.")
        if (stray := stray_path(self.contract.output_schema, self.used_parts)) is not None:
            named = known_paths(self.contract.output_schema)
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            raise DefinitionError(
                f"{self.consumer} uses {path_of(stray)!r} of the results of {self.tool}, which "
                f"{self.version or 'its contract'} does not have; there are: "
                f"{', '.join(named[:_MOST_NAMED]) or 'none'}{more}."
            )

    @property
    def kind(self) -> str:
        """What kind of consumer it is, as files name it."""
        return self.use.kind

    @property
    def tool(self) -> str:
        """The identifier of the tool."""
        return self.contract.id

    @property
    def version(self) -> str | None:
        """The version of the tool against which it was kept."""
        return self.contract.version

    @property
    def used_parts(self) -> tuple[Steps, ...]:
        """The parts of results that it uses."""
        match self.use:
            case AgentUse(results=paths) | UiUse(fields=paths):
                return tuple(map(read_path, paths))
            case _:
                return ()

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back; what is not used is left out."""
        contact = {} if self.contact is None else {"contact": self.contact}
        contract, uses = self.contract.to_data(), self.use.to_data()
        return {
            "format": _FORMAT,
            "consumer": self.consumer,
            "kind": self.kind,
            **contact,
            "contract": contract,
            "uses": uses,
        }

    @classmethod
    def from_data(cls, data: object, where: str = "the fixture") -> Fixture:
        """The fixture that `to_data` wrote; DefinitionError, beginning with where, if the data is something else."""
        if not isinstance(data, Mapping) or data.get("format") != _FORMAT:
            raise DefinitionError(
                f"{where}: it is no consumer fixture, whose format is {_FORMAT!r}: put it elsewhere, or keep it anew."
            )
        if stray := sorted((_KEYS - data.keys()) | (data.keys() - _KEYS - {"contact"})):
            fault = "is missing: keep the fixture anew" if stray[0] in _KEYS else "is unknown: take it out"
            raise DefinitionError(f"{where}: the key {stray[0]!r:.80} {fault}.")
        kind = data["kind"]
        if not isinstance(kind, str) or kind not in KINDS:
            raise DefinitionError(f"{where}, kind: {kind!r:.80} is none; there are: {', '.join(KINDS)}.")
        made: type[Any] = KINDS[kind]
        use: Use = _read(f"{where}, uses", made.from_data, data["uses"])
        contract = _read(f"{where}, contract", ToolContract.from_data, data["contract"])
        return _read(where, lambda held: cls(held["consumer"], contract, use, held.get("contact")), data)

    @property
    def text(self) -> str:
        """The text of the file: the same for the same fixture."""
        return json_text(self.to_data())

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write the file of this consumer and tool below a directory, in place of an older one; gives its path."""
        file = file_of(Path(directory), self.consumer, self.tool)
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f"{file.name}.{os.getpid()}.new")
        beside.write_bytes(self.text.encode())
        beside.replace(file)
        return file

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Fixture:
        """The fixture in a file; DefinitionError names the file and the place where it is none."""
        file = Path(path)
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DefinitionError(f"{file.as_posix()}: it is not text in UTF-8 ({error.reason}): save it so.") from None
        except OSError as error:
            raise DefinitionError(f"{file.as_posix()}: it cannot be read: {error.strerror}.") from None
        return cls.from_data(parse_object(text, file.as_posix()), file.as_posix())


def file_of(directory: Path, consumer: str, tool: str) -> Path:
    """The file of what a consumer keeps of a tool."""
    return directory / consumer / f"{tool}.json"


def read_fixtures(directory: str | os.PathLike[str]) -> dict[Path, Fixture]:
    """The fixtures below a directory by their files, in order; DefinitionError where one is none, or lies elsewhere."""
    root = Path(directory)
    if not root.is_dir():
        raise DefinitionError(
            f"There is no folder {root.as_posix()} of consumer fixtures: keep some with keep_fixture, or name another."
        )
    found: dict[Path, Fixture] = {}
    for file in sorted(each for each in root.rglob("*.json") if each.is_file()):
        held = Fixture.load(file)
        own = file_of(root, held.consumer, held.tool)
        if file != own:
            raise DefinitionError(
                f"{file.as_posix()}: it is what {held.consumer} keeps of {held.tool}: move it to {own.as_posix()}."
            )
        found[file] = held
    return found


def _read(where: str, read: Callable[[Any], T], data: Any) -> T:
    """What is read of data; DefinitionError begins with where."""
    try:
        return read(data)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None
