"""Best sellers, then stock: two dependent steps, a call made twice, a run of one step, and a model that is silent."""

from __future__ import annotations

import asyncio
import importlib.util
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, get_args
from unicodedata import east_asian_width

import pytest

from magic_tools import (
    Capabilities,
    ErrorCode,
    LimitError,
    Limits,
    Message,
    Outcome,
    RunOptions,
    ScriptedModel,
    StallError,
    ToolCall,
    ToolResult,
    arun,
    compile_schema,
    extract,
    lint,
    loose_parameters,
    run,
)
from magic_tools.messages import Language

FILE = Path(__file__).parents[2] / "docs" / "examples" / "best_sellers.py"


def loaded() -> ModuleType:
    """The example as a module, in which a test may watch what it reads."""
    spec = importlib.util.spec_from_file_location("example_of_best_sellers", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = loaded()
FIND, LOOK, AGAIN = EXAMPLE.FIND, EXAMPLE.LOOK, EXAMPLE.AGAIN
COMPLETE, WITHOUT_STOCK, NOTHING = EXAMPLE.COMPLETE, EXAMPLE.WITHOUT_STOCK, EXAMPLE.NOTHING
ANSWER = COMPLETE.model_dump_json()

SOLD = (
    '{"products":['
    '{"product_id":"P104","name":"乌龙茶 Oolong tea","units_sold":1980,"revenue":"136620.10"},'
    '{"product_id":"P101","name":"龙井茶 Longjing tea","units_sold":1250,"revenue":"110000.00"},'
    '{"product_id":"P103","name":"普洱茶 Pu\'er tea","units_sold":640,"revenue":"88960.00"}],'
    '"has_more":true,"next_cursor":"east/2026-Q1/3"}'
)
LEFT = (
    '{"products":[{"product_id":"P104","in_stock":0},{"product_id":"P101","in_stock":420},'
    '{"product_id":"P103","in_stock":75}],"unknown_ids":[]}'
)
HINT = {
    "en": "Not run: top_sales was called with these arguments before (1 time), and nothing new can come of it. "
    f"Use the result that you have, or do something else. It was: {SOLD}",
    "zh": "未执行：先前已用这些参数调用过 top_sales（1次），再次调用不会有新的结果。请使用已有的结果，或者改做其他事。"
    f"结果为：{SOLD}",
}
LAST_WORD = {
    "en": "This is the last reply of this run: no tool can be called any more. Answer now, from what is known.",
    "zh": "这是本次运行的最后一次回复：不能再调用任何工具。请根据已知的信息，现在作答。",
}
OVER = {"en": "Not run: the run is at its end.", "zh": "未执行：本次运行已经结束。"}
NUDGE = {
    "en": "Your reply was empty. Give the answer now, or call a tool.",
    "zh": "你的回复是空的。请现在给出答案，或者调用工具。",
}

Asking = Callable[..., tuple[Outcome[Any], ScriptedModel]]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Path]:
    """The example's database, of which not a byte may change, alone in its folder."""
    file = tmp_path / "sales.sqlite"
    EXAMPLE.make_database(file)
    before = file.read_bytes()
    yield file
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the tools have read from the database: a word for each time that a function ran."""
    seen: list[str] = []
    rows = EXAMPLE._rows

    def watched(database: Path, statement: str, values: Any) -> Any:
        seen.append("sales" if "FROM sales" in statement else "stock")
        return rows(database, statement, values)

    monkeypatch.setattr(EXAMPLE, "_rows", watched)
    return seen


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, database: Path) -> Asking:
    """The example's question put to a script, of which nothing is left over; what came of it, and the model."""

    def asked(
        *replies: Any, limits: Limits | None = None, capabilities: Capabilities | None = None, **options: Any
    ) -> Any:
        model = ScriptedModel(replies, capabilities=capabilities) if capabilities else ScriptedModel(replies)
        told = RunOptions(**options)
        question, instructions = EXAMPLE.SAID[told.language]
        given: dict[str, Any] = {
            "tools": EXAMPLE.TOOLS,
            "output": EXAMPLE.Report,
            "model": model,
            "instructions": instructions,
            "limits": limits,
            "context": {"database": database},
            "options": told,
        }
        with model:
            outcome = run(question, **given) if request.param == "sync" else asyncio.run(arun(question, **given))
        return outcome, model

    return asked


