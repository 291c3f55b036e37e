"""What is named on the command line: found, or told in a sentence what is missing."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from magic_tools.cli.targets import InputError, find_target, find_tools, read_text
from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import Tool

GOOD = """
from __future__ import annotations
import json
from dataclasses import dataclass
from pydantic import BaseModel
from magic_tools import tool
import beside

class Ticket(BaseModel):
    order: Order

class Order(BaseModel):
    number: int

    class Line:
        sku = str

@dataclass
class Point:
    x: int

@tool
def count(ticket: Ticket) -> int:
    return ticket.order.number

LIST = list[Point]
_HIDDEN = 5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files, where the command is called."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "beside.py").write_text("A = 1\n")
    return tmp_path


def in_file(folder: Path, source: str, name: str = "made.py") -> str:
    (folder / name).write_text(source)
    return name


@pytest.mark.parametrize("spec", ["good.py:Ticket", "./good.py:Ticket", "{folder}/good.py:Ticket"])
def test_a_file_s_object(folder: Path, spec: str) -> None:
    """A file is imported as it stands: its neighbours are found, and names in its annotations too."""
    found = find_target(spec.format(folder=folder))
    assert found.__name__ == "Ticket"
    assert found.model_validate({"order": {"number": 3}}).order.number == 3


def test_a_neighbour_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two modules of one name, a file gets the one that stands beside it."""
    (folder / "elsewhere").mkdir()
    in_file(folder, "A = 'far'", "elsewhere/neighbour_of_this_test.py")
    in_file(folder, "A = 'near'", "neighbour_of_this_test.py")
    monkeypatch.syspath_prepend(str(folder / "elsewhere"))
    assert find_target(in_file(folder, "from neighbour_of_this_test import A") + ":A") == "near"


def test_a_module_s_object(folder: Path) -> None:
    """A module is found like any import, and in the folder where the command is called."""
    assert find_target("json:JSONDecoder").__name__ == "JSONDecoder"
    assert find_target("magic_tools.errors:ParseError").__name__ == "ParseError"
    (folder / "local_module_of_this_test.py").write_text("X = 7\n")
    assert find_target("local_module_of_this_test:X") == 7


@pytest.mark.parametrize("name", ["Order.Line", "Order.Line.sku", "LIST", "_HIDDEN", "count", "beside.A"])
def test_an_object_at_any_depth(folder: Path, name: str) -> None:
    """Whatever can be reached by attributes can be named."""
    assert find_target(f"good.py:{name}") is not None


def test_a_file_is_imported_once(folder: Path) -> None:
    """One file is one module, however it is written; two files of one name are two."""
    (folder / "sub").mkdir()
    (folder / "sub" / "good.py").write_text(GOOD)
    assert find_target("good.py:Ticket") is find_target(f"{folder}/sub/../good.py:Ticket")
    assert find_target("good.py:Ticket") is not find_target("sub/good.py:Ticket")


@pytest.mark.parametrize("spec", ["good", "good.py", ":Ticket", "good.py:", ":", ""])
def test_a_spec_without_both_parts(spec: str) -> None:
    """It is shown, with how it is to be written."""
    with pytest.raises(InputError, match=f"^'{spec}' names no object: write module:Name or path.py:Name"):
        find_target(spec)


@pytest.mark.parametrize("name", ["Tiket", "Ticket.nothing", "count.", ".Ticket", "Ticket..x"])
def test_a_name_that_is_not_there(folder: Path, name: str) -> None:
    """What the module has of its own is listed, without what it only imports or hides."""
    with pytest.raises(InputError) as caught:
        find_target(f"good.py:{name}")
    assert str(caught.value) == f"There is no '{name}' in good.py. It has: Ticket, Order, Point, count, LIST."


def test_a_module_with_many_names(folder: Path) -> None:
    """A long list of names is cut, and an empty one said."""
    for count, end in ((20, "N10, N11 and 8 more."), (13, "N10, N11 and 1 more."), (12, "N10, N11.")):
        many = in_file(folder, "".join(f"N{number} = 1\n" for number in range(count)), f"many{count}.py")
        with pytest.raises(InputError) as caught:
            find_target(f"{many}:X")
        assert str(caught.value).endswith(end)
    none = in_file(folder, "import json\nfrom pathlib import Path\n_a = 1\n", "none.py")
    with pytest.raises(InputError, match="It has: nothing of its own"):
        find_target(f"{none}:X")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("missing.py", r"There is no file missing\.py\."),
        ("missing/deep.py", r"There is no file missing/deep\.py\."),
        ("./sub", r"sub is a folder: name a file in it\."),
        ("./notes.txt", r"notes\.txt is not a Python file\."),
        ("no_such_module", "no_such_module cannot be imported: No module named 'no_such_module'.*name right"),
        ("json.nothing", "json.nothing cannot be imported: No module named 'json.nothing'"),
        (".json", r"\.json cannot be imported: TypeError"),
    ],
)
def test_a_place_that_is_not_there(folder: Path, place: str, words: str) -> None:
    """A file or module that cannot be found is told by the name it was given."""
    (folder / "sub").mkdir()
    (folder / "notes.txt").write_text("notes")
    with pytest.raises(InputError, match=words):
        find_target(f"{place}:X")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(:", r"SyntaxError: .*made\.py, line 1"),
        ("a = 'café'".encode("latin-1"), "SyntaxError: .*utf-8"),
        (b"a = '\0'", "(SyntaxError|ValueError): source code .* null bytes"),
        ("raise RuntimeError('no luck')", r"RuntimeError: no luck\.$"),
        ("raise RuntimeError", "RuntimeError: "),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import sys; sys.exit()", "SystemExit"),
        ("class Stop(BaseException): pass\nraise Stop('here')", "Stop: here"),
        ("import no_such_neighbour", "No module named 'no_such_neighbour'"),
        ("from beside import B", "ImportError: cannot import name 'B'"),
        (
            "from . import beside",
            r"ImportError: .*relative import.* Name it by its package, as in package\.module:Name",
        ),
        ("import sys; del sys.modules[__name__]; 1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_module_that_fails(folder: Path, source: str | bytes, words: str) -> None:
    """Whatever a file does when it is imported is told with its name, and the file can be tried again."""
    (folder / "made.py").write_bytes(source.encode() if isinstance(source, str) else source)
    before = list(sys.path)
    for _ in range(2):
        with pytest.raises(InputError, match=rf"^made\.py cannot be imported: .*{words}"):
            find_target("made.py:X")
    assert sys.path == before
    (folder / "made.py").write_text("X = 5000")
    assert find_target("made.py:X") == 5000


def test_an_interrupt_is_none_of_its_faults(folder: Path) -> None:
    """A person who interrupts an import is not told that the file is wrong."""
    made = in_file(folder, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        find_target(f"{made}:X")


def test_a_definition_error_says_it_itself(folder: Path) -> None:
    """A tool that cannot be one is told in the library's own words, after the file, also of a folder."""
    made = in_file(folder, "from magic_tools import tool\n@tool\ndef f(x): return x\n")
    with pytest.raises(DefinitionError, match=r"^made\.py: f\(\): parameter 'x' has no annotation"):
        find_target(f"{made}:f")
    (folder / "tools").mkdir()
    in_file(folder, (folder / made).read_text(), "tools/wrong.py")
    in_file(folder, "from magic_tools import tool\n@tool\ndef right() -> None: ...\n", "tools/right.py")
    with pytest.raises(DefinitionError, match=r"^tools/wrong\.py: f\(\): parameter 'x' has no annotation"):
        find_tools(["tools"])


