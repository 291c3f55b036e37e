"""Identifiers that belonged to a tool which is gone, kept so that no other tool takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.snapshot import json_text, parse_object
from magic_tools.errors import DefinitionError

__all__ = [
    "RETIRED",
    "Reservation",
    "parse_reservations",
    "read_reservations",
    "reservation_for",
    "reservation_text",
    "reserve",
]

RETIRED = "retired.json"
"""The name of the file of reservations, beside the snapshots."""

_FORMAT = "magic_tools retired ids 1"


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is kept of a tool that is gone: its last version and digests, and since when (an ISO date)."""

    id: str
    since: str
    interface_digest: str
    surface_digest: str
    version: str | None = None

    @property
    def words(self) -> str:
        """Who had the id, and until when."""
        last = "" if self.version is None else f", last in version {self.version}"
        return f"the id {self.id!r} is reserved: it was a tool's that is retired since {self.since}{last}"


def reserve(contract: ToolContract, since: str) -> Reservation:
    """The reservation that a tool leaves."""
    return Reservation(contract.id, since, contract.interface_digest, contract.surface_digest, contract.version)


def reservation_for(id_: str, reserved: Mapping[str, Reservation]) -> Reservation | None:
    """The reservation that keeps an id, whether it is in small letters or in large ones, as file systems have names."""
    alike = (each for own, each in reserved.items() if own.casefold() == id_.casefold())
    return reserved.get(id_) or next(alike, None)


def read_reservations(directory: Path) -> dict[str, Reservation]:
    """The reservations of a directory by id; none where there is no such file, DefinitionError where it is broken."""
    file = directory / RETIRED
    if not file.exists():
        return {}
    return parse_reservations(file.read_text(encoding="utf-8", errors="replace"), str(file))


def parse_reservations(text: str, place: str) -> dict[str, Reservation]:
    """The reservations that a file's text holds, by id."""
    match parse_object(text, place):
        case {"format": format_, "retired": {} as retired} if format_ == _FORMAT:
            return {id_: _reservation(id_, held, place) for id_, held in retired.items()}
    raise DefinitionError(
        f"{place}: it is to hold the reserved ids, and its format is not {_FORMAT!r}: restore it from version control."
    )


def reservation_text(reserved: Mapping[str, Reservation]) -> str:
    """The text of the file."""
    retired = {id_: _data(reservation) for id_, reservation in reserved.items()}
    return json_text({"format": _FORMAT, "retired": retired})


def _data(reservation: Reservation) -> dict[str, Any]:
    return {word: held for word, held in asdict(reservation).items() if word != "id" and held is not None}


def _reservation(id_: str, held: Any, place: str) -> Reservation:
    wanted = {"since", "interface_digest", "surface_digest"}
    if not isinstance(held, dict) or not wanted <= held.keys() <= wanted | {"version"}:
        raise DefinitionError(f"{place}: {id_}: it is to hold since, version and both digests: restore it.")
    return Reservation(id_, **held)
