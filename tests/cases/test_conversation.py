"""Section D of the cases drawn from public failures, but for D2: calls, their results, and how both are sent again."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from magic_tools import (
    ErrorCode,
    Limits,
    Message,
    ModelRequest,
    RunOptions,
    ScriptedModel,
    TextPart,
    ToolCall,
    ToolFailure,
    ToolResult,
    tool,
)
from magic_tools.models.openai_chat import OPENAI, WIRE
from magic_tools.models.registry import load_model
from magic_tools.models.servers import SERVERS
from magic_tools.models.wire import Flavour
from tests.models.wire_server import Answer, WireServer
from tests.ways import RunIt, results_in


def on_the_wire(messages: Sequence[Message], flavour: Flavour = OPENAI) -> list[dict[str, Any]]:
    """The messages as OpenAI's chat completions are sent them."""
    sent: list[dict[str, Any]] = WIRE.encode(ModelRequest(tuple(messages)), "m", flavour=flavour)["messages"]
    return sent


def check_wire(sent: Sequence[dict[str, Any]]) -> None:
    """Each call has one result, right behind its message and in its order, and there is no other result."""
    waiting: list[str] = []
    ids: list[str] = []
    for message in sent:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", ())]
            ids += waiting
            assert message.get("tool_calls") != []
            assert message["content"] or message.get("tool_calls")
    assert waiting == []
    assert len(set(ids)) == len(ids)


class Clerk:
    """Three tools, of which the second fails and the third ends first; `ran` are those whose bodies ran."""

    def __init__(self, error: Exception) -> None:
        self.ran: list[str] = []
        self.ended: list[str] = []
        self._error = error
        self._third = threading.Event()

    @tool
    def slow(self, name: str) -> str:
        """End after the fast one."""
        self.ran.append(name)
        self._third.wait(2)
        self.ended.append(name)
        return f"slow {name}"

    @tool
    def fail(self, name: str) -> str:
        """Fail."""
        self.ran.append(name)
        raise self._error

    @tool
    def fast(self, name: str) -> str:
        """End first."""
        self.ran.append(name)
        self.ended.append(name)
        self._third.set()
        return f"fast {name}"

    @property
    def tools(self) -> list[Any]:
        return [self.slow, self.fail, self.fast]


class AsyncClerk(Clerk):
    """The same, awaited."""

    @tool(name="slow")
    async def slow_later(self, name: str) -> str:
        """End after the fast one."""
        self.ran.append(name)
        while not self._third.is_set():
            await asyncio.sleep(0.005)
        self.ended.append(name)
        return f"slow {name}"

    @tool(name="fail")
    async def fail_later(self, name: str) -> str:
        """Fail."""
        self.ran.append(name)
        await asyncio.sleep(0)
        raise self._error

    @tool(name="fast")
    async def fast_later(self, name: str) -> str:
        """End first."""
        self.ran.append(name)
        self.ended.append(name)
        self._third.set()
        return f"fast {name}"

    @property
    def tools(self) -> list[Any]:
        return [self.slow_later, self.fail_later, self.fast_later]


class MixedClerk(AsyncClerk):
    """Two of them awaited, and the one that fails not."""

    @property
    def tools(self) -> list[Any]:
        return [self.slow_later, self.fail, self.fast_later]


