"""Keywords in words: what a text says already is not said again."""

from __future__ import annotations

import pytest

from magic_tools.schema.dialects.phrases import says_nothing


@pytest.mark.parametrize(
    ("encoding", "description", "is_said"),
    [
        ("base64", "Bytes as base64 like aGVsbG8=.", True),
        ("base64", "A file, base64", True),
        ("base64", "A file like aGVsbG8=.", False),
        ("base64", "Bytes as base64url like aGVsbG8=.", False),
        ("base64url", "Bytes as base64url like aGVsbG8=.", True),
        ("base16", "", False),
    ],
)
def test_an_encoding_that_the_text_names(encoding: str, description: str, is_said: bool) -> None:
    """The encoding needs no words of its own where the description has its name, and not that of another."""
    schema = {"type": "string", "contentEncoding": encoding, "description": description}
    assert says_nothing("contentEncoding", schema, "/properties/a") is is_said
