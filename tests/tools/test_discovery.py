"""The tools of a package, gathered by walking its modules: none forgotten, none twice, none of another's."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from magic_tools.errors import DefinitionError
from magic_tools.tools.toolset import Toolset

Write: TypeAlias = Callable[[Mapping[str, str]], None]

HEAD = "import functools\nfrom magic_tools import Toolset, tool\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes modules where they can be imported; nothing of them is left in the interpreter."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(sources: Mapping[str, str]) -> None:
        for name, source in sources.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(HEAD + source)
        importlib.invalidate_caches()

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def a_tool(*names: str) -> str:
    return "".join(f"@tool\ndef {name}() -> None: ...\n" for name in names)


PACKAGE = {
    "shop/__init__.py": "from shop.zoo import lion\n" + a_tool("first"),
    "shop/orders.py": a_tool("place", "cancel"),
    "shop/zoo.py": a_tool("lion"),
    "shop/_private.py": a_tool("_hidden"),
    "shop/deep/__init__.py": "",
    "shop/deep/deeper/__init__.py": a_tool("deepest"),
    "shop/deep/deeper/below.py": a_tool("below"),
    "shop/bare/file.py": a_tool("bare"),
    "shop/bare/barer/file.py": a_tool("barer"),
    "shop/__main__.py": "raise AssertionError",
    "shop/deep/__main__.py": "raise AssertionError",
    "shop/data/notes.txt": "no Python",
    "shop/no-name/file.py": "raise AssertionError",
}
IN_ORDER = ("first", "_hidden", "barer", "bare", "deepest", "below", "place", "cancel", "lion")


@pytest.mark.parametrize("named", ["shop", lambda: importlib.import_module("shop")], ids=["name", "module"])
def test_a_package(write: Write, named: Any) -> None:
    """All modules below it are walked, by name and each in its order; `__main__` alone is not imported."""
    write(PACKAGE)
    found = Toolset.from_module(named if isinstance(named, str) else named())
    assert found.names == IN_ORDER
    assert found["lion"] is sys.modules["shop.zoo"].lion
    assert not {"shop.__main__", "shop.deep.__main__", "shop.data"} & set(sys.modules)


def test_one_module_of_it(write: Write) -> None:
    """Without `recurse` it is one module alone, and what that imports is not its own."""
    write(PACKAGE)
    assert Toolset.from_module("shop", recurse=False).names == ("first",)
    assert "shop.orders" not in sys.modules
    assert Toolset.from_module("shop.orders").names == ("place", "cancel")
    assert Toolset.from_module("shop.deep").names == ("deepest", "below")
    assert Toolset.from_module("shop.bare").names == ("barer", "bare")


def test_a_package_without_a_file(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A namespace package that is spread over several folders is walked in all of them, by name."""
    write({"spread/b.py": a_tool("b"), "elsewhere/spread/a.py": a_tool("a"), "elsewhere/spread/sub/c.py": a_tool("c")})
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    assert Toolset.from_module("spread").names == ("a", "b", "c")


def test_a_module_within_its_own_import(write: Write) -> None:
    """A package may gather its tools in its own `__init__`, and be gathered all the same afterwards."""
    write(
        {
            "own/__init__.py": f"{a_tool('first')}TOOLS = Toolset.from_module(__name__)\n{a_tool('last')}",
            "own/sub.py": "import own\n" + a_tool("sub"),
        }
    )
    own = importlib.import_module("own")
    assert own.TOOLS.names == ("first", "sub")
    assert Toolset.from_module("own").names == ("first", "last", "sub")