@pytest.mark.parametrize("place", ["", " "])
def test_a_place_without_a_name(folder: Path, place: str) -> None:
    """No name is no folder, and least of all this one with all that is in it."""
    with pytest.raises(InputError, match=f"^'{place}' names no place: write a module, a file or a folder"):
        find_tools([place])


def test_what_a_module_prints_is_no_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes to the standard error."""
    made = in_file(folder, "print('loading')\nX = 1")
    find_target(f"{made}:X")
    assert capsys.readouterr() == ("", "loading\n")


@pytest.mark.parametrize("change", ["insert(0, 'lib')", "append('lib')", "remove(sys.path[0])", "clear()"])
def test_the_import_path_is_left_as_the_module_leaves_it(folder: Path, change: str) -> None:
    """What a file does to the import path stays, and the folder that was put there for it goes."""
    made = in_file(folder, f"import sys\nsys.path.{change}\nX = sys.path[:]")
    left = find_target(f"{made}:X")
    assert sys.path == [entry for entry in left if entry != str(folder)]


TOOLS = """
from magic_tools import tool
from other_tools_of_this_test import imported
print("noise")
@tool
def {0}(x: int) -> int:
    return x
again = {0}
@tool
def {1}() -> None: ...
def plain(x: int) -> int: return x
"""


def test_the_tools_of_files_and_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order of file and line, each once; not those imported from elsewhere, plain functions, or hidden files."""
    in_file(folder, "from magic_tools import tool\n@tool\ndef imported() -> None: ...", "other_tools_of_this_test.py")
    monkeypatch.syspath_prepend(str(folder))
    for sub in ("tools/deep", "tools/.venv", "tools/.git/hooks"):
        (folder / sub).mkdir(parents=True)
    in_file(folder, TOOLS.format("b", "a"), "tools/one.py")
    in_file(folder, TOOLS.format("d", "c"), "tools/deep/two.py")
    in_file(folder, "raise AssertionError", "tools/.venv/three.py")
    in_file(folder, "raise AssertionError", "tools/.git/hooks/four.py")
    (folder / "tools" / "notes.txt").write_text("@tool")
    assert find_tools(["tools"]).names == ("d", "c", "b", "a")
    assert find_tools(["tools/one.py", "tools"]).names == ("b", "a", "d", "c")
    assert find_tools(["tools/one.py", "./tools/one.py"]).names == ("b", "a")
    assert all(isinstance(made, Tool) for made in find_tools(["tools"]))


