"""Which tools a task may rely on: the identifiers, versions and digests that it is pinned to, kept as a lock file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.guards import Guards
from magic_tools.contracts.identifiers import checked_id
from magic_tools.contracts.lifecycle import Instant, Lifecycle, instant_of
from magic_tools.contracts.pin_data import DIGEST, PIN_FIELDS, dialects_in, object_in, schema_in, text_in
from magic_tools.contracts.versions import Version
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.loose.foreign import foreign_reader
from magic_tools.schema.dialects.versions import RULE_VERSIONS
from magic_tools.values import JsonObject

__all__ = ["FORMAT", "Drifted", "Manifest", "Pin", "Pinnable", "surface_of"]

FORMAT = "magic_tools manifest 1"

_KEYS = frozenset({"format", "created", "dialects", "pins"})
_NO_GUARDS = Guards()


class Pinnable(Protocol):
    """A tool, as far as a manifest needs it."""

    @property
    def name(self) -> str:
        """What a model calls."""

    @property
    def contract(self) -> ToolContract:
        """What it promises."""


@dataclass(frozen=True)
class Pin:
    """One tool as a task knows it: who it is, digests of what it promised then, and what it was guarded by.

    `surface` is the digest of all that a model reads but for what is said of the tool's end, which may be announced to
    a task that is under way. Without `input_schema`, as in a saved state, there are digests and guards alone.
    """

    id: str
    name: str
    version: str | None
    interface: str
    surface: str
    description: str = ""
    input_schema: JsonObject | None = field(default=None, hash=False)
    output_schema: JsonObject | None = field(default=None, hash=False)
    guards: Guards = _NO_GUARDS

    @classmethod
    def of(cls, tool: Pinnable) -> Pin:
        """The pin of a tool as it is now."""
        contract = tool.contract
        return replace(
            _digests_of(tool.name, contract),
            description=contract.description,
            input_schema=json.loads(json.dumps(contract.input_schema)),
            output_schema=json.loads(json.dumps(contract.output_schema)),
        )

    @classmethod
    def bare(cls, tool: Pinnable) -> Pin:
        """The pin of a tool as it is now, of digests alone."""
        return _digests_of(tool.name, tool.contract)

    def agrees(self, other: Pin) -> bool:
        """Whether both promise the same and read the same."""
        return (self.id, self.interface, self.surface) == (other.id, other.interface, other.surface)

    @property
    def words(self) -> str:
        """Version and digests, as a person is told of them."""
        version = "without a version" if self.version is None else f"version {self.version}"
        return f"{version}, interface {self.interface}, surface {self.surface}"

    @cached_property
    def reader(self) -> Schema[Any]:
        """What reads arguments by the input schema of the pin; DefinitionError where that cannot be used."""
        where = f"the pinned input schema of {self.id}"
        return Schema(foreign_reader(self.input_schema, where=where), name=f"{self.name}()", closed=True)

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back."""
        return {name: getattr(self, name) for name in PIN_FIELDS} | {"guards": self.guards.to_data()}

    @classmethod
    def from_data(cls, data: object, where: str) -> Pin:
        """The pin that `to_data` wrote; DefinitionError, beginning with where, if the data is something else."""
        held = object_in(data, frozenset(PIN_FIELDS), where)
        version = held["version"]
        if version is not None:
            Version.parse(text_in(held, "version", where))
        return cls(
            id=checked_id(text_in(held, "id", where), f"{where}, id"),
            name=text_in(held, "name", where),
            version=version,
            interface=text_in(held, "interface", where, DIGEST),
            surface=text_in(held, "surface", where, DIGEST),
            guards=Guards.from_data(held["guards"], f"{where}, guards"),
            description=text_in(held, "description", where),
            input_schema=schema_in(held, "input_schema", where),
            output_schema=schema_in(held, "output_schema", where),
        )


@dataclass(frozen=True, slots=True)
class Drifted:
    """One thing that is not as a manifest has it; as text, a sentence.

    A tool that has `changed`, was `added`, or is `missing`, by its identifier; or the rules of a `dialect`, by its
    name. `was` and `now` are version and digests, or versions of rules, None where there is none. `guards` names those
    that were lost or gained, empty where none was.
    """

    kind: Literal["changed", "added", "missing", "dialect"]
    id: str
    was: str | None
    now: str | None
    guards: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "changed":
                guards = f" (guards {self.guards})" if self.guards else ""
                if self.was == self.now and guards:
                    return f"{self.id} has changed: it promises the same, {self.was}, under other guards{guards}"
                return f"{self.id} has changed. It was: {self.was}. It is now: {self.now}{guards}"
            case "added":
                return f"{self.id} is not in the manifest: {self.now}"
            case "missing":
                return f"{self.id} is in the manifest and not among the tools: {self.was}"
            case "dialect":
                return (
                    f"the rules of the dialect {self.id} have changed: {self.was or 'none'}, now {self.now or 'none'}"
                )


