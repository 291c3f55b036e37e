"""Identifiers of tools, which outlive their names and are names of files."""

from __future__ import annotations

import re

from magic_tools.contracts.versions import Version
from magic_tools.errors import DefinitionError

__all__ = ["checked_id", "checked_reference"]

_ID = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_LONGEST = 128
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})


def checked_id(text: str, where: str) -> str:
    """The identifier, if it is well formed; DefinitionError, which begins with `where`, says how it is not."""
    given: object = text  # which a caller without a type checker may give as anything
    if not isinstance(given, str) or not _ID.fullmatch(given):
        raise DefinitionError(
            f"{where} is no identifier: write letters, digits, _ and -, in parts with a dot between, as in "
            "'crm.customer.lookup'."
        )
    if len(text) > _LONGEST:
        raise DefinitionError(f"{where} has {len(text)} characters, and an identifier has at most {_LONGEST}.")
    if text.partition(".")[0].lower() in _DEVICES:
        raise DefinitionError(
            f"{where} begins with the name of a device of Windows ({text.partition('.')[0]}), where no file can be "
            "called so: take another first part."
        )
    return text


def checked_reference(text: str, where: str) -> str:
    """An identifier, or one with a version such as `crm.customer.find@3.0.0`; DefinitionError says how it is none."""
    name, at, version = text.partition("@")
    checked_id(name, where)
    if at:
        try:
            Version.parse(version)
        except DefinitionError as error:
            raise DefinitionError(f"{where}: {error}") from None
    return text
