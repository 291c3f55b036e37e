"""What a tool promises: its schemas, its text, its declarations, and digests of what counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from magic_tools.contracts.contract_data import Where, data_of, fields_of
from magic_tools.contracts.contract_files import json_text, read, yaml_text
from magic_tools.contracts.execution import Execution
from magic_tools.contracts.normal import schema_digest
from magic_tools.contracts.policy import Policy
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject, canonical_json, digest

__all__ = ["Service", "ToolContract"]

_NO_POLICY = Policy()
_AS_USUAL = Execution()

Service = Literal["served", "deprecated", "refused"]
"""What becomes of a call that was made for a version."""


@dataclass(frozen=True, eq=False)
class ToolContract:
    """A tool's promise; two contracts are equal when all that they say is.

    `name` is what a model calls, the identifier where it is empty. `input_schema` is of the arguments,
    `output_schema` of the result, `error_schema` of the data in its failures; an open result, which may be
    anything, has the schema `{}`. `policy` is what is declared beside them: it says of version, title and error
    schema the same as the contract, and nothing of the linter. `rules` and `result_rules` are the names of the
    author's checks of arguments and results.
    """

    id: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject
    error_schema: JsonObject | None = None
    name: str = ""
    version: str | None = None
    title: str | None = None
    policy: Policy = _NO_POLICY
    execution: Execution = _AS_USUAL
    rules: tuple[str, ...] = ()
    result_rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.id)
        for part in ("id", "version", "title", "error_schema"):
            own, declared = getattr(self, part), getattr(self.policy, part)
            if own is not None and declared is not None and own != declared:
                raise DefinitionError(
                    f"The contract of {self.id} has the {part} {own!r:.80}, and its policy {declared!r:.80}: "
                    "give it once."
                )
            object.__setattr__(self, part, declared if own is None else own)
        policy = replace(
            self.policy,
            id=None,
            version=self.version,
            title=self.title,
            error_schema=self.error_schema,
            lint_ignore={},
        )
        object.__setattr__(self, "policy", policy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolContract):
            return NotImplemented
        return canonical_json(data_of(self)) == canonical_json(data_of(other))

    def __hash__(self) -> int:
        return hash(self.surface_digest)

    @cached_property
    def interface_digest(self) -> str:
        """A digest of what validates; texts, examples, defaults, order and the names of `$defs` do not change it."""
        return digest([self.id, *(schema_digest(side, texts=False) for side in self._sides)])

    @cached_property
    def surface_digest(self) -> str:
        """A digest of all that a model reads; order and the names of `$defs` do not change it."""
        told: list[Any] = [self.id, self.name, self.title, self.told_description]
        return digest([*told, *(schema_digest(side) for side in self._sides)])

    @property
    def _sides(self) -> tuple[JsonObject, ...]:
        declared = () if self.error_schema is None else (self.error_schema,)
        return (self.input_schema, self.output_schema, *declared)

    @property
    def told_description(self) -> str:
        """The description as a model reads it, what is said of the tool's end included."""
        return self.policy.lifecycle.added_to(self.description)

    @property
    def accepts(self) -> tuple[str, ...]:
        """The ranges of versions for which calls may have been made.

        Where none are declared, those of the version's own major, of its own minor before 1.0.0, and of a
        prerelease that alone; none where there is no version.
        """
        if self.policy.accepts or self.version is None:
            return self.policy.accepts
        version = Version.parse(self.version)
        if version.prerelease:
            return (f"{version}",)
        return (f"{version.major}.x",) if version.major else (f"0.{version.minor}.x",)

    def serves(self, version: Version | str | None, at: datetime | None = None) -> Service:
        """What becomes of a call that was made for a version: `deprecated` is served with a warning.

        A contract without a version serves all, and a call that names none is served. `at` is the time of the call,
        by which versions after their sunset are refused; without it no sunset counts.
        """
        if version is None or self.version is None:
            return "served"
        meant = Version.parse(version) if isinstance(version, str) else version
        ends = self.policy.ends_deprecated
        if any(meant in VersionRange.parse(each) for each in self.policy.deprecates):
            return "refused" if at is not None and ends is not None and at >= ends else "deprecated"
        return "served" if any(meant in VersionRange.parse(each) for each in self.accepts) else "refused"

    def to_data(self) -> JsonObject:
        """Plain JSON data of all that the contract says, digests included; the caller may change it."""
        digests = {"interface_digest": self.interface_digest, "surface_digest": self.surface_digest}
        return data_of(self, digests)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ToolContract:
        """The contract that data says; DefinitionError names the key that is unknown, missing or wrong.

        Digests may be left out; one that is not of the data's own schemas and texts is refused.
        """
        return cls._from(data, _path)

    def to_yaml(self) -> str:
        """The contract as a file in YAML, which `from_yaml` reads to an equal one."""
        return yaml_text(self.to_data())

    def to_json(self) -> str:
        """The contract as a file in JSON, which `from_json` reads to an equal one."""
        return json_text(self.to_data())

    @classmethod
    def from_yaml(cls, source: str | Path) -> ToolContract:
        """The contract in a text or file in YAML 1.2 (core schema); DefinitionError names file, line and key."""
        return cls._from(*read(source, "yaml"))

    @classmethod
    def from_json(cls, source: str | Path) -> ToolContract:
        """The contract in a text or file in JSON; DefinitionError names file and key."""
        return cls._from(*read(source, "json"))

    @classmethod
    def from_file(cls, source: str | Path) -> ToolContract:
        """The same of either form: a file's suffix tells which it is, and of a text its first character."""
        return cls._from(*read(source))

    @classmethod
    def _from(cls, data: Any, where: Where) -> ToolContract:
        parts, digests = fields_of(data, where)
        try:
            made = cls(**parts)
            own = {name: getattr(made, name) for name in digests}
        except DefinitionError as error:
            raise DefinitionError(f"{where(())}: {error}") from None
        for name, stated in digests.items():
            if stated != own[name]:
                raise DefinitionError(
                    f"{where((name,))}: {name} is {stated!r:.90}, and what the contract says has {own[name]}: it was "
                    "changed after it was written. Take the change back, or leave the digests out."
                )
        return made


def _path(path: tuple[str | int, ...]) -> str:
    """The words for a place in data."""
    return ".".join(map(str, path)) or "the contract"