class Wordless(Exception):
    """One whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


ERRORS: dict[str, tuple[Exception, str]] = {
    "without a message": (ValueError(), "ValueError"),
    "with a message": (KeyError("sk-1"), "KeyError"),
    "whose text fails": (Wordless(), "Wordless"),
    "in the author's words": (ToolFailure("The shop is closed.", ErrorCode.CONFLICT), "The shop is closed."),
    "without words of the author": (ToolFailure(""), "ToolFailure"),
    "a group": (ExceptionGroup("two", [ValueError(), OSError()]), "ExceptionGroup"),
    "a stop": (StopIteration(), "StopIteration"),
    "out of time": (TimeoutError(), "TimeoutError"),
}


@pytest.mark.parametrize("kind", [Clerk, AsyncClerk, MixedClerk], ids=["ordinary", "async", "mixed"])
@pytest.mark.parametrize("case", ERRORS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_d1_one_of_several_fails(run_it: RunIt, kind: type[Clerk], case: str, language: Any) -> None:
    """All three have their results, in their order and under their ids; each body ran once."""
    error, named = ERRORS[case]
    if kind is not Clerk and isinstance(error, StopIteration):
        named = "RuntimeError"  # which Python makes of one that leaves a coroutine
    clerk = kind(error)
    calls = [ToolCall("c1", "slow", '{"name": "c1"}'), ToolCall("c2", "fail", '{"name": "c2"}'),
             ToolCall("c3", "fast", '{"name": "c3"}')]  # fmt: skip
    model = ScriptedModel([calls, "done"])
    outcome = run_it("go", tools=clerk.tools, model=model, options=RunOptions(language=language))
    first, second, third = results_in(outcome.transcript)
    assert [each.call_id for each in (first, second, third)] == ["c1", "c2", "c3"]
    assert [each.is_error for each in (first, second, third)] == [False, True, False]
    assert (first.content, third.content) == ("slow c1", "fast c3")
    assert named in second.content or (kind is MixedClerk and case == "a stop" and "StopIteration" in second.content)
    assert second.name == "fail"
    assert sorted(clerk.ran) == ["c1", "c2", "c3"]
    assert clerk.ended == ["c3", "c1"]
    assert outcome.value == "done"
    assert model.requests[1].messages == outcome.transcript[:-1]
    check_wire(on_the_wire(outcome.transcript))


@pytest.mark.parametrize("place", [0, 1, 2, 7, 19])
def test_d1_any_of_many_fails(run_it: RunIt, place: int) -> None:
    """So it is of many calls, more than go side by side, wherever the failing one stands."""

    @tool
    def work(n: int) -> int:
        time.sleep(0.001 * (n % 3))
        if n == place:
            raise ValueError
        return n

    calls = [ToolCall(f"c{n}", "work", json.dumps({"n": n})) for n in range(20)]
    outcome = run_it("go", tools=[work], model=ScriptedModel([calls, "done"]), limits=Limits(calls_per_step=20))
    told = results_in(outcome.transcript)
    assert [each.call_id for each in told] == [call.id for call in calls]
    assert [each.is_error for each in told] == [n == place for n in range(20)]
    assert [each.content for each in told if not each.is_error] == [str(n) for n in range(20) if n != place]
    assert "ValueError" in told[place].content


def test_d1_all_fail(run_it: RunIt) -> None:
    """Then each has an error of its own."""
    clerk = Clerk(ValueError())
    calls = [ToolCall(f"c{n}", "fail", json.dumps({"name": f"c{n}"})) for n in range(3)]
    outcome = run_it("go", tools=clerk.tools, model=ScriptedModel([calls, "done"]))
    told = results_in(outcome.transcript)
    assert [(each.call_id, each.is_error) for each in told] == [("c0", True), ("c1", True), ("c2", True)]
    assert all("ValueError" in each.content for each in told)


C1, C2 = ToolCall("c1", "look", '{"at": 1}'), ToolCall("c2", "look", '{"at": 2}')
R1, R2 = ToolResult("c1", "look", "one"), ToolResult("c2", "look", "two")
CALLED = Message("assistant", (TextPart("I look."), C1, C2))
ANSWERED = Message("tool", (R1, R2))
GO, THANKS, MORE = map(Message.user, ("go", "thanks", "and?"))


@pytest.mark.parametrize(
    "history",
    [
        pytest.param((GO, CALLED, ANSWERED, THANKS, MORE), id="two texts of the user"),
        pytest.param((GO, CALLED, Message("tool", (R1,)), Message("tool", (R2,)), THANKS), id="results one by one"),
        pytest.param((GO, Message("assistant", (C1, C2, TextPart("Wait."))), ANSWERED, THANKS), id="text after calls"),
        pytest.param((GO, Message("assistant", (C1, TextPart("and"), C2)), ANSWERED, THANKS), id="text between calls"),
        pytest.param((GO, CALLED, ANSWERED, Message("assistant", (TextPart("Two."),)), MORE), id="an answer"),
        pytest.param((Message.system("Be brief."), GO, CALLED, ANSWERED, THANKS), id="a system message"),
    ],
)
@pytest.mark.parametrize("flavour", [OPENAI, SERVERS["compatible"]], ids=["OpenAI", "compatible"])
def test_d3_a_history_on_the_wire(run_it: RunIt, history: tuple[Message, ...], flavour: Flavour) -> None:
    """A run takes it, and results stand right behind their calls, in order, whatever was said around them.

    This is the half of the case that chat completions have; the other, of Anthropic, is in test_other_wires.
    """
    model = ScriptedModel(["done"])
    assert run_it(history, model=model).value == "done"
    sent = on_the_wire(model.requests[0].messages, flavour)
    check_wire(sent)
    texts = [message["content"] for message in sent if message["role"] == "user"]
    assert texts == [message.text for message in history if message.role == "user"]
    assert [message["content"] for message in sent if message["role"] == "tool"] == ["one", "two"]
    (calling,) = [message for message in sent if "tool_calls" in message]
    assert [call["id"] for call in calling["tool_calls"]] == ["c1", "c2"]
    assert calling["content"] == next(message for message in history if message.calls).text


@pytest.mark.parametrize(
    "history",
    [
        pytest.param((GO, CALLED, THANKS, ANSWERED), id="something between"),
        pytest.param((GO, CALLED, Message("tool", (R1,)), THANKS), id="one is missing"),
        pytest.param((GO, CALLED, Message("tool", (R1,)), THANKS, Message("tool", (R2,))), id="one comes late"),
        pytest.param((GO, CALLED, THANKS), id="both are missing"),
        pytest.param((GO, CALLED), id="calls at the end"),
        pytest.param((GO, ANSWERED, THANKS), id="results alone"),
        pytest.param((GO, CALLED, ANSWERED, ANSWERED, THANKS), id="results twice"),
        pytest.param((GO, CALLED, Message("tool", (R1, R2, R1)), THANKS), id="a result twice"),
        pytest.param((ANSWERED, CALLED, ANSWERED, THANKS), id="results at the start"),
        pytest.param((GO, CALLED, Message("tool", (R1, ToolResult("c3", "look", "x"))), THANKS), id="another's"),
        pytest.param((GO, CALLED, Message("assistant", (TextPart("So."),)), ANSWERED), id="text before the results"),
    ],
)
def test_d3_a_history_that_is_none(run_it: RunIt, history: tuple[Message, ...]) -> None:
    """It is refused before any request, and not mended."""
    model = ScriptedModel(["done"])
    with pytest.raises(ValueError, match=r"call|result"):
        run_it(history, model=model)
    assert model.requests == []


@pytest.mark.parametrize(
    ("role", "parts"),
    [("user", (R1,)), ("user", (C1,)), ("tool", (TextPart("x"),)), ("tool", (R1, TextPart("x"))), ("assistant", (R1,))],
)
def test_d3_a_message_of_what_is_not_its_own(role: Any, parts: tuple[Any, ...]) -> None:
    """Nothing but results can stand among results: such a message cannot be made."""
    with pytest.raises(ValueError, match="cannot hold"):
        Message(role, parts)


def test_d3_what_a_run_itself_says(run_it: RunIt) -> None:
    """Nudges, refusals and last words of a run stand behind the results too."""

    @tool
    def look(at: int) -> int:
        return at

    first, second = (ToolCall("", "look", json.dumps({"at": n})) for n in range(2))
    model = ScriptedModel([["I look.", first], "", second, "not a number", "3"])
    outcome = run_it("go", tools=[look], output=int, model=model, limits=Limits(steps=4))
    assert outcome.value == 3
    for request in model.requests:
        check_wire(on_the_wire(request.messages))
    check_wire(on_the_wire(outcome.transcript))


UNPARSED = [
    '{"a": ',
    '{"a": "x',
    "{",
    "[1]",
    '"x"',
    "5",
    "true",
    "not JSON",
    '{"a": 1} {"b": 2}',
    '{"a": NaN}',
    '{"a": 1,}',
    "{'a': 1}",
    '```json\n{"a": 1}\n```',
    '{"a": "\t"}',
    '{"a": "你好',
    '{"a": "\\ud800"}',
    '{"a": "\ud800"',
    "\x00",
    "[" * 5_000,
]


@pytest.mark.parametrize("arguments", UNPARSED, ids=lambda text: ascii(text)[:24])
@pytest.mark.parametrize("flavour", [OPENAI, SERVERS["compatible"]], ids=["OpenAI", "compatible"])
def test_d4_arguments_that_did_not_parse(run_it: RunIt, arguments: str, flavour: Flavour) -> None:
    """They are sent again as the text of an object, with what the model wrote in it, and the error behind them.

    That Anthropic's `input` is an object is in test_other_wires.
    """

    @tool
    def look(b: int) -> int:
        return b

    model = ScriptedModel([ToolCall("c1", "look", arguments), "done"])
    outcome = run_it("go", tools=[look], model=model)
    assert outcome.transcript[1].calls == (ToolCall("c1", "look", arguments),)
    sent = on_the_wire(model.requests[1].messages, flavour)
    check_wire(sent)
    json.dumps(sent, ensure_ascii=False).encode()
    text = sent[1]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(text, str)
    held = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert isinstance(held, dict)
    if held.keys() == {"unparsed_arguments"}:
        assert held["unparsed_arguments"].startswith(arguments.partition("\ud800")[0])
    else:
        assert text == arguments
    (result,) = results_in(outcome.transcript)
    assert (result.is_error, result.code) == (True, ErrorCode.INVALID_ARGUMENT)
    assert sent[2] == {"role": "tool", "tool_call_id": "c1", "content": result.content}
    assert "look" in result.content


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}"])
def test_d4_arguments_that_are_none(run_it: RunIt, arguments: str) -> None:
    """They are sent again as an empty object."""

    @tool
    def look() -> str:
        return "seen"

    model = ScriptedModel([ToolCall("c1", "look", arguments), "done"])
    outcome = run_it("go", tools=[look], model=model)
    assert [each.content for each in results_in(outcome.transcript)] == ["seen"]
    sent = on_the_wire(model.requests[1].messages)
    assert sent[1]["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("arguments", ['{"b": ', "[1]", '{"b": "\ud800"', '{"b": "你好"}'], ids=ascii)
def test_d4_through_the_wire(run_it: RunIt, arguments: str) -> None:
    """The second request of a run arrives, and holds an object's text and the error."""

    @tool
    def look(b: int) -> int:
        return b

    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}}
    with WireServer() as wire:
        for message, why in ((({"content": None, "tool_calls": [call]}), "tool_calls"), ({"content": "done"}, "stop")):
            body = {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": why}]}
            wire.answers.append(Answer(body))
        outcome = run_it("go", tools=[look], model=load_model("openai:m", base_url=wire.base_url))
        assert outcome.value == "done"
        sent = wire.asked[1].body["messages"]
    check_wire(sent)
    assert isinstance(json.loads(sent[1]["tool_calls"][0]["function"]["arguments"]), dict)
    assert sent[2]["content"].startswith("The arguments of look were refused")
