"""Section G of the cases drawn from public failures: event loops, threads, cancellation.

G1, what a provider's Retry-After comes to, is among the tests of the transport.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import gc
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from itertools import pairwise
from typing import Any, TypeVar

import pytest

from magic_tools import (
    ErrorCode,
    ModelReply,
    ModelRequest,
    Outcome,
    Policy,
    RunOptions,
    ScriptedModel,
    ToolCall,
    aextract,
    aresume,
    arun,
    ask_user,
    extract,
    prompt,
    resume,
    run,
    tool,
)
from tests.ways import RunIt, results_in

T = TypeVar("T")
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


@tool
def double(x: int) -> int:
    """Double a number."""
    return 2 * x


@tool
async def later(x: int) -> int:
    """Double a number later."""
    await asyncio.sleep(0.001)
    return 2 * x


CALLS = [ToolCall("c1", "double", '{"x": 1}'), ToolCall("c2", "later", '{"x": 2}')]


def run_here() -> Any:
    return run("go", tools=[double, later], model=ScriptedModel([CALLS, "done"])).value


def extract_here() -> Any:
    return extract(int, "two", model=ScriptedModel(["2"]))


def invoke_here() -> Any:
    return [double.invoke({"x": 1}).value, later.invoke({"x": 2}).value]


def resume_here() -> Any:
    state = run("go", tools=[ask_user], model=ScriptedModel([ToolCall("c1", "ask_user", '{"question": "Who?"}')])).state
    return resume(state, {"c1": "Ada"}, tools=[ask_user], model=ScriptedModel(["done"])).value


def run_in_a_tool_here() -> Any:
    """A tool whose body makes a run of its own."""

    @tool
    async def nest() -> str:
        return str(run_here())

    return run("go", tools=[nest], model=ScriptedModel([ToolCall("c1", "nest", "{}"), "done"])).value


SYNC: dict[str, tuple[Callable[[], Any], Any]] = {
    "run": (run_here, "done"),
    "extract": (extract_here, 2),
    "invoke": (invoke_here, [2, 4]),
    "resume": (resume_here, "done"),
    "a run in a tool of a run": (run_in_a_tool_here, "done"),
}


def without_warnings(main: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, list[str]]:
    """What a coroutine comes to under `asyncio.run`, and what was warned of until nothing of it is left."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = asyncio.run(main())
        gc.collect()
    return value, [str(each.message) for each in caught]


async def still_works() -> bool:
    """Whether the loop that this runs in does what loops do."""
    event = asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    async with asyncio.timeout(5):
        await asyncio.gather(event.wait(), asyncio.sleep(0.001), asyncio.to_thread(int))
    return True


@pytest.mark.parametrize("case", SYNC)
@pytest.mark.parametrize("depth", ["in main", "in a task", "in a callback", "in a thread"])
def test_g2_a_sync_call_inside_a_running_loop(case: str, depth: str) -> None:
    """It works, nothing was left unawaited, and the loop outside works on."""
    call, value = SYNC[case]

    async def inside() -> Any:
        match depth:
            case "in main":
                return call()
            case "in a task":
                return await asyncio.create_task(awaited(call))
            case "in a callback":
                future = asyncio.get_running_loop().create_future()
                asyncio.get_running_loop().call_soon(lambda: future.set_result(call()))
                return await future
            case _:
                return await asyncio.to_thread(call)

    async def main() -> tuple[Any, bool, Any]:
        return await inside(), await still_works(), await inside()

    assert without_warnings(main) == ((value, True, value), [])


async def awaited(call: Callable[[], Any]) -> Any:
    return call()


def test_g2_a_prompt_inside_a_running_loop() -> None:
    """A function that a model answers works there, as do the async twins beside it."""

    @prompt("How much is twice {x}?", model=ScriptedModel(["4", "6"]))
    def asked(x: int) -> int:
        raise NotImplementedError

    async def main() -> tuple[int, Any, bool]:
        first = asked(2)
        return first, await aextract(int, "six", model=ScriptedModel(["6"])), await still_works()

    assert without_warnings(main) == ((4, 6, True), [])


def test_g2_an_error_inside_a_running_loop() -> None:
    """What a run raises there is what it raises elsewhere."""

    async def main() -> tuple[str, bool]:
        with pytest.raises(ValueError, match="prompt is empty") as caught:
            run([], model=ScriptedModel([]))
        return type(caught.value).__name__, await still_works()

    assert without_warnings(main) == (("ValueError", True), [])


