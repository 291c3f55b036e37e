"""Best sellers, then stock: two tools, of which the second needs what the first gave, and a report as the answer."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from rich.console import Console
from rich.text import Text

from magic_tools import (
    ChatModel,
    ErrorCode,
    Injected,
    Limits,
    Outcome,
    Policy,
    RunOptions,
    ScriptedModel,
    TextPart,
    ToolCall,
    ToolFailure,
    ToolResult,
    Unit,
    extract,
    run,
    tool,
)

Region = Annotated[
    Literal["north", "east", "south", "west"],
    {
        "north": "华北, as Beijing",
        "east": "华东, as Shanghai",
        "south": "华南, as Guangzhou",
        "west": "西部, as Chengdu",
    },
]
Quarter = Annotated[str, "A year and its quarter, such as 2026-Q1", Field(pattern="^[0-9]{4}-Q[1-4]$")]
ProductId = Annotated[str, "The letter P and three digits", Field(pattern="^P[0-9]{3}$")]
Money = Annotated[Decimal, Unit("CNY"), Field(ge=0, decimal_places=2)]
Pieces = Annotated[int, Unit("pieces"), Field(ge=0)]


class Sold(BaseModel):
    """What was sold of a product."""

    product_id: ProductId
    name: Annotated[str, "As it stands in the catalogue", Field(max_length=60)]
    units_sold: Annotated[Pieces, "How many were sold"]
    revenue: Annotated[Money, "What they brought"]


class TopSales(BaseModel):
    """The products that sold best, by the number sold, the best first."""

    products: list[Sold]
    has_more: Annotated[bool, "Whether other products come after these"]
    next_cursor: Annotated[
        str | None, "To be passed on unchanged, as the cursor of the call for what comes next; null at the end"
    ]


class InStock(BaseModel):
    """How many of a product there are."""

    product_id: ProductId
    in_stock: Annotated[Pieces, "How many are in the warehouse"]


class Stock(BaseModel):
    """The stock of each product that is known, in the order in which they were asked for."""

    products: list[InStock]
    unknown_ids: Annotated[list[str], "Those of which there is no product"]


class BestSeller(Sold):
    """A product that sold well, and what is left of it."""

    in_stock: Annotated[Pieces | None, "How many are in stock; null where that is not known"]


class Report(BaseModel):
    """The best sellers of a region in a quarter, the best first."""

    region: Region
    quarter: Quarter
    best_sellers: Annotated[list[BestSeller], Field(max_length=3)]


@tool(
    timeout=3.0,
    policy=Policy(read_only=True, examples=({"region": "east", "quarter": "2026-Q1", "limit": 3},)),
)
def top_sales(
    region: Annotated[Region, "Where the products were sold"],
    quarter: Quarter,
    database: Injected[Path],
    limit: Annotated[int, "How many products to give, from 1 to 20", Field(ge=1, le=20)] = 10,
    cursor: Annotated[
        str | None,
        "The next_cursor of the call before, passed on unchanged; null to begin with the best",
        Field(max_length=40),
    ] = None,
) -> TopSales:
    """Find the products that sold best in a region in a quarter, with their ids, numbers sold and revenue.

    Not for what is left of them: use stock, with the ids that this gives.
    """
    start = _start(cursor, f"{region}/{quarter}/")
    rows = _rows(
        database,
        "SELECT product_id, name, units, fen FROM sales JOIN products USING (product_id) "
        "WHERE region = ? AND quarter = ? ORDER BY units DESC, product_id LIMIT ? OFFSET ?",
        (region, quarter, limit + 1, start),
    )
    found = [
        Sold(product_id=product_id, name=name, units_sold=units, revenue=Decimal(fen).scaleb(-2))
        for product_id, name, units, fen in rows[:limit]
    ]
    following = f"{region}/{quarter}/{start + limit}" if len(rows) > limit else None
    return TopSales(products=found, has_more=following is not None, next_cursor=following)


def _start(cursor: str | None, prefix: str) -> int:
    """How many products a page leaves out; a ToolFailure says where a cursor comes from, if this is none."""
    if cursor is None:
        return 0
    number = cursor.removeprefix(prefix)
    if not (cursor.startswith(prefix) and number.isascii() and number.isdigit() and len(number) <= 6):
        words = "This is no cursor of this region and quarter: pass next_cursor on unchanged, or begin without one."
        raise ToolFailure(words, ErrorCode.INVALID_ARGUMENT)
    return int(number)


@tool(timeout=3.0, policy=Policy(read_only=True, examples=({"product_ids": ["P104", "P101"]},)))
def stock(
    product_ids: Annotated[list[ProductId], "Whose stock to look up, from 1 to 20", Field(min_length=1, max_length=20)],
    database: Injected[Path],
) -> Stock:
    """Look up how many pieces of each product are in the warehouse now.

    Not for what was sold, nor for finding a product: use top_sales.
    """
    marks = ", ".join("?" * len(product_ids))
    statement = f"SELECT product_id, on_hand FROM products WHERE product_id IN ({marks})"  # noqa: S608 - only marks
    held = dict(_rows(database, statement, tuple(product_ids)))
    asked = list(dict.fromkeys(product_ids))
    return Stock(
        products=[InStock(product_id=each, in_stock=held[each]) for each in asked if each in held],
        unknown_ids=[each for each in asked if each not in held],
    )


def _rows(database: Path, statement: str, values: tuple[str | int, ...]) -> list[tuple[Any, ...]]:
    """What a statement gives, by a connection that only reads, of the thread in which the tool runs."""
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(statement, values).fetchall()


PRODUCTS = (
    ("P101", "龙井茶 Longjing tea", 420),
    ("P102", "茉莉花茶 Jasmine tea", 1_300),
    ("P103", "普洱茶 Pu'er tea", 75),
    ("P104", "乌龙茶 Oolong tea", 0),
    ("P105", "茶壶 Teapot", 58),
)
SALES = (
    ("east", "2026-Q1", "P101", 1_250, 11_000_000),
    ("east", "2026-Q1", "P102", 310, 1_233_490),
    ("east", "2026-Q1", "P103", 640, 8_896_000),
    ("east", "2026-Q1", "P104", 1_980, 13_662_010),
    ("east", "2026-Q1", "P105", 95, 1_225_500),
    ("east", "2025-Q4", "P105", 4_000, 51_600_000),
    ("north", "2026-Q1", "P102", 2_700, 10_743_300),
)
"""Region, quarter, product, pieces, and fen, of which 100 are a yuan: whole numbers, so that no sum loses any."""


def make_database(file: Path) -> None:
    """Write the products and what was sold of them to a file of SQLite."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE products (product_id TEXT PRIMARY KEY, name TEXT, on_hand INTEGER)")
        connection.execute(
            "CREATE TABLE sales (region TEXT, quarter TEXT, product_id TEXT, units INTEGER, fen INTEGER)"
        )
        connection.executemany("INSERT INTO products VALUES (?, ?, ?)", PRODUCTS)
        connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", SALES)


