"""Toolsets: ordered, under unique names, cut to size, joined, renamed and searched."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated, Any

import pytest

from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError, SchemaRejectedError
from magic_tools.messages import ErrorCode, Message, ToolCall, ToolResult
from magic_tools.models.scripted import ScriptedModel
from magic_tools.running import run
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset


@tool
def sell(sku: str, count: int = 1) -> int:
    """Sell an article."""
    return count


def stock(sku: str) -> int:
    """How many there are."""
    return len(sku)


@tool(name="buy")
async def order(sku: str) -> str:
    """Order an article."""
    return sku


class Shop:
    @tool
    def close(self) -> None:
        """Close the shop."""


ALL = Toolset(sell, stock, order)


def test_it_keeps_order_and_names() -> None:
    """Tools come in the order they were given in, found by name; a plain function is made a tool."""
    assert ALL.names == ("sell", "stock", "buy")
    assert [made.name for made in ALL] == ["sell", "stock", "buy"]
    assert len(ALL) == 3
    assert ALL["sell"] is sell
    assert ALL["stock"].invoke({"sku": "abc"}).content == "3"
    assert "buy" in ALL
    assert "order" not in ALL
    assert repr(ALL) == "Toolset(sell, stock, buy)"
    assert not len(Toolset())


def test_an_unknown_name_is_a_key_error() -> None:
    """Like a mapping's."""
    with pytest.raises(KeyError, match="order"):
        ALL["order"]


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ((sell, sell), "Two tools are called 'sell'"),
        ((stock, tool(stock)), r"Two tools are called 'stock'.*@tool\(name=\.\.\.\)"),
        ((Shop.close,), r"'close' is a method without its object.*`obj\.close`"),
        ((5,), "This is no tool but a value of type int: pass functions as they are, without calling them"),
        ((None,), "a value of type NoneType"),
        (("sell",), "no tool but a value of type str"),
        ((stock("abc"),), "without calling them"),
        ((Shop,), "Shop is a class and no tool: pass functions, or an object's methods"),
        ((int,), "int is a class"),
        (([sell, stock],), r"takes tools one by one, got a value of type list: unpack it, as in Toolset\(\*tools\)"),
        ((Toolset(sell), stock), "got a value of type Toolset: unpack it"),
        (((each for each in (sell,)),), "got a value of type generator: unpack it"),
    ],
)
def test_what_it_refuses(tools: tuple[Any, ...], words: str) -> None:
    """Two of one name, a method without its object, and what is no function are refused when it is made."""
    with pytest.raises(DefinitionError, match=words):
        Toolset(*tools)


def test_a_method_with_its_object() -> None:
    """A method taken from an object is a tool like any other."""
    assert Toolset(Shop().close).names == ("close",)


@pytest.mark.parametrize(
    ("cut", "names"),
    [
        (lambda: ALL.only("buy", "sell"), ("sell", "buy")),
        (lambda: ALL.only("sell", "sell"), ("sell",)),
        (lambda: ALL.only(), ()),
        (lambda: ALL.without("sell"), ("stock", "buy")),
        (lambda: ALL.without(), ("sell", "stock", "buy")),
        (lambda: ALL.without(*ALL.names), ()),
    ],
)
def test_cut_to_size(cut: Callable[[], Toolset], names: tuple[str, ...]) -> None:
    """`only` and `without` give a new set in the old order, with the same tools."""
    made = cut()
    assert made.names == names
    assert all(made[name] is ALL[name] for name in names)
    assert ALL.names == ("sell", "stock", "buy")


@pytest.mark.parametrize("cut", [ALL.only, ALL.without])
def test_cut_by_a_name_that_is_not_there(cut: Callable[..., Toolset]) -> None:
    """A misspelled name is refused, with those there are."""
    with pytest.raises(DefinitionError, match="There is no tool 'sel' here; there are: sell, stock, buy"):
        cut("buy", "sel")


def test_nothing_to_cut() -> None:
    """An empty set says that it has none."""
    with pytest.raises(DefinitionError, match="there are: none"):
        Toolset().only("a")