def call(tool: str, database: Path, language: Language = "en", **arguments: Any) -> ToolResult:
    context = {"database": database}
    result: ToolResult = getattr(EXAMPLE, tool).invoke(
        arguments, context=context, options=RunOptions(language=language)
    )
    return result


def results(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]


every_language = pytest.mark.parametrize("language", get_args(Language))

# --- the tools ---


def test_nothing_that_a_model_might_misread_or_that_is_loosely_checked() -> None:
    """The linter finds nothing at all, and no input passes that should be refused."""
    assert lint(EXAMPLE.TOOLS) == []
    assert [loose for made in EXAMPLE.TOOLS for loose in loose_parameters(made)] == []


def test_what_a_model_is_told() -> None:
    """Ids have plain names, numbers of things and money their unit, and the cursor says that it goes on unchanged."""
    given = EXAMPLE.top_sales.contract.output_schema["properties"]
    taken = EXAMPLE.top_sales.contract.input_schema["properties"]
    sold = given["products"]["items"]["properties"]
    assert list(sold) == ["product_id", "name", "units_sold", "revenue"]
    assert sold["units_sold"] == {
        "type": "integer",
        "description": "How many were sold. Unit: pieces.",
        "minimum": 0,
        "x-unit": "pieces",
    }
    assert sold["revenue"]["type"] == "string"
    assert sold["revenue"]["description"].endswith("at least 0, at most 2 decimal places. Unit: CNY.")
    assert list(given) == ["products", "has_more", "next_cursor"]
    assert given["next_cursor"]["description"].startswith("To be passed on unchanged, as the cursor of the call")
    assert list(taken) == ["region", "quarter", "limit", "cursor"]
    assert taken["cursor"]["description"].startswith("The next_cursor of the call before, passed on unchanged")
    assert list(EXAMPLE.stock.contract.input_schema["properties"]) == ["product_ids"]
    left = EXAMPLE.stock.contract.output_schema["properties"]["products"]["items"]["properties"]
    assert left["in_stock"]["description"] == "How many are in the warehouse. Unit: pieces."


def test_top_sales(database: Path) -> None:
    """The best come first, of this region and quarter alone; money is exact, and amounts are whole numbers."""
    result = call("top_sales", database, region="east", quarter="2026-Q1", limit=3)
    assert (result.content, result.is_error) == (SOLD, False)
    best = result.value.products[0]
    assert (best.units_sold, type(best.units_sold)) == (1_980, int)
    assert (best.revenue, type(best.revenue), str(best.revenue)) == (Decimal("136620.10"), Decimal, "136620.10")


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({"region": "east", "quarter": "2026-Q1"}, ["P104", "P101", "P103", "P102", "P105"]),
        ({"region": "east", "quarter": "2025-Q4"}, ["P105"]),
        ({"region": "north", "quarter": "2026-Q1"}, ["P102"]),
        ({"region": "west", "quarter": "2026-Q1"}, []),
    ],
)
def test_nothing_is_left(arguments: dict[str, Any], ids: list[str], database: Path) -> None:
    """Where all products are given, that is said, and there is no cursor."""
    found = call("top_sales", database, **arguments).value
    assert [each.product_id for each in found.products] == ids
    assert (found.has_more, found.next_cursor) == (False, None)


@pytest.mark.parametrize("limit", range(1, 7))
def test_from_page_to_page(limit: int, database: Path) -> None:
    """With each cursor passed on unchanged all products come, each once, in the same order, and then it ends."""
    arguments: dict[str, Any] = {"region": "east", "quarter": "2026-Q1", "limit": limit}
    ids: list[str] = []
    for _ in range(5):
        page = call("top_sales", database, **arguments).value
        ids += [each.product_id for each in page.products]
        assert page.has_more is (page.next_cursor is not None) is (len(ids) < 5)
        if not page.has_more:
            break
        arguments["cursor"] = page.next_cursor
    assert ids == ["P104", "P101", "P103", "P102", "P105"]


