"""`magic-tools diff`: from whatever two sides, what changed is told in every form, and the end says how grave it is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from magic_tools.contracts.contract import ToolContract
from tests.cli.conftest import Command
from tests.cli.test_snapshots import HEAD, tool

WORDED = tool(version="1.1.0", text="Find a customer.")
BROKEN = tool(version="2.0.0", parameters="name: str")
WIDER = tool(version="1.1.0", parameters="query: str, limit: int = 10")


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def snapshots(command: Command, folder: Path, name: str, *tools: str) -> str:
    """A folder of snapshots of these tools, and beside it their source."""
    (folder / f"{name}.py").write_text(HEAD + "".join(tools))
    assert command("snapshot", f"{name}.py", "--directory", name).code == 0
    return name


def contract(folder: Path, name: str) -> ToolContract:
    return ToolContract.from_data(json.loads((folder / name / "crm.find.json").read_text())["contract"])


@pytest.fixture
def sides(command: Command, folder: Path) -> Path:
    """Every kind of side, of the tools before and after a change that breaks."""
    (folder / "plain").mkdir()
    for name, source in (("old", tool()), ("new", BROKEN)):
        snapshots(command, folder, name, source)
        (folder / f"{name}.yaml").write_text(contract(folder, name).to_yaml())
        (folder / f"{name}_contract.json").write_text(contract(folder, name).to_json())
        (folder / f"{name}_tools").mkdir()
        (folder / f"{name}_tools" / "tools.py").write_text(HEAD + source)
        (folder / f"{name}_module.py").write_text(HEAD + source)
    git(folder, "init", "-q", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "both")
    git(folder, "tag", "v1")
    return folder


SIDES = (
    "{}", "{}.yaml", "{}_contract.json", "{}/crm.find.json", "{}.py", "{}_tools", "{}_module", "git:v1:{}",
    "git:HEAD:{}/", "git:v1:{}/crm.find.json", "git:HEAD:{}.yaml",
)  # fmt: skip


@pytest.mark.parametrize("new", SIDES)
def test_any_side_can_be_compared(command: Command, sides: Path, new: str) -> None:
    """Snapshots, contracts, folders, modules and revisions hold the same, whichever stand on which side."""
    for old in SIDES:
        same = command("diff", old.format("old"), new.format("old"), "--format", "json")
        assert (same.code, json.loads(same.out)["tools"]) == (0, []), (old, same)
        done = command("diff", old.format("old"), new.format("new"), "--format", "json")
        (found,) = json.loads(done.out)["tools"]
        assert (done.code, found["kind"], found["effect"]) == (4, "changed", "breaking"), (old, done)
        assert found["version"] == {"before": "1.0.0", "after": "2.0.0", "fault": None}


def test_a_revision_is_read_without_touching_the_files(command: Command, sides: Path) -> None:
    """`git:REV` is the folder snapshots there, with all its files, which need not be checked out."""
    snapshots(command, sides, "many", tool(), tool("stock"), tool("order"))
    (sides / "many").rename(sides / "snapshots")
    git(sides, "add", ".")
    git(sides, "commit", "-qm", "moved")
    git(sides, "rm", "-rq", "snapshots")
    assert command("diff", "git:HEAD", "many.py", "--fail-on", "behavioural").code == 0
    assert json.loads(command("diff", "git:HEAD", "many.py", "--format", "json").out)["tools"] == []
    assert command("diff", "git:HEAD", "new.py").code == 4
    assert not (sides / "snapshots").exists()


@pytest.mark.parametrize("new", ["now", "now.py", "now/crm.find.json"])
def test_a_revision_without_snapshots_has_no_tools(command: Command, folder: Path, new: str) -> None:
    """The first pull request that adds snapshots passes: each tool is added, and what was looked for is said."""
    snapshots(command, folder, "now", tool())
    git(folder, "init", "-q", ".")
    git(folder, "add", "now.py")
    git(folder, "commit", "-qm", "before")
    for old in ("git:HEAD", "git:HEAD:now"):
        done = command("diff", old, new, "--format", "json")
        path = old.partition("HEAD:")[2] or "snapshots"
        assert done.code == 0
        assert [(each["id"], each["kind"]) for each in json.loads(done.out)["tools"]] == [("crm.find", "added")]
        assert done.err == f"magic-tools: There is no snapshot in {path} at HEAD: every tool counts as new.\n"
    assert "the tool\n" in command("diff", "git:HEAD", new).out
    (folder / "snapshots").mkdir()
    (folder / "snapshots" / "crm.find.json").write_text("{")
    git(folder, "add", "snapshots")
    git(folder, "commit", "-qm", "broken")
    assert "snapshots/crm.find.json: it cannot be read as JSON" in command("diff", "git:HEAD", new).err


def test_a_revision_is_read_from_the_folder_one_is_in(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path is from there on, and where nothing is there, the path in the repository is told."""
    (folder / "shop").mkdir()
    snapshots(command, folder, "shop/snapshots", tool())
    git(folder, "init", "-q", ".")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    monkeypatch.chdir(folder / "shop")
    assert command("diff", "git:HEAD", "snapshots") == command("diff", "snapshots", "git:HEAD:snapshots")
    assert command("diff", "snapshots", "git:HEAD:../shop/snapshots").code == 0
    done = command("diff", "snapshots", "git:HEAD:old")
    assert (done.code, done.out) == (2, "")
    assert "There is no snapshot in shop/old at HEAD: name the place, from this folder on" in done.err