def test_the_tools_of_a_module(folder: Path) -> None:
    """A module's name will do."""
    in_file(folder, "from magic_tools import tool\n@tool\ndef one() -> None: ...", "named_tools_of_this_test.py")
    assert find_tools(["named_tools_of_this_test"]).names == ("one",)
    assert find_tools(["json"]).names == ()


@pytest.fixture
def package(folder: Path) -> Iterator[Path]:
    """A package of tools where the command is called; nothing of it is left in the interpreter."""
    before = set(sys.modules)
    sources = {
        "__init__.py": "from .orders import *\n@tool\ndef first() -> None: ...\nprint('noise')",
        "__main__.py": "raise AssertionError",
        "orders.py": "from magic_tools import Toolset, tool\ndef place() -> None: ...\nTOOLS = Toolset(place)\n",
        "deep/__init__.py": "",
        "deep/stock.py": "import near\nfrom ..orders import TOOLS, tool\n@tool\ndef count() -> None: ...\nprint(1)",
    }
    (folder / "near.py").write_text("")
    (folder / "shop" / "deep").mkdir(parents=True)
    for name, source in sources.items():
        (folder / "shop" / name).write_text(source)
    yield folder
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (["shop"], ("first", "count", "place")),
        (["./shop"], ("first", "count", "place")),
        (["{folder}/shop"], ("first", "count", "place")),
        (["."], ("first", "count", "place")),
        (["shop.orders", "shop"], ("place", "first", "count")),
        (["shop/orders.py", "shop", "shop.deep"], ("place", "first", "count")),
        (["shop/deep"], ("count",)),
        (["shop.deep"], ("count",)),
        (["shop/deep/stock.py"], ("count",)),
        (["shop/__init__.py"], ("first",)),
    ],
)
def test_the_tools_of_a_package(
    package: Path, capsys: pytest.CaptureFixture[str], places: list[str], names: tuple[str, ...]
) -> None:
    """By its name or its folder all modules of it are walked but `__main__`; each is one module either way."""
    (package / "good.py").unlink()
    before = list(sys.path)
    assert find_tools([place.format(folder=package) for place in places]).names == names
    assert sys.path == before
    assert capsys.readouterr().out == ""