@pytest.mark.parametrize(
    "cursor",
    ["", "3", "east/2026-Q1/", "east/2026-Q1/-1", "east/2026-Q1/x", "east/2026-Q1/٣", "east/2026-Q1/1234567",
     "east/2025-Q4/3", "north/2026-Q1/3", " east/2026-Q1/3", "' OR 1=1 --"],
)  # fmt: skip
def test_what_is_no_cursor(cursor: str, database: Path, read: list[str]) -> None:
    """One that was changed, or is of another region or quarter, is refused, and it is said where cursors come from."""
    result = call("top_sales", database, region="east", quarter="2026-Q1", cursor=cursor)
    assert (result.is_error, result.code, result.effect) == (True, ErrorCode.INVALID_ARGUMENT, "none")
    assert "pass next_cursor on unchanged, or begin without one." in result.content
    assert read == []


def test_stock(database: Path) -> None:
    """Each product once, in the order asked for; what is unknown is named, and nothing in stock is no unknown."""
    found = call("stock", database, product_ids=["P104", "P999", "P101", "P104", "P000"]).value
    assert [(each.product_id, each.in_stock) for each in found.products] == [("P104", 0), ("P101", 420)]
    assert found.unknown_ids == ["P999", "P000"]


EAST = {"region": "east", "quarter": "2026-Q1"}


@pytest.mark.parametrize(
    ("tool", "arguments", "english", "chinese"),
    [
        ("top_sales", {**EAST, "limit": 0}, "limit: expected a number from 1 to 20", "limit：应为介于 1 和 20 之间"),
        ("top_sales", {**EAST, "limit": 21}, "limit: expected a number from 1 to 20", "limit：应为介于 1 和 20 之间"),
        ("top_sales", {**EAST, "limit": True}, "limit: expected an integer", "limit：应为整数"),
        ("top_sales", {**EAST, "region": "华东"}, "region: expected one of 'north', 'east'", "region：应为 'north'"),
        ("top_sales", {**EAST, "quarter": "Q1"}, "quarter: expected text that matches", "quarter：应为匹配"),
        ("top_sales", {**EAST, "quarter": "2026-Q5"}, "quarter: expected text that matches", "quarter：应为匹配"),
        ("top_sales", {**EAST, "database": "/etc"}, "database: expected no key", "database：应为空缺"),
        ("stock", {"product_ids": []}, "product_ids: expected at least 1 item", "product_ids：应为至少"),
        ("stock", {"product_ids": ["P101"] * 21}, "product_ids: expected at most 20 items", "product_ids：应为最多"),
        ("stock", {"product_ids": ["p1"]}, "product_ids[0]: expected text that matches", "product_ids[0]：应为匹配"),
        ("stock", {}, "product_ids: expected a value, since it is required", "product_ids：应为一个值（必填）"),
    ],
)  # fmt: skip
def test_arguments_beyond_their_limits(
    tool: str, arguments: dict[str, Any], english: str, chinese: str, database: Path, read: list[str]
) -> None:
    """They are refused by name in both languages, and nothing is read."""
    for language, words in zip(get_args(Language), (english, chinese), strict=True):
        result = getattr(EXAMPLE, tool).invoke(
            arguments, context={"database": database}, options=RunOptions(language=language)
        )
        assert (result.is_error, result.code, result.effect) == (True, ErrorCode.INVALID_ARGUMENT, "none")
        assert words in result.content
    assert read == []


def test_the_connection_only_reads(database: Path) -> None:
    """Whatever statement it is given."""
    with pytest.raises(sqlite3.OperationalError, match="attempt to write a readonly database"):
        EXAMPLE._rows(database, "DELETE FROM products", ())


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    """The model is told that the tool failed and nothing of the path; no file is made."""
    result = call("stock", tmp_path / "none.sqlite", product_ids=["P101"])
    assert (result.is_error, result.code) == (True, ErrorCode.INTERNAL)
    assert str(tmp_path) not in result.content
    assert list(tmp_path.iterdir()) == []


# --- the run ---


