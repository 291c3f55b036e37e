"""Identifiers: what can stand in a file's name on any machine, and for one thing alone."""

from __future__ import annotations

from typing import Any

import pytest

from magic_tools.contracts.identifiers import checked_id, checked_reference
from magic_tools.errors import DefinitionError


@pytest.mark.parametrize(
    "text", ["a", "crm.customer.lookup", "A-b_9", "0", "-", "a.con", "console", "com10", "a" * 128, "lookup_v2"]
)
def test_what_is_an_identifier(text: str) -> None:
    """Parts of letters, digits, _ and -, with dots between, come back as they are."""
    assert checked_id(text, "x") == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x is no identifier: write letters"),
        (".", "is no identifier"),
        ("..", "is no identifier"),
        ("a..b", "is no identifier"),
        (".a", "is no identifier"),
        ("a.", "is no identifier"),
        ("a/b", "is no identifier"),
        ("../a", "is no identifier"),
        ("a\\b", "is no identifier"),
        ("a b", "is no identifier"),
        ("a\n", "is no identifier"),
        ("a\0", "is no identifier"),
        ("é", "is no identifier"),
        ("客户", "is no identifier"),
        ("a@1.0.0", "is no identifier"),
        ("a:b", "is no identifier"),
        (7, "is no identifier"),
        ("a" * 129, "x has 129 characters, and an identifier has at most 128"),
        ("con", r"begins with the name of a device of Windows \(con\)"),
        ("NUL.a", "the name of a device"),
        ("Com1", "the name of a device"),
        ("lpt9.x", "the name of a device"),
    ],
)
def test_what_is_none(text: Any, words: str) -> None:
    """The error begins with where it was given, and says what is wrong."""
    with pytest.raises(DefinitionError, match=words):
        checked_id(text, "x")


def test_a_reference_may_name_a_version() -> None:
    """Behind @ stands a whole version, and nothing else."""
    assert checked_reference("a.b", "x") == "a.b"
    assert checked_reference("a.b@1.0.0-rc.1", "x") == "a.b@1.0.0-rc.1"
    with pytest.raises(DefinitionError, match=r"x: '1\.x' is no version"):
        checked_reference("a.b@1.x", "x")
    with pytest.raises(DefinitionError, match="x: '' is no version"):
        checked_reference("a.b@", "x")
