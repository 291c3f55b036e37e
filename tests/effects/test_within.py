"""Deadlines over programs."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from magic_tools.effects import program as program_module
from magic_tools.effects.program import (
    Call,
    CallTimeoutError,
    DeadlineError,
    Draw,
    Effect,
    Emit,
    Gather,
    Program,
    Sleep,
    within,
)
from magic_tools.effects.workers import abandoned_calls
from tests.effects.runs import (
    FOREVER_S,
    PROMPTLY_S,
    Run,
    Stream,
    add,
    add_later,
    caught,
    emits,
    eventually,
    every_run,
    every_stream,
    one,
    promptly,
    released_at_end,
    told,
    wait_for_ever,
)
from tests.effects.sources import Form, Source, Wait, every_form


def nested_gather() -> Program[Any]:
    return (yield Gather((one(Gather((one(Call(wait_for_ever)), one(Sleep(FOREVER_S))), 2)),), 1))


@every_run
@pytest.mark.parametrize(
    ("program", "errors"),
    [
        (partial(one, Sleep(FOREVER_S)), DeadlineError),
        (partial(one, Sleep(float("inf"))), DeadlineError),
        (partial(one, Call(wait_for_ever)), CallTimeoutError),
        (partial(one, Call(wait_for_ever, timeout_s=FOREVER_S)), CallTimeoutError),
        (partial(one, Call(lambda: wait_for_ever())), CallTimeoutError),
        (lambda: within(one(Sleep(FOREVER_S)), FOREVER_S), DeadlineError),
        (lambda: within(within(one(Call(wait_for_ever)), FOREVER_S), FOREVER_S), CallTimeoutError),
        (lambda: one(Gather((one(Sleep(FOREVER_S)),), 1)), DeadlineError),
        (nested_gather, CallTimeoutError),
    ],
)
def test_what_takes_longer_is_ended(run: Run, program: Callable[[], Program[Any]], errors: type[Exception]) -> None:
    """Whatever the program waits for, and however deep."""
    with promptly(), pytest.raises(errors):
        run(within(program(), 0.03))


@every_run
def test_an_ordinary_function_is_given_up_too(run: Run) -> None:
    """A deadline is a time for each call under it."""
    with released_at_end() as released, promptly():
        error = run(within(caught(Call(released.wait)), 0.05))
    assert isinstance(error, CallTimeoutError)
    assert error.still_runs


@every_run
@pytest.mark.parametrize("seconds", [20.0, 1e12, float("inf")])
def test_what_is_over_in_time_is_as_without_a_deadline(run: Run, seconds: float) -> None:
    """Values, errors, and gathers of them."""

    def program() -> Program[Any]:
        first = yield Call(add, (1, 2))
        second = yield Call(add_later, (first, 2))
        yield Sleep(0.001)
        third = yield Gather((told(Call(int, ("x",))), one(Call(add, (1, 1)))), 2)
        return first, second, third

    expected = (3, 5, ["ValueError: invalid literal for int() with base 10: 'x'", 2])
    assert run(within(program(), seconds)) == expected
    with pytest.raises(ValueError, match="invalid literal"):
        run(within(one(Call(int, ("x",))), seconds))


@every_run
def test_the_shorter_of_two_holds(run: Run) -> None:
    """An inner deadline ends the inner program alone; an outer one both."""

    def outer() -> Program[Any]:
        try:
            yield from within(one(Sleep(FOREVER_S)), 0.02)
        except DeadlineError:
            return (yield Call(add, (1, 2)))

    with promptly():
        assert run(within(outer(), 20)) == 3
        with pytest.raises(DeadlineError):
            run(within(within(one(Sleep(FOREVER_S)), 20), 0.02))


@every_run
def test_programs_that_wait_for_their_turn_have_no_time_of_their_own(run: Run) -> None:
    """A deadline over a gather is one for the whole, however few are at work at once."""
    programs = tuple(caught(Call(time.sleep, (0.05,))) for _ in range(30))
    begun = time.monotonic()
    results = run(within(one(Gather(programs, 1)), 0.12))
    assert time.monotonic() - begun < 0.12 + 0.5
    assert [type(result) for result in results[-20:]] == [DeadlineError] * 20


@every_run
def test_the_time_begins_with_the_program(run: Run) -> None:
    """Not when it is made, as it may wait for its turn."""
    program = within(one(Call(add, (1, 2))), 0.1)
    time.sleep(0.12)
    assert run(program) == 3


@every_run
@pytest.mark.parametrize("effect", [Call(add, (1, 2)), Call(add_later, (1, 2)), Sleep(0)])
def test_nothing_begins_after_it(run: Run, effect: Effect) -> None:
    """Each effect that a program asks for then is a DeadlineError."""

    def program() -> Program[list[str]]:
        time.sleep(0.002)
        first = yield from told(effect)
        second = yield from told(effect)
        return [first, second]

    assert run(within(program(), 0.001)) == ["DeadlineError: the time is over"] * 2


@every_run
def test_each_program_of_a_gather_is_told(run: Run) -> None:
    """Those that are side by side each get the DeadlineError, and may come to something all the same."""

    def program() -> Program[list[str]]:
        time.sleep(0.002)
        return (yield Gather(tuple(told(Call(add, (at, 2))) for at in range(3)), 2))  # type: ignore[no-any-return]

    assert run(within(program(), 0.001)) == ["DeadlineError: the time is over"] * 3


@every_run
def test_a_program_that_never_ends_is_ended(run: Run) -> None:
    """Such as one that tries again whatever is thrown."""

    def stubborn() -> Program[None]:
        while True:
            yield from told(Call(add, (1,)))

    def program_that_does_not_close() -> Program[None]:
        for _ in range(12_000):
            try:
                yield Call(add, (1,))
            except BaseException:
                continue

    for program in (stubborn(), program_that_does_not_close()):
        with promptly(), pytest.raises(DeadlineError, match="does not end"):
            run(within(program, 0.01))
        assert len(list(program)) < 2_000  # the second had to be left as it was, and here comes to its end


@every_run
def test_one_that_never_ends_with_gathers_is_ended(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though a gather itself is not refused, but each program of it."""
    monkeypatch.setattr(program_module, "MOST_REFUSED", 100)

    def stubborn() -> Program[None]:
        while True:
            yield Gather((told(Sleep(0)),), 1)

    with promptly(), pytest.raises(DeadlineError, match="does not end"):
        run(within(stubborn(), 0.005))


