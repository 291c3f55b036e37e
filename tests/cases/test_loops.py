"""Section E of the cases drawn from public failures: calls made again, limits, cut replies and refusals."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools import (
    Capabilities,
    ErrorCode,
    LimitError,
    Limits,
    Message,
    ModelReply,
    ModelSettings,
    RefusalError,
    RepeatError,
    RunError,
    RunOptions,
    ScriptedModel,
    TextPart,
    ToolCall,
    ToolFailure,
    ToolFailuresError,
    ToolResult,
    TruncatedError,
    Usage,
    output_tool,
    tool,
)
from magic_tools.models.openai_chat import WIRE
from magic_tools.models.registry import load_model
from tests.models.wire_server import Answer, WireServer
from tests.ways import RunIt, results_in


def call(name: str, arguments: Mapping[str, Any] | str = "{}", call_id: str = "") -> ToolCall:
    return ToolCall(call_id, name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def is_whole(transcript: Sequence[Message]) -> bool:
    """Whether each call has exactly one result right behind it, under an id that no other call has."""
    seen: list[str] = []
    waiting: list[str] = []
    for message in transcript:
        if message.role == "tool":
            given = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
            if given != waiting:
                return False
            waiting = []
        else:
            if waiting:
                return False
            waiting = [each.id for each in message.calls]
            seen += waiting
    return not waiting and all(seen) and len(set(seen)) == len(seen)


class Shop:
    """Tools that remember how they were called."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    @tool
    def read(self, path: str, n: int = 1) -> str:
        """Read."""
        self.calls.append((path, n))
        return f"{n} of {path}"

    @tool
    async def fetch(self, path: str, n: int = 1) -> str:
        """Fetch."""
        self.calls.append((path, n))
        return f"{n} of {path}"

    @tool
    def find(self, where: dict[str, Any], limit: float = 5) -> list[str]:
        """Find."""
        self.calls.append((where, limit))
        return []

    @tool
    def one(self) -> int:
        """One."""
        self.calls.append("one")
        return 1

    @tool
    def two(self) -> int:
        """Two."""
        self.calls.append("two")
        return 2

    @tool
    def three(self) -> int:
        """Three."""
        self.calls.append("three")
        return 3

    @tool
    def four(self) -> int:
        """Four."""
        self.calls.append("four")
        return 4

    @tool
    def count(self) -> int:
        """Count."""
        self.calls.append("count")
        return len(self.calls)

    @tool(repeatable=True)
    def poll(self) -> str:
        """Poll."""
        self.calls.append("poll")
        return "waiting"

    @tool
    def busy(self) -> str:
        """Busy."""
        self.calls.append("busy")
        raise ToolFailure("Too many at once.", ErrorCode.RATE_LIMITED)

    @tool
    def broken(self) -> str:
        """Broken."""
        self.calls.append("broken")
        raise ValueError

    @property
    def tools(self) -> list[Any]:
        names = "read fetch find one two three four count poll busy broken"
        return [getattr(self, name) for name in names.split()]


def repeated_to(
    run_it: RunIt, shop: Shop, replies: Sequence[Any], error: type[RunError], **limits: int
) -> tuple[RunError, ScriptedModel]:
    """The error that a run of a script, which never ends, comes to."""
    model = ScriptedModel([replies[place % len(replies)] for place in range(200)])
    with pytest.raises(error) as caught:
        run_it("go", tools=shop.tools, model=model, limits=Limits(**{"steps": 50, **limits}))
    return caught.value, model


SPELLINGS: dict[str, tuple[str, list[str]]] = {
    "key order": ("read", ['{"path": "a", "n": 1}', '{"n": 1, "path": "a"}']),
    "of an async tool": ("fetch", ['{"path": "a", "n": 1}', '{"n": 1, "path": "a"}']),
    "1 and 1.0": ("read", ['{"path": "a", "n": 1}', '{"path": "a", "n": 1.0}']),
    "1 and its text": ("read", ['{"path": "a", "n": 1}', '{"path": "a", "n": "1"}']),
    "a default left out": ("read", ['{"path": "a"}', '{"path": "a", "n": 1}', '{"path": "a", "n": null}']),
    "blanks": ("read", ['{"path": "a"}', '{ "path" :\n"a" }']),
    "escapes": ("read", ['{"path": "a"}', '{"path": "\\u0061"}']),
    "a comma too many": ("read", ['{"path": "a"}', '{"path": "a",}']),
    "nested objects": ("find", ['{"where": {"a": {"b": 1, "c": [2]}}}', '{"where": {"a": {"c": [2], "b": 1}}}']),
    "nested 1 and 1.0": ("find", ['{"where": {"a": [1, 0]}}', '{"where": {"a": [1.0, -0.0]}, "limit": 5.0}']),
    "no arguments": ("one", ["", "{}", "null", "  "]),
}


