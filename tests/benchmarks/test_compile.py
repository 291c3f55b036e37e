"""What it costs to compile a tool, to tell a provider of it, and to read what a model sends for it."""

from __future__ import annotations

import gc
import time
import timeit
import tracemalloc
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, create_model

from magic_tools.loose.decode import compile_schema, parse
from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.tool import tool

ROUNDS = 5
FUNCTIONS = 100
LARGEST_COMPILE_RATIO = 1.5
LARGEST_DEFINITION_US = 10.0
LARGEST_PARSE_RATIO = 2.5
LARGEST_INVOKE_US = 15.0


class Place(BaseModel):
    """A place."""

    name: str
    zip: str | None = None
    country: Literal["de", "fr"] = "de"


def functions() -> list[Callable[..., Any]]:
    """Functions of five parameters, one of them a model of their own, with a docstring."""

    def made(number: int) -> Callable[..., Any]:
        model = create_model(f"Place{number}", __base__=Place)

        def search(
            query: str,
            place: model,  # type: ignore[valid-type]  # a class of its own for each function
            limit: Annotated[int, Field(ge=1, le=20)] = 10,
            sort: Literal["date", "name"] = "date",
            tags: list[str] = [],  # noqa: B006 - a default that must be copied
        ) -> str:
            """Search for things.

            Not for other things.

            Args:
                query: What to look for.
                place: Where to look.
                limit: How many, from 1 to 20.
                sort: The order.
                tags: Words that must occur.
            """
            return query

        search.__annotations__["place"] = model
        search.__annotations__["limit"] = Annotated[int, Field(ge=1, le=20)]
        search.__annotations__["sort"] = Literal["date", "name"]
        search.__annotations__["tags"] = list[str]
        search.__annotations__["query"] = search.__annotations__["return"] = str
        return search

    return [made(number) for number in range(FUNCTIONS)]


def microseconds_each(act: Callable[[Any], Any]) -> float:
    """The time that one of many takes; each is new, so that nothing is kept from the one before."""
    fresh = functions()
    gc.collect()
    start = time.perf_counter()
    for function in fresh:
        act(function)
    return (time.perf_counter() - start) / len(fresh) * 1e6


def test_the_first_compile(say: Callable[[str], None]) -> None:
    """Docstring, schema and one definition of a tool take at most 1.5 times pydantic's schema of the function."""
    rounds = []
    for _ in range(ROUNDS):
        floor = microseconds_each(lambda function: TypeAdapter(function).json_schema())
        rounds.append((floor, microseconds_each(lambda function: tool(function).definition("openai-chat"))))
    floor, ours = (median(column) for column in zip(*rounds, strict=True))
    say(f"first compile {ours:.0f} us, pydantic's schema {floor:.0f} us, ratio {ours / floor:.2f}")
    assert ours <= LARGEST_COMPILE_RATIO * floor


def each_us(act: Callable[[], Any], number: int = 5_000) -> float:
    act()
    return min(timeit.repeat(act, number=number, repeat=ROUNDS)) / number * 1e6


def test_a_definition_again(say: Callable[[str], None]) -> None:
    """A definition that was made before is a fresh copy in under ten microseconds."""
    made = tool(functions()[0])
    dialects: tuple[Dialect, ...] = ("openai-chat", "anthropic", "mcp")
    again = {dialect: each_us(partial(made.definition, dialect)) for dialect in dialects}
    say("definition again: " + ", ".join(f"{dialect} {spent:.1f} us" for dialect, spent in again.items()))
    assert max(again.values()) < LARGEST_DEFINITION_US


class Flat(BaseModel):
    """Five fields, none of them of objects."""

    name: str
    number: int
    degrees: float
    open: bool
    city: str


class Nested(BaseModel):
    """Five fields, one of them an object and one a list."""

    query: str
    limit: Annotated[int, Field(ge=1, le=20)] = 10
    sort: Literal["date", "name"] = "date"
    tags: list[str] = []
    place: Place


SHAPES: list[tuple[Any, str]] = [
    (Flat, '{"name":"hello world","number":5,"degrees":1.5,"open":true,"city":"Rome"}'),
    (Nested, '{"query":"a","limit":5,"sort":"name","tags":["x","y"],"place":{"name":"Rome","zip":"1","country":"fr"}}'),
    (list[Flat], "[" + ",".join(['{"name":"hello","number":5,"degrees":1.5,"open":true,"city":"Rome"}'] * 20) + "]"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "text"), SHAPES, ids=["flat", "nested", "list of 20"])
def test_parsing(target: Any, text: str, say: Callable[[str], None]) -> None:
    """Reading a text that fits, duplicate keys looked for, takes at most 2.5 times pydantic's own reading."""
    floor = TypeAdapter(target)
    schema = compile_schema(target)
    alone = each_us(lambda: floor.validate_json(text))
    compiled = each_us(lambda: schema.parse(text))
    by_type = each_us(lambda: parse(target, text))
    say(
        f"validate_json {alone:.2f} us, Schema.parse {compiled:.2f} us ({compiled / alone:.2f}), "
        f"parse {by_type:.2f} us ({by_type / alone:.2f})"
    )
    assert compiled <= by_type <= LARGEST_PARSE_RATIO * alone


def test_invoking(say: Callable[[str], None]) -> None:
    """A call of an ordinary function adds at most fifteen microseconds to reading its arguments."""
    made = tool(functions()[0])
    text = SHAPES[1][1]
    parsing = each_us(lambda: made.executable.arguments.parse(text))
    calling = each_us(lambda: made.invoke(text))
    say(f"parse {parsing:.2f} us, invoke {calling:.2f} us, adds {calling - parsing:.2f} us")
    assert calling - parsing <= LARGEST_INVOKE_US


def test_the_memory_of_a_thousand_tools(say: Callable[[str], None]) -> None:
    """A thousand compiled tools, each with a definition made, take what is said here; less than 100 KiB each."""
    fresh = [function for _ in range(10) for function in functions()]
    tracemalloc.start()
    kept = [tool(function) for function in fresh]
    for made in kept:
        made.definition("openai-chat")
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    say(f"1,000 tools: {taken / 2**20:.0f} MiB")
    assert taken < len(kept) * 100 * 2**10