@every_run
def test_a_deadline_in_each_of_many(run: Run) -> None:
    """Programs side by side have each their own."""
    programs = tuple(caught_program(within(one(Sleep(seconds)), 0.1)) for seconds in (0, FOREVER_S, 0.001, FOREVER_S))
    with promptly(PROMPTLY_S):
        results = run(one(Gather(programs, 4)))
    assert [type(result) for result in results] == [type(None), DeadlineError, type(None), DeadlineError]


def caught_program(program: Program[Any]) -> Program[Any]:
    try:
        return (yield from program)
    except Exception as error:
        return error


def late(*effects: Effect) -> Program[list[str]]:
    """What asks for effects when its time is over, and emits what each came to."""
    time.sleep(0.002)
    results = []
    for effect in effects:
        results.append((yield from told(effect)))
        yield Emit(results[-1])
    return results


@every_stream
def test_after_a_deadline_what_is_emitted_still_comes(stream: Stream) -> None:
    """Alone and in a gather; drawing is refused."""
    source = Source([1])
    draw = Draw(source.open, lambda item: (item,), source.aopen)
    refused = "DeadlineError: the time is over"
    assert stream(within(late(draw, Sleep(0), Emit("an item")), 0.001)) == [refused] * 2 + ["an item", "value: None"]
    gather = Gather((late(draw), emits(1)), 2)
    assert sorted(map(str, stream(within(late(gather), 0.001)))) == ["1", refused, f"value: [['{refused}'], 1]"]
    assert source.uses == []


@every_stream
def test_one_that_emits_for_ever_after_its_deadline_is_ended(stream: Stream) -> None:
    """As one is that asks for anything else."""

    def stubborn() -> Program[None]:
        while True:
            yield Emit(1)

    with promptly(5), pytest.raises(DeadlineError, match="does not end"):
        stream(within(stubborn(), 0.001))


@every_form
def test_a_draw_has_the_time_that_is_left(form: Form) -> None:
    """Then it is given up, and the error says that this was not its own time, but where it had one that was shorter."""

    def program(draw: Draw) -> Program[None]:
        try:
            yield draw
        except CallTimeoutError as error:
            yield Emit(("own" if error.own else "for all", error.still_runs))

    source = Source(["an item", Wait()])
    with promptly():
        assert form.stream(within(program(form.draw(source)), 0.05)) == ["an item", ("for all", not form.awaits)]
    source.woken.set()
    assert eventually(lambda: source.closed == 1)
    source = Source(["an item", Wait()])
    draw = form.draw(source)._replace(timeout_s=0.05)
    with promptly():
        assert form.stream(within(program(draw), 20)) == ["an item", ("own", not form.awaits)]
    source.woken.set()
    assert eventually(lambda: source.closed == 1)
    assert eventually(lambda: abandoned_calls() == 0)