TOOLS = (top_sales, stock)
SAID = {
    "en": (
        "Which three products sold best in the east last quarter, and how many of each are in stock?",
        "Today is 2026-05-11. Report only what the tools gave; what is not known is null.",
    ),
    "zh": (
        "上个季度华东地区最畅销的三种产品是什么？每种还有多少库存？",
        "今天是 2026-05-11。只报告工具给出的内容；未知的填 null。",
    ),
}
"""The question and the instructions, by language."""

FIND = ToolCall("c1", "top_sales", '{"region": "east", "quarter": "2026-Q1", "limit": 3}')
LOOK = ToolCall("c2", "stock", '{"product_ids": ["P104", "P101", "P103"]}')
AGAIN = ToolCall("c3", "top_sales", '{"limit": 3, "quarter": "2026-Q1", "region": "east"}')


def report(*in_stock: int | None) -> Report:
    """The report of as many best sellers as stocks are given."""
    sold = (
        ("P104", "乌龙茶 Oolong tea", 1_980, "136620.10"),
        ("P101", "龙井茶 Longjing tea", 1_250, "110000.00"),
        ("P103", "普洱茶 Pu'er tea", 640, "88960.00"),
    )
    lines = [
        BestSeller(product_id=product_id, name=name, units_sold=units, revenue=Decimal(yuan), in_stock=left)
        for (product_id, name, units, yuan), left in zip(sold, in_stock, strict=False)
    ]
    return Report(region="east", quarter="2026-Q1", best_sellers=lines)


