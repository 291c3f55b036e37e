"""JSON in a text put into another form, and nothing else of the text changed."""

from __future__ import annotations

import json

import pytest

from magic_tools.loose.reshape import Written, reshaped


def wrapped(found: Written) -> str:
    """What stands for a form: JSON in angle brackets, where it is JSON at all."""
    try:
        json.loads(found.json)
    except ValueError:
        return found.source
    return f"<{found.source}>"


@pytest.mark.parametrize(
    ("text", "prose", "form"),
    [
        ('{"a": 1}', False, '<{"a": 1}>'),
        (' {"a": 1}\n', False, '< {"a": 1}\n>'),
        ('{"a": 1,}', False, '<{"a": 1,}>'),
        (' {"a": [1,],} ', False, ' <{"a": [1,],}> '),
        ('```json\n{"a": 1,}\n```', False, '```json\n<{"a": 1,}>\n```'),
        ('<think>{"b": 2}</think>```{"a": 1}```', False, '<think>{"b": 2}</think>```<{"a": 1}>```'),
        ('See {"a": 1} and [2,].', True, 'See <{"a": 1}> and [2,].'),
        ("See {'a': [2,]}", True, "See <{'a': [2,]}>"),
        ('See {"a": 1}', False, 'See {"a": 1}'),
        ('See ```json\n1\n``` or {"a": 1}', True, 'See ```json\n<1>\n``` or {"a": 1}'),
        ('{"a": ', True, '{"a": '),
        ("no JSON", True, "no JSON"),
        ("", True, ""),
    ],
)
def test_reshaped(text: str, prose: bool, form: str) -> None:
    """What the ladder would take as JSON changes, with its commas left to be mended; the rest stays."""
    assert reshaped(text, wrapped, prose=prose) == form
