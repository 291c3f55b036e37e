"""The pytest plugin: what it holds tools to, when it writes and when it must not, and what it costs others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from magic_tools.pytest_plugin import _BUILDERS, assert_tool_snapshot

pytest_plugins = ["pytester"]

TOOLS = '''
from magic_tools import Toolset, tool
from magic_tools.contracts.policy import Policy

@tool(policy=Policy(id="crm.find", version="{version}"))
def find({parameters}) -> int:
    """{text}"""

@tool
def stock(sku: str) -> int:
    """How many."""

BOTH = Toolset(find, stock)
'''
TESTS = """
import tools
from magic_tools.pytest_plugin import assert_tool_snapshot

def test_find():
    assert_tool_snapshot(tools.find)

def test_stock():
    assert_tool_snapshot(tools.stock)
"""

Shop = Callable[..., None]


@pytest.fixture(autouse=True)
def _by_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing says that this runs under CI, or in parallel."""
    for name in (*_BUILDERS, "PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Shop:
    """Writes the tools of a shop; its tests hold each to its snapshot."""
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    pytester.syspathinsert()
    pytester.makepyfile(test_shop=TESTS)

    def written(version: str = "1.0.0", parameters: str = "query: str", text: str = "Find.") -> None:
        pytester.makepyfile(tools=TOOLS.format(version=version, parameters=parameters, text=text))

    written()
    return written


def files(pytester: pytest.Pytester, folder: str = "snapshots") -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (pytester.path / folder).glob("*")}


def run(pytester: pytest.Pytester, *options: str) -> tuple[int, str]:
    """How a run of pytest ends, and what it prints."""
    done = pytester.runpytest("-p", "no:cacheprovider", *options)
    return int(done.ret), done.stdout.str()


def test_it_is_installed() -> None:
    """Every pytest of an environment with the package has it."""
    (found,) = entry_points(group="pytest11", name="magic_tools")
    assert found.value == "magic_tools.pytest_plugin"


def test_new_snapshots_are_written_when_that_is_asked_for(pytester: pytest.Pytester, shop: Shop) -> None:
    """A check fails without them and says what writes them; then they are written once, and hold."""
    code, out = run(pytester)
    assert code == 1
    assert "crm.find  1.0.0: new" in out
    assert "To write what is new: pytest test_shop.py::test_find --tool-snapshots=new" in out
    assert files(pytester) == {}
    code, out = run(pytester, "--tool-snapshots=new")
    assert code == 0
    assert "wrote snapshots/crm.find.json: 1.0.0: new" in out
    before = files(pytester)
    assert sorted(before) == ["crm.find.json", "stock.json"]
    for mode in ("check", "new", "update"):
        code, out = run(pytester, f"--tool-snapshots={mode}")
        assert code == 0
        assert "tool snapshots" not in out
        assert files(pytester) == before


def test_a_change_fails_and_says_all(pytester: pytest.Pytester, shop: Shop) -> None:
    """The failure has the classified changes, the needed bump, and the command that accepts them, which does."""
    run(pytester, "--tool-snapshots=new")
    shop("2.0.0", "name: str")
    before = files(pytester)
    for mode in ("check", "new"):
        code, out = run(pytester, f"--tool-snapshots={mode}")
        assert code == 1
        assert "AssertionError: tools differ from their snapshots" in out
        assert "crm.find  1.0.0 -> 2.0.0: changed, breaking, a major change" in out
        assert "To accept what changed: pytest test_shop.py::test_find --tool-snapshots=update" in out
        assert "plugin.run.hold" not in out
        assert files(pytester) == before
    code, out = run(pytester, "test_shop.py::test_find", "--tool-snapshots=update")
    assert code == 0
    assert "wrote snapshots/crm.find.json: 1.0.0 -> 2.0.0: changed, breaking" in out
    assert run(pytester)[0] == 0


def test_a_version_has_to_rise(pytester: pytest.Pytester, shop: Shop) -> None:
    """An update is refused where it did not rise enough, and says what to do."""
    run(pytester, "--tool-snapshots=new")
    shop("1.0.1", "name: str")
    before = files(pytester)
    code, out = run(pytester, "--tool-snapshots=update")
    assert code == 1
    assert re.search(r"raise it, and then:\nE +pytest test_shop.py::test_find --tool-snapshots=update", out)
    assert "magic-tools snapshot MODULE --directory snapshots --update --ignore-version" in out
    assert files(pytester) == before


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [*((name, "true", name) for name in _BUILDERS), ("CI", "1", "CI"), ("PYTEST_XDIST_WORKER", "gw0", "in parallel")],
)
@pytest.mark.parametrize("mode", ["update", "new"])
def test_nothing_is_written_where_no_person_looks(
    pytester: pytest.Pytester,
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    why: str,
    mode: str,
) -> None:
    """Under CI or xdist snapshots are checked, whatever is asked for, which is said at the start and at a failure."""
    monkeypatch.setenv(variable, value)
    code, out = run(pytester, f"--tool-snapshots={mode}", "-k", "test_find")
    assert code == 1
    assert "tool snapshots: checked and not written, because " in out
    assert out.count(why) >= 2
    assert "Snapshots are checked and not written, because " in out
    assert files(pytester) == {}