def test_a_folder_with_a_broken_snapshot_is_not_compared(command: Command, folder: Path) -> None:
    """A merge that was not ended is told, and the other tools are not taken for all that there are."""
    snapshots(command, folder, "old", tool(), tool("stock"))
    file = folder / "old" / "stock.json"
    file.write_text("<<<<<<< ours\n" + file.read_text())
    done = command("diff", "old", "old")
    assert (done.code, done.out) == (2, "")
    assert "old/stock.json: it cannot be read as JSON: a merge was not ended" in done.err


@pytest.mark.parametrize(
    ("new", "codes"),
    [(tool(), (0, 0, 0)), (WIDER, (0, 0, 0)), (WORDED, (3, 0, 0)), (BROKEN, (4, 4, 0))],
    ids=["same", "compatible", "behavioural", "breaking"],
)
def test_the_end_says_how_grave_it_is(command: Command, folder: Path, new: str, codes: tuple[int, ...]) -> None:
    """0, 3 for another behaviour and 4 for a break, each only from the effect on that is asked for."""
    snapshots(command, folder, "old", tool())
    (folder / "new.py").write_text(HEAD + new)
    ends = [command("diff", "old", "new.py", "--fail-on", on).code for on in ("behavioural", "breaking", "never")]
    assert tuple(ends) == codes
    assert command("diff", "old", "new.py").code == codes[1]


def test_tools_that_come_and_go_are_changes(command: Command, folder: Path) -> None:
    """A tool that is gone breaks those who call it, and a new one harms nobody."""
    snapshots(command, folder, "old", tool(), tool("stock"))
    snapshots(command, folder, "new", tool(), tool("order"))
    done = command("diff", "old", "new")
    assert done.code == 4
    assert "stock  1.0.0: removed, breaking\n  old/stock.json\n" in done.out
    assert "order  1.0.0: added, compatible\n  new/order.json\n" in done.out
    assert done.out.index("stock") < done.out.index("order")
    assert command("diff", "old", "old").out.startswith("tools that differ: 0;")


def test_a_reserved_id_used_anew_breaks(command: Command, folder: Path) -> None:
    """A tool that takes the id of one that is gone is told, from the reservation of either side."""
    snapshots(command, folder, "old", tool(), tool("stock"))
    (folder / "rest.py").write_text(HEAD + tool())
    assert command("snapshot", "rest.py", "--directory", "old", "--retire", "stock").code == 0
    (folder / "anew.py").write_text(HEAD + tool() + tool("stock", "5.0.0"))
    done = command("diff", "old", "anew.py")
    assert done.code == 4
    assert "stock  1.0.0 -> 5.0.0: reused, breaking\n" in done.out
    assert "retired_id_used_anew" in done.out
    snapshots(command, folder, "new", tool(), tool("stock", "5.0.0"))
    (folder / "old" / "retired.json").rename(folder / "new" / "retired.json")
    assert "stock  1.0.0 -> 5.0.0: reused, breaking\n" in command("diff", "anew.py", "new").out


def test_a_single_file_is_compared_alone(command: Command, folder: Path) -> None:
    """Beside many tools only its own counts; two files are compared whatever ids they have."""
    snapshots(command, folder, "old", tool(), tool("stock"))
    snapshots(command, folder, "new", tool(), tool("order"))
    assert command("diff", "old/crm.find.json", "new").code == 0
    assert command("diff", "old", "new/crm.find.json").code == 0
    done = command("diff", "old/stock.json", "new")
    assert (done.code, done.out) == (2, "")
    assert "There is no tool with the id 'stock' in new; there are: " in done.err
    assert command("diff", "old/stock.json", "new/order.json").code == 4


