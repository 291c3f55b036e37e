"""The program of a run: what is asked, what is run, and what the outcome holds, sync and async alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel

from magic_tools.chat import Capabilities, ModelReply, ModelRequest
from magic_tools.effects.program import Program
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import ModelError, ToolFailure
from magic_tools.loop.driver import Course, Ended
from magic_tools.loop.state import LoopState
from magic_tools.messages import ErrorCode, Message, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.scripted import ScriptedModel, ScriptedReply
from magic_tools.options import Limits
from magic_tools.outcome import Outcome
from magic_tools.outputs.answer import answer_for
from magic_tools.tools.scope import RunScope
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset

Run: TypeAlias = Callable[[Program[Ended]], Ended]
ASKED = Message.user("What is in stock?")


class Stock(BaseModel):
    count: int


class Shop:
    """Tools that remember how they were called."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    @tool
    def stock(self, sku: str) -> int:
        """How many there are."""
        self.calls.append(f"stock {sku}")
        return len(sku)

    @tool
    async def sell(self, sku: str) -> str:
        """Sell one."""
        self.calls.append(f"sell {sku}")
        return f"sold {sku}"

    @tool
    def fail(self) -> str:
        """Fail without a word."""
        self.calls.append("fail")
        raise ValueError

    @tool
    def refuse(self) -> str:
        """Fail in words."""
        raise ToolFailure("The shop is closed.", ErrorCode.CONFLICT)

    @property
    def tools(self) -> Toolset:
        return Toolset(self.stock, self.sell, self.fail, self.refuse)


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    """Both ways to run a program."""
    import asyncio

    if request.param == "sync":
        return run_sync
    return lambda program: asyncio.run(run_async(program))


def start(
    replies: list[ScriptedReply],
    shop: Shop | None = None,
    target: Any = str,
    limits: Limits | None = None,
    capabilities: Capabilities | None = None,
) -> tuple[ScriptedModel, Program[Ended]]:
    model = ScriptedModel(replies, capabilities=capabilities) if capabilities else ScriptedModel(replies)
    toolset = shop.tools if shop else Toolset()
    return model, program_of(model, toolset, target, limits or Limits())


def program_of(model: ScriptedModel, toolset: Toolset, target: Any, limits: Limits) -> Program[Ended]:
    state = LoopState((ASKED,), limits, asked=1)
    return Course(model, {"": toolset}, answer_for(target, model.capabilities), state, RunScope()).program({}, None)


def results(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]


def test_an_answer(run: Run) -> None:
    """The outcome holds value, stop, transcript, usage, steps and who answered."""
    model, program = start([ModelReply((TextPart('{"count": 3,}'),), "stop", Usage(5, 6), "gpt-5")], target=Stock)
    ended = run(program)
    outcome = ended.outcome
    assert ended.issues == ()
    assert (outcome.value, outcome.stop, outcome.ok) == (Stock(count=3), "final", True)
    assert outcome.transcript == (ASKED, Message("assistant", (TextPart('{"count": 3,}'),)))
    assert (outcome.usage, outcome.steps, outcome.model) == (Usage(5, 6), 1, "gpt-5")
    assert [repair.kind for repair in outcome.repairs] == ["trailing_comma"]
    model.verify()


def test_who_answered_is_at_least_the_model_s_name(run: Run) -> None:
    """A provider that does not say who answered leaves the name that the model has here."""
    _, program = start([ModelReply((TextPart("3"),))])
    assert run(program).outcome.model == "scripted"


def test_what_is_asked(run: Run) -> None:
    """A request carries the transcript, every tool and the output's schema; the last one of a run, no leave to call."""
    shop = Shop()
    model, program = start(
        [ToolCall("c1", "stock", '{"sku": "ab"}'), '{"count": 2}'], shop, target=Stock, limits=Limits(steps=1)
    )
    assert run(program).outcome.value == Stock(count=2)
    first, last = model.requests
    told = shop.tools.told()
    output = answer_for(Stock, model.capabilities).format
    assert first == ModelRequest((ASKED,), told, "auto", output)
    assert (last.tools, last.tool_choice, last.output) == (told, "none", output)
    assert [message.role for message in last.messages] == ["user", "assistant", "tool", "user"]