@every_language
def test_two_steps_and_the_report(ask: Asking, language: Language, read: list[str]) -> None:
    """The second call has the ids of the first, its result is sent to the model, and the answer is a report."""
    outcome, model = ask(FIND, LOOK, ANSWER, language=language)
    assert outcome.value == COMPLETE
    assert type(outcome.value) is EXAMPLE.Report
    lines = outcome.value.best_sellers
    assert [(each.product_id, each.units_sold, str(each.revenue), each.in_stock) for each in lines] == [
        ("P104", 1_980, "136620.10", 0),
        ("P101", 1_250, "110000.00", 420),
        ("P103", 640, "88960.00", 75),
    ]
    assert (outcome.stop, outcome.ok, outcome.fallback, outcome.steps) == ("final", True, False, 3)
    assert read == ["sales", "stock"]
    assert [(each.call_id, each.content, each.is_error) for each in results(outcome)] == [
        ("c1", SOLD, False),
        ("c2", LEFT, False),
    ]
    question, instructions = EXAMPLE.SAID[language]
    assert [request.messages[:2] for request in model.requests] == [
        (Message.system(instructions), Message.user(question))
    ] * 3
    assert [[tool.name for tool in request.tools] for request in model.requests] == [["top_sales", "stock"]] * 3
    assert [len(request.messages) for request in model.requests] == [2, 4, 6]
    assert model.requests[2].messages == outcome.transcript[:6]


@pytest.mark.parametrize("mode", ["native", "tool", "prompt"])
def test_a_report_however_it_is_asked_for(ask: Asking, mode: Any) -> None:
    """By the provider's own means, by an output tool, or by instructions: the report is the same."""
    answer = ToolCall("c3", "final_answer", ANSWER) if mode == "tool" else ANSWER
    outcome, _ = ask(FIND, LOOK, answer, output_mode=mode)
    assert (outcome.value, outcome.ok, outcome.steps) == (COMPLETE, True, 3)
    assert outcome.output_tool == ("final_answer" if mode == "tool" else None)


