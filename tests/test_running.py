"""Runs: from a prompt to a typed value, sync and async, or to an error that holds all that was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from magic_tools import starting
from magic_tools.chat import Capabilities, ModelReply
from magic_tools.errors import (
    DefinitionError,
    LimitError,
    ModelError,
    OutputError,
    RateLimitError,
    RefusalError,
    RepeatError,
    RunError,
    StallError,
    ToolFailuresError,
    TruncatedError,
)
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.scripted import ScriptedModel, ScriptedReply
from magic_tools.options import Limits, RunOptions
from magic_tools.outcome import Outcome
from magic_tools.running import aextract, arun, extract, run
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset


class TicketInfo(BaseModel):
    order_id: str | None
    amount: Decimal | None
    category: Literal["refund", "exchange", "question", "complaint"]
    urgency: Literal["high", "medium", "low"]


TEXT = "Order A-1042 cost 89.90 and came broken. I want my money back today."
TICKET = '{"order_id": "A-1042", "amount": "89.90", "category": "refund", "urgency": "high"}'
INFO = TicketInfo(order_id="A-1042", amount=Decimal("89.90"), category="refund", urgency="high")


@tool
def stock(sku: str) -> int:
    """How many there are."""
    return len(sku)


async def sell(sku: str) -> str:
    """Sell one."""
    return f"sold {sku}"


def arun_here(*args: Any, **kwargs: Any) -> Outcome[Any]:
    return asyncio.run(arun(*args, **kwargs))


def run_inside_a_loop(*args: Any, **kwargs: Any) -> Outcome[Any]:
    async def main() -> Outcome[Any]:
        outcome: Outcome[Any] = run(*args, **kwargs)
        await asyncio.sleep(0)  # the loop outside still works
        return outcome

    return asyncio.run(main())


@pytest.fixture(params=[run, arun_here, run_inside_a_loop], ids=["run", "arun", "run in a loop"])
def run_it(request: pytest.FixtureRequest) -> Callable[..., Outcome[Any]]:
    """Every way to run."""
    made: Callable[..., Outcome[Any]] = request.param
    return made


def test_extract() -> None:
    """One typed value out of a text, the same awaited."""
    model = ScriptedModel([TICKET, TICKET])
    assert extract(TicketInfo, TEXT, model=model) == INFO
    assert asyncio.run(aextract(TicketInfo, TEXT, model=model)) == INFO
    assert [request.messages for request in model.requests] == [(Message.user(TEXT),)] * 2
    model.verify()


@pytest.mark.parametrize("how", [extract, lambda *args, **kwargs: asyncio.run(aextract(*args, **kwargs))])
def test_extract_takes_what_run_takes(how: Callable[..., Any]) -> None:
    """Instructions and limits are those of a run, and so are the errors."""
    model = ScriptedModel(["no"])
    with pytest.raises(OutputError, match="in one try"):
        how(TicketInfo, TEXT, model=model, instructions="Be exact.", limits=Limits(retries=0))
    assert model.requests[0].messages[0] == Message.system("Be exact.")


def test_run_with_tools(run_it: Callable[..., Outcome[Any]]) -> None:
    """The model calls tools, ordinary and async, and answers; plain functions are made tools."""
    replies: list[ScriptedReply] = [
        ModelReply(
            (ToolCall("c1", "stock", '{"sku": "ab"}'), ToolCall("c2", "sell", '{"sku": "ab"}')), None, Usage(1, 2)
        ),
        ModelReply((TextPart("2, one sold"),), "stop", Usage(10, 20), "gpt-5"),
    ]
    with ScriptedModel(replies) as model:
        outcome = run_it("What is in stock?", tools=[stock, sell], model=model)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == ("2, one sold", "final", True, 2)
    assert (outcome.usage, outcome.model) == (Usage(11, 22), "gpt-5")
    assert [message.role for message in outcome.transcript] == ["user", "assistant", "tool", "assistant"]
    assert [part.content for part in outcome.transcript[2].parts if isinstance(part, ToolResult)] == [
        "2",
        "sold ab",
    ]


@pytest.mark.parametrize("tools", [Toolset(stock), [stock], (stock,), iter([stock]), {stock: 1}, (t for t in [stock])])
def test_tools_in_any_form(tools: Any) -> None:
    """A toolset, or whatever yields tools."""
    model = ScriptedModel(["done"])
    run("Go", tools=tools, model=model)
    assert [told.name for told in model.requests[0].tools] == ["stock"]


def test_tools_of_one_name() -> None:
    """Two tools of one name are refused before any request."""
    model = ScriptedModel([])
    with pytest.raises(DefinitionError, match="Two tools are called 'stock'"):
        run("Go", tools=[stock, stock], model=model)


HELLO, SYSTEM = Message.user("Hello"), Message.system("Be brief.")


@pytest.mark.parametrize(
    ("prompt", "instructions", "sent"),
    [
        ("Hello", None, (HELLO,)),
        (HELLO, None, (HELLO,)),
        ([HELLO], None, (HELLO,)),
        ((SYSTEM, HELLO), None, (SYSTEM, HELLO)),
        (iter([HELLO]), None, (HELLO,)),
        ("Hello", "Be brief.", (SYSTEM, HELLO)),
        ([HELLO, HELLO], "Be brief.", (SYSTEM, HELLO, HELLO)),
        ([Message.system("Be long."), HELLO], "Be brief.", (SYSTEM, HELLO)),
        ([SYSTEM], "Be brief.", (SYSTEM,)),
    ],
)
def test_prompts(prompt: Any, instructions: str | None, sent: tuple[Message, ...]) -> None:
    """A text, a message or several; instructions are the system message, in place of one that is there."""
    model = ScriptedModel(["Hi"])
    outcome = run(prompt, model=model, instructions=instructions)
    assert model.requests[0].messages == sent
    assert outcome.transcript[:-1] == sent


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ([], "the prompt is empty"),
        ([{"role": "user", "content": "Hello"}], "the prompt holds a dict: pass a text or Messages"),
        (["Hello"], "the prompt holds a str"),
        ([HELLO, None], "the prompt holds a NoneType"),
    ],
)
def test_what_is_no_prompt(prompt: Any, words: str) -> None:
    """Nothing, or messages in another form, are refused before any request."""
    with pytest.raises(ValueError, match=words):
        run(prompt, model=ScriptedModel([]))


def test_an_outcome_can_be_gone_on_with() -> None:
    """An earlier transcript and one more message are a prompt; ids stay unique over both runs."""
    call = ToolCall("c1", "stock", '{"sku": "a"}')
    model = ScriptedModel([call, "1", call, "1 again"])
    first = run("What is in stock?", tools=[stock], model=model)
    second = run((*first.transcript, Message.user("And now?")), tools=[stock], model=model)
    assert second.transcript[: len(first.transcript)] == first.transcript
    assert [call.id for message in second.transcript for call in message.calls] == ["c1", "c1_2"]


@pytest.mark.parametrize(
    ("replies", "kind", "words"),
    [
        (["no"] * 3, OutputError, r"No answer fitted the output type in 3 tries: expected JSON, got text that is none"),
        ([""] * 2, StallError, r"^The model went on giving empty replies, or the same again\.$"),
        ([ModelReply((TextPart('{"a'),), "length")], TruncatedError, r"was cut before its end; ModelSettings\(max_"),
        (
            [ModelReply((TextPart("I can't do that."),), "refusal")],
            RefusalError,
            r"declined to answer: I can't do that\.$",
        ),
        ([ModelReply((), "refusal")], RefusalError, r"declined to answer\.$"),
        ([ModelReply((TextPart("x" * 1_000),), "refusal")], RefusalError, r"declined to answer: x{300}$"),
        ([ToolCall("", "stock", f'{{"sku": "{n}"}}') for n in range(4)], LimitError, r"used up its 3 steps, and its"),
        (
            [ToolCall("", "stock", '{"sku": "a"}')] * 4,
            RepeatError,
            r"nothing new could come of them, such as stock \(1 time before\)\.$",
        ),
        ([ToolCall("", "stock", "")] * 4, ToolFailuresError, r"failed more than 2 times in a row"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_run_without_an_answer(
    run_it: Callable[..., Outcome[Any]], replies: list[ScriptedReply], kind: type[RunError], words: str
) -> None:
    """Each ending without an answer is an error of its own class, in a sentence, and carries all that was."""
    model = ScriptedModel(replies)
    with pytest.raises(kind, match=words) as caught:
        run_it("Go", tools=[stock], output=TicketInfo, model=model, limits=Limits(steps=3))
    assert type(caught.value) is kind
    outcome = caught.value.outcome
    assert (outcome.ok, outcome.value) == (False, None)
    assert outcome.transcript[0] == Message.user("Go")
    assert outcome.steps == min(len(model.requests), 3)
    model.verify()


def test_issues_of_the_last_answer() -> None:
    """An OutputError has what was wrong with the last answer, place by place."""
    with pytest.raises(OutputError) as caught:
        extract(TicketInfo, TEXT, model=ScriptedModel(["no", "no", TICKET.replace("high", "soon")]))
    (issue,) = caught.value.issues
    assert (issue.path, issue.got) == ("urgency", '"soon"')
    assert caught.value.outcome.transcript[-1].text.endswith('"soon"}')


def test_a_cut_answer_is_there_to_be_read() -> None:
    """What came of a cut answer is in the outcome; it was asked for once."""
    model = ScriptedModel([ModelReply((TextPart('{"order_id": "A-10'),), "length")])
    with pytest.raises(TruncatedError) as caught:
        extract(TicketInfo, TEXT, model=model)
    assert caught.value.outcome.transcript[-1].text == '{"order_id": "A-10'
    assert len(model.requests) == 1


def test_an_answer_after_a_limit_is_one(run_it: Callable[..., Outcome[Any]]) -> None:
    """The last reply's answer is the value; only the stop says that the limit was met."""
    model = ScriptedModel([ToolCall("c", "stock", '{"sku": "a"}'), TICKET])
    outcome = run_it("Go", tools=[stock], output=TicketInfo, model=model, limits=Limits(steps=1))
    assert (outcome.value, outcome.ok, outcome.stop, outcome.steps) == (INFO, True, "step_limit", 1)