@dataclass(frozen=True)
class Manifest:
    """The tools that a task is pinned to, since `created`, and the versions of the dialects' rules at that time."""

    pins: tuple[Pin, ...]
    dialects: Mapping[str, str] = field(hash=False)
    created: datetime
    format: str = FORMAT

    def __post_init__(self) -> None:
        pins = tuple(sorted(self.pins, key=lambda pin: pin.id))
        for one, other in pairwise(pins):
            if one.id == other.id:
                raise DefinitionError(f"Two tools of one manifest have the id {one.id!r}: pin one of them.")
        object.__setattr__(self, "pins", pins)
        object.__setattr__(self, "dialects", dict(sorted(self.dialects.items())))
        object.__setattr__(self, "created", instant_of(self.created, f"Manifest(created={self.created!r:.80})"))

    @classmethod
    def of(cls, tools: Iterable[Pinnable], at: Instant | None = None) -> Manifest:
        """The manifest of a toolset, or of tools, as they are now; `at` is when that is, the present without it."""
        pins = tuple(Pin.of(_checked(each)) for each in _pinnable(tools))
        created = datetime.now(UTC) if at is None else instant_of(at, f"Manifest.of(at={at!r:.80})")
        return cls(pins, RULE_VERSIONS, created)

    def compare(self, tools: Iterable[Pinnable]) -> list[Drifted]:
        """What of a toolset, or of tools, is not as pinned, by identifier; an empty list where all is."""
        present = {pin.id: pin for pin in (Pin.bare(_checked(each)) for each in _pinnable(tools))}
        pinned = {pin.id: pin for pin in self.pins}
        drifted: list[Drifted] = []
        for each in sorted({*present, *pinned}):
            was, now = pinned.get(each), present.get(each)
            guards = "" if was is None or now is None else now.guards.words_since(was.guards)
            if was is None or now is None or not was.agrees(now) or guards:
                kind: Literal["changed", "added", "missing"] = (
                    "added" if was is None else "missing" if now is None else "changed"
                )
                drifted.append(Drifted(kind, each, _words_of(was), _words_of(now), guards))
        for dialect in sorted({*self.dialects, *RULE_VERSIONS}):
            rules = self.dialects.get(dialect), RULE_VERSIONS.get(dialect)
            if rules[0] != rules[1]:
                drifted.append(Drifted("dialect", dialect, *rules))
        return drifted

    def to_data(self) -> JsonObject:
        """Plain JSON data that `from_data` reads back."""
        return {
            "format": self.format,
            "created": self.created.isoformat().replace("+00:00", "Z"),
            "dialects": dict(self.dialects),
            "pins": [pin.to_data() for pin in self.pins],
        }

    @classmethod
    def from_data(cls, data: object, where: str = "the manifest") -> Manifest:
        """The manifest that `to_data` wrote; DefinitionError, beginning with where, if the data is something else."""
        if isinstance(data, Mapping) and data.get("format") != FORMAT:
            raise DefinitionError(f"{where} has the format {data.get('format')!r:.80}, and {FORMAT!r} can be read.")
        held = object_in(data, _KEYS, where)
        pins = held["pins"]
        if not isinstance(pins, list):
            raise DefinitionError(f"{where}, pins: expected an array, got {pins!r:.80}.")
        created = instant_of(text_in(held, "created", where), f"{where}, created")
        read = tuple(Pin.from_data(pin, f"{where}, pins[{place}]") for place, pin in enumerate(pins))
        return cls(read, dialects_in(held, where), created)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lock file: the same bytes for the same manifest, in the order of identifiers; all of it or none."""
        file = Path(path)
        text = json.dumps(self.to_data(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        beside = file.with_name(f"{file.name}.{os.getpid()}.new")
        beside.write_bytes(text.encode("utf-8", "surrogatepass"))
        beside.replace(file)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Manifest:
        """The manifest of a lock file; DefinitionError names the file and the place where it is none."""
        file = Path(path)
        try:
            data = json.loads(file.read_bytes())
        except (ValueError, RecursionError) as error:
            raise DefinitionError(f"{file} is no manifest: {error}.") from None
        return cls.from_data(data, str(file))


def surface_of(contract: ToolContract) -> str:
    """The digest of all that a model reads of a tool, but for what is said of its end."""
    if not contract.policy.lifecycle.is_declared:
        return contract.surface_digest
    return replace(contract, policy=replace(contract.policy, lifecycle=Lifecycle())).surface_digest


def _digests_of(name: str, contract: ToolContract) -> Pin:
    guards = Guards.of(contract.policy)
    return Pin(contract.id, name, contract.version, contract.interface_digest, surface_of(contract), guards=guards)


def _words_of(pin: Pin | None) -> str | None:
    return None if pin is None else pin.words


def _pinnable(tools: Any) -> Iterable[Pinnable]:
    """The tools of a set that a task can be pinned to, or the tools that were given."""
    pinnable: Iterable[Pinnable] = getattr(tools, "pinnable", tools)
    return pinnable


def _checked(tool: Any) -> Pinnable:
    if not isinstance(getattr(tool, "contract", None), ToolContract):
        raise DefinitionError(
            f"A manifest pins tools, such as those of a Toolset, got {tool!r:.80}: write @tool above."
        )
    checked: Pinnable = tool
    return checked