@pytest.mark.parametrize("value", ["", "0", "false", "No"])
def test_ci_can_be_said_not_to_be(
    pytester: pytest.Pytester, shop: Shop, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A variable that says no is no sign of CI."""
    monkeypatch.setenv("CI", value)
    assert run(pytester, "--tool-snapshots=new")[0] == 0
    assert sorted(files(pytester)) == ["crm.find.json", "stock.json"]


@pytest.mark.parametrize(
    ("held", "ids"),
    [
        ("tools.find", ["crm.find"]),
        ("tools.BOTH", ["crm.find", "stock"]),
        ("[tools.stock, tools.find]", ["crm.find", "stock"]),
        ("tools.BOTH.searchable()", ["crm.find", "stock"]),
        ("plain", ["plain"]),
    ],
)
def test_what_can_be_held(pytester: pytest.Pytester, shop: Shop, held: str, ids: list[str]) -> None:
    """A tool, a toolset, several tools and a plain function, also by the fixture of the name."""
    source = "import tools\ndef plain(a: int) -> int: ...\ndef test_it(assert_tool_snapshot):\n"
    pytester.makepyfile(test_shop=f"{source}    assert_tool_snapshot({held})")
    assert run(pytester, "--tool-snapshots=new")[0] == 0
    assert sorted(files(pytester)) == [f"{id_}.json" for id_ in ids]
    assert run(pytester)[0] == 0


def test_the_directory_can_be_chosen(pytester: pytest.Pytester, shop: Shop) -> None:
    """By the ini option, and for one test by an argument, both from the rootdir, wherever pytest is called."""
    pytester.makeini("[pytest]\ntool_snapshots_dir = contracts/tools\n")
    pytester.makepyfile(test_shop=TESTS.replace("(tools.stock)", "(tools.stock, directory='mine')"))
    (pytester.path / "below").mkdir()
    done = pytester.runpytest("--tool-snapshots=new", "--rootdir=.", "below/..", "-p", "no:cacheprovider")
    assert done.ret == 0
    assert list(files(pytester, "contracts/tools")) == ["crm.find.json"]
    assert list(files(pytester, "mine")) == ["stock.json"]


def unused(pytester: pytest.Pytester, *options: str) -> bool:
    return "unused: snapshots/stock.json: no test held a tool to it" in run(pytester, *options)[1]


def test_unused_snapshots_are_told_of_a_whole_run(pytester: pytest.Pytester, shop: Shop) -> None:
    """Nothing is said where only a selection ran, for then the others may well be used."""
    run(pytester, "--tool-snapshots=new")
    assert not unused(pytester)
    pytester.makepyfile(
        test_shop=TESTS.partition("def test_stock")[0], test_more="def test_a(): ...\ndef test_b(): ..."
    )
    code, out = run(pytester)
    assert code == 0
    assert "unused: snapshots/stock.json: no test held a tool to it" in out
    assert "If the tool is gone: magic-tools snapshot MODULE --retire ID" in out
    assert "stock.json" in files(pytester)
    for selection in (
        ("-k", "find or test_a"),
        ("test_shop.py",),
        (".",),
        ("--deselect", "test_more.py::test_a"),
        ("--ignore", "test_more.py"),
        ("--ignore-glob", "*more*"),
        ("-m", "not there"),
        ("--collect-only",),
    ):
        assert unused(pytester, *selection) == (selection == ("-m", "not there")), selection


def test_files_that_cannot_be_read_are_told_of_a_whole_run(pytester: pytest.Pytester, shop: Shop) -> None:
    """A broken file to which no test holds a tool is told as that, and with a way out that is not to retire it."""
    run(pytester, "--tool-snapshots=new")
    (pytester.path / "snapshots" / "gone.json").write_text("<<<<<<< ours\n")
    out = run(pytester)[1]
    assert "unreadable: snapshots/gone.json: it cannot be read as JSON: a merge was not ended in it" in out
    assert "No tool belongs to it: restore it from version control, or delete it." in out
    assert "--retire" not in out


@pytest.mark.parametrize("held", ["[]", "()", "Toolset()", "tools.BOTH.tagged('none')"])
def test_no_tool_is_no_test(pytester: pytest.Pytester, shop: Shop, held: str) -> None:
    """Where nothing is held to its snapshot, the test fails and says so: it would pass whatever changes."""
    source = "import tools\nfrom magic_tools import Toolset\ndef test_it(assert_tool_snapshot):\n"
    pytester.makepyfile(test_shop=f"{source}    assert_tool_snapshot({held})")
    for mode in ("check", "new", "update"):
        code, out = run(pytester, f"--tool-snapshots={mode}")
        assert code == 1
        assert "AssertionError: There is no tool to hold to a snapshot: assert_tool_snapshot was given" in out


def test_a_run_that_was_cut_short_is_not_whole(pytester: pytest.Pytester, shop: Shop) -> None:
    """After the last failure that was allowed, or with the failures of the last run alone, nothing is unused."""
    run(pytester, "--tool-snapshots=new")
    pytester.makepyfile(test_shop=TESTS.partition("def test_stock")[0], test_zoo="def test_it(): assert False")
    assert unused(pytester)
    assert not unused(pytester, "-x")
    pytester.runpytest("-q")
    assert "unused: " not in pytester.runpytest("--lf", "-q").stdout.str()


def test_a_run_below_the_root_is_not_whole(
    pytester: pytest.Pytester, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called in a folder below, pytest runs what is there; snapshots are the rootdir's, and none of them is unused."""
    run(pytester, "--tool-snapshots=new")
    pytester.mkdir("below").joinpath("test_below.py").write_text(
        TESTS.partition("def test_stock")[0].replace("(tools.find)", "(tools.find, directory='snapshots')")
    )
    monkeypatch.chdir(pytester.path / "below")
    code, out = run(pytester)
    assert code == 0
    assert "unused: " not in out


def test_a_run_in_parallel_says_so_at_its_start(pytester: pytest.Pytester, shop: Shop) -> None:
    """Where pytest-xdist is to hand the tests out, nothing is written, and the one that hands out says it."""
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--numprocesses', type=int)")
    code, out = run(pytester, "--numprocesses=2", "--tool-snapshots=new")
    assert code == 1
    assert "tool snapshots: checked and not written, because tests run in parallel (pytest-xdist)" in out
    assert files(pytester) == {}


def test_two_versions_of_an_id_are_refused(pytester: pytest.Pytester, shop: Shop) -> None:
    """Where two tools have one id the test fails and names both, and nothing is written."""
    pytester.makepyfile(
        test_shop="""
        import tools
        from magic_tools import tool
        from magic_tools.contracts.policy import Policy

        @tool(policy=Policy(id="crm.find", version="2.0.0"))
        def seek(query: str) -> int: ...

        def test_it(assert_tool_snapshot):
            assert_tool_snapshot([tools.find, seek])
        """
    )
    code, out = run(pytester, "--tool-snapshots=new")
    assert code == 1
    assert "The tools 'find' (version 1.0.0) and 'seek' (version 2.0.0) have one id, 'crm.find'" in out
    assert files(pytester) == {}


def test_outside_a_run_it_says_so() -> None:
    """Where no pytest knows of it, as in another process, it says where it belongs."""
    program = "from magic_tools.pytest_plugin import assert_tool_snapshot; assert_tool_snapshot(print)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RuntimeError: assert_tool_snapshot is for tests that pytest runs, in the thread of the test." in done.stderr


def test_runs_within_runs_are_apart(pytester: pytest.Pytester, shop: Shop, tmp_path: Path) -> None:
    """A run inside a test leaves the run that it is in as it was."""
    run(pytester, "--tool-snapshots=new")

    def plain(a: int) -> int:
        """A tool of the outer run."""
        return a

    with pytest.raises(AssertionError, match="plain  new"):
        assert_tool_snapshot(plain, directory=tmp_path / "none")
    assert not (tmp_path / "none").exists()


LIGHT = """
import sys
import pytest
of_pytest = set(sys.modules)
import magic_tools.pytest_plugin
new = set(sys.modules) - of_pytest
print(*sorted(name for name in new if name.partition('.')[0] not in sys.stdlib_module_names))
"""


def test_it_costs_next_to_nothing() -> None:
    """Beside pytest, the plugin imports itself and the package's empty front, and nothing else of anybody."""
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["magic_tools", "magic_tools.pytest_plugin"]


def test_a_suite_without_it_loads_nothing(pytester: pytest.Pytester) -> None:
    """Where no test holds a tool, not even pydantic is imported."""
    pytester.makepyfile("import sys\ndef test_it(): assert not {'pydantic', 'rich', 'openai'} & set(sys.modules)")
    assert pytester.runpytest_subprocess("-p", "no:cacheprovider").ret == 0