def test_g2_without_a_loop_and_after_one() -> None:
    """The same functions work before, between and after loops."""
    for call, value in SYNC.values():
        assert call() == value
        assert without_warnings(lambda made=call: awaited(made)) == (value, [])  # type: ignore[misc]
        assert call() == value


def test_g2_a_tool_that_belongs_to_the_outer_loop() -> None:
    """An async run in the same loop may use what belongs to it, before and after a sync one."""

    async def main() -> list[Any]:
        queue: asyncio.Queue[int] = asyncio.Queue()

        @tool
        async def take() -> int:
            return await queue.get()

        found = []
        for number in range(2):
            queue.put_nowait(number)
            outcome = await arun("go", tools=[take], model=ScriptedModel([ToolCall("c1", "take", "{}"), "done"]))
            found += [run_here(), results_in(outcome.transcript)[0].value]
        return found

    assert without_warnings(main) == (["done", 0, "done", 1], [])


def blocking(seen: list[str], seconds: float) -> Any:
    """An ordinary tool that blocks and sets the variable."""

    @tool
    def block(name: str) -> str:
        seen.append(WHO.get())
        WHO.set(name)
        time.sleep(seconds)
        seen.append(WHO.get())
        return name

    return block


def called(name: str, *names: str) -> list[str | ToolCall]:
    return [ToolCall(f"c{at}", name, f'{{"name": "{each}"}}') for at, each in enumerate(names)]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_g3_ordinary_tools_do_not_stall_the_loop(count: int) -> None:
    """They block side by side while the loop goes on; each sees the caller's variable, which is unchanged after."""
    seen: list[str] = []
    beats: list[float] = []
    block = blocking(seen, 0.3)
    names = "abcd"[:count]

    async def heart() -> None:
        while True:
            beats.append(time.monotonic())
            await asyncio.sleep(0.02)

    async def main() -> tuple[float, int, Outcome[str]]:
        WHO.set("Ada")
        beating = asyncio.ensure_future(heart())
        await asyncio.sleep(0)
        before, begun = len(beats), time.monotonic()
        outcome = await arun("go", tools=[block], model=ScriptedModel([called("block", *names), "done"]))
        seconds, meanwhile = time.monotonic() - begun, len(beats) - before
        beating.cancel()
        assert WHO.get() == "Ada"
        return seconds, meanwhile, outcome

    seconds, meanwhile, outcome = asyncio.run(main())
    assert seconds < 0.55
    assert meanwhile >= 10
    assert sorted(seen) == sorted(["Ada"] * count + list(names))
    assert [each.value for each in results_in(outcome.transcript)] == list(names)
    assert max(later - earlier for earlier, later in pairwise(beats)) < 0.25


def test_g3_a_sync_run_of_blocking_tools() -> None:
    """It makes them side by side too, with the caller's variable for each, and leaves it unchanged."""
    seen: list[str] = []
    block = blocking(seen, 0.3)
    token = WHO.set("Ada")
    try:
        begun = time.monotonic()
        outcome = run("go", tools=[block], model=ScriptedModel([called("block", "a", "b"), "done"]))
        assert time.monotonic() - begun < 0.55
        assert WHO.get() == "Ada"
    finally:
        WHO.reset(token)
    assert sorted(seen) == ["Ada", "Ada", "a", "b"]
    assert [each.value for each in results_in(outcome.transcript)] == ["a", "b"]


@tool
def change(name: str) -> str:
    """Change the variable."""
    before = WHO.get()
    WHO.set(name)
    return before


@tool(name="change")
async def change_later(name: str) -> str:
    """Change the variable, later."""
    before = WHO.get()
    await asyncio.sleep(0)
    WHO.set(name)
    return before


@tool(name="change", timeout=None)
def change_untimed(name: str) -> str:
    """Change the variable, however long that takes."""
    return str(change(name))


@tool(name="change", policy=Policy(sequential=True))
def change_alone(name: str) -> str:
    """Change the variable, with nothing else beside it."""
    return str(change(name))