def test_what_providers_and_models_are_told() -> None:
    """Definitions and what a request carries are those of the tools, in order, and the caller's own."""
    assert [each["function"]["name"] for each in ALL.definitions()] == ["sell", "stock", "buy"]
    assert ALL.definitions("canonical") == [made.definition("canonical") for made in ALL]
    assert ALL.told() == tuple(made.told() for made in ALL)
    ALL.definitions()[0].clear()
    ALL.told()[0].input_schema.clear()
    assert ALL.definitions()[0] == sell.definition()
    assert ALL.told()[0] == sell.told()


def declared(name: str, *tags: str, phases: tuple[str, ...] = (), text: str = "") -> Tool[..., Any]:
    """A tool of this name that takes nothing."""

    @tool(name=name, description=text, policy=Policy(tags=tags, phases=phases))
    def made() -> str:
        return name

    return made


DECLARED = Toolset(
    declared("greet"),
    declared("look", "read", "orders", phases=("find", "pay")),
    declared("pay", "orders", phases=("pay",)),
    declared("count", "read"),
)


@pytest.mark.parametrize(
    ("cut", "names"),
    [
        (lambda: DECLARED.tagged("read"), ("look", "count")),
        (lambda: DECLARED.tagged("orders", "read"), ("look", "pay", "count")),
        (lambda: DECLARED.tagged("orders").tagged("read"), ("look",)),
        (lambda: DECLARED.tagged("rea"), ()),
        (lambda: DECLARED.tagged(), ()),
        (lambda: DECLARED.in_phase("find"), ("greet", "look", "count")),
        (lambda: DECLARED.in_phase("pay"), ("greet", "look", "pay", "count")),
        (lambda: DECLARED.in_phase("end"), ("greet", "count")),
        (lambda: DECLARED.in_phase("find").tagged("read"), ("look", "count")),
        (lambda: ALL.in_phase("find"), ("sell", "stock", "buy")),
        (lambda: ALL.tagged("read"), ()),
    ],
)
def test_by_tag_and_phase(cut: Callable[[], Toolset], names: tuple[str, ...]) -> None:
    """Any of the tags will do, and all of them by one cut after the other; without phases a tool serves each."""
    made = cut()
    assert made.names == names
    assert all(made[name] is (DECLARED if name in DECLARED else ALL)[name] for name in names)


@pytest.mark.parametrize("cut", [DECLARED.tagged, DECLARED.in_phase])
@pytest.mark.parametrize("given", [["read"], ("read",), None, 5])
def test_a_tag_or_phase_that_is_no_text(cut: Callable[..., Toolset], given: Any) -> None:
    """A list of tags in place of the tags would fit nothing: it is refused."""
    with pytest.raises(DefinitionError, match=f"by text, got a value of type {type(given).__name__}"):
        cut(given)


@pytest.mark.parametrize(
    ("names", "all_names"),
    [
        ({}, ("sell", "stock", "buy")),
        ({"stock": "count_stock"}, ("sell", "count_stock", "buy")),
        ({"sell": "buy", "buy": "sell"}, ("buy", "stock", "sell")),
        ({"sell": "sell"}, ("sell", "stock", "buy")),
    ],
)
def test_renamed(names: dict[str, str], all_names: tuple[str, ...]) -> None:
    """The new names stand in the old places, and the set itself is as it was."""
    renamed = ALL.renamed(names)
    assert renamed.names == all_names
    assert [made.name for made in renamed] == list(all_names)
    assert [told.name for told in renamed.told()] == list(all_names)
    assert [each["function"]["name"] for each in renamed.definitions()] == list(all_names)
    assert ALL.names == ("sell", "stock", "buy")
    assert ALL["sell"].name == "sell"


def test_a_renamed_tool_is_the_same_but_for_its_name() -> None:
    """It runs, refuses and is contracted for under the new name, and keeps what its author declared."""
    original = DECLARED["look"]
    twin = DECLARED.renamed({"look": "view"})["view"]
    assert twin.invoke().content == "look"
    assert twin.invoke().name == "view"
    refusal = twin.invoke({"x": 1})
    assert refusal.name == "view"
    assert "view" in refusal.content
    assert "look" not in refusal.content
    assert (twin.policy, twin.description, twin.strict) == (original.policy, original.description, original.strict)
    assert (twin.contract.id, original.contract.id) == ("view", "look")
    assert (twin(), repr(twin)) == ("look", "<Tool view>")
    assert Toolset(Shop().close).renamed({"close": "shut"})["shut"].invoke().content == '{"ok":true}'


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"sel": "x"}, "There is no tool 'sel' here; there are: sell, stock, buy"),
        ({"sell": "stock"}, "Two tools are called 'stock'"),
        ({"sell": "x", "buy": "x"}, "Two tools are called 'x'"),
        ({"sell": "get stock"}, "'get stock' cannot be a tool's name"),
        ({"sell": ""}, "'' cannot be a tool's name"),
    ],
)
def test_names_that_cannot_be_given(names: dict[str, str], words: str) -> None:
    """Unknown names, clashes and what no provider takes are refused."""
    with pytest.raises(DefinitionError, match=words):
        ALL.renamed(names)


