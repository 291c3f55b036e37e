"""`magic-tools snapshot`: what is written and what is left, how it ends, and what a person is told to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from magic_tools.contracts.retired import read_reservations
from tests.cli.conftest import Command, Done

HEAD = """
from magic_tools import tool
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.contracts.policy import Policy
"""


def tool(
    id_: str = "crm.find", version: str | None = "1.0.0", parameters: str = "query: str", text: str = "Find."
) -> str:
    """The source of a tool."""
    name = id_.rpartition(".")[2]
    return (
        f'\n@tool(policy=Policy(id={id_!r}, version={version!r}))\ndef {name}({parameters}) -> int:\n    """{text}"""\n'
    )


@pytest.fixture
def write(folder: Path) -> Any:
    """Writes a file of tools; each has a name of its own, since a file is imported once."""

    def written(file: str, *tools: str) -> None:
        (folder / file).write_text(HEAD + "".join(tools))

    return written


@pytest.fixture
def shop(write: Any, command: Command, folder: Path) -> Path:
    """A folder with a tool and its snapshot."""
    write("shop.py", tool())
    assert command("snapshot", "shop.py").code == 0
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "snapshots").iterdir()}


def test_new_ones_are_written(command: Command, folder: Path, write: Any) -> None:
    """Each tool gets its file, which holds contract and definitions; the next time there is nothing to do."""
    write("shop.py", tool(), tool("stock", None))
    assert command("snapshot", "shop.py") == Done(
        0,
        "wrote snapshots/crm.find.json: 1.0.0: new\nwrote snapshots/stock.json: new\n"
        "tools: 2, snapshots written: 2, that differ: 0\n",
        "",
    )
    data = json.loads((folder / "snapshots" / "crm.find.json").read_text())
    assert (data["format"], data["contract"]["id"]) == ("magic_tools snapshot 2", "crm.find")
    assert data["definitions"]["openai-chat"]["function"]["name"] == "find"
    assert {"openai-chat", "openai-responses", "anthropic", "gemini", "mcp"} <= data["definitions"].keys()
    before = files(folder)
    for options in ((), ("--check",), ("--update",)):
        done = command("snapshot", "shop.py", *options)
        assert done == Done(0, "tools: 2, snapshots written: 0, that differ: 0\n", "")
    assert files(folder) == before


def test_a_check_writes_nothing(command: Command, folder: Path, write: Any) -> None:
    """Where there are no snapshots yet, each is told, with what writes them, and there are still none."""
    write("shop.py", tool())
    done = command("snapshot", "shop.py", "--check")
    assert done.code == 1
    assert "crm.find  1.0.0: new\n  snapshots/crm.find.json\n  it has no snapshot yet\n" in done.out
    assert "To write what is new: magic-tools snapshot shop.py\n" in done.out
    assert not (folder / "snapshots").exists()


@pytest.mark.parametrize(
    ("version", "parameters", "text", "code", "words"),
    [
        ("1.1.0", "query: str", "Find a customer.", 3, "behavioural"),
        ("1.1.0", "query: str, limit: int = 10", "Find.", 1, "compatible"),
        ("2.0.0", "name: str", "Find.", 4, "breaking"),
    ],
)
def test_a_change_is_told_and_kept_until_it_is_accepted(
    command: Command, shop: Path, write: Any, version: str, parameters: str, text: str, code: int, words: str
) -> None:
    """It ends by what the change does, says how to accept it, and writes it only then."""
    write("now.py", tool(version=version, parameters=parameters, text=text))
    before = files(shop)
    for options in ((), ("--check",)):
        done = command("snapshot", "now.py", *options)
        assert done.code == code
        assert f"crm.find  1.0.0 -> {version}: changed, {words}" in done.out
        assert "To accept what changed: magic-tools snapshot now.py --update\n" in done.out
        assert files(shop) == before
    done = command("snapshot", "now.py", "--update")
    assert done.code == 0
    assert done.out.startswith("wrote snapshots/crm.find.json: 1.0.0 -> ")
    assert command("snapshot", "now.py", "--check").code == 0


def test_a_version_has_to_rise(command: Command, shop: Path, write: Any) -> None:
    """An update is refused where it did not rise enough, says so and what to do, and can be insisted on."""
    write("now.py", tool(version="1.1.0", parameters="name: str"))
    before = files(shop)
    done = command("snapshot", "now.py", "--update")
    assert done.code == 4
    assert "crm.find  1.0.0 -> 1.1.0: changed, breaking, a major change\n" in done.out
    assert "1.1.0" in done.out.split("crm.find.json\n")[1].split("breaking ")[0]
    assert "raise it, and then:\n  magic-tools snapshot now.py --update\n" in done.out
    assert "same version all the same:\n  magic-tools snapshot now.py --update --ignore-version\n" in done.out
    assert files(shop) == before
    assert command("snapshot", "now.py", "--update", "--ignore-version").code == 0
    assert command("snapshot", "now.py", "--check").code == 0


def test_what_models_are_sent_is_told_as_that(command: Command, shop: Path) -> None:
    """A definition that differs under the same contract is a kind of its own, with its place and both values."""
    file = shop / "snapshots" / "crm.find.json"
    data = json.loads(file.read_text())
    data["definitions"]["mcp"]["description"] = "Sought."
    file.write_text(json.dumps(data))
    done = command("snapshot", "shop.py", "--check")
    assert done.code == 3
    assert "crm.find  1.0.0: redefined, behavioural\n" in done.out
    assert "definitions.mcp.description" in done.out
    assert 'definition_changed: "Sought." -> "Find."' in done.out
    assert command("snapshot", "shop.py", "--update").code == 0


def test_a_tool_that_is_gone_is_retired(command: Command, shop: Path, write: Any) -> None:
    """Its snapshot is an error until it retires; from then on its id is taken, for every call."""
    write("now.py", tool("stock"))
    done = command("snapshot", "now.py")
    assert done.code == 1
    assert "crm.find  unused\n  snapshots/crm.find.json\n  there is no such tool any more\n" in done.out
    assert "keep its id reserved:\n  magic-tools snapshot now.py --retire crm.find\n" in done.out
    done = command("snapshot", "now.py", "--retire", "crm.find")
    assert done.code == 0
    assert done.out.startswith("removed snapshots/crm.find.json: the id 'crm.find' is reserved: it was a tool's")
    assert read_reservations(shop / "snapshots")["crm.find"].version == "1.0.0"
    assert command("snapshot", "now.py", "--check").code == 0
    write("anew.py", tool("stock"), tool(version="9.0.0"))
    for options in ((), ("--check",), ("--update", "--ignore-version")):
        done = command("snapshot", "anew.py", *options)
        assert done.code == 4
        assert "crm.find  1.0.0 -> 9.0.0: reused, breaking\n" in done.out
        assert "Give a tool under a reserved id another id" in done.out
        assert all(len(line) <= 80 for line in done.out.splitlines())
    assert sorted(files(shop)) == ["retired.json", "stock.json"]


def test_the_last_tool_is_retired(command: Command, shop: Path) -> None:
    """Of a module that has no tool left, the snapshot is told as unused, and its id can be reserved."""
    (shop / "none.py").write_text("X = 1\n")
    for options in ((), ("--check",), ("--update",)):
        done = command("snapshot", "none.py", *options)
        assert (done.code, done.err) == (1, "")
        assert "crm.find  unused\n" in done.out
        assert "magic-tools snapshot none.py --retire crm.find\n" in done.out
    done = command("snapshot", "none.py", "--retire", "crm.find")
    assert (done.code, done.err) == (0, "")
    assert sorted(files(shop)) == ["retired.json"]
    assert "There is no tool in none.py." in command("snapshot", "none.py", "--check").err


def test_an_entry_for_a_tool_that_is_to_retire_is_told(command: Command, folder: Path, write: Any) -> None:
    """What was written says whose id is reserved from then on."""
    life = "lifecycle=Lifecycle(retired='2099-01-01', reason='No more.')"
    write("ends.py", tool().replace("policy=Policy(", f"policy=Policy({life}, "))
    out = command("snapshot", "ends.py").out
    assert "wrote snapshots/retired.json: the id 'crm.find' is reserved for the tool, which is to retire\n" in out


@pytest.mark.parametrize("content", ["<<<<<<< ours\n", "{}", "{"])
def test_a_broken_file_of_no_tool_is_told(command: Command, shop: Path, content: str) -> None:
    """Whatever is asked for, it keeps the command from ending well, and stays."""
    (shop / "snapshots" / "gone.json").write_text(content)
    for options in ((), ("--check",), ("--update",)):
        done = command("snapshot", "shop.py", *options)
        assert done.code == 1
        assert "gone  unreadable\n  snapshots/gone.json\n" in done.out
    assert (shop / "snapshots" / "gone.json").read_text() == content


def test_a_tool_that_is_there_does_not_retire(command: Command, shop: Path) -> None:
    """It is told why not, with the way to do it, and nothing is done."""
    before = files(shop)
    done = command("snapshot", "shop.py", "--retire", "crm.find")
    assert (done.code, done.out) == (2, "")
    assert "The tool 'crm.find' is still in the code: take it out first" in done.err
    assert files(shop) == before


def test_a_file_that_cannot_be_trusted_is_kept(command: Command, shop: Path) -> None:
    """Whatever is asked for, a snapshot that was changed by hand is told and not written over."""
    file = shop / "snapshots" / "crm.find.json"
    file.write_text(file.read_text().replace('"query"', '"quest"'))
    before = files(shop)
    for options in ((), ("--check",), ("--update", "--ignore-version")):
        done = command("snapshot", "shop.py", *options)
        assert done.code == 1
        assert "crm.find  1.0.0: unreadable\n" in done.out
        assert "it was changed after it was written" in " ".join(done.out.split())
        assert files(shop) == before


def test_the_first_format_is_written_anew(command: Command, shop: Path) -> None:
    """A file of the first format is told as that, and `--update` brings it to the present one."""
    file = shop / "snapshots" / "crm.find.json"
    held = json.loads(file.read_text())["contract"]
    old = {word: held[word] for word in ("id", "description", "input_schema", "output_schema")}
    file.write_text(json.dumps({"format": "magic_tools snapshot 1", **old}))
    done = command("snapshot", "shop.py", "--check")
    assert done.code == 1
    assert "crm.find  1.0.0: old\n" in done.out
    assert "nothing changed" in " ".join(done.out.split())
    assert command("snapshot", "shop.py", "--update").code == 0
    assert command("snapshot", "shop.py", "--check").code == 0


def test_what_a_program_reads_is_of_one_form(command: Command, shop: Path, write: Any) -> None:
    """In JSON nothing else stands on the standard output; markdown and annotations tell the same."""
    write("now.py", tool(version="2.0.0", parameters="name: str"))
    done = command("snapshot", "now.py", "--check", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, data["effect"], data["tools"][0]["id"]) == (4, "breaking", "crm.find")
    assert data["what_to_do"] == ["To accept what changed: magic-tools snapshot now.py --update"]
    assert done.err == "magic-tools: tools: 1, snapshots written: 0, that differ: 1\n"
    done = command("snapshot", "now.py", "--check", "--format", "github")
    assert done.code == 4
    assert done.out.startswith("::error file=snapshots/crm.find.json,title=crm.find%3A ")
    assert all(line.startswith("::") for line in done.out.splitlines())
    done = command("snapshot", "now.py", "--check", "--format", "markdown")
    assert "#### `crm.find` 1.0.0 -\\> 2.0.0: changed, breaking, a major change\n" in done.out
    assert json.loads(command("snapshot", "now.py", "--update", "--format", "json").out)["tools"] == []
    assert command("snapshot", "now.py", "--check", "--format", "github").out == ""


def test_the_commands_that_are_named_are_this_very_call(command: Command, write: Any) -> None:
    """Places and folder stand in them as they have to be typed, on one line."""
    write("a shop.py", tool())
    place = "a folder with a rather long name/and another one in it/contracts"
    done = command("snapshot", "a shop.py", "--directory", place, "--check")
    assert f"To write what is new:\n  magic-tools snapshot 'a shop.py' --directory '{place}'\n" in done.out


def test_the_examples_by_default(command: Command, folder: Path) -> None:
    """Without places it is docs/examples, into snapshots; where that is not, it is said what to name."""
    done = command("snapshot")
    assert (done.code, done.out) == (2, "")
    assert "There is no folder docs/examples, in which tools are looked for by default: name the modules" in done.err
    assert "`magic-tools snapshot shop.tools`" in done.err
    (folder / "docs" / "examples").mkdir(parents=True)
    (folder / "docs" / "examples" / "shop.py").write_text(HEAD + tool())
    assert command("snapshot").out.startswith("wrote snapshots/crm.find.json: 1.0.0: new\n")
    assert command("snapshot", "--check").code == 0


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (
            ("one", "crm.find", "1.0.0", "two", "crm.find", "2.0.0"),
            "The tools 'one' (version 1.0.0) and 'two' (version 2.0.0) have one id, 'crm.find': leave one out",
        ),
        (("one", "two", None, "two", "x", None), None),
        (("one", "two", None, "two", None, None), "The tools 'one' and 'two' have one id, 'two'"),
        (
            ("one", "Find", None, "two", "find", None),
            "The tools 'one' and 'two' would have one snapshot, for their ids are 'Find' and 'find': give one another",
        ),
        (
            ("one", "retired", None, "two", None, None),
            "The id 'retired' of the tool 'one' has the file of the reserved",
        ),
        (("one", "a", None, "two", "../find", None), "is no identifier"),
        (("one", "a/b", None, "two", "c", None), "is no identifier"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--check",)])
def test_two_tools_with_one_file(
    command: Command, folder: Path, tools: tuple[str | None, ...], words: str | None, options: tuple[str, ...]
) -> None:
    """Two versions of an id, ids that are one file's name on some system, and no name of a file are refused."""
    source = HEAD
    for name, id_, version in (tools[:3], tools[3:]):
        source += f"@tool(policy=Policy(id={id_!r}, version={version!r}))\ndef {name}() -> None: ...\n"
    (folder / "ids.py").write_text(source)
    done = command("snapshot", "ids.py", *options)
    if words is None:
        assert done.err == ""
        return
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert not (folder / "snapshots").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bare",), "magic-tools: There is no tool in bare.\n"),
        (("bare", "bare/one.py"), "magic-tools: There is no tool in bare, bare/one.py.\n"),
        (("nowhere",), "magic-tools: nowhere cannot be imported: No module named 'nowhere'."),
        (("shop.py", "same.py"), "magic-tools: Two tools are called 'find'"),
        (("shop.py", "--directory", "mail.txt"), "mail.txt"),
        (("shop.py", "--directory", "mail.txt/deeper"), "mail.txt/deeper cannot be read or written: Not a directory."),
        (("shop.py", "--check", "--update"), "--check, --update and --retire are three things to do"),
        (("shop.py", "--check", "--retire", "crm.find"), "--check, --update and --retire are three things to do"),
        (("shop.py", "--ignore-version"), "--ignore-version goes with --update alone"),
        (("shop.py", "--retire", "zoo"), "There is nothing to retire for 'zoo': there is no snapshots/zoo.json."),
        (("shop.py", "--format", "xml"), "'xml'"),
        (("shop.py", "--directory", "torn"), "torn/retired.json: it cannot be read as JSON"),
    ],
)
def test_what_cannot_be_done(
    command: Command, folder: Path, write: Any, arguments: tuple[str, ...], words: str
) -> None:
    """Where there is no tool, no place, or no sense in a call, that is said, and the command ends with 2."""
    for directory in ("bare", "torn"):
        (folder / directory).mkdir()
    (folder / "bare" / "one.py").write_text("X = 1")
    (folder / "torn" / "retired.json").write_text("{")
    (folder / "mail.txt").write_text("")
    write("shop.py", tool())
    write("same.py", tool())
    done = command("snapshot", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err