@pytest.mark.parametrize(
    "kind", [change, change_later, change_untimed, change_alone], ids=lambda each: each.description
)
@pytest.mark.parametrize("replies", [[["a"]], [["a"], ["b"]], [["a", "b"]], [["a", "b"], ["c"]]], ids=str)
def test_g3_a_tool_sets_a_variable(run_it: RunIt, kind: Any, replies: list[list[str]]) -> None:
    """Each body sees the caller's value, of whatever was called before it, and the caller's stays."""
    token = WHO.set("Ada")
    try:
        model = ScriptedModel([*[called("change", *names) for names in replies], "done"])
        outcome = run_it("go", tools=[kind], model=model)
        assert [each.value for each in results_in(outcome.transcript)] == ["Ada"] * sum(map(len, replies))
        assert WHO.get() == "Ada"
    finally:
        WHO.reset(token)


def test_g3_what_a_model_and_hooks_see() -> None:
    """The model of a run, its checkpoint and its fall-back see the caller's variable too."""
    seen: list[str] = []

    class Model(ScriptedModel):
        def complete(self, request: ModelRequest) -> ModelReply:
            seen.append(WHO.get())
            WHO.set("changed")
            return super().complete(request)

    def fall_back(*_: Any) -> str:
        seen.append(WHO.get())
        return "known"

    async def main() -> str:
        WHO.set("Ada")
        options = RunOptions(fallback=fall_back, checkpoint=lambda state: seen.append(WHO.get()))
        outcome = await arun("go", model=Model(["", "", ""]), options=options)
        assert outcome.fallback
        return WHO.get()

    assert asyncio.run(main()) == "Ada"
    assert len(seen) >= 4
    assert set(seen) == {"Ada"}


def test_g3_a_tool_in_the_loop_s_own_thread() -> None:
    """An async tool is the way to run in the loop's own thread; an ordinary one is in another."""

    @tool
    async def here() -> int:
        return threading.get_ident()

    @tool
    def elsewhere() -> int:
        return threading.get_ident()

    async def main() -> list[bool]:
        calls: list[str | ToolCall] = [ToolCall("c1", "here", ""), ToolCall("c2", "elsewhere", "")]
        outcome = await arun("go", tools=[here, elsewhere], model=ScriptedModel([calls, "done"]))
        return [each.value == threading.get_ident() for each in results_in(outcome.transcript)]

    assert asyncio.run(main()) == [True, False]