def test_a_model_without_schemas_is_told(run: Run) -> None:
    """The instruction is in every request and in no transcript."""
    model, program = start(["no", '{"count": 2}'], target=Stock, capabilities=Capabilities())
    outcome = run(program).outcome
    assert outcome.value == Stock(count=2)
    assert [request.messages[0].role for request in model.requests] == ["system", "system"]
    assert [request.output for request in model.requests] == [None, None]
    assert all(message.role != "system" for message in outcome.transcript)


def test_several_calls_of_a_reply(run: Run) -> None:
    """Each runs once, side by side, ordinary and async; each result stands under its call, in order, whatever fails."""
    shop = Shop()
    asked = [
        ToolCall("c1", "stock", '{"sku": "ab"}'),
        ToolCall("c2", "fail", ""),
        ToolCall("c3", "sell", '{"sku": "x"}'),
    ]
    _, program = start([asked, "done"], shop)
    outcome = run(program).outcome
    assert sorted(shop.calls) == ["fail", "sell x", "stock ab"]
    assert [(result.call_id, result.name, result.is_error) for result in results(outcome)] == [
        ("c1", "stock", False),
        ("c2", "fail", True),
        ("c3", "sell", False),
    ]
    ok, failed, sold = results(outcome)
    assert (ok.content, ok.value, sold.content) == ("2", 2, "sold x")
    assert "ValueError" in failed.content
    assert outcome.transcript[1].calls == tuple(asked)


def test_failures_in_words(run: Run) -> None:
    """What a tool wants to say about a failure reaches the model, under its code."""
    model, program = start([ToolCall("c1", "refuse", ""), "closed"], Shop())
    run(program)
    (result,) = model.requests[1].messages[-1].parts
    words = "The shop is closed. Look at how things stand now, and then decide."
    assert result == ToolResult("c1", "refuse", words, is_error=True, code=ErrorCode.CONFLICT, effect="none")


def test_an_unknown_tool(run: Run) -> None:
    """It is told with the names there are, the other calls of the reply run, and ten such replies are not endless."""
    shop = Shop()
    replies: list[ScriptedReply] = [
        [ToolCall("c1", "stok", '{"sku": "a"}'), ToolCall("c2", "stock", f'{{"sku": "{n}"}}')] for n in range(10)
    ]
    model, program = start(replies, shop)
    ended = run(program)
    assert (ended.outcome.stop, ended.outcome.ok, len(model.requests)) == ("tool_failures", False, 4)
    assert len(shop.calls) == 3
    first = results(ended.outcome)[0]
    assert first.content == (
        "There is no tool called 'stok'; there are: stock, sell, fail, refuse. Nothing was run. "
        "Check the name or the id: the same call would fail again."
    )
    assert (first.is_error, first.code) == (True, ErrorCode.NOT_FOUND)


def test_an_unknown_tool_where_there_is_none(run: Run) -> None:
    """Without tools every call is one of an unknown name; an endless name does not drown the text."""
    _, program = start([ToolCall("c1", "x" * 100_000, ""), "done"])
    (result,) = results(run(program).outcome)
    assert len(result.content) < 200
    assert "there are: none. Nothing was run." in result.content


@pytest.mark.parametrize("arguments", ['{"sku": "a', '{"sku": true}', "", '["a"]'])
def test_arguments_that_do_not_fit(run: Run, arguments: str) -> None:
    """They are told to the model, the body does not run, and the run goes on."""
    shop = Shop()
    _, program = start([ToolCall("c1", "stock", arguments), "done"], shop)
    outcome = run(program).outcome
    assert (shop.calls, outcome.value, outcome.ok) == ([], "done", True)
    (result,) = results(outcome)
    assert (result.is_error, result.code) == (True, ErrorCode.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [('{"sku": "a",}', ["trailing_comma"]), ('{"sku": 5}', ["number_as_text"])],
)
def test_repairs_of_arguments_are_listed(run: Run, arguments: str, kinds: list[str]) -> None:
    """What was mended in a call's arguments is in the outcome too."""
    _, program = start([ToolCall("c1", "stock", arguments), "done"], Shop())
    assert [repair.kind for repair in run(program).outcome.repairs] == kinds


