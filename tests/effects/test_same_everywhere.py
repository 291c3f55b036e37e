"""Random programs: both runners, and a sync one inside a loop, come to what the program says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.effects.program import Call, Gather, Program, Sleep, within
from tests.effects.runs import RUNS, Adder, add, add_later, fail, fail_later


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


Tree: TypeAlias = "Add | Fail | Cancel | Rest | Raise | Steps | Together | Caught | Bounded"


def program_of(tree: Tree) -> Program[Any]:
    """The program of a tree."""
    match tree:
        case Add():
            return (yield Call(tree.fn, (tree.number, 1), timeout_s=tree.timeout_s, brief=tree.brief))
        case Fail():
            return (yield Call(tree.fn, (tree.error(tree.number),), timeout_s=tree.timeout_s))
        case Cancel():
            return (yield Call(cancel_itself))
        case Rest():
            return (yield Sleep(tree.seconds))
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


def result_of(tree: Tree, over: bool = False) -> Any:
    """What a tree comes to, worked out without any runner; `over` is whether its deadline is."""
    match tree:
        case Raise():
            raise LookupError(tree.number)
        case Steps() | Together():
            return [result_of(part, over) for part in tree.parts]
        case Caught():
            return outcome(partial(result_of, tree.part, over))
        case Bounded():
            return result_of(tree.part, over or tree.seconds == 0)
        case _ if over:
            raise TimeoutError("the time is over")
        case Add():
            return tree.number + 1
        case Fail():
            raise tree.error(tree.number)
        case Cancel():
            raise InterruptedError("the call was cancelled from inside")
        case Rest():
            return None


NAMES = {"TimeoutError": "DeadlineError", "InterruptedError": "CallCancelledError"}


def told(error: BaseException) -> str:
    name = type(error).__name__
    return f"{NAMES.get(name, name)}: {error}"


def outcome(run: Callable[[], Any]) -> Any:
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


@given(st.recursive(leaves, branches, max_leaves=12))
@settings(max_examples=80)
def test_every_run_comes_to_what_the_program_says(tree: Tree) -> None:
    """Values, errors and their order: nothing depends on the runner."""
    expected = outcome(partial(result_of, tree))
    assert [outcome(partial(run, program_of(tree))) for run in RUNS] == [expected] * len(RUNS)
