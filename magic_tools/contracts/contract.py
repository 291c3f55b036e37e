"""What a tool promises: its schemas, its text, and digests of both."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

from magic_tools.contracts.digests import interface_form, schema_digest
from magic_tools.values import JsonObject, digest

__all__ = ["ToolContract"]


@dataclass(frozen=True)
class ToolContract:
    """A tool's promise; two contracts are equal when all that they say is.

    `input_schema` is of the arguments, `output_schema` of the result, `error_schema` of the data in its
    failures; an open result, which may be anything, has the schema `{}`.
    """

    id: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject
    error_schema: JsonObject | None = None

    def __hash__(self) -> int:
        return hash(self.surface_digest)

    @cached_property
    def interface_digest(self) -> str:
        """A digest of what validates; texts, examples, defaults, order and the names of `$defs` do not change it."""
        return digest([self.id, *(schema_digest(interface_form(side)) for side in self._sides)])

    @cached_property
    def surface_digest(self) -> str:
        """A digest of all that a model reads; order and the names of `$defs` do not change it."""
        return digest([self.id, self.description, *(schema_digest(side) for side in self._sides)])

    @property
    def _sides(self) -> tuple[JsonObject, ...]:
        declared = () if self.error_schema is None else (self.error_schema,)
        return (self.input_schema, self.output_schema, *declared)

    def to_data(self) -> JsonObject:
        """Plain JSON data of all that the contract says, digests included; the caller may change it."""
        return {
            "id": self.id,
            "description": self.description,
            "interface_digest": self.interface_digest,
            "surface_digest": self.surface_digest,
            "input_schema": copy.deepcopy(self.input_schema),
            "output_schema": copy.deepcopy(self.output_schema),
            **({} if self.error_schema is None else {"error_schema": copy.deepcopy(self.error_schema)}),
        }