def test_the_same_in_every_form(command: Command, folder: Path) -> None:
    """Table, JSON, Markdown and annotations name tool, place and effect, and are the same each time."""
    snapshots(command, folder, "old", tool())
    (folder / "new.py").write_text(HEAD + BROKEN)
    starts = {
        "table": "crm.find  1.0.0 -> 2.0.0: changed, breaking, a major change\n  new.py\n",
        "markdown": "### Tool contracts\n\n",
        "github": "::error file=new.py,title=crm.find%3A ",
        "json": '{\n  "effect": "breaking",\n  "bump": "major",\n',
    }
    for form, start in starts.items():
        done = command("diff", "old", "new.py", "--format", form)
        assert (done.code, done.err) == (4, "")
        assert done.out.startswith(start)
        assert "breaking" in done.out or form == "github"
        assert command("diff", "old", "new.py", "--format", form) == done
        assert form != "table" or max(map(len, done.out.splitlines())) <= 80


def test_the_first_format_is_compared(command: Command, folder: Path) -> None:
    """Of a snapshot of the first format what it holds is compared, on either side."""
    snapshots(command, folder, "old", tool())
    held = json.loads((folder / "old" / "crm.find.json").read_text())["contract"]
    first = {word: held[word] for word in ("id", "description", "input_schema", "output_schema")}
    (folder / "first").mkdir()
    (folder / "first" / "crm.find.json").write_text(json.dumps({"format": "magic_tools snapshot 1", **first}, indent=2))
    (folder / "new.py").write_text(HEAD + BROKEN)
    assert command("diff", "first", "old", "--fail-on", "behavioural").code == 0
    assert command("diff", "old", "first", "--fail-on", "behavioural").code == 0
    assert command("diff", "first", "new.py").code == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument"),
        (("old",), "Missing argument"),
        (("old", "nowhere.json"), "nowhere.json cannot be read: No such file or directory."),
        (("old", "nowhere"), "nowhere cannot be imported: No module named 'nowhere'."),
        (("old", "empty"), "There is neither a snapshot nor a tool in empty."),
        (("old", "bare.py"), "There is no tool in bare.py."),
        (("old", "torn.json"), "torn.json: it cannot be read as JSON: "),
        (("old", "torn.yaml"), "torn.yaml: "),
        (("old", "other.json"), "other.json: it is no snapshot and no contract"),
        (("old", "twice"), "twice has the tool 'crm.find' twice, in twice/a.json and twice/b.json: remove one."),
        (("git:", "old"), "'git:' names no revision: write git:REV, or git:REV:PATH, such as git:main:snapshots."),
        (("git:--help", "old"), "'git:--help' names no revision"),
        (("git:v9", "old"), "git:v9 cannot be read: there is no such revision."),
        (
            ("old", "git:HEAD"),
            "no snapshot in snapshots at HEAD: name the place, from this folder on, as in git:HEAD:PATH.",
        ),
        (("git:HEAD:a.json", "old"), "There is no snapshot in a.json at HEAD: name the place"),
        (("git:HEAD:bare.py", "old"), "bare.py: it cannot be read as JSON"),
        (("old", "old", "--fail-on", "compatible"), "'compatible'"),
        (("old", "old", "--format", "html"), "'html'"),
    ],
)
def test_what_cannot_be_compared(command: Command, folder: Path, arguments: tuple[str, ...], words: str) -> None:
    """What is not there, or no contract, is named, and the command ends with 2 and prints nothing else."""
    snapshots(command, folder, "old", tool())
    text = (folder / "old" / "crm.find.json").read_text()
    for directory in ("empty", "twice"):
        (folder / directory).mkdir()
    contents = {"bare.py": "X = 1\n", "torn.json": "{", "torn.yaml": "a: [", "other.json": '{"name": "x"}'}
    for name, content in (contents | {"twice/a.json": text, "twice/b.json": text}).items():
        (folder / name).write_text(content)
    git(folder, "init", "-q", ".")
    git(folder, "add", "bare.py")
    git(folder, "commit", "-qm", "one")
    done = command("diff", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_without_git_it_is_said(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git is not installed, or this is none of its folders, that is said in a sentence."""
    snapshots(command, folder, "old", tool())
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    done = command("diff", "git:HEAD", "old")
    assert (done.code, done.out) == (2, "")
    assert "git:HEAD cannot be read: " in done.err
    assert "not a git repository" in done.err
    monkeypatch.setenv("PATH", "")
    done = command("diff", "git:HEAD", "old")
    assert (done.code, done.err) == (2, "magic-tools: git:HEAD wants git, which is not installed.\n")