def test_missing_and_repeated_ids(run: Run) -> None:
    """Results are not swapped, and the ids that are sent back are non-empty and unique, over turns too."""
    shop = Shop()
    same = [ToolCall("call_1", "stock", '{"sku": "a"}'), ToolCall("call_1", "stock", '{"sku": "abc"}')]
    none = [ToolCall("", "stock", '{"sku": "ab"}'), ToolCall("", "stock", '{"sku": "abcd"}')]
    model, program = start([same, none, "done"], shop)
    outcome = run(program).outcome
    ids = [call.id for message in outcome.transcript for call in message.calls]
    assert len(set(ids)) == 4
    assert all(ids)
    assert [(result.call_id, result.value) for result in results(outcome)] == list(zip(ids, [1, 3, 2, 4], strict=True))
    assert model.requests[-1].messages == outcome.transcript[:-1]


@pytest.mark.parametrize(
    ("replies", "stop", "issues", "requests"),
    [
        (["no"] * 3, "invalid_output", True, 3),
        (["", "..."], "stall", False, 2),
        ([ModelReply((TextPart('{"count": 3'),), "length")], "truncated", True, 1),
        ([ModelReply((TextPart("No."),), "refusal")], "refusal", False, 1),
        ([ModelReply((), "refusal")], "refusal", False, 1),
        ([ModelReply((ToolCall("c", "stock", '{"sku": "a'),), "length")], "truncated", False, 1),
        ([ToolCall("", "stock", f'{{"sku": "{n}"}}') for n in range(11)], "step_limit", False, 11),
        ([ToolCall("", "stock", '{"sku": "a"}')] * 4, "repeat", False, 4),
        ([ToolCall("", "stock", "")] * 4, "tool_failures", False, 4),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_runs_without_an_answer(run: Run, replies: list[ScriptedReply], stop: str, issues: bool, requests: int) -> None:
    """They end in so many requests, with no value, the reason, all that was said, and what was wrong."""
    model, program = start(replies, Shop(), target=Stock)
    ended = run(program)
    outcome = ended.outcome
    assert (outcome.value, outcome.ok, outcome.stop) == (None, False, stop)
    assert bool(ended.issues) is issues
    assert len(model.requests) == requests
    assert outcome.steps == min(requests, 10 if stop == "step_limit" else 3)
    model.verify()


def test_an_earlier_answer_is_never_the_value(run: Run) -> None:
    """A text that was valid beside calls is no value of a run that ends without an answer."""
    both: ScriptedReply = ['{"count": 3}', ToolCall("c1", "stock", '{"sku": "a"}')]
    _, program = start([both, ModelReply((), "refusal")], Shop(), target=Stock)
    assert run(program).outcome.value is None


@pytest.mark.parametrize("before", [0, 1])
def test_a_model_s_error_carries_the_run(run: Run, before: int) -> None:
    """A ModelError is raised itself, with all that was until then."""
    error = ModelError("the server is down")
    replies: list[ScriptedReply] = [ToolCall("c1", "stock", '{"sku": "a"}')]
    _, program = start([*replies * before, error], Shop())
    with pytest.raises(ModelError, match="the server is down") as caught:
        run(program)
    assert caught.value is error
    outcome = caught.value.outcome
    assert outcome is not None
    assert (outcome.value, outcome.ok, outcome.stop, outcome.steps) == (None, False, "model_error", before)
    assert len(outcome.transcript) == 1 + 2 * before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), ZeroDivisionError()])
def test_what_is_no_model_error_passes(run: Run, error: BaseException) -> None:
    """An interrupt, an exit or a fault of the model's own code is raised as it is."""
    _, program = start([error])
    with pytest.raises(type(error)):
        run(program)


def test_an_interrupt_of_a_tool_ends_the_run(run: Run) -> None:
    """A tool that is interrupted is no tool that failed."""

    @tool
    def leave() -> str:
        raise KeyboardInterrupt

    model = ScriptedModel([ToolCall("c1", "leave", "")])
    toolset = Toolset(leave)
    program = program_of(model, toolset, str, Limits())
    with pytest.raises(KeyboardInterrupt):
        run(program)
    assert len(model.requests) == 1