SHOP = Shop()


@pytest.mark.parametrize(
    ("join", "names"),
    [
        (lambda: DECLARED | ALL, (*DECLARED.names, *ALL.names)),
        (lambda: ALL.only("buy") | ALL, ("buy", "sell", "stock")),
        (lambda: Toolset() | ALL | Toolset(), ALL.names),
        (lambda: Toolset(stock) | Toolset(stock), ("stock",)),
        (lambda: Toolset(SHOP.close) | Toolset(sell, SHOP.close), ("close", "sell")),
    ],
)
def test_joined(join: Callable[[], Toolset], names: tuple[str, ...]) -> None:
    """Two sets make one, the first one's tools first; a tool of both stands once."""
    assert join().names == names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Toolset(SHOP.close), Toolset(Shop().close)),
        (ALL, ALL.only("buy").renamed({"buy": "sell"})),
        (Toolset(stock), Toolset(tool(stock, description="Another text."))),
    ],
)
def test_joined_with_another_of_the_name(one: Toolset, other: Toolset) -> None:
    """Different tools of one name cannot be joined, be they two objects' methods."""
    with pytest.raises(DefinitionError, match="Two tools are called"):
        one | other


@tool(policy=Policy(tags=("money",)))
def refund(order: Annotated[str, "Number on the invoice"], amount_eur: int) -> None:
    """Give something back for an order."""


@tool
def list_customers(city: str) -> list[str]:
    """All customers of a shop."""
    return [city]


@tool
def get_weather(city: str) -> str:
    """查询一个城市的天气。"""
    return city


FOUND = Toolset(refund, list_customers, get_weather)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("refund", ("refund",)),
        ("list the customers", ("list_customers",)),
        ("customer", ("list_customers",)),
        ("money", ("refund",)),
        ("invoices", ("refund",)),
        ("amount in EUR", ("refund",)),
        ("weather", ("get_weather",)),
        ("今天的天气如何?", ("get_weather",)),
        ("weather in a city", ("get_weather", "list_customers")),
        ("customers, city by city", ("list_customers", "get_weather")),
        ("", ()),
        ("the", ()),
        ("zebra", ()),
    ],
)
def test_search(text: str, names: tuple[str, ...]) -> None:
    """Names, texts, parameters and tags are searched, and the best comes first, as the tool that it is."""
    found = FOUND.search(text)
    assert found.names == names
    assert all(found[name] is FOUND[name] for name in names)


def test_how_much_a_search_finds() -> None:
    """At most k; of those that fit equally the first."""
    many = Toolset(*(declared(f"same_{letter}") for letter in "bxdcfeg"))
    assert many.search("same", k=3).names == ("same_b", "same_x", "same_d")
    assert len(many.search("same")) == 5
    assert len(many.search("same", k=100)) == 7


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "5", None])
def test_a_search_for_no_number(k: Any) -> None:
    """How many are to be found is a whole number from 1 on, of a search at once and of one that a model makes."""
    words = f"^A search gives a whole number of tools, at least one, and k is {k!r}"
    with pytest.raises(DefinitionError, match=words):
        FOUND.search("same", k=k)
    with pytest.raises(DefinitionError, match=words):
        FOUND.searchable(k=k)


@pytest.mark.parametrize("text", [None, 5, ["weather"], b"weather"])
def test_a_search_for_no_text(text: Any) -> None:
    """What is no text is told, and not looked for."""
    with pytest.raises(DefinitionError, match=f"asked for a search by text, got a value of type {type(text).__name__}"):
        FOUND.search(text)


def test_a_long_list_of_names_is_cut() -> None:
    """An error about a name lists a dozen others and counts the rest."""
    with pytest.raises(DefinitionError, match=r"'reprot' here; there are: report_0, .*, report_11 and 288 more\.$"):
        MANY.only("reprot")


