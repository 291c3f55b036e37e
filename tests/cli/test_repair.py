"""`magic-tools repair`: the value that it prints, what it tells of the repairs, and how it ends."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TYPES = """
from decimal import Decimal
from pydantic import BaseModel
from magic_tools import tool

class Order(BaseModel):
    product: str
    price: Decimal

@tool
def now() -> str:
    return ""
"""
REPLY = "Sure:\n{product: 'tea', // green\n \"price\": 1.10,}"


def test_the_value_is_printed(command: Command, folder: Path) -> None:
    """The standard output has the value as JSON and nothing else."""
    (folder / "reply.txt").write_text(REPLY, "utf-8")
    done = command("repair", "reply.txt")
    assert (done.code, json.loads(done.out), done.err) == (0, {"product": "tea", "price": 1.1}, "")


def test_the_value_of_a_type(command: Command, folder: Path) -> None:
    """With a target the value is the one of the type, every digit kept."""
    (folder / "types_of_repair.py").write_text(TYPES, "utf-8")
    (folder / "reply.txt").write_text(REPLY, "utf-8")
    done = command("repair", "reply.txt", "--target", "types_of_repair.py:Order")
    assert (done.code, json.loads(done.out)) == (0, {"product": "tea", "price": "1.10"})


def test_what_was_done_is_told_in_80_columns(command: Command, folder: Path) -> None:
    """Each repair has its line and column, what stood there, and words; nothing is wider than the terminal."""
    (folder / "reply.txt").write_text(REPLY, "utf-8")
    done = command("repair", "reply.txt", "--explain")
    lines = done.err.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line[:1].isdigit()] == ["1:1", "2:2", "2:11", "2:18", "3:15"]
    assert "// green" in done.err
    assert "(bare_key)" in done.err


def test_nothing_to_repair(command: Command, folder: Path) -> None:
    """JSON as it stands is told to be such."""
    (folder / "reply.txt").write_text("[1]", "utf-8")
    done = command("repair", "reply.txt", "--explain")
    assert (json.loads(done.out), done.err) == ([1], "magic-tools: nothing had to be repaired\n")


def test_the_standard_input(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file the text comes from the standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1,]"), "utf-8"))
    assert json.loads(command("repair").out) == [1]


def test_what_is_refused(command: Command, folder: Path) -> None:
    """A text that was cut ends the command with 1; what could be read of it is told if it is asked for."""
    (folder / "reply.txt").write_text('{"a": [1, 2], "b": "x', "utf-8")
    done = command("repair", "reply.txt", "--explain")
    assert (done.code, done.out) == (1, "")
    assert 'what could be read: {"a": [1, 2], "b": "x"}' in done.err
    assert "truncated: expected a whole JSON value" in done.err


def test_what_is_no_target(command: Command, folder: Path) -> None:
    """A tool is no type, and a file that is not there is told; both end the command with 2."""
    (folder / "types_of_repair2.py").write_text(TYPES, "utf-8")
    (folder / "reply.txt").write_text("[1]", "utf-8")
    done = command("repair", "reply.txt", "--target", "types_of_repair2.py:now")
    assert (done.code, "is a tool, and repair wants a type" in done.err) == (2, True)
    assert command("repair", "nowhere.txt").code == 2


SECRET = """
from pydantic import BaseModel, SecretStr

class Login(BaseModel):
    user: str
    password: SecretStr

class Rate(BaseModel):
    x: float
"""


def test_no_secret_is_told(command: Command, folder: Path) -> None:
    """Of a type with secrets, what stands at the places of repairs and what could be read is not shown."""
    (folder / "secrets_.py").write_text(SECRET, "utf-8")
    for text in ("{user: ann, password: hunter2}", '{"user": [], "password": "hunter2"'):
        (folder / "reply.txt").write_text(text, "utf-8")
        done = command("repair", "reply.txt", "--explain", "--target", "secrets_.py:Login")
        assert "hunter2" not in done.out + done.err


def test_a_number_that_json_has_not(command: Command, folder: Path) -> None:
    """It is not printed as null, which is another value."""
    (folder / "rates_.py").write_text(SECRET, "utf-8")
    (folder / "reply.txt").write_text('{"x": NaN,}', "utf-8")
    done = command("repair", "reply.txt", "--target", "rates_.py:Rate")
    assert (done.code, done.out) == (1, "")
    assert "cannot be written as JSON" in done.err


def test_half_a_character(command: Command, folder: Path) -> None:
    """A lone surrogate, which no output takes, is printed as JSON writes it."""
    (folder / "reply.txt").write_text('{"a": "\\ud83d",}', "utf-8")
    done = command("repair", "reply.txt")
    assert done.code == 0
    assert json.loads(done.out) == {"a": "\ud83d"}


def test_very_many_repairs(command: Command, folder: Path) -> None:
    """A screen or two of them are listed, the others counted by their kind."""
    (folder / "reply.txt").write_text("[" + "{a: 1}, " * 5_000 + "]", "utf-8")
    done = command("repair", "reply.txt", "--explain")
    assert len(done.err.splitlines()) < 100
    assert "and 4941 more: 4940 bare_key, 1 trailing_comma" in done.err