def test_in_which_thread_the_database_is_read(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in that of the run, where it would hold up all else: each connection is opened where it is used."""
    threads: list[int] = []
    rows = EXAMPLE._rows

    def watched(*given: Any) -> Any:
        threads.append(threading.get_ident())
        return rows(*given)

    monkeypatch.setattr(EXAMPLE, "_rows", watched)
    outcome, _ = ask([FIND, LOOK], ANSWER)
    assert [each.content for each in results(outcome)] == [SOLD, LEFT]
    assert len(threads) == 2
    assert threading.get_ident() not in threads


# --- the same call twice ---


@every_language
def test_the_same_call_twice(ask: Asking, language: Language, read: list[str]) -> None:
    """The second is not made, whatever the order of its keys; the hint names the tool and what came of the first."""
    outcome, model = ask(FIND, AGAIN, LOOK, ANSWER, language=language)
    assert read == ["sales", "stock"]
    first, second, third = results(outcome)
    assert (first.call_id, first.content, first.is_error) == ("c1", SOLD, False)
    assert (second.call_id, second.name, second.content) == ("c3", "top_sales", HINT[language])
    assert (second.is_error, second.code, second.effect, second.retryable) == (True, ErrorCode.CONFLICT, "none", False)
    assert (third.call_id, third.content) == ("c2", LEFT)
    assert second in model.requests[2].messages[-1].parts
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == (COMPLETE, "final", True, 4)


@every_language
def test_the_same_call_twice_in_one_reply(ask: Asking, language: Language, read: list[str]) -> None:
    """The second is answered with what the first came to, beside it."""
    outcome, _ = ask([FIND, AGAIN], ANSWER, language=language)
    assert read == ["sales"]
    assert [each.content for each in results(outcome)] == [SOLD, HINT[language]]


def test_the_next_page_is_another_call(ask: Asking, read: list[str]) -> None:
    """With the cursor passed on it is made, and gives what comes next."""
    following = ToolCall("c3", "top_sales", '{"region":"east","quarter":"2026-Q1","limit":3,"cursor":"east/2026-Q1/3"}')
    outcome, _ = ask(FIND, following, ANSWER)
    assert read == ["sales", "sales"]
    assert [each.product_id for each in results(outcome)[1].value.products] == ["P102", "P105"]


@every_language
def test_a_model_that_goes_on_with_the_same_call(ask: Asking, language: Language, read: list[str]) -> None:
    """After the hint it is asked for the answer, from what is known."""
    outcome, model = ask(FIND, AGAIN, FIND, WITHOUT_STOCK.model_dump_json(), language=language)
    assert read == ["sales"]
    assert (outcome.value, outcome.stop, outcome.ok) == (WITHOUT_STOCK, "repeat", True)
    assert model.requests[-1].messages[-1] == Message.user(LAST_WORD[language])
    ids = [each.call_id for each in results(outcome)]
    assert len(ids) == len(set(ids)) == 3


# --- one step ---


@every_language
def test_one_step(ask: Asking, language: Language, read: list[str]) -> None:
    """The last answer is made from what is known: the stock was not looked up, and is null."""
    outcome, model = ask(FIND, WITHOUT_STOCK.model_dump_json(), limits=Limits(steps=1), language=language)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == (WITHOUT_STOCK, "step_limit", True, 1)
    assert [each.in_stock for each in outcome.value.best_sellers] == [None, None, None]
    assert not outcome.fallback
    assert read == ["sales"]
    first, last = model.requests
    assert (first.tool_choice, last.tool_choice) == ("auto", "none")
    assert last.messages[-1] == Message.user(LAST_WORD[language])
    assert SOLD in [part.content for part in last.messages[-2].parts if isinstance(part, ToolResult)]


@every_language
def test_one_step_and_a_model_that_still_calls(ask: Asking, language: Language, read: list[str]) -> None:
    """The call is not made, and is answered; the error holds the run."""
    with pytest.raises(LimitError, match=r"used up its 1 step, and its last reply was no answer\.") as caught:
        ask(FIND, LOOK, limits=Limits(steps=1), language=language)
    outcome = caught.value.outcome
    assert (outcome.stop, outcome.ok, outcome.value) == ("step_limit", False, None)
    assert read == ["sales"]
    assert [each.content for each in results(outcome)] == [SOLD, OVER[language]]


def test_one_step_is_enough_for_an_answer(ask: Asking) -> None:
    """Where the first reply is one, nothing is said of a last."""
    outcome, _ = ask(ANSWER, limits=Limits(steps=1))
    assert (outcome.stop, outcome.steps, len(outcome.transcript)) == ("final", 1, 3)


# --- silence ---

BLANKS = ["", "  ", "\n\t\n", "\u3000", "\u200b", "……"]


@every_language
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_blanks(ask: Asking, blank: str, language: Language) -> None:
    """There is one nudge; after it the stated fall-back is taken, which the outcome says."""
    outcome, model = ask(FIND, blank, blank, language=language, fallback=NOTHING)
    assert [message for message in outcome.transcript if message.text == NUDGE[language]] == [
        Message.user(NUDGE[language])
    ]
    assert len(model.requests) == 3
    assert model.requests[2].messages[-1] == Message.user(NUDGE[language])
    assert (outcome.value, outcome.fallback, outcome.ok, outcome.stop) == (NOTHING, True, False, "stall")
    assert [each.content for each in results(outcome)] == [SOLD]


@pytest.mark.parametrize("fallback", [None, lambda reply, issues: (reply.parts, issues), "text"])
def test_other_fall_backs(ask: Asking, fallback: Any) -> None:
    """None, a function of the last reply, or the last text that there was."""
    outcome, _ = ask(["I look for them.", FIND], " ", " ", fallback=fallback)
    assert (outcome.fallback, outcome.ok) == (True, False)
    if fallback is None:
        assert outcome.value is None
    elif fallback == "text":
        assert outcome.value == "I look for them."
    else:
        (part,), issues = outcome.value
        assert (part.text, issues) == (" ", ())


def test_a_fall_back_is_the_run_s_own(ask: Asking) -> None:
    """What is done to it does not change what the next run takes."""
    outcome, _ = ask("", "", fallback=NOTHING)
    outcome.value.best_sellers.append("x")
    assert NOTHING.best_sellers == []


def test_blanks_without_a_fall_back(ask: Asking) -> None:
    """They are an error, which holds the run."""
    with pytest.raises(StallError, match=r"went on giving empty replies, or the same again\.") as caught:
        ask(FIND, " ", "\n")
    assert (caught.value.outcome.stop, caught.value.outcome.fallback) == ("stall", False)
    assert [each.content for each in results(caught.value.outcome)] == [SOLD]


@pytest.mark.parametrize("reply", [ANSWER, LOOK], ids=["an answer", "a call"])
def test_a_model_that_speaks_after_the_nudge(ask: Asking, reply: Any) -> None:
    """The run goes on, and no fall-back is taken."""
    rest = [] if reply is ANSWER else [ANSWER]
    outcome, _ = ask(FIND, " ", reply, *rest, fallback=NOTHING)
    assert (outcome.value, outcome.ok, outcome.fallback, outcome.stop) == (COMPLETE, True, False, "final")


# --- the embedded model, and the program ---


def test_on_the_embedded_model() -> None:
    """It calls no tools; whatever it reads out of their results is a report."""
    report = extract(EXAMPLE.Report, f"{SOLD}\n{LEFT}", model="local")
    assert type(report) is EXAMPLE.Report
    assert compile_schema(EXAMPLE.Report).parse(report.model_dump_json()).value == report


HEADINGS = [
    "Two steps, the second with what the first gave, and the report:",
    "The same call twice, in both languages. The second is not made:",
    "One step and no more. The answer is made from what is known:",
    "A model that replies with blanks. It is told so once, then not asked again:",
]


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_as_a_program(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints, in 80 columns, the two steps, the hint in both languages, the last word, and the nudge."""
    monkeypatch.setenv("COLUMNS", columns)
    done = subprocess.run([sys.executable, str(FILE)], capture_output=True, encoding="utf-8", check=True)
    lines = done.stdout.splitlines()
    assert done.stderr == ""
    assert max(sum(1 + (east_asian_width(letter) in "FW") for letter in line) for line in lines) <= 80
    assert [line for line in lines if line and not line.startswith(" ")] == HEADINGS
    ends = [line.split(maxsplit=1)[1] for line in lines if line.startswith("     end ")]
    assert ends == [
        "final, steps: 3, ok: True, fall-back: False",
        "final, steps: 3, ok: True, fall-back: False",
        "final, steps: 3, ok: True, fall-back: False",
        "step_limit, steps: 1, ok: True, fall-back: False",
        "stall, steps: 3, ok: False, fall-back: True",
    ]
    text = "".join(done.stdout.split())
    told = (*HINT.values(), LAST_WORD["en"], NUDGE["en"], SOLD, LEFT)
    assert [words for words in told if "".join(words.split()) not in text] == []
    assert "乌龙茶 Oolong tea: 1980 sold for CNY 136,620.10, in stock: 0" in done.stdout
    assert "乌龙茶 Oolong tea: 1980 sold for CNY 136,620.10, in stock: None" in done.stdout


def test_the_program_with_the_embedded_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has that model read the results, and prints the report at the end."""

    def extracted(target: Any, text: str, *, model: str) -> Any:
        assert (target, text, model) == (EXAMPLE.Report, f"{SOLD}\n{LEFT}", "local")
        return COMPLETE

    monkeypatch.setattr(EXAMPLE, "extract", extracted)
    EXAMPLE.main(tmp_path / "sales.sqlite", local=True)
    _, _, report = capsys.readouterr().out.partition("The embedded model is too small for these calls.")
    heading, *lines = report.splitlines()
    assert heading == " Its report has the form, if not the facts:"
    assert lines[0].startswith('  report {"region":"east","quarter":"2026-Q1",')


def test_the_database_of_the_example(database: Path) -> None:
    """It holds whole numbers: of money and of things none is a float."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        kinds = connection.execute("SELECT DISTINCT typeof(units), typeof(fen) FROM sales").fetchall()
    assert kinds == [("integer", "integer")]