def test_a_word_of_the_name_counts_most() -> None:
    """A tool that is called so goes before one that only speaks of it."""
    named, tagged = declared("export", text="To a file."), declared("a", "export", text="To a file.")
    spoken = declared("b", text="The export to a file.")
    assert Toolset(spoken, tagged, named).search("export").names == ("export", "a", "b")


MANY = Toolset(*(declared(f"report_{number}", text=f"Report number {number}.") for number in range(297)), *FOUND)
BIG = MANY.searchable("list_customers", "report_7")


def searched(*names: str, by: str = "search_tools") -> Message:
    """The message in which a search has found these."""
    lines = [f"- {name}: for {name.upper()}" for name in names]
    return Message("tool", (ToolResult("1", by, "\n".join(("Found:", *lines))),))


@pytest.mark.parametrize(
    ("transcript", "more"),
    [
        ((), ()),
        ((Message.user("- refund"), Message("assistant", (ToolCall("1", "search_tools", '{"task": "refund"}'),))), ()),
        ((searched("refund", "get_weather"),), ("refund", "get_weather")),
        ((searched("refund"), searched("get_weather", "refund")), ("refund", "get_weather")),
        ((searched("list_customers", "report_9"),), ("report_9",)),
        ((searched("gone", "refund"),), ("refund",)),
        ((searched("refund", by="report_1"),), ("report_1",)),
        ((searched(by="gone"),), ()),
        ((Message("tool", (ToolResult("1", "search_tools", '{"cut": true, "chars": 9, "head": "- re"}'),)),), ()),
        ((Message("tool", (ToolResult("1", "search_tools", ""),)),), ()),
    ],
)
def test_what_a_searchable_set_offers(transcript: tuple[Message, ...], more: tuple[str, ...]) -> None:
    """The search, those always offered, and those found or called so far, by the transcript and nothing else."""
    kept = tuple(Message.from_data(message.to_data()) for message in transcript)
    for _ in range(2):
        offered = BIG.offered(transcript)
        assert offered.names == ("search_tools", "list_customers", "report_7", *more)
        assert BIG.offered(kept).names == offered.names
        assert MANY.searchable("list_customers", "report_7").offered(kept).names == offered.names


def test_a_plain_set_offers_all() -> None:
    """Whatever was said."""
    assert FOUND.offered(()).names == FOUND.names
    assert FOUND.offered((searched("refund"),)).names == FOUND.names


def test_a_searchable_set_has_all_tools() -> None:
    """Those that are not offered are there to be called, after the search."""
    assert BIG.names == ("search_tools", *MANY.names)
    assert BIG["refund"] is refund


FOUND_LINE = "These tools can be called from now on:"


@pytest.mark.parametrize(
    ("task", "result"),
    [
        (
            "customers of a city",
            f"{FOUND_LINE}\n- list_customers: All customers of a shop.\n- get_weather: 查询一个城市的天气。",
        ),
        ("天气", f"{FOUND_LINE}\n- get_weather: 查询一个城市的天气。"),
        ("zebra", "No tool fits these words. Search once more with others, or go on without."),
        ("", "No tool fits these words. Search once more with others, or go on without."),
    ],
)
def test_what_a_search_says(task: str, result: str) -> None:
    """Name and purpose of each tool found, and that it can be called; or that there is none, which is no error."""
    said = FOUND.searchable()["search_tools"].invoke({"task": task})
    assert (said.content, said.is_error) == (result, False)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "- probe"),
        ("One.\nTwo\n\nNot for three.", "- probe: One. Two"),
        ("One.\n- refund: more", "- probe: One. - refund: more"),
        ("x" * 200, f"- probe: {'x' * 120}..."),
        ("气" * 121, f"- probe: {'气' * 120}..."),
        ("x" * 120, f"- probe: {'x' * 120}"),
    ],
)
def test_a_purpose_is_one_short_line(text: str, line: str) -> None:
    """No description can pass for another tool that was found, or cost more than a line."""
    big = Toolset(declared("probe", text=text), refund).searchable()
    result = big["search_tools"].invoke({"task": "probe"})
    assert result.content.splitlines()[1:] == [line]
    assert big.offered((Message("tool", (result,)),)).names == ("search_tools", "probe")