class Waiting:
    """Tools that wait until they are cancelled, and remember how they ended."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []

    @tool
    async def wait(self, name: str) -> str:
        """Wait long."""
        self.begun.append(name)
        try:
            await asyncio.sleep(20)
        finally:
            await asyncio.sleep(0.01)
            self.ended.append(name)
        return name

    @tool(name="wait", timeout=None)
    async def wait_long(self, name: str) -> str:
        """Wait, however long that takes."""
        return str(await self.wait(name))

    @tool
    def block(self, name: str) -> str:
        """Block for a while."""
        self.begun.append(name)
        time.sleep(0.6)
        return name


async def cancelled_after(going: asyncio.Task[Any], condition: Callable[[], bool]) -> tuple[float, BaseException]:
    """How long it takes that a task which is cancelled, once the condition holds, ends, and by what."""
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.005)
    begun = time.monotonic()
    going.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await going
    return time.monotonic() - begun, caught.value


@pytest.mark.parametrize("names", ["a", "ab", "abcdefgh"])
@pytest.mark.parametrize("is_timed", [True, False], ids=["within a time", "without one"])
def test_g4_the_caller_cancels(names: str, is_timed: bool) -> None:
    """It reaches the caller promptly; no further request is made; siblings are cancelled and awaited."""
    waiting = Waiting()
    wait = waiting.wait if is_timed else waiting.wait_long
    model = ScriptedModel([called("wait", *names), "done"])

    async def main() -> tuple[float, BaseException, bool]:
        going = asyncio.ensure_future(arun("go", tools=[wait], model=model))
        seconds, error = await cancelled_after(going, lambda: len(waiting.begun) == len(names))
        assert sorted(waiting.ended) == list(names)
        return seconds, error, await still_works()

    (seconds, error, works), warned = without_warnings(main)
    assert (seconds < 0.5, works, warned) == (True, True, [])
    assert sorted(waiting.ended) == list(names)
    assert len(model.requests) == 1
    outcome: Outcome[Any] = error.outcome  # type: ignore[attr-defined]  # it is given one
    assert (outcome.stop, outcome.ok) == ("cancelled", False)
    told = results_in(outcome.transcript)
    assert [each.call_id for each in told] == [f"c{at}" for at in range(len(names))]
    assert all(each.is_error for each in told)


def test_g4_the_caller_cancels_with_more_calls_than_go_at_once() -> None:
    """Those that wait for their turn are never begun."""
    waiting = Waiting()
    model = ScriptedModel([called("wait", *"abcdefghijkl"), "done"])

    async def main() -> float:
        going = asyncio.ensure_future(arun("go", tools=[waiting.wait], model=model))
        return (await cancelled_after(going, lambda: len(waiting.begun) >= 8))[0]

    assert asyncio.run(main()) < 0.5
    assert sorted(waiting.ended) == sorted(waiting.begun) == list("abcdefgh")
    assert len(model.requests) == 1


def test_g4_the_caller_cancels_beside_a_tool_that_blocks() -> None:
    """What blocks a thread is not waited for; what can be cancelled is."""
    waiting = Waiting()
    calls = [*called("wait", "a"), ToolCall("b", "block", '{"name": "b"}')]
    model = ScriptedModel([calls, "done"])

    async def main() -> float:
        going = asyncio.ensure_future(arun("go", tools=[waiting.wait, waiting.block], model=model))
        return (await cancelled_after(going, lambda: len(waiting.begun) == 2))[0]

    assert asyncio.run(main()) < 0.5
    assert waiting.ended == ["a"]
    assert len(model.requests) == 1


@pytest.mark.parametrize("how", ["timeout", "wait_for", "group", "outer task"])
def test_g4_other_ways_to_cancel(how: str) -> None:
    """A time-out around a run, and a group of tasks that ends, are what they are."""
    waiting = Waiting()
    model = ScriptedModel([called("wait", "a", "b"), "done"])

    def going() -> Awaitable[Any]:
        return arun("go", tools=[waiting.wait], model=model)

    async def main() -> str:
        try:
            match how:
                case "timeout":
                    async with asyncio.timeout(0.1):
                        await going()
                case "wait_for":
                    await asyncio.wait_for(going(), 0.1)
                case "group":
                    async with asyncio.TaskGroup() as group:
                        group.create_task(going())  # type: ignore[arg-type]  # it is a coroutine
                        await asyncio.sleep(0.1)
                        raise KeyError(how)
                case _:
                    outer = asyncio.create_task(asyncio.wait_for(going(), 20))
                    await asyncio.sleep(0.1)
                    outer.cancel()
                    await outer
        except (TimeoutError, asyncio.CancelledError, ExceptionGroup) as error:
            return type(error).__name__
        return "nothing"

    begun = time.monotonic()
    ended, warned = without_warnings(main)
    assert time.monotonic() - begun < 2
    wanted = {"group": "ExceptionGroup", "outer task": "CancelledError"}
    assert (ended, warned) == (wanted.get(how, "TimeoutError"), [])
    assert sorted(waiting.ended) == ["a", "b"]
    assert len(model.requests) == 1


def test_g4_the_caller_cancels_while_the_model_is_asked() -> None:
    """Then no tool runs."""
    ran: list[int] = []

    class Slow(ScriptedModel):
        async def acomplete(self, request: ModelRequest) -> ModelReply:
            reply = self.complete(request)
            await asyncio.sleep(20)
            return reply

    @tool
    def work() -> int:
        ran.append(1)
        return 1

    model = Slow([ToolCall("c1", "work", ""), "done"])

    async def main() -> float:
        going = asyncio.ensure_future(arun("go", tools=[work], model=model))
        return (await cancelled_after(going, lambda: len(model.requests) == 1))[0]

    assert asyncio.run(main()) < 0.5
    assert (ran, len(model.requests)) == ([], 1)


def test_g4_what_was_cancelled_can_be_gone_on_with() -> None:
    """The cancellation carries the state, from which another run goes on: what was begun is told as not known."""
    waiting = Waiting()

    async def main() -> Outcome[str]:
        model = ScriptedModel([[*called("wait", "a"), ToolCall("c9", "double", '{"x": 1}')], "done"])
        going = asyncio.ensure_future(arun("go", tools=[waiting.wait, double], model=model))
        _, error = await cancelled_after(going, lambda: len(waiting.begun) == 1)
        state = error.outcome.state  # type: ignore[attr-defined]  # it is given one
        return await aresume(state, tools=[waiting.wait, double], model=ScriptedModel(["done"]))

    outcome = asyncio.run(main())
    assert outcome.value == "done"
    assert waiting.begun == ["a"]
    first, second = results_in(outcome.transcript)
    assert (first.call_id, first.code) == ("c0", ErrorCode.UNKNOWN_EFFECT)
    assert (second.call_id, second.value or second.content) in (("c9", 2), ("c9", "2"))


def test_g4_an_interrupt_of_a_sync_run() -> None:
    """What a tool of a sync run raises to end the program ends it, and no further request is made."""

    @tool
    def interrupt() -> str:
        raise KeyboardInterrupt

    model = ScriptedModel([[ToolCall("c1", "double", '{"x": 1}'), ToolCall("c2", "interrupt", "")], "done"])
    with pytest.raises(KeyboardInterrupt) as caught:
        run("go", tools=[double, interrupt], model=model)
    assert len(model.requests) == 1
    assert caught.value.outcome.stop == "cancelled"  # type: ignore[attr-defined]  # it is given one
    assert [each.call_id for each in results_in(caught.value.outcome.transcript)] == ["c1", "c2"]  # type: ignore[attr-defined]


async def raise_it() -> str:
    raise asyncio.CancelledError


async def cancel_a_task() -> str:
    task = asyncio.ensure_future(asyncio.sleep(20))
    await asyncio.sleep(0)
    task.cancel()
    await task
    return "never"


async def await_a_cancelled_future() -> str:
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    future.cancel()
    return await future


async def gather_a_cancelled_one() -> str:
    task = asyncio.ensure_future(asyncio.sleep(20))
    asyncio.get_running_loop().call_soon(task.cancel)
    await asyncio.gather(task, asyncio.sleep(0.001))
    return "never"


def raise_it_in_a_thread() -> str:
    raise asyncio.CancelledError


def result_of_a_cancelled_future() -> str:
    future: concurrent.futures.Future[str] = concurrent.futures.Future()
    future.cancel()
    return future.result()


def run_a_loop_of_its_own() -> str:
    return asyncio.run(cancel_a_task())


INNER = [
    raise_it,
    cancel_a_task,
    await_a_cancelled_future,
    gather_a_cancelled_one,
    raise_it_in_a_thread,
    result_of_a_cancelled_future,
    run_a_loop_of_its_own,
]


@pytest.mark.parametrize("body", INNER, ids=lambda body: body.__name__)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("has_siblings", [False, True], ids=["alone", "beside others"])
def test_g4_a_tool_s_own_task_is_cancelled(
    run_it: RunIt, body: Callable[..., Any], language: Any, has_siblings: bool
) -> None:
    """That ends this call with an error; its siblings have their results, and the run goes on."""
    inner = tool(body, name="inner")
    calls: list[str | ToolCall] = [ToolCall("c2", "inner", "{}")]
    if has_siblings:
        calls = [CALLS[0], *calls, ToolCall("c3", "later", '{"x": 2}')]
    model = ScriptedModel([calls, "done"])
    outcome = run_it("go", tools=[inner, double, later], model=model, options=RunOptions(language=language))
    told = {each.call_id: each for each in results_in(outcome.transcript)}
    assert (told["c2"].is_error, told["c2"].code) == (True, ErrorCode.INTERNAL)
    assert "inner" in told["c2"].content
    if body is not result_of_a_cancelled_future:
        assert ("取消" if language == "zh" else "cancelled") in told["c2"].content
    assert [each.value for name, each in told.items() if name != "c2"] == ([2, 4] if has_siblings else [])
    assert (outcome.value, len(model.requests)) == ("done", 2)


def test_g4_both_at_once() -> None:
    """The caller's cancellation is heard though a tool makes an error of it."""
    begun: list[str] = []

    @tool
    async def swallow() -> str:
        begun.append("swallow")
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            return "never mind"
        return "done"

    model = ScriptedModel([ToolCall("c1", "swallow", ""), "done"])

    async def main() -> float:
        going = asyncio.ensure_future(arun("go", tools=[swallow], model=model))
        return (await cancelled_after(going, lambda: bool(begun)))[0]

    assert asyncio.run(main()) < 0.5
    assert len(model.requests) == 1
