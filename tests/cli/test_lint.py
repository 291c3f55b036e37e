"""`magic-tools lint`: what it prints in 80 columns and as JSON, how it ends, and where it is told what to look for."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from magic_tools.models.weights import checked, embedded_weights, loaded_weights
from tests.cli.conftest import Command

TOOLS = '''
from typing import Annotated, Any
from pydantic import Field
from magic_tools import tool
from magic_tools.contracts.policy import Policy

print("printed by the module")

@tool
def find_orders(customer: str, since: str, limit: int = 10) -> list[str]:
    """订单：the orders of a customer."""
    return []

@tool
def anything(data: dict[str, Any]):
    return data

@tool
def now() -> str:
    """The time now, as in 2026-11-29T12:30:00Z."""
    return ""
'''
ALL_WELL = '''
from magic_tools import tool

@tool
def now() -> str:
    """The time now, as in 2026-11-29T12:30:00Z."""
    return ""
'''
WARNED = '''
from typing import Annotated
from pydantic import Field
from magic_tools import tool

@tool
def find(limit: Annotated[int, Field(ge=1)]) -> str:
    """What is there."""
    return ""
'''
ADVISED = '''
from typing import Annotated
from magic_tools import tool

@tool
def find(word: Annotated[str, "What to look for."]) -> str:
    """What is there."""
    return ""
'''


@pytest.fixture
def folder(folder: Path) -> Path:
    """A folder with tools, where the command is called."""
    for name, text in (("tools", TOOLS), ("well", ALL_WELL), ("warned", WARNED), ("advised", ADVISED)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def command(command: Command) -> Command:
    """The command that lints, called in this process."""
    return partial(command, "lint")


def test_the_table(command: Command) -> None:
    """By tool its cost and its findings, the gravest first, those of a kind together, in lines that fit."""
    done = command("tools.py")
    assert (done.code, done.err) == (1, "printed by the module\n")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line != line.rstrip() for line in lines)
    assert lines[0].startswith("find_orders  about ")
    assert lines[1:10] == [
        "  warning  date-as-text",
        "           since: is a text named like a date, and neither its type nor its text",
        "           shows how it is written",
        "           Make it a date or a datetime, or show an example in its text.",
        "  warning  missing-bounds",
        "           limit: is a number without a least or a greatest value",
        "           Give it bounds: Annotated[int, Field(ge=1, le=100)].",
        "  warning  missing-text",
        "           customer, since, limit: has no text that says what it means",
    ]
    assert "  error    missing-return" in lines
    at = next(index for index, line in enumerate(lines) if line.startswith("now  about "))
    assert lines[at + 1] == "  no findings"
    assert lines[-1].startswith("tools: 3, about ")
    assert lines[-1].endswith(" tokens; error: 3, warning: 6, advice: 2")


def test_what_is_true_of_all_together(command: Command, folder: Path) -> None:
    """What is of no tool in particular comes last."""
    (folder / "pyproject.toml").write_text("[tool.magic-tools.lint]\ntotal_tokens = 1\n")
    lines = command("well.py").out.splitlines()
    assert lines[lines.index("all tools together") + 1] == "  warning  total-tokens"


def test_json(command: Command) -> None:
    """The costs and the findings as data, in their own characters, and the same each time."""
    done = command("tools.py", "--format", "json")
    assert done.code == 1
    data = json.loads(done.out)
    assert list(data) == ["tools", "tokens", "findings"]
    assert [each["name"] for each in data["tools"]] == ["find_orders", "anything", "now"]
    assert data["tokens"] == sum(each["tokens"] for each in data["tools"])
    assert not any(each["exact"] for each in data["tools"])
    assert data["findings"][0] == {
        "rule": "missing-text",
        "severity": "warning",
        "tool": "find_orders",
        "path": "customer",
        "message": "has no text that says what it means",
        "advice": 'Say in a sentence what it means: Annotated[T, "..."], or an entry under Args in the docstring.',
    }
    assert command("tools.py", "--format", "json").out == done.out


@pytest.mark.parametrize(
    ("file", "fail_on", "code"),
    [
        ("well.py", "advice", 0), ("advised.py", "advice", 1), ("advised.py", "warning", 0),
        ("warned.py", "warning", 1), ("warned.py", "advice", 1), ("warned.py", "error", 0),
        ("warned.py", None, 0), ("tools.py", "error", 1),
        ("tools.py", None, 1), ("well.py", None, 0),
    ],
)  # fmt: skip
def test_how_it_ends(command: Command, file: str, fail_on: str | None, code: int) -> None:
    """With 1 if something is as grave as the severity that was asked for, errors by default; else with 0."""
    assert command(file, *(["--fail-on", fail_on] if fail_on else [])).code == code


def test_the_config(command: Command, folder: Path) -> None:
    """pyproject.toml of the folder is read by itself, another file where it is named; an option is above it."""
    (folder / "pyproject.toml").write_text('[tool.magic-tools.lint]\nignore = {missing-text = "it is plain"}\n')
    (folder / "strict.toml").write_text('[tool.magic-tools.lint]\nprofile = "production"\n')
    assert "no findings" in command("warned.py").out
    assert "missing-text" in command("warned.py", "--config", "strict.toml").out
    assert "undeclared-owner" in command("warned.py", "--config", "strict.toml").out
    assert "undeclared-owner" not in command("warned.py", "--config", "strict.toml", "--profile", "default").out
    assert command("well.py", "--profile", "production").code == 1


def test_the_config_of_a_folder_around(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest pyproject.toml counts, upwards from where the command is called."""
    (folder / "pyproject.toml").write_text('[tool.magic-tools.lint]\nignore = {missing-text = "it is plain"}\n')
    (folder / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(folder / "a" / "b")
    assert "no findings" in command("../../warned.py").out
    (folder / "a" / "pyproject.toml").write_text("[project]\n")
    assert "missing-text" in command("../../warned.py").out


def test_the_total_is_the_linter_s(command: Command, folder: Path) -> None:
    """The size of a set is the same in the finding, in the sum and in all its tools together."""
    (folder / "pyproject.toml").write_text("[tool.magic-tools.lint]\ntotal_tokens = 1\n")
    data = json.loads(command("tools.py", "--format", "json").out)
    assert f"the 3 tools take about {data['tokens']} tokens" in data["findings"][-1]["message"]
    assert data["tokens"] == sum(each["tokens"] for each in data["tools"])


@pytest.mark.parametrize("text", ["", "[tool]\n", "[tool.other]\nx = 1\n", "[tool.magic-tools]\n"])
def test_a_project_without_a_config(command: Command, folder: Path, text: str) -> None:
    """A pyproject.toml that says nothing of the linter leaves all as it is."""
    (folder / "pyproject.toml").write_text(text)
    assert command("warned.py", "--fail-on", "warning").code == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.magic-tools.lint]\nenum_value = 3\n", "has no setting 'enum_value'; there are: enum_values, "),
        ('[tool.magic-tools.lint]\nignore = {x = "y"}\n', "silences 'x', which is no rule; there are: "),
        ('[tool.magic-tools.lint]\nignore = {long-text = ""}\n', "silences 'long-text' without a reason"),
        ('[tool.magic-tools.lint]\nignore = ["long-text"]\n', "write the rules with their reasons"),
        ('[tool.magic-tools.lint]\nprofile = "prod"\n', "no lint profile 'prod'; there are: default, production"),
        ("[tool.magic-tools.lint]\nnear = true\n", "threshold near is True"),
        ("[tool.magic-tools]\nlint = 3\n", "something else than a table under [tool.magic-tools.lint]"),
        ("tool = 3\n", "something else than a table under [tool.magic-tools.lint]"),
        ("[tool", "pyproject.toml is not TOML: "),
    ],
)
def test_a_config_that_is_none(command: Command, folder: Path, text: str, words: str) -> None:
    """It ends with 2, prints nothing but one sentence, and says what there is."""
    (folder / "pyproject.toml").write_text(text)
    done = command("warned.py")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.py",), "There is no file nowhere.py"),
        (("",), "'' names no place"),
        (("well.py", ""), "'' names no place"),
        (("empty.py",), "There is no tool in empty.py."),
        (("well.py", "--config", "nowhere.toml"), "nowhere.toml cannot be read: No such file"),
        (("well.py", "--config", "binary.toml"), "binary.toml is not TOML: "),
        (("well.py", "--config", "."), "cannot be read: Is a directory"),
        (("well.py", "--fail-on", "note"), "'note'"),
        (("well.py", "--format", "xml"), "'xml'"),
        ((), "Missing argument 'PLACES'"),
    ],
)
def test_what_is_not_there(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """What cannot be found or is no choice ends with 2 and is named."""
    (folder / "empty.py").write_text("x = 1\n")
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    done = command(*arguments)
    assert done.code == 2
    assert words in " ".join(done.err.replace("│", " ").split())


def test_the_embedded_models_own_count(command: Command) -> None:
    """With its tokenizer the numbers are exact, and said without an `about`."""
    pytest.importorskip("llama_cpp")
    data = json.loads(command("well.py", "--tokenizer", "local", "--format", "json").out)
    assert [each["exact"] for each in data["tools"]] == [True]
    llama = loaded_weights(checked(embedded_weights()), None).llama
    from_text = len(llama.tokenize(b'{"type":"function"', add_bos=False, special=False))
    assert data["tokens"] > from_text
    assert command("well.py", "--tokenizer", "local").out.startswith(f"now  {data['tokens']} tokens\n")


def test_help(command: Command) -> None:
    """In 80 columns the help is plain, nothing in it is cut, and each example stands whole on a line of its own."""
    done = command("--help")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert "..." not in done.out.replace("{PLACES}...", "")
    assert "    magic-tools lint docs/examples --profile production --fail-on warning" in lines
    assert "[tool.magic-tools.lint]" in done.out