def test_a_search_finds_so_many() -> None:
    """`k` bounds what one search adds."""
    for k, count in ((None, 8), (3, 3)):
        big = MANY.searchable() if k is None else MANY.searchable(k=k)
        result = big["search_tools"].invoke({"task": "report"})
        assert len(big.offered((Message("tool", (result,)),))) == count + 1


@pytest.mark.parametrize(
    ("make", "offered", "finds"),
    [
        (lambda: BIG.without("report_7", "refund"), ("search_tools", "list_customers"), ""),
        (lambda: BIG.only("search_tools", "refund", "report_7"), ("search_tools", "report_7"), "refund"),
        (lambda: BIG.only("refund", "report_7"), ("report_7", "refund"), None),
        (lambda: BIG.tagged("money"), ("search_tools",), "refund"),
        (lambda: BIG.tagged("nothing of this kind"), ("search_tools",), ""),
        (lambda: BIG.in_phase("pay").tagged("money").permitted({}), ("search_tools",), "refund"),
        (lambda: BIG.without("search_tools").only("refund"), ("refund",), None),
        (lambda: BIG.in_phase("pay"), ("search_tools", "list_customers", "report_7"), "refund"),
        (lambda: BIG.permitted(None), ("search_tools", "list_customers", "report_7"), "refund"),
        (
            lambda: BIG.renamed({"refund": "refund_order", "report_7": "report"}),
            ("search_tools", "list_customers", "report"),
            "refund_order",
        ),
        (lambda: BIG | Toolset(sell), ("search_tools", "list_customers", "report_7", "sell"), "refund"),
        (lambda: Toolset(sell) | BIG, ("search_tools", "sell", "list_customers", "report_7"), "refund"),
        (lambda: BIG | Toolset(refund), ("search_tools", "list_customers", "report_7", "refund"), "refund"),
    ],
)
def test_a_searchable_set_cut_and_joined(
    make: Callable[[], Toolset], offered: tuple[str, ...], finds: str | None
) -> None:
    """It stays one as long as its search is in it, which then finds what the new set has and nothing else."""
    made = make()
    assert made.offered(()).names == offered
    assert ("search_tools" in made) == (finds is not None)
    if finds is not None:
        found = made["search_tools"].invoke({"task": "refund"})
        assert made.offered((Message("tool", (found,)),)).names == tuple(dict.fromkeys((*offered, *finds.split())))
    assert BIG.offered(()).names == ("search_tools", "list_customers", "report_7")


def test_the_search_under_another_name() -> None:
    """It can be renamed like any tool, what it finds is offered all the same, and every cut and join keeps the name."""
    for made in (
        BIG.renamed({"search_tools": "find"}),
        BIG.renamed({"search_tools": "find"}).without("report_9").in_phase("pay"),
        BIG.renamed({"search_tools": "find"}).tagged("money") | Toolset(sell),
        Toolset(sell) | BIG.renamed({"search_tools": "find", "report_9": "search_tools"}),
    ):
        assert made.names.count("find") == 1
        result = made["find"].invoke({"task": "refund"})
        assert result.name == "find"
        assert "refund" not in made.offered(())
        assert "refund" in made.offered((Message("tool", (result,)),))
        assert made.offered(()).names[0] == "find"


def test_what_cuts_nothing_makes_nothing_anew() -> None:
    """A set that keeps all is the set itself, with the index of its search."""
    assert FOUND.permitted({}) is FOUND
    assert BIG.permitted({}) is BIG
    assert BIG.without() is BIG


def test_a_tool_without_its_scope_is_not_found() -> None:
    """The search of a run finds no tool that the run's context does not permit."""

    @tool(policy=Policy(scopes=("admin",)))
    def erase_all() -> None:
        """Erase all."""

    big = Toolset(erase_all, sell).searchable("erase_all")
    assert big.permitted({"scopes": ["admin"]}).offered(()).names == ("search_tools", "erase_all")
    plain = big.permitted({})
    assert plain.names == ("search_tools", "sell")
    assert "erase_all" not in plain["search_tools"].invoke({"task": "erase"}).content


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: ALL.searchable("sel"), DefinitionError, "There is no tool 'sel' here"),
        (lambda: ALL.searchable().searchable(), DefinitionError, "Two tools are called 'search_tools'"),
        (lambda: Toolset(declared("search_tools")).searchable(), DefinitionError, "Two tools are called"),
        (lambda: ALL.searchable().renamed({"sel": "x"}), DefinitionError, "no tool 'sel' here"),
        (lambda: ALL.searchable().renamed({"sell": "search_tools"}), DefinitionError, "Two tools are called"),
    ],
)
def test_what_cannot_be_made_searchable(make: Callable[[], Toolset], kind: type[Exception], words: str) -> None:
    """A misspelled name, a second search and a search for nothing are refused when the set is made."""
    with pytest.raises(kind, match=words):
        make()


