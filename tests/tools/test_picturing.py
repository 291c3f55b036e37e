"""The snapshots of tools: what each provider is sent, the same bytes wherever and however they are made."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from magic_tools import DefinitionError, Policy, Tool, tool
from magic_tools.contracts.snapshot import read_snapshot
from magic_tools.schema.dialects.table import DIALECTS
from magic_tools.tools.picturing import PICTURED, Pictures, snapshot_of


@tool(policy=Policy(id="shop.stock", version="1.0.0"))
def stock(sku: str, count: int = 1) -> int:
    """How many there are."""
    return count


@tool(strict=True)
def strict(counts: dict[str, int]) -> int:
    """What some providers cannot be sent strictly."""
    return len(counts)


def named(name: str, id_: str | None = None) -> Tool[[], None]:
    @tool(name=name, policy=Policy(id=id_))
    def nothing() -> None: ...

    return nothing


def test_each_dialect_that_a_model_reads_is_there() -> None:
    """All but the contract's own form, and the one that no model reads."""
    assert set(DIALECTS) - set(PICTURED) == {"canonical", "grammar"}
    assert snapshot_of(stock).definitions == {dialect: stock.definition(dialect) for dialect in PICTURED}


def test_what_cannot_be_sent_is_in_the_picture() -> None:
    """Where a provider cannot be sent a tool the reason stands, and the others are there."""
    definitions = snapshot_of(strict).definitions
    assert definitions["openai-chat"].keys() == {"refused"}
    assert "The tool 'strict' cannot be sent strict to openai-chat" in definitions["openai-chat"]["refused"]
    assert definitions["mcp"]["name"] == "strict"


def test_pictures_are_a_mapping_by_id() -> None:
    """They are counted and looked up by id, and are read back from their text."""
    pictures = Pictures([stock, named("other")])
    assert (list(pictures), len(pictures)) == (["shop.stock", "other"], 2)
    assert "shop.stock" in pictures
    assert "stock" not in pictures
    assert read_snapshot(pictures["shop.stock"].text, "x") == pictures["shop.stock"]


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (named("a", "x"), named("b", "x"), "The tools 'a' and 'b' would have one snapshot, for their ids are 'x' and"),
        (named("Find"), named("find"), "for their ids are 'Find' and 'find'"),
        (stock, named("b", "Shop.Stock"), r"The tools 'stock' \(1.0.0\) and 'b' would have one snapshot"),
        (stock, named("Retired"), "The id 'Retired' of the tool 'Retired' has the file of the reserved ids"),
    ],
)  # fmt: skip
def test_two_tools_of_one_file_are_refused(one: Tool[..., None], other: Tool[..., None], words: str) -> None:
    """Two ids that are one file's name on some system are refused, and so is the name of another file."""
    with pytest.raises(DefinitionError, match=words):
        Pictures([one, other])


MODULES = {
    "shapes": """
from dataclasses import dataclass
from enum import Enum
from typing import Annotated
from pydantic import BaseModel, Field
from typing_extensions import TypedDict
from magic_tools import Unit

class Colour(Enum):
    RED = "red"
    GREEN = "grün"

class Tree(BaseModel):
    name: Annotated[str, Field(pattern="^[a-z\u2028]+$", max_length=7)]
    children: list["Tree"] = []
    parent: "Tree | None" = None

class Size(TypedDict, total=False):
    width: Annotated[float, Unit("m")]
    height: float

@dataclass
class Item:
    sku: str
    tags: set[str]
    extra: dict[str, Tree | Size]
    colour: Colour = Colour.RED
""",
    "first": """
from shapes import Colour, Item, Tree
from datetime import date
from magic_tools import Lifecycle, Policy, tool

@tool(policy=Policy(
    id="shop.plant", version="1.2.0-rc.1+b", risk="write", scopes=("b", "a"), tags=("z", "y"), masks=("name",),
    examples=({"trees": [{"name": "fir"}], "item": None},), lint_ignore={"long-text": "it is long"},
    lifecycle=Lifecycle(announced="2027-01-01", retired=date(2028, 1, 1), replacement="shop.grow@2.0.0"),
    error_schema={"type": "object", "properties": {"b": {}, "a": {}}},
), timeout=2.5, retries=2, keep=["name", "children"])
def plant(
    trees: list[Tree], item: Item | None = None, day: date | None = None, *, colour: Colour = Colour.GREEN
) -> Tree:
    '''Plant trees \\ud83c\\udf33.

    Args:
        trees: What to plant.
        day: When.
    '''
    return trees[0]
""",
    "second": """
from shapes import Item, Size
from typing import Annotated, Literal, Union
from pydantic import Field
from magic_tools import tool

@tool
def measure(
    size: Size, by: Literal["eye", 2, None] = "eye", *items: Item, **more: Union[int, float, str]
) -> dict[str, float]:
    '''Measure things.'''
    return {}

@tool
def count(
    low: Annotated[int, Field(ge=1, lt=10**6)], high: Annotated[float, Field(gt=0.1, multiple_of=0.1)] = 1e22
) -> None:
    '''Count.'''
""",
}  # fmt: skip
PROGRAM = """
import sys
names = sys.argv[1:]
modules = [__import__(name) for name in names]
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.tools.picturing import Pictures
from magic_tools.tools.toolset import Toolset
tools = [made for name in sorted(set(names) - {"shapes"}) for made in Toolset.from_module(name)]
sys.stdout.buffer.write("".join(each.text for _, each in sorted(Pictures(tools).items())).encode())
"""
ORDERS = [
    ("first", "second"),
    ("second", "first"),
    ("shapes", "second", "first"),
]


def pictured(folder: Path, order: tuple[str, ...], seed: str) -> bytes:
    """The snapshots of the modules, made in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *order],
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


GOLDEN = "09d31d13ca04ddac1a1ad7d9d1ef6baddacf344eb1896276d582bdbaea383573"
"""Of the three snapshots, one after the other, by Python 3.11 and pydantic 2.14."""


def test_they_are_the_same_bytes_everywhere(tmp_path: Path) -> None:
    """Neither the hash seed nor the order of imports changes a byte, nor the version of Python or of pydantic.

    Every version that the tests run with is held to the one digest. What the library says otherwise on purpose changes
    it: then take the new one, as with any snapshot.
    """
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    texts = {pictured(tmp_path, order, seed) for order in ORDERS for seed in ("0", "1", "4711")}
    assert len(texts) == 1
    text = texts.pop()
    assert text.count(b'"format": "magic_tools snapshot 2"') == 3
    assert hashlib.sha256(text).hexdigest() == GOLDEN, text.decode()