def test_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that was started can be given, as any that no file holds."""
    program = types.ModuleType("__main__")
    exec(HEAD + a_tool("started"), vars(program))
    assert Toolset.from_module(program).names == ("started",)


def names_in(module: str) -> tuple[str, ...]:
    """The names of the tools that a module defines; none where it is said to define none."""
    try:
        return Toolset.from_module(module).names
    except DefinitionError as error:
        if "defines no tool" not in str(error):
            raise
        return ()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("", ()),
        ("def plain() -> None: ...\nKEPT = {'plain': plain, 'more': [[plain]]}", ()),
        ("def f() -> None: ...\nBY_NAME = {'g': tool(f, name='g'), 'f': tool(f)}", ("g", "f")),
        ("def f() -> None: ...\nHELD = {tool(f, name=name) for name in 'hgf'}", ("f", "g", "h")),
        ("def f() -> None: ...\nHELD = frozenset([tool(f), 'x', 5])", ("f",)),
        ("def f() -> None: ...\nHELD = [[5, (tool(f), {'a': [Toolset(tool(f, name='g'))]})]]", ("f", "g")),
        ("def f() -> None: ...\nHELD = [tool(f)]\nHELD.append(HELD)\nMORE = {'x': HELD}", ("f",)),
        (a_tool("b", "a") + "again = b", ("b", "a")),
        (a_tool("a") + "a = None", ()),
        ("def f() -> None: ...\ndef g() -> None: ...\nTOOLS = Toolset(f, g)", ("f", "g")),
        (a_tool("a") + "def f() -> None: ...\nTOOLS = Toolset(f, a)\nMORE = TOOLS.only('f')", ("a", "f")),
        ("def f() -> None: ...\nONE = Toolset(f)\nTWO = Toolset(f)", ("f",)),
        ("def f() -> None: ...\nTOOLS = [tool(f), f, 5]\nMORE = (tool(f, name='g'),)", ("f", "g")),
        (a_tool("a") + "TOOLS = Toolset(a).renamed({'a': 'b'})", ("a", "b")),
        (a_tool("a", "b") + "TOOLS = Toolset(a, b).searchable('b')", ("a", "b")),
        ("def f(x: int, y: int) -> int: return x\ng = tool(functools.partial(f, y=1))", ("f",)),
        ("from os.path import basename\ndef f(p: str) -> str: return basename(p)\nTOOLS = [tool(f)]", ("f",)),
    ],
)
def test_what_stands_in_a_module(write: Write, source: str, names: tuple[str, ...]) -> None:
    """Tools by themselves and in toolsets, lists and tuples, each once, in order of definition."""
    write({"stands.py": source})
    assert names_in("stands") == names


METHODS = """
class Shop:
    def __init__(self, name: str) -> None:
        self.name = name
    @tool
    def open(self) -> str:
        return self.name
    @tool
    @staticmethod
    def tax() -> str:
        return "tax"
    @staticmethod
    @tool
    def toll() -> str:
        return "toll"
    @classmethod
    @tool
    def kind(cls) -> str:
        return cls.__name__
    @tool
    @classmethod
    def sort(cls) -> str:
        return cls.__name__
    class Till:
        @tool
        @staticmethod
        def count() -> str:
            return "count"
    me = None
Shop.Till.shop = Shop
Alias = Shop
"""


def said_by(found: Toolset) -> dict[str, str]:
    return {made.name: made.invoke().content for made in found}


CLASS_SAYS = {"tax": "tax", "toll": "toll", "kind": "Shop", "sort": "Shop", "count": "count"}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("", {}),
        ("SHOP = Shop('mine')", {"open": "mine"}),
        ("shut = Shop('yours').open", {"open": "yours"}),
        ("SHOP = Shop('mine')\nopen = SHOP.open\nTOOLS = Toolset(SHOP.open, SHOP.tax)\nSAME = SHOP", {"open": "mine"}),
        ("close = Shop.open\nTOOLS = [Shop.open]", {}),
        ("class Big(Shop): ...\nBIG = Big('big')", {"open": "big"}),
        ("class Shut(Shop):\n    open = None\nSHUT = Shut('x')", {}),
        (
            "class Again(Shop):\n    @tool\n    def open(self) -> str: return 'again'\nAGAIN = Again('x')",
            {"open": "again"},
        ),
    ],
)
def test_what_stands_in_classes_and_objects(write: Write, more: str, says: dict[str, str]) -> None:
    """Static and class methods run; methods do where their object stands in the module, and else wait for it."""
    write({"stands.py": METHODS + more})
    assert said_by(Toolset.from_module("stands")) == CLASS_SAYS | says


OTHERS = """
from third import lent
def kept(fn):
    @functools.wraps(fn)
    def wrapper() -> None: ...
    return wrapper
def bare(fn):
    def wrapper() -> None: ...
    return wrapper
def plain() -> None: ...
class Kit:
    lent = staticmethod(tool(lent))