def names_of(model: ScriptedModel) -> list[tuple[str, ...]]:
    return [tuple(told.name for told in request.tools) for request in model.requests]


def size_of(names: tuple[str, ...]) -> int:
    return len(repr(BIG.only(*names).definitions()))


def test_a_run_with_three_hundred_tools() -> None:
    """The model searches, calls what it found, and no request costs more than a dozen tools would."""
    replies: list[ToolCall | str] = [
        ToolCall("1", "search_tools", '{"task": "the weather"}'),
        ToolCall("2", "get_weather", '{"city": "Rome"}'),
        ToolCall("3", "search_tools", '{"task": "report"}'),
        "done",
    ]
    with ScriptedModel(replies) as model:
        outcome = run("How is the weather?", tools=BIG, model=model)
    assert outcome.value == "done"
    assert len(BIG) == 301
    first, *_, last = names_of(model)
    assert first == ("search_tools", "list_customers", "report_7")
    assert [len(names) for names in names_of(model)] == [3, 4, 4, 11]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(names_of(model)))
    weather = [part for part in outcome.transcript[4].parts if isinstance(part, ToolResult)]
    assert [(result.content, result.is_error) for result in weather] == [("Rome", False)]
    a_dozen = tuple(f"report_{number}" for number in range(12))
    assert max(map(size_of, names_of(model))) <= 1.3 * size_of(a_dozen)
    assert size_of(BIG.names) > 20 * size_of(a_dozen)
    with ScriptedModel(["done again"]) as later:
        run((*outcome.transcript, Message.user("And now?")), tools=BIG, model=later)
    assert names_of(later) == [last]


def test_a_call_of_what_was_not_offered() -> None:
    """It runs, for the set has it, and it is offered from then on; an unknown name is answered with the offer alone."""
    with ScriptedModel([ToolCall("1", "report_200", "{}"), ToolCall("2", "repor", "{}"), "done"]) as model:
        outcome = run("Give me report 200.", tools=BIG, model=model)
    results = [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
    assert [result.code for result in results] == [None, ErrorCode.NOT_FOUND]
    assert results[0].content == "report_200"
    assert "there are: search_tools, list_customers, report_7, report_200. Nothing" in results[1].content
    assert names_of(model)[1] == ("search_tools", "list_customers", "report_7", "report_200")


def many(count: int) -> Toolset:
    """Tools with two optional parameters each, the last with three."""

    def made(number: int) -> Any:
        def fn(a: int = 1, b: str = "x") -> str:
            return "x"

        def larger(a: int = 1, b: str = "x", c: str = "y") -> str:
            return "x"

        return tool(name=f"tool_{number}")(larger if number == count - 1 else fn)

    return Toolset(*map(made, range(count)))


def test_one_request_s_budget() -> None:
    """Of more strict schemas than a provider takes in one request, the dearest are sent non-strict, and say why."""
    few, full = many(3), many(15)
    assert [written.get("strict") for written in few.definitions("anthropic")] == [True] * 3
    written = full.definitions("anthropic")
    optional = sum(len(each["input_schema"]["properties"]) for each in written if each.get("strict"))
    assert optional <= 24
    assert "strict" not in written[-1]
    report = full.dialect_report("anthropic")
    assert list(report) == list(full.names)
    assert any("optional parameters of at most 24" in change.what for change in report["tool_14"])
    assert [each["function"].get("strict") for each in full.definitions("openai-chat")] == [True] * 15
    assert full["tool_14"].definition("anthropic")["strict"] is True


def test_strict_tools_beyond_the_budget_are_refused() -> None:
    """What was asked to be strict is not made non-strict in silence."""
    with pytest.raises(SchemaRejectedError, match="cannot all be sent strict to anthropic in one request"):
        many(15).definitions("anthropic", strict=True)