@pytest.mark.parametrize("repeats", [1, 2, 3])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_e1_the_same_call_again(run_it: RunIt, spelling: str, repeats: int) -> None:
    """However it is spelled, it runs so often; then an error names tool and count, and then the run ends."""
    shop, (name, texts) = Shop(), SPELLINGS[spelling]
    error, model = repeated_to(run_it, shop, [call(name, text) for text in texts], RepeatError, repeats=repeats)
    assert len(shop.calls) == repeats
    told = results_in(error.outcome.transcript)
    assert [each.is_error for each in told[: repeats + 1]] == [False] * repeats + [True]
    hint = told[repeats]
    assert name in hint.content
    assert f"({repeats} time)" in hint.content or f"{repeats} times" in hint.content
    assert hint.content.endswith(told[repeats - 1].content)
    assert (hint.code, hint.retryable) == (ErrorCode.CONFLICT, False)
    assert len(model.requests) <= repeats + 3
    outcome = error.outcome
    assert (outcome.stop, outcome.ok, outcome.steps) == ("repeat", False, repeats + 2)
    assert is_whole(outcome.transcript)
    assert name in str(error)
    assert f"({repeats} time" in str(error)


@pytest.mark.parametrize("repeats", [1, 2, 3])
@pytest.mark.parametrize(
    "names", ["one two", "one two three", "one two three four", "one one two", "one two one three"]
)
def test_e1_a_circle_of_calls(run_it: RunIt, names: str, repeats: int) -> None:
    """Two to four calls in a circle come to an end too, well before the steps do."""
    shop = Shop()
    error, model = repeated_to(run_it, shop, [call(name) for name in names.split()], RepeatError, repeats=repeats)
    assert error.outcome.stop == "repeat"
    assert len(model.requests) <= 4 * (repeats + 2)
    assert all(shop.calls.count(name) <= (repeats + 2) * names.split().count(name) for name in names.split())
    assert is_whole(error.outcome.transcript)


@pytest.mark.parametrize("repeats", [1, 2, 3])
@pytest.mark.parametrize("names", ["one two", "one two three", "one two three four"])
def test_e1_the_count_in_a_circle(run_it: RunIt, names: str, repeats: int) -> None:
    """What is not run once more is told how often it ran, and with what it came to; so says the error."""
    shop, circle = Shop(), names.split()
    error, _ = repeated_to(run_it, shop, [call(name) for name in circle], RepeatError, repeats=repeats)
    hint = next(each for each in results_in(error.outcome.transcript) if each.is_error)
    ran = shop.calls.count("one")
    assert (hint.name, ran) == ("one", repeats + 1)
    assert "one" in hint.content
    assert hint.content.endswith("It was: 1")
    assert f"{ran} times" in hint.content
    assert f"{ran} times" in str(error)