@pytest.mark.parametrize("error", [ModelError("down"), RateLimitError("slow")])
def test_a_model_that_cannot_be_asked(run_it: Callable[..., Outcome[Any]], error: ModelError) -> None:
    """Its own error comes out, with the run until then."""
    with pytest.raises(type(error)) as caught:
        run_it("Go", model=ScriptedModel([error]))
    assert caught.value.outcome is not None
    assert caught.value.outcome.stop == "model_error"


def test_a_model_that_cannot_call_tools() -> None:
    """It is refused before any request, where there are tools; without tools it is as good as another."""
    model = ScriptedModel(["Hi"], capabilities=Capabilities())
    with pytest.raises(ModelError, match=r"The model scripted cannot call tools: pass another"):
        run("Go", tools=[stock], model=model)
    assert run("Go", tools=[], model=model).value == "Hi"


@pytest.mark.parametrize("named", [None, "openai:gpt-5"])
def test_a_model_by_name(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name, or none, is what `load_model` makes of it."""
    asked: list[str | None] = []

    def load(spec: str | None) -> ScriptedModel:
        asked.append(spec)
        return ScriptedModel(["Hi"])

    monkeypatch.setattr(starting, "load_model", load)
    assert run("Go", model=named).value == "Hi"
    assert asked == [named]


@pytest.mark.parametrize(
    ("output", "text", "value"),
    [
        (str, "Hi", "Hi"),
        (list[int] | None, "[1]", [1]),
        (list[int] | None, "null", None),
        (list[int] | None, "", None),
        (bool, "false", False),
        (TicketInfo, TICKET, INFO),
        (Any, '{"a": 1}', {"a": 1}),
    ],
)
@pytest.mark.parametrize("capabilities", [Capabilities(), Capabilities(True, True, True)])
def test_outputs(output: Any, text: str, value: Any, capabilities: Capabilities) -> None:
    """Any type can be the output, whatever the model can do; false and None are answers like others."""
    outcome = run("Go", output=output, model=ScriptedModel([text], capabilities=capabilities))
    assert (outcome.value, outcome.ok) == (value, True)


def test_async_tools_run_where_the_caller_is() -> None:
    """In an async run, an async tool runs in the caller's own loop."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def where() -> str:
        loops.append(asyncio.get_running_loop())
        return "here"

    async def main() -> None:
        await arun("Go", tools=[where], model=ScriptedModel([ToolCall("c", "where", ""), "done"]))
        assert loops == [asyncio.get_running_loop()]

    asyncio.run(main())


def test_limits_that_are_none_or_wrong() -> None:
    """None is the default limits; anything else that is no Limits is refused before the first request."""
    assert run("Go", model=ScriptedModel(["done"]), limits=None).value == "done"
    for wrong in (3, {"steps": 3}):
        model = ScriptedModel(["done"])
        with pytest.raises(ValueError, match="limits are a Limits"):
            run("Go", model=model, limits=wrong)  # type: ignore[call-overload]  # the fault that is tested
        assert model.requests == []


CALL = Message("assistant", (ToolCall("c", "f", "{}"),))
RESULT = Message("tool", (ToolResult("c", "f", "1"),))


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ([Message.user("a"), CALL], "a tool call without a result"),
        ([Message.user("a"), CALL, Message.user("b")], "a tool call without a result"),
        ([Message.user("a"), RESULT], "a result without its call"),
        ([Message.user("a"), CALL, RESULT, RESULT], "a result without its call"),
    ],
)
def test_a_broken_transcript_is_refused(prompt: list[Message], said: str) -> None:
    """A prompt in which a call has not exactly one result right after it is never sent."""
    model = ScriptedModel(["done"])
    with pytest.raises(ValueError, match=said):
        run(prompt, model=model)
    assert model.requests == []