def test_a_package_s_name_goes_below_its_folder(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From elsewhere a package's name is walked to the same tools as its folder."""
    (package / "other").mkdir()
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.chdir(package / "other")
    assert find_tools(["shop"]).names == ("first", "count", "place")


def test_a_file_of_a_package(package: Path) -> None:
    """It is the module that its package knows; of a package whose name is taken it is a module by itself."""
    assert find_target("shop/orders.py:place") is find_target("shop.orders:place")
    assert find_target("shop/__init__.py:first") is find_target("shop:first")
    (package / "again").mkdir()
    (package / "shop").rename(package / "again" / "shop")
    assert find_target("again/shop/orders.py:place") is not find_target("shop.orders:place")


def test_a_file_of_what_cannot_be_a_package(package: Path) -> None:
    """A folder with a dot in its name has no name in Python: its files are modules by themselves."""
    (package / "shop").rename(package / "shop-1.2")
    assert find_target("shop-1.2/orders.py:place").__name__ == "place"


def test_a_broken_module_below_a_package(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and nothing is left out in silence."""
    (package / "shop" / "deep" / "broken.py").write_text("1 / 0")
    with pytest.raises(InputError, match=r"^shop/deep/broken\.py cannot be imported: ZeroDivisionError"):
        find_tools(["shop"])
    monkeypatch.syspath_prepend(str(package))
    monkeypatch.chdir("/")
    with pytest.raises(
        DefinitionError, match=r"^The module 'shop\.deep\.broken' cannot be imported: ZeroDivisionError"
    ):
        find_tools(["shop"])


def test_two_tools_of_one_name(folder: Path) -> None:
    """Two files with a tool of the same name are refused: a snapshot could hold only one."""
    source = "from magic_tools import tool\n@tool\ndef same() -> None: ..."
    in_file(folder, source, "one.py")
    in_file(folder, source, "two.py")
    with pytest.raises(DefinitionError, match=r"Two tools are called 'same': one\.py:same and two\.py:same\."):
        find_tools(["one.py", "two.py"])


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"Hello", "Hello"),
        ("Größe 東京 \U0001f600\n".encode(), "Größe 東京 \U0001f600\n"),
        (b"\xef\xbb\xbfHello", "Hello"),
        (b"  a\r\nb\t", "  a\r\nb\t"),
        (b"0", "0"),
    ],
)
def test_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes, text: str) -> None:
    """Text in UTF-8 is read as it is, without a byte order mark, from a file or the standard input."""
    file = tmp_path / "mail.txt"
    file.write_bytes(raw)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    assert read_text(str(file)) == text
    assert read_text("-") == text


NO_TEXT: list[Any] = [
    (b"", "{} is empty: there is nothing to read an answer from."),
    (b" \r\n\t", "{} is empty: there is nothing to read an answer from."),
    (b"\xef\xbb\xbf", "{} is empty: there is nothing to read an answer from."),
    (b"caf\xe9", "{} is not text in UTF-8 (byte 4 is 0xe9)."),
    (b"\x89PNG\r\n\x1a\n\0", "{} is not text in UTF-8 (byte 1 is 0x89)."),
    ("hello".encode("utf-16"), "{} is not text in UTF-8 (byte 1 is 0xff); it looks like UTF-16: save it as UTF-8."),
    (b"\xfe\xff\0h", "{} is not text in UTF-8 (byte 1 is 0xfe); it looks like UTF-16: save it as UTF-8."),
    ("hello".encode("utf-16-le"), "{} is not text: it holds NUL bytes."),
    (b"a\0b", "{} is not text: it holds NUL bytes."),
]


@pytest.mark.parametrize(("raw", "words"), NO_TEXT)
def test_what_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: bytes, words: str) -> None:
    """What is empty or not text is refused by its name, with what gave it away."""
    file = tmp_path / "mail.txt"
    file.write_bytes(raw)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    for given, name in ((str(file), str(file)), ("-", "the standard input")):
        with pytest.raises(InputError) as caught:
            read_text(given)
        assert str(caught.value) == words.format(name)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder / "missing.txt", r"missing\.txt cannot be read: No such file or directory\."),
        (lambda folder: folder, r"cannot be read: Is a directory\."),
        (lambda folder: folder / ("x" * 300), r"cannot be read: File name too long\."),
        (lambda folder: f"{folder}/a\0b", r"cannot be read: embedded null"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, make: Callable[[Path], Any], words: str) -> None:
    """A file that is not there, or is none, is told in the system's words."""
    with pytest.raises(InputError, match=words):
        read_text(str(make(tmp_path)))


def test_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python has none then."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="the standard input is closed"):
        read_text("-")