COMPLETE, WITHOUT_STOCK, NOTHING = report(0, 420, 75), report(None, None, None), report()


def ask(
    model: ChatModel, database: Path, limits: Limits | None = None, options: RunOptions | None = None
) -> Outcome[Report]:
    """Ask the question, in the language in which the model is spoken to."""
    question, instructions = SAID[options.language if options else "en"]
    return run(
        question,
        tools=TOOLS,
        output=Report,
        model=model,
        instructions=instructions,
        limits=limits,
        context={"database": database},
        options=options,
    )


def show(lead: str, text: str) -> None:
    """Print a text behind a word, in lines that fit a terminal, its Chinese characters too."""
    for number, line in enumerate(Text(text).wrap(Console(), 70)):
        print(f"{lead if number == 0 else '':>8} {line.plain.rstrip()}")


def show_run(outcome: Outcome[Report], start: int = 0) -> None:
    """Print the calls of a run and what was said to the model, from a message on, and what it came to."""
    for message in outcome.transcript[start:]:
        for part in message.parts:
            match part:
                case ToolCall():
                    show("call", f"{part.name}({part.arguments})")
                case ToolResult():
                    show("error" if part.is_error else "result", part.content)
                case TextPart() if message.role != "assistant":
                    show(message.role, part.text)
    show("end", f"{outcome.stop}, steps: {outcome.steps}, ok: {outcome.ok}, fall-back: {outcome.fallback}")
    show("report", f"{outcome.value.region}, {outcome.value.quarter}, products: {len(outcome.value.best_sellers)}")
    for line in outcome.value.best_sellers:
        show("", f"{line.name}: {line.units_sold} sold for CNY {line.revenue:,}, in stock: {line.in_stock}")
    print()


def main(database: Path, *, local: bool) -> None:
    """Print a run of two steps, and what becomes of repeated calls, of a run that must be short, and of silence."""
    make_database(database)
    answer = COMPLETE.model_dump_json()
    print("Two steps, the second with what the first gave, and the report:")
    found = ask(ScriptedModel([FIND, LOOK, answer]), database)
    show_run(found)
    print("The same call twice, in both languages. The second is not made:")
    for options in (RunOptions(language="en"), RunOptions(language="zh")):
        show_run(ask(ScriptedModel([FIND, AGAIN, answer]), database, options=options), start=4)
    print("One step and no more. The answer is made from what is known:")
    show_run(ask(ScriptedModel([FIND, WITHOUT_STOCK.model_dump_json()]), database, Limits(steps=1)), start=4)
    print("A model that replies with blanks. It is told so once, then not asked again:")
    show_run(ask(ScriptedModel([FIND, "  ", "\n"]), database, options=RunOptions(fallback=NOTHING)), start=4)
    if local:
        print("The embedded model is too small for these calls. Its report has the form, if not the facts:")
        results = [part.content for each in found.transcript for part in each.parts if isinstance(part, ToolResult)]
        show("report", extract(Report, "\n".join(results), model="local").model_dump_json())


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(Path(folder) / "sales.sqlite", local="--local" in sys.argv)
