"""Random programs: run or streamed, sync or async or sync inside a loop, they come to what the program says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.effects.program import Call, Draw, Effect, Emit, Gather, Program, Sleep, within
from tests.effects.runs import RUNS, STREAMS, Adder, add, add_later, fail, fail_later


async def cancel_itself() -> None:
    raise asyncio.CancelledError


def slow(left: int, right: int) -> int:
    time.sleep(0.001)
    return left + right


@dataclass(frozen=True)
class Add:
    """A call that returns the sum of a number and one."""

    fn: Callable[..., Any]
    number: int
    timeout_s: float | None
    brief: bool


@dataclass(frozen=True)
class Fail:
    """A call that raises."""

    fn: Callable[..., Any]
    error: type[Exception]
    number: int
    timeout_s: float | None


@dataclass(frozen=True)
class Cancel:
    """A call that is cancelled from inside."""


@dataclass(frozen=True)
class Rest:
    seconds: float


@dataclass(frozen=True)
class Say:
    """A value that is emitted."""

    number: int


@dataclass(frozen=True)
class Take:
    """So many items that are drawn, each emitted twice, the last maybe followed by an error."""

    number: int
    count: int
    fails: bool
    awaits: bool
    timeout_s: float | None

    def items(self) -> Iterator[int]:
        yield from range(self.number, self.number + self.count)
        if self.fails:
            raise LookupError(self.number)

    async def items_async(self) -> AsyncIterator[int]:
        for item in self.items():
            await asyncio.sleep(0)
            yield item


@dataclass(frozen=True)
class Raise:
    """What the program itself raises."""

    number: int


@dataclass(frozen=True)
class Steps:
    """One after the other; the results of all."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Together:
    parts: tuple[Tree, ...]
    at_once: int


@dataclass(frozen=True)
class Caught:
    """The text of an error in place of it."""

    part: Tree


@dataclass(frozen=True)
class Bounded:
    """Under a deadline that is far away, or over at once."""

    part: Tree
    seconds: float


Tree: TypeAlias = "Add | Fail | Cancel | Rest | Say | Take | Raise | Steps | Together | Caught | Bounded"


def program_of(tree: Tree) -> Program[Any]:
    """The program of a tree."""
    match tree:
        case Raise():
            raise LookupError(tree.number)
        case Steps():
            results = []
            for part in tree.parts:
                results.append((yield from program_of(part)))
            return results
        case Together():
            return (yield Gather(tuple(map(program_of, tree.parts)), tree.at_once))
        case Caught():
            try:
                return (yield from program_of(tree.part))
            except Exception as error:
                return told(error)
        case Bounded():
            return (yield from within(program_of(tree.part), tree.seconds))
        case _:
            return (yield effect_of(tree))


def effect_of(tree: Add | Fail | Cancel | Rest | Say | Take) -> Effect:
    match tree:
        case Add():
            return Call(tree.fn, (tree.number, 1), timeout_s=tree.timeout_s, brief=tree.brief)
        case Fail():
            return Call(tree.fn, (tree.error(tree.number),), timeout_s=tree.timeout_s)
        case Cancel():
            return Call(cancel_itself)
        case Rest():
            return Sleep(tree.seconds)
        case Say():
            return Emit(tree.number)
        case Take():
            opened = tree.items_async if tree.awaits else None
            return Draw(tree.items, lambda item: (item, item), opened, tree.timeout_s)


def result_of(tree: Tree, say: Callable[[int], object], over: bool = False) -> Any:
    """What a tree comes to, worked out without any runner; `over` is whether its deadline is."""
    match tree:
        case Raise():
            raise LookupError(tree.number)
        case Say():
            say(tree.number)
            return None
        case Steps():
            return [result_of(part, say, over) for part in tree.parts]
        case Together():
            outcomes = [caught(partial(result_of, part, say, over)) for part in tree.parts]
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    raise outcome
            return outcomes
        case Caught():
            return outcome_of(partial(result_of, tree.part, say, over))
        case Bounded():
            return result_of(tree.part, say, over or tree.seconds == 0)
        case _ if over:
            raise TimeoutError("the time is over")
        case _:
            return result_of_leaf(tree, say)


def result_of_leaf(tree: Tree, say: Callable[[int], object]) -> Any:
    match tree:
        case Add():
            return tree.number + 1
        case Fail():
            raise tree.error(tree.number)
        case Cancel():
            raise InterruptedError("the call was cancelled from inside")
        case Take():
            for item in tree.items():
                say(item)
                say(item)
    return None


def is_concurrent(tree: Tree) -> bool:
    """Whether something runs beside something else, so that the order of what they emit may vary."""
    match tree:
        case Together() if tree.at_once > 1 and len(tree.parts) > 1:
            return True
        case Steps() | Together():
            return any(map(is_concurrent, tree.parts))
        case Caught() | Bounded():
            return is_concurrent(tree.part)
        case _:
            return False


def caught(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:
        return error


NAMES = {"TimeoutError": "DeadlineError", "InterruptedError": "CallCancelledError"}


def told(error: BaseException) -> str:
    name = type(error).__name__
    return f"{NAMES.get(name, name)}: {error}"


def outcome_of(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as error:
        return told(error)


times = st.sampled_from([None, 60.0])
numbers = st.integers(0, 9)
leaves: st.SearchStrategy[Tree] = st.one_of(
    st.builds(Add, st.sampled_from([add, slow, add_later, Adder()]), numbers, times, st.booleans()),
    st.builds(Fail, st.sampled_from([fail, fail_later]), st.sampled_from([ValueError, KeyError]), numbers, times),
    st.builds(Cancel),
    st.builds(Rest, st.sampled_from([0, 0.001, -1])),
    st.builds(Say, numbers),
    st.builds(Take, numbers, st.sampled_from([0, 1, 3, 40]), st.booleans(), st.booleans(), times),
    st.builds(Raise, numbers),
)


def branches(parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(parts, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Steps, several),
        st.builds(Together, several, st.integers(1, 4)),
        st.builds(Caught, parts),
        st.builds(Bounded, parts, st.sampled_from([60.0, 60.0, 0])),
    )


trees = st.recursive(leaves, branches, max_leaves=12)


@given(trees)
@settings(max_examples=80)
def test_every_run_comes_to_what_the_program_says(tree: Tree) -> None:
    """Values, errors and their order: nothing depends on the runner."""
    expected = outcome_of(partial(result_of, tree, lambda _: None))
    assert [outcome_of(partial(run, program_of(tree))) for run in RUNS] == [expected] * len(RUNS)


def then_said(tree: Tree) -> Program[None]:
    """What a tree emits, and at last what it comes to."""
    try:
        result = yield from program_of(tree)
    except Exception as error:
        result = told(error)
    yield Emit((result,))


@given(trees)
@settings(max_examples=80)
def test_every_stream_tells_what_the_program_says(tree: Tree) -> None:
    """All that it emits, in order where nothing runs beside it; then what it comes to."""
    said: list[int] = []
    expected = outcome_of(partial(result_of, tree, said.append))
    order: Callable[[list[int]], list[int]] = sorted if is_concurrent(tree) else list
    for stream in STREAMS:
        *values, (result,) = stream(then_said(tree))
        assert result == expected
        assert order(values) == order(said)
