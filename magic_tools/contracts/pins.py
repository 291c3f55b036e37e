"""What one run is pinned to: the tools with which it began, or those of its manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from magic_tools.contracts.guards import Guards
from magic_tools.contracts.manifest import Pin
from magic_tools.contracts.versions import Version
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["Pins"]

T = TypeVar("T")


class Pins:
    """The pins of a run, and since when it has them; those of tools are made when they are first asked for.

    Two tools may have one identifier, in different phases. What is written of them is digests and guards.
    """

    def __init__(self, pins: Iterable[Pin] | Callable[[], Iterable[Pin]], since: datetime) -> None:
        self._made = pins
        self.since = since

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """All of them, in order."""
        return tuple(self._made() if callable(self._made) else self._made)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pins) and self.to_data() == other.to_data()

    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __reduce__(self) -> tuple[Any, ...]:
        return Pins, (self.pins, self.since)

    def __deepcopy__(self, _: Any) -> Pins:
        return self

    def of_id(self, wanted: str) -> tuple[Pin, ...]:
        """Those of an identifier; none where the run does not know it."""
        return self._by_id.get(wanted, ())

    def whole(self, others: Iterable[Pin]) -> Pins:
        """The same, with the texts and schemas of others in the place of digests that agree with them."""
        known = {(pin.id, pin.interface, pin.surface): pin for pin in others}
        held = (known.get((pin.id, pin.interface, pin.surface), pin) for pin in self.pins)
        return Pins(
            [
                replace(pin, name=own.name, guards=own.guards.with_those_of(pin.guards))
                for pin, own in zip(held, self.pins, strict=True)
            ],
            self.since,
        )

    @cached_property
    def _by_id(self) -> Mapping[str, tuple[Pin, ...]]:
        found: dict[str, tuple[Pin, ...]] = {}
        for pin in self.pins:
            found[pin.id] = (*found.get(pin.id, ()), pin)
        return found

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back, without texts and schemas."""
        return {"since": self.since.isoformat(), "tools": [_row_of(pin) for pin in self.pins]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Pins:
        """The pins that `to_data` wrote; ValueError if the data is something else."""
        since = datetime.fromisoformat(data["since"])
        if since.utcoffset() is None:
            raise ValueError(f"the time {data['since']!r:.40}, since when a run is pinned, has no zone")
        return cls([_pin_of(row) for row in data["tools"]], since)


def _row_of(pin: Pin) -> list[Any]:
    """A pin in short; guards are its last part where there are any."""
    guards = pin.guards.to_data()
    return [pin.id, pin.name, pin.version, pin.interface, pin.surface, *([guards] if guards else [])]


def _pin_of(row: list[Any]) -> Pin:
    match row:
        case [str(wanted), str(name), str() | None as version, str(interface), str(surface), *more] if len(more) <= 1:
            if version is not None:
                _checked(Version.parse, version)
            guards = _checked(Guards.from_data, more[0] if more else {}, f"the guards of {wanted}")
            return Pin(wanted, name, version, interface, surface, guards=guards)
        case _:
            raise ValueError(f"not what a run is pinned to: {row!r:.200}")


def _checked(read: Callable[..., T], *given: Any) -> T:
    try:
        return read(*given)
    except DefinitionError as error:
        raise ValueError(str(error)) from None