def test_a_whole_transcript_goes_on() -> None:
    """One that is whole is sent as it is."""
    assert run([Message.user("a"), CALL, RESULT, Message.user("b")], model=ScriptedModel(["done"])).value == "done"


def test_an_ending_says_what_failed() -> None:
    """A run that tool failures end names the tool and its last words."""

    def pay(amount: int) -> None:
        raise AssertionError(amount)

    calls = [ToolCall(f"c{number}", "pay", '{"amount": "x"}') for number in range(3)]
    with pytest.raises(RunError, match=r"in a row.*: pay, of which.*amount: expected an integer"):
        run("Go", tools=[pay], model=ScriptedModel([*calls, ""]))


def spoken_to(outcome: Outcome[Any]) -> list[str]:
    """What a model was told in a run, beside what its user said."""
    told = [message for message in outcome.transcript[1:] if message.role in ("user", "tool")]
    results = [part.content for message in told for part in message.parts if isinstance(part, ToolResult)]
    return results + [message.text for message in told if message.role == "user"]


def test_a_run_in_chinese(run_it: Callable[..., Outcome[Any]]) -> None:
    """With `language="zh"` the model is told in Chinese what was wrong, and what it is to do."""

    @tool
    def broken(sku: str) -> str:
        raise KeyError(sku)

    model = ScriptedModel(
        [
            ToolCall("1", "stok", "{}"),
            ToolCall("2", "stock", '{"sku": ["a"]}'),
            ToolCall("3", "broken", '{"sku": "a"}'),
            "",
            '{"order_id": null}',
            TICKET,
        ]
    )
    options = RunOptions(language="zh")
    outcome = run_it(
        TEXT, tools=[stock, broken], output=TicketInfo, model=model, options=options, limits=Limits(steps=5)
    )
    assert outcome.value == INFO
    assert spoken_to(outcome) == [
        "没有名为 'stok' 的工具；现有的工具：stock、broken。没有执行任何操作。请核对名称或编号：同样的调用仍会失败。",
        "stock 的参数未被接受，未执行：sku：应为字符串，收到 1 项的数组。请改正后，重新发送此调用。",
        "broken 因 KeyError 而失败；是否已经产生作用，尚不清楚。请在没有它的情况下继续，并说明未能完成的事。",
        "你的回复是空的。请现在给出答案，或者调用工具。",
        "你的答案未被接受：category：应为一个值（必填），收到（未提供）；urgency：应为一个值（必填），收到（未提供）。请改正后，重新给出完整的答案。",
        "这是本次运行的最后一次回复：不能再调用任何工具。请根据已知的信息，现在作答。",
    ]


def test_what_is_asked_for_in_chinese() -> None:
    """A model without native schemas is asked in the language of the run; an error's sentences are in it too."""
    model = ScriptedModel(["{}"], capabilities=Capabilities(native_schema=False))
    with pytest.raises(OutputError, match="应为") as caught:
        extract(TicketInfo, TEXT, model=model, options=RunOptions(language="zh"), limits=Limits(retries=0))
    assert model.requests[0].messages[0].text.startswith("只用一个 JSON 值作答")
    assert {issue.language for issue in caught.value.issues} == {"zh"}


@pytest.mark.parametrize(
    ("options", "words"),
    [({"language": "fr"}, "RunOptions.language is 'en' or 'zh', got 'fr'"), ({"language": None}, "got None")],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    """A language that the library does not speak is refused at once."""
    with pytest.raises(ValueError, match=words):
        RunOptions(**options)


def test_no_options() -> None:
    """What is no RunOptions is refused before the model is asked."""
    model = ScriptedModel(["x"])
    with pytest.raises(ValueError, match="options are RunOptions"):
        run("x", model=model, options={"language": "zh"})  # type: ignore[call-overload]
    assert model.requests == []
