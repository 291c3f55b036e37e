"""A schema in a provider's or a decoder's form, and what had to change for it."""

from __future__ import annotations

from dataclasses import dataclass

from magic_tools.values import JsonObject

__all__ = ["DialectChange", "Rendered"]


@dataclass(frozen=True, slots=True)
class DialectChange:
    """One thing that a dialect cannot say as the canonical schema says it.

    `path` is a JSON Pointer into the canonical schema, `keyword` what was there, `what` what became of it.
    """

    path: str
    keyword: str
    what: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A schema in a dialect: `strict` where the provider can hold a model to it, and every change."""

    schema: JsonObject
    strict: bool
    changes: tuple[DialectChange, ...]
