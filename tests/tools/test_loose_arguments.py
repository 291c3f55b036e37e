"""Arguments as models send them: which the gateway mends, by the annotation, and which are asked for again."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from pydantic import AwareDatetime

from magic_tools.tools.tool import tool


def echo(city: str) -> str:
    """Echo."""
    return f"city {city}"


def todos(todos: list[str]) -> list[str]:
    """Echo."""
    return todos


def texts(body: str, ref: str) -> list[str]:
    """Echo."""
    return [body, ref]


def either(v: str | list[str]) -> str | list[str]:
    """Echo."""
    return v


def wipe(dry_run: bool, n: int = 1) -> list[Any]:
    """Echo."""
    return [dry_run, n]


def plan(at: AwareDatetime, day: dt.date | None = None) -> str:
    """Echo."""
    return at.isoformat()


@pytest.mark.parametrize(
    ("fn", "arguments", "value"),
    [
        (echo, json.dumps('{"city": "Rome"}'), "city Rome"),
        (echo, "{'city': 'Rome',}", "city Rome"),
        (echo, '{"City": "Rome"}', "city Rome"),
        (todos, '{"todos": "[\\"a\\", \\"b\\"]"}', ["a", "b"]),
        (todos, "{\"todos\": \"['a', 'b']\"}", ["a", "b"]),
        (texts, '{"body": "{\\"k\\": 1}", "ref": "42"}', ['{"k": 1}', "42"]),
        (texts, '{"body": "", "ref": 02139}', ["", "02139"]),
        (either, '{"v": "[1]"}', "[1]"),
        (wipe, '{"dry_run": "false", "n": 3.0}', [False, 3]),
        (wipe, '{"dry_run": True, "n": "3"}', [True, 3]),
    ],
)
def test_what_is_mended(fn: Any, arguments: str, value: Any) -> None:
    """What stands beyond doubt for the annotated type is taken for it; a text that fits as text stays one."""
    result = tool(fn).invoke(arguments)
    assert (result.is_error, result.value) == (False, value)


@pytest.mark.parametrize(
    ("fn", "arguments", "words"),
    [
        (wipe, '{"dry_run": 0}', "dry_run: expected true or false, got 0"),
        (wipe, '{"dry_run": "no"}', 'dry_run: expected true or false, got "no"'),
        (wipe, '{"dry_run": "maybe"}', 'dry_run: expected true or false, got "maybe"'),
        (wipe, '{"dry_run": true, "n": true}', "n: expected an integer, got true"),
        (wipe, '{"dry_run": true, "n": 3.5}', "n: expected an integer, got 3.5"),
        (echo, '{"city": "Rome"', "expected a whole JSON value"),
        (echo, '{"city": "Rome", "days: 2}', "expected a whole JSON value"),
        (echo, '{"city": "a" + b}', "a text whose end is not clear"),
        (echo, "[1]", "expected an object, got an array of 1"),
        (echo, "5", "expected an object, got 5"),
        (echo, "x" * 200_000, "there is text around the value"),
        (todos, '{"todos": "a, b"}', "this text may be one item or several"),
        (plan, '{"at": "tomorrow"}', "at: expected an ISO 8601 date and time like"),
        (plan, '{"at": "2026-03-01T17:00:00"}', "at: expected an ISO 8601 date and time like"),
        (plan, '{"at": "2026-03-01T17:00:00Z", "day": 0}', "day: expected an ISO 8601 date like 2026-11-29"),
        (plan, '{"at": "2026-03-01T17:00:00Z", "day": "2026-02-30"}', "day: expected an ISO 8601 date like 2026-11-29"),
    ],
)
def test_what_is_asked_for_again(fn: Any, arguments: str, words: str) -> None:
    """Nothing is guessed: the body does not run, and the model is told in short where and what."""
    result = tool(fn).invoke(arguments)
    assert result.value is None
    assert result.is_error
    assert words in result.content
    assert len(result.content) < 1_200