TOOLS = Toolset(plain)
SHOP = Shop('lib')
@tool
def theirs() -> None: ...
"""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from lib import *", ()),
        ("from lib import theirs, TOOLS, SHOP, Shop", ()),
        ("from lib import Kit", ()),
        ("import lib\nfrom lib import theirs as ours", ()),
        ("from lib import theirs, SHOP\nTOOLS = Toolset(theirs, SHOP.open)\nopen = SHOP.open", ()),
        ("from lib import plain\nOURS = [tool(plain, name='ours')]", ("ours",)),
        ("from lib import theirs\nOURS = Toolset(theirs).renamed({'theirs': 'ours'})", ("ours",)),
        ("from lib import Shop\nSHOP = Shop('ours')", ("open",)),
        ("from lib import Shop\nclass Ours(Shop): ...", ()),
        ("from lib import theirs\n" + a_tool("ours"), ("ours",)),
        ("from lib import kept\n@tool\n@kept\ndef f() -> None: ...", ("f",)),
        ("from lib import bare\n@tool(name='f')\n@bare\ndef f() -> None: ...", ("f",)),
    ],
)
def test_what_is_another_s(write: Write, source: str, names: tuple[str, ...]) -> None:
    """What is only imported is not gathered; what is made of it here is."""
    write({"third.py": "def lent() -> None: ...", "lib.py": METHODS + OTHERS, "stands.py": source})
    assert names_in("stands") == names


@pytest.mark.parametrize(
    ("sources", "places"),
    [
        ({"p/a.py": a_tool("same"), "p/b.py": a_tool("same")}, "p.a:same and p.b:same"),
        ({"p/__init__.py": a_tool("same"), "p/d/b.py": a_tool("same")}, "p:same and p.d.b:same"),
        (
            {"p/a.py": "def same() -> None: ...\nTOOLS = Toolset(same)", "p/b.py": a_tool("same")},
            "p.a:TOOLS and p.b:same",
        ),
        ({"p/a.py": METHODS, "p/b.py": a_tool("count")}, "p.a:Shop.Till.count and p.b:count"),
        ({"p/a.py": METHODS + "A = Shop('a')\nB = Shop('b')"}, "p.a:A.open and p.a:B.open"),
        (
            {"p/a.py": a_tool("same") + "@tool(name='same')\ndef other() -> None: ..."},
            "p.a:same and p.a:other",
        ),
        (
            {"p/a.py": "def f() -> None: ...\nA = tool(f)\nB = tool(f, description='Another.')"},
            "p.a:A and p.a:B",
        ),
    ],
)
def test_two_of_one_name(write: Write, sources: Mapping[str, str], places: str) -> None:
    """They are refused, with where both stand."""
    write(sources)
    with pytest.raises(DefinitionError, match=rf"^Two tools are called '\w+': {places}\. .*@tool\(name=\.\.\.\)"):
        Toolset.from_module("p")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module_at_all", r"No module named 'no_such_module_at_all'\."),
        ("from functools import nothing", "cannot import name 'nothing'"),
        ("1 / 0", r"ZeroDivisionError: division by zero\."),
        ("def f(:", r"SyntaxError: .*broken\.py, line 3"),
        ("raise SystemExit(3)", r"SystemExit: 3\."),
        ("raise ValueError('no. luck.')", r"ValueError: no\. luck\.$"),
        ("@tool\ndef f(x): ...", r"f\(\): parameter 'x' has no annotation"),
        ("import sys\nsys.modules[__name__] = 5", "puts a value of type int in its own place"),
    ],
)
def test_a_module_that_cannot_be_imported(write: Write, source: str, why: str) -> None:
    """One broken module below a package is named with what went wrong: nothing is left out in silence."""
    write({"p/deep/broken.py": source, "p/fine.py": a_tool("fine")})
    with pytest.raises(DefinitionError, match=rf"^The module 'p\.deep\.broken' .*{why}") as caught:
        Toolset.from_module("p")
    assert (caught.value.__cause__ is None) == ("sys.modules" in source)


def test_an_interrupt_is_no_fault_of_a_module(write: Write) -> None:
    """A person who interrupts the walk is not told that a module is wrong."""
    write({"p/slow.py": "raise KeyboardInterrupt"})
    with pytest.raises(KeyboardInterrupt):
        Toolset.from_module("p")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("no_such_package_at_all", "^The module 'no_such_package_at_all' cannot be imported: No module named"),
        ("json.nothing", r"'json\.nothing' cannot be imported"),
        ("tools/shop.py", r"'tools/shop\.py' cannot be imported"),
        (".shop", r"'\.shop' cannot be imported: TypeError"),
        ("", "'' cannot be imported: ValueError"),
        (5, "from_module takes a module or its name, got a value of type int"),
        (None, "got a value of type NoneType"),
        (Path("shop.py"), "got a value of type PosixPath"),
    ],
)
def test_what_is_no_module(given: Any, words: str) -> None:
    """A name that cannot be imported, and what is no name, are told."""
    with pytest.raises(DefinitionError, match=words):
        Toolset.from_module(given)


def test_modules_are_imported_once(write: Write) -> None:
    """What a module does at its import it does once, however often it is walked."""
    write({"p/__init__.py": "TIMES = []", "p/a.py": "import p\np.TIMES.append(1)\n" + a_tool("a")})
    assert Toolset.from_module("p")["a"] is Toolset.from_module("p")["a"]
    assert sys.modules["p"].TIMES == [1]


def test_the_library_s_own_tools_are_nobody_s(write: Write) -> None:
    """Two searchable sets in a package have each a search of their own, and no two tools of one name."""
    source = "TOOLS = Toolset({0}).searchable()"
    write({"p/a.py": a_tool("a") + source.format("a"), "p/b.py": a_tool("b") + source.format("b")})
    assert Toolset.from_module("p").names == ("a", "b")


@pytest.mark.parametrize(
    ("module", "recurse", "words"),
    [
        ("p", True, "^The module 'p' and those below it define no tool: write @tool above a function"),
        ("p", False, "^The module 'p' defines no tool: "),
        ("p.plain", True, "^The module 'p.plain' defines no tool: .* imports counts where it is defined"),
        ("json", True, "^The module 'json' and those below it define no tool"),
    ],
)
def test_a_module_without_a_tool(write: Write, module: str, recurse: bool, words: str) -> None:
    """A wrong name that is a module all the same is told, and no empty set is given in silence."""
    write({"p/__init__.py": "", "p/plain.py": "def plain() -> None: ..."})
    with pytest.raises(DefinitionError, match=words):
        Toolset.from_module(module, recurse=recurse)