def test_e1_a_circle_of_five_is_none(run_it: RunIt) -> None:
    """What goes round through more calls than four ends at the steps."""
    shop = Shop()
    replies = [call("read", {"path": path}) for path in "abcde"]
    error, _ = repeated_to(run_it, shop, replies, LimitError, steps=15)
    assert len(shop.calls) == 15
    assert error.outcome.stop == "step_limit"


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([call("read", {"path": "a", "n": n // 2 if n % 2 else 1000 + n}) for n in range(20)], id="others"),
        pytest.param([call("read", {"path": "ab"[n % 2], "n": n}) for n in range(20)], id="one of two"),
        pytest.param(
            [call("read", {"path": "a"}) if n % 2 else call("read", {"path": f"{n}"}) for n in range(20)],
            id="the same with others in between",
        ),
        pytest.param([call("one") if n % 2 else call("count") for n in range(20)], id="a circle with new results"),
    ],
)
def test_e1_other_arguments_in_between(run_it: RunIt, replies: list[ToolCall]) -> None:
    """They are something done: nothing is refused."""
    shop = Shop()
    outcome = run_it("go", tools=shop.tools, model=ScriptedModel([*replies, "done"]), limits=Limits(steps=50))
    assert outcome.value == "done"
    assert len(shop.calls) == len(replies)
    assert not any(each.is_error for each in results_in(outcome.transcript))


@pytest.mark.parametrize("repeats", [1, 3])
def test_e1_a_few_others_in_between(run_it: RunIt, repeats: int) -> None:
    """As often as it may run, with another call before each time that it is called again."""
    shop, same, other = Shop(), call("read", {"path": "a", "n": 1}), call("read", {"path": "b", "n": 1})
    replies: list[str | ToolCall] = [*[same] * repeats, other, *[same] * repeats, "done"]
    outcome = run_it("go", tools=shop.tools, model=ScriptedModel(replies), limits=Limits(repeats=repeats, steps=50))
    assert outcome.value == "done"
    assert shop.calls == [*[("a", 1)] * repeats, ("b", 1), *[("a", 1)] * repeats]


def test_e1_other_arguments_after_the_hint(run_it: RunIt) -> None:
    """A model that takes the hint goes on, and may make the call again after something else."""
    shop, same, other = Shop(), call("read", {"path": "a"}), call("read", {"path": "b"})
    model = ScriptedModel([same, same, other, same, same, other, "done"])
    outcome = run_it("go", tools=shop.tools, model=model)
    assert outcome.value == "done"
    assert shop.calls == [("a", 1), ("b", 1), ("a", 1), ("b", 1)]
    assert [each.is_error for each in results_in(outcome.transcript)] == [False, True, False, False, True, False]


def test_e1_a_tool_that_is_polled(run_it: RunIt) -> None:
    """One that is repeatable runs as often as it is called."""
    shop = Shop()
    outcome = run_it(
        "go", tools=shop.tools, model=ScriptedModel([*[call("poll")] * 12, "done"]), limits=Limits(steps=50)
    )
    assert outcome.value == "done"
    assert shop.calls == ["poll"] * 12


def test_e1_what_may_be_sent_again(run_it: RunIt) -> None:
    """A call whose error asks for it is no repeat; that it goes on failing is counted as failures are."""
    shop = Shop()
    error, _ = repeated_to(run_it, shop, [call("busy")], ToolFailuresError)
    assert shop.calls == ["busy"] * 3
    assert error.outcome.stop == "tool_failures"
    more = Shop()
    repeated_to(run_it, more, [call("busy")], LimitError, retries=100, steps=9)
    assert more.calls == ["busy"] * 9


def test_e1_what_failed_and_may_not_be_sent_again(run_it: RunIt) -> None:
    """It is a repeat like another, and its error is in the hint."""
    shop = Shop()
    error, _ = repeated_to(run_it, shop, [call("broken")], RepeatError)
    assert shop.calls == ["broken"]
    assert "ValueError" in results_in(error.outcome.transcript)[1].content


@pytest.mark.parametrize("repeats", [1, 2, 3])
@pytest.mark.parametrize("count", [2, 5])
def test_e1_several_in_one_reply(run_it: RunIt, repeats: int, count: int) -> None:
    """Equal calls of one reply run as often as those of several, and each has its result."""
    shop = Shop()
    calls = [call("read", {"path": "a"}, f"c{number}") for number in range(count)]
    model = ScriptedModel([calls, "done"])
    outcome = run_it("go", tools=shop.tools, model=model, limits=Limits(repeats=repeats))
    ran = min(repeats, count)
    assert shop.calls == [("a", 1)] * ran
    told = results_in(outcome.transcript)
    assert [each.call_id for each in told] == [each.id for each in calls]
    assert [each.is_error for each in told] == [False] * ran + [True] * (count - ran)
    assert all("read" in each.content and "1 of a" in each.content for each in told[ran:])
    assert outcome.value == "done"


def test_e1_several_in_each_reply(run_it: RunIt) -> None:
    """Two equal calls in each of endless replies run once, and end the run."""
    shop = Shop()
    error, model = repeated_to(run_it, shop, [[call("read", {"path": "a"})] * 2], RepeatError)
    assert shop.calls == [("a", 1)]
    assert len(model.requests) <= 4
    assert is_whole(error.outcome.transcript)


def test_e1_beside_a_new_call(run_it: RunIt) -> None:
    """A repeat is told; what is new runs beside it, and the run goes on as long as something is."""
    shop = Shop()
    replies = [[call("one"), call("read", {"path": str(number)})] for number in range(5)]
    outcome = run_it("go", tools=shop.tools, model=ScriptedModel([*replies, "done"]))
    assert outcome.value == "done"
    assert [each for each in shop.calls if each != "one"] == [(str(number), 1) for number in range(5)]
    assert is_whole(outcome.transcript)


def test_e1_beside_a_new_call_that_comes_after(run_it: RunIt) -> None:
    """The repeat at the head of a reply is not run, and says what it came to before."""
    shop = Shop()
    model = ScriptedModel([call("one"), [call("one"), call("two")], "done"])
    outcome = run_it("go", tools=shop.tools, model=model)
    told = results_in(outcome.transcript)
    assert shop.calls == ["one", "two"]
    assert [each.is_error for each in told] == [False, True, False]
    assert told[1].content.endswith("It was: 1")


def test_e1_the_last_reply_may_still_be_an_answer(run_it: RunIt) -> None:
    """A model that answers when it is told that nothing more can be called gives the value of the run."""
    shop = Shop()
    model = ScriptedModel([*[call("one")] * 3, "It is 1."])
    outcome = run_it("go", tools=shop.tools, model=model)
    assert (outcome.value, outcome.stop, outcome.ok) == ("It is 1.", "repeat", True)
    assert model.requests[-1].tool_choice == "none"


def test_e1_in_chinese(run_it: RunIt) -> None:
    """Tool and count are named there too."""
    shop = Shop()
    model = ScriptedModel([call("read", {"path": "a"})] * 9)
    with pytest.raises(RepeatError) as caught:
        run_it("go", tools=shop.tools, model=model, limits=Limits(repeats=3), options=RunOptions(language="zh"))
    hint = results_in(caught.value.outcome.transcript)[3]
    assert hint.is_error
    assert "read" in hint.content
    assert "3 次" in hint.content
    assert "再次调用不会有新的结果" in hint.content
    assert "Not run" not in hint.content


SPENT = Usage(40, 10)


def spending(text_or_call: str | ToolCall) -> ModelReply:
    part = TextPart(text_or_call) if isinstance(text_or_call, str) else text_or_call
    return ModelReply((part,), "stop" if isinstance(part, TextPart) else "tool_calls", SPENT)


@pytest.mark.parametrize("steps", [1, 3, 5])
def test_e2_the_steps_are_spent(run_it: RunIt, steps: int) -> None:
    """The error has the number, and all that was done: results, usage, and a history that a run can go on with."""
    shop = Shop()
    model = ScriptedModel([spending(call("read", {"path": str(number)})) for number in range(9)])
    with pytest.raises(LimitError, match=rf"\b{steps} steps?\b") as caught:
        run_it("go", tools=shop.tools, model=model, limits=Limits(steps=steps))
    outcome = caught.value.outcome
    assert (outcome.stop, outcome.ok, outcome.steps) == ("step_limit", False, steps)
    assert shop.calls == [(str(number), 1) for number in range(steps)]
    told = results_in(outcome.transcript)
    assert [each.content for each in told[:steps]] == [f"1 of {number}" for number in range(steps)]
    assert [each.is_error for each in told[steps:]] == [True]
    assert outcome.usage == Usage(40 * (steps + 1), 10 * (steps + 1))
    assert len(model.requests) == steps + 1
    assert is_whole(outcome.transcript)
    going_on = ScriptedModel(["done"])
    assert run_it([*outcome.transcript, Message.user("And?")], tools=shop.tools, model=going_on).value == "done"
    assert going_on.requests[0].messages[:-1] == outcome.transcript


def test_e2_several_calls_in_each_step(run_it: RunIt) -> None:
    """A step is a request, however many calls its reply has; none of the reply after the last one runs."""
    shop = Shop()
    replies = [[call("read", {"path": f"{step}{place}"}) for place in "abc"] for step in range(9)]
    with pytest.raises(LimitError, match=r"\b3 steps\b") as caught:
        run_it("go", tools=shop.tools, model=ScriptedModel(replies), limits=Limits(steps=3))
    assert len(shop.calls) == 9
    told = results_in(caught.value.outcome.transcript)
    assert [each.is_error for each in told] == [False] * 9 + [True] * 3
    assert is_whole(caught.value.outcome.transcript)


@pytest.mark.parametrize(
    ("tokens", "requests"),
    [(120, 3), (105, 3), (60, 2), (50, 1), (1, 1)],
    ids=["the last but one is over", "the last request fits", "after one", "exactly", "far too few"],
)
def test_e2_the_tokens_are_spent(run_it: RunIt, tokens: int, requests: int) -> None:
    """A tenth of them is kept for the last request, which is not made once all are spent."""
    shop = Shop()
    model = ScriptedModel([spending(call("read", {"path": str(number)})) for number in range(20)])
    with pytest.raises(LimitError, match=rf"\b{tokens} tokens\b") as caught:
        run_it("go", tools=shop.tools, model=model, limits=Limits(steps=15, tokens=tokens))
    outcome = caught.value.outcome
    assert (outcome.stop, len(model.requests)) == ("token_budget", requests)
    assert outcome.usage == Usage(40 * requests, 10 * requests)
    assert len(shop.calls) <= requests
    assert len(results_in(outcome.transcript)) == requests
    assert is_whole(outcome.transcript)
    assert run_it([*outcome.transcript, Message.user("And?")], model=ScriptedModel(["done"])).value == "done"


@pytest.mark.parametrize("is_async", [False, True], ids=["an ordinary tool", "an async tool"])
def test_e2_the_time_is_spent(run_it: RunIt, is_async: bool) -> None:
    """The last request is made in the time that was kept back, and no tool runs after that."""
    ran: list[float] = []

    @tool
    def work(n: int) -> int:
        time.sleep(0.05)
        ran.append(time.monotonic())
        return n

    @tool(name="work")
    async def work_later(n: int) -> int:
        await asyncio.sleep(0.05)
        ran.append(time.monotonic())
        return n

    model = ScriptedModel([spending(call("work", {"n": number})) for number in range(100)])
    begun = time.monotonic()
    with pytest.raises(LimitError, match=r"\b0\.5 s\b") as caught:
        run_it("go", tools=[work_later if is_async else work], model=model, limits=Limits(steps=100, deadline_s=0.5))
    assert time.monotonic() - begun < 2
    outcome = caught.value.outcome
    assert outcome.stop == "deadline"
    assert 1 <= len([each for each in results_in(outcome.transcript) if not each.is_error]) <= 10
    assert outcome.usage == Usage(40 * len(model.requests), 10 * len(model.requests))
    assert outcome.steps >= len(model.requests) - 1
    assert is_whole(outcome.transcript)
    count = len(ran)
    assert run_it([*outcome.transcript, Message.user("And?")], model=ScriptedModel(["done"])).value == "done"
    assert len(ran) <= count + 1  # at most the one that was under way, and could not be stopped


def test_e2_a_tool_that_takes_all_the_time(run_it: RunIt) -> None:
    """It is given up when the time is over, and its call has its result."""

    @tool
    async def work() -> str:
        await asyncio.sleep(20)
        return "done"

    model = ScriptedModel([call("work"), "What is known: nothing."])
    begun = time.monotonic()
    outcome = run_it("go", tools=[work], model=model, limits=Limits(deadline_s=0.5))
    assert time.monotonic() - begun < 3
    assert (outcome.value, outcome.stop) == ("What is known: nothing.", "deadline")
    (result,) = results_in(outcome.transcript)
    assert (result.is_error, result.name) == (True, "work")
    assert is_whole(outcome.transcript)


@pytest.mark.parametrize("output", [str, dict[str, int]], ids=["text", "typed"])
def test_e2_the_last_request_lets_nothing_be_called(run_it: RunIt, output: Any) -> None:
    """It forbids calls, though it still shows the tools that the history is about; what comes then is the answer."""
    shop, answer = Shop(), '{"a": 1}'
    model = ScriptedModel([*[call("read", {"path": str(number)}) for number in range(3)], answer])
    outcome = run_it("go", tools=shop.tools, output=output, model=model, limits=Limits(steps=3))
    assert (outcome.ok, outcome.stop, outcome.steps) == (True, "step_limit", 3)
    assert outcome.value == (answer if output is str else {"a": 1})
    assert [request.tool_choice for request in model.requests] == ["auto"] * 3 + ["none"]
    assert WIRE.encode(model.requests[-1], "m", ModelSettings())["tool_choice"] == "none"


def test_e2_the_last_request_offers_the_output_tool_alone(run_it: RunIt) -> None:
    """Where the answer is a call, that is all that can still be called."""
    shop = Shop()
    replies = [*[call("read", {"path": str(number)}) for number in range(3)], call("hand_in", {"total": 3})]
    model = ScriptedModel(replies)
    outcome = run_it(
        "go",
        tools=shop.tools,
        output=output_tool("hand_in", "Hand in the answer.", Total),
        model=model,
        limits=Limits(steps=3),
    )
    assert (outcome.value, outcome.stop) == (Total(total=3), "step_limit")
    assert [each.name for each in model.requests[-1].tools] == ["hand_in"]
    assert is_whole(outcome.transcript)


def test_e2_the_limit_is_told_in_chinese(run_it: RunIt) -> None:
    """So are the last word and why a call of the last reply was not made."""
    shop = Shop()
    model = ScriptedModel([call("read", {"path": str(number)}) for number in range(9)])
    with pytest.raises(LimitError) as caught:
        run_it("go", tools=shop.tools, model=model, limits=Limits(steps=3), options=RunOptions(language="zh"))
    transcript = caught.value.outcome.transcript
    assert "最后一次回复" in model.requests[-1].messages[-1].text
    assert results_in(transcript)[-1].content == "未执行：本次运行已经结束。"


class Total(BaseModel):
    total: int


class Files:
    """Tools that change something, and remember what."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    @tool
    def write(self, path: str = "x", content: str = "") -> str:
        """Write."""
        self.written.append((path, content))
        return "written"

    @tool
    def act(self, action: str) -> str:
        """Act."""
        self.written.append(action)
        return "acted"

    @property
    def tools(self) -> list[Any]:
        return [self.write, self.act]


CUT = [
    '{"path":"a","content":"abc',
    '{"path":"a","content":"abc\\',
    '{"path":"a","content":"abc"',
    '{"path":"a","content":',
    '{"path":"a",',
    '{"path":"a"',
    '{"pa',
    "{",
]


def cut_short(run_it: RunIt, reply: ModelReply, **options: Any) -> tuple[TruncatedError, ScriptedModel, Files]:
    """What a run comes to whose reply was cut."""
    files, model = Files(), ScriptedModel([reply, reply, reply, reply])
    with pytest.raises(TruncatedError) as caught:
        run_it("go", tools=files.tools, model=model, **options)
    return caught.value, model, files


@pytest.mark.parametrize("arguments", [*CUT, "", '{"path":"a","content":"abc"}'])
def test_e3_a_call_that_was_cut(run_it: RunIt, arguments: str) -> None:
    """It is not run, however whole it looks: the run ends, by its own error, after one request."""
    error, model, files = cut_short(run_it, ModelReply((call("write", arguments, "c1"),), "length"))
    assert files.written == []
    assert len(model.requests) == 1
    outcome = error.outcome
    assert (outcome.stop, outcome.steps) == ("truncated", 1)
    (result,) = results_in(outcome.transcript)
    assert (result.call_id, result.is_error) == ("c1", True)
    assert "cut before its end" in result.content
    assert outcome.transcript[1].calls[0].arguments == arguments
    assert is_whole(outcome.transcript)
    assert "cut" in str(error)
    assert "max_tokens" in str(error)


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "other", None])
@pytest.mark.parametrize("output_tokens", [64, 65])
@pytest.mark.parametrize("arguments", CUT)
def test_e3_a_cut_that_the_server_does_not_say(run_it: RunIt, arguments: str, output_tokens: int, finish: Any) -> None:
    """As many tokens as were allowed, and JSON that is none: that was a cut, whatever reason is given."""
    reply = ModelReply((call("write", arguments, "c1"),), finish, Usage(9, output_tokens), max_tokens=64)
    error, model, files = cut_short(run_it, reply)
    assert files.written == []
    assert len(model.requests) == 1
    assert error.outcome.stop == "truncated"
    assert is_whole(error.outcome.transcript)


@pytest.mark.parametrize("arguments", CUT)
def test_e3_a_limit_that_the_run_has_set(run_it: RunIt, arguments: str) -> None:
    """The most that a request asked for holds where the reply does not say what held."""
    reply = ModelReply((call("write", arguments, "c1"),), "tool_calls", Usage(9, 64))
    options = RunOptions(settings=ModelSettings(max_tokens=64))
    error, model, files = cut_short(run_it, reply, options=options)
    assert files.written == []
    assert len(model.requests) == 1
    assert is_whole(error.outcome.transcript)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_e3_a_cut_call_beside_a_whole_one(run_it: RunIt, language: Any) -> None:
    """None of them is run: what the model meant to do after the first is not known."""
    calls = (call("act", {"action": "go"}, "c1"), call("write", CUT[0], "c2"))
    for reply in (ModelReply(calls, "length"), ModelReply(calls, "tool_calls", Usage(9, 64), max_tokens=64)):
        error, model, files = cut_short(run_it, reply, options=RunOptions(language=language))
        assert files.written == []
        assert len(model.requests) == 1
        told = results_in(error.outcome.transcript)
        assert [(each.call_id, each.is_error) for each in told] == [("c1", True), ("c2", True)]
        assert all(("截断" if language == "zh" else "cut") in each.content for each in told)


def test_e3_a_whole_call_with_all_tokens(run_it: RunIt) -> None:
    """A call that is whole at its limit, with another reason than that, is run."""
    files = Files()
    reply = ModelReply((call("write", '{"path":"a","content":"b"}'),), "tool_calls", Usage(9, 64), max_tokens=64)
    assert run_it("go", tools=files.tools, model=ScriptedModel([reply, "done"])).value == "done"
    assert files.written == [("a", "b")]


def test_e3_after_work_that_was_done(run_it: RunIt) -> None:
    """What was done before the cut is in the history, which another run can go on with."""
    files = Files()
    cut = ModelReply((TextPart("And now"), call("write", CUT[0])), "length", Usage(3, 4))
    with pytest.raises(TruncatedError) as caught:
        run_it("go", tools=files.tools, model=ScriptedModel([call("act", {"action": "go"}), cut]))
    outcome = caught.value.outcome
    assert files.written == ["go"]
    assert (outcome.steps, outcome.usage) == (2, Usage(3, 4))
    assert results_in(outcome.transcript)[0].content == "acted"
    assert run_it([*outcome.transcript, Message.user("And?")], model=ScriptedModel(["done"])).value == "done"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "arguments",
    ['{"action": lst"}', '{"action": }', '{"action": x"y"}', '{"action": "go" "on"}', '{"action": [1,,2]}', "act: go"],
)
@pytest.mark.parametrize("limit", [4096, None])
@pytest.mark.parametrize("name", ["act", "write"])
def test_e3_arguments_that_are_no_json_and_were_not_cut(
    run_it: RunIt, name: str, arguments: str, language: Any, limit: int | None
) -> None:
    """That is an error about JSON, in which nothing is said of a cut, and the run goes on."""
    files = Files()
    reply = ModelReply((call(name, arguments, "c1"),), "tool_calls", Usage(9, 189), max_tokens=limit)
    model = ScriptedModel([reply, "done"])
    outcome = run_it("go", tools=files.tools, model=model, options=RunOptions(language=language))
    (result,) = results_in(outcome.transcript)
    assert (result.call_id, result.is_error, result.code) == ("c1", True, ErrorCode.INVALID_ARGUMENT)
    assert files.written == []
    assert "JSON" in result.content
    assert not any(word in result.content.lower() for word in ("truncated", "length", "cut", "截断", "长度"))
    assert (outcome.value, len(model.requests)) == ("done", 2)


@pytest.mark.parametrize("told", [True, False], ids=["length", "tool_calls at the limit"])
@pytest.mark.parametrize("extra", [False, True], ids=["max_tokens", "extra"])
def test_e3_through_the_wire(run_it: RunIt, told: bool, extra: bool) -> None:
    """The adapter knows what it had asked for, and says so."""
    files = Files()
    function = {"name": "write", "arguments": CUT[0]}
    message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": function}]}
    body = {
        "choices": [{"message": message, "finish_reason": "length" if told else "tool_calls"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 64},
    }
    settings = ModelSettings(extra={"max_tokens": 64}) if extra else ModelSettings(max_tokens=64)
    with WireServer() as wire:
        wire.answers.append(Answer(body))
        model = load_model("openai:m", base_url=wire.base_url, settings=settings)
        with pytest.raises(TruncatedError) as caught:
            run_it("go", tools=files.tools, model=model)
        assert len(wire.asked) == 1
        assert wire.asked[0].body["max_tokens"] == 64
    assert files.written == []
    assert is_whole(caught.value.outcome.transcript)


WORDS = "I can't do that"
REFUSALS: dict[str, dict[str, Any]] = {
    "no content": {"content": None, "refusal": WORDS},
    "empty content": {"content": "", "refusal": WORDS},
    "no key for content": {"refusal": WORDS},
    "a part of the content": {"content": [{"type": "refusal", "refusal": WORDS}]},
    "beside an answer": {"content": '{"total": 1}', "refusal": WORDS},
    "with calls": {
        "content": None,
        "refusal": WORDS,
        "tool_calls": [{"id": "c1", "function": {"name": "act", "arguments": '{"action": "go"}'}}],
    },
}
OUTPUTS = {
    "text": str,
    "typed": Total,
    "in a wrapper": list[Total],
    "an output tool": output_tool("hand_in", "Hand in the answer.", Total),
}


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("message", REFUSALS)
def test_e4_a_refusal_on_the_wire(run_it: RunIt, wire: WireServer, message: str, output: str) -> None:
    """It is one error with its words, after one request, whatever was asked for, and no call of it is made.

    Here it is chat completions that answer at once; the other wires, and what they stream, are in test_refusals.
    """
    files = Files()
    wire.answers.append(
        Answer(
            {
                "choices": [{"message": {"role": "assistant", **REFUSALS[message]}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 5},
            }
        )
    )
    model = load_model("openai:m", base_url=wire.base_url)
    with pytest.raises(RefusalError, match=WORDS) as caught:
        run_it("go", tools=files.tools, output=OUTPUTS[output], model=model)
    outcome = caught.value.outcome
    assert len(wire.asked) == 1
    assert (outcome.stop, outcome.steps, outcome.usage) == ("refusal", 1, Usage(7, 5))
    assert WORDS in outcome.transcript[1].text
    assert files.written == []
    assert is_whole(outcome.transcript)


def test_e4_what_the_provider_filters(run_it: RunIt, wire: WireServer) -> None:
    """That is a refusal too, though nobody gives words for it."""
    message = {"role": "assistant", "content": None}
    wire.answers.append(Answer({"choices": [{"message": message, "finish_reason": "content_filter"}]}))
    with pytest.raises(RefusalError) as caught:
        run_it("go", output=Total, model=load_model("openai:m", base_url=wire.base_url))
    assert len(wire.asked) == 1
    assert caught.value.outcome.stop == "refusal"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("output", OUTPUTS)
def test_e4_with_calls(run_it: RunIt, output: str, language: Any) -> None:
    """What is called beside a refusal is not run, an answer by a call included, and each call has its result."""
    files = Files()
    calls = (call("act", {"action": "go"}, "c1"), call("hand_in", {"total": 1}, "c2"))
    model = ScriptedModel([ModelReply((TextPart(WORDS), *calls), "refusal", Usage(7, 5))] * 3)
    with pytest.raises(RefusalError, match=WORDS) as caught:
        run_it("go", tools=files.tools, output=OUTPUTS[output], model=model, options=RunOptions(language=language))
    outcome = caught.value.outcome
    assert (files.written, len(model.requests), outcome.usage) == ([], 1, Usage(7, 5))
    told = results_in(outcome.transcript)
    assert [(each.call_id, each.is_error) for each in told] == [("c1", True), ("c2", True)]
    assert all(("拒绝" if language == "zh" else "declined") in each.content for each in told)
    assert is_whole(outcome.transcript)


def test_e4_after_work_that_was_done(run_it: RunIt) -> None:
    """A refusal later in a run ends it as soon, with what was done in the history."""
    files = Files()
    refusal = ModelReply((TextPart(WORDS),), "refusal")
    model = ScriptedModel([call("act", {"action": "go"}), refusal, refusal])
    with pytest.raises(RefusalError, match=WORDS) as caught:
        run_it("go", tools=files.tools, output=Total, model=model)
    assert (files.written, len(model.requests), caught.value.outcome.steps) == (["go"], 2, 2)
    assert is_whole(caught.value.outcome.transcript)


def test_e4_to_the_last_request(run_it: RunIt) -> None:
    """A refusal of the last request is a refusal, not a limit."""
    model = ScriptedModel([call("act", {"action": "go"}), ModelReply((TextPart(WORDS),), "refusal")])
    with pytest.raises(RefusalError, match=WORDS):
        run_it("go", tools=Files().tools, output=Total, model=model, limits=Limits(steps=1))
    assert len(model.requests) == 2


def test_e4_a_long_refusal(run_it: RunIt) -> None:
    """The error shows the start of its words; the whole is in the history."""
    words = f"{WORDS}: " + "because. " * 200
    with pytest.raises(RefusalError, match=WORDS) as caught:
        run_it("go", output=Total, model=ScriptedModel([ModelReply((TextPart(words),), "refusal")]))
    assert len(str(caught.value)) < 500
    assert caught.value.outcome.transcript[-1].text == words


def test_e4_without_native_schemas(run_it: RunIt) -> None:
    """It is the same where the answer is asked for by a tool or by instructions."""
    for mode in ("tool", "prompt", "native"):
        model = ScriptedModel(
            [ModelReply((TextPart(WORDS),), "refusal")] * 2,
            capabilities=Capabilities(native_schema=True, object_root=True, tools=True),
        )
        with pytest.raises(RefusalError, match=WORDS):
            run_it("go", output=Total, model=model, options=RunOptions(output_mode=mode))
        assert len(model.requests) == 1
