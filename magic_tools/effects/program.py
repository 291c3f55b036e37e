"""What a program may ask for: a generator that yields effects and is sent what they come to.

What an effect raises is thrown into the program. The same program runs under `run_sync` and `run_async`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar, assert_never

__all__ = [
    "MOST_REFUSED",
    "Call",
    "CallBrokenError",
    "CallCancelledError",
    "CallTimeoutError",
    "DeadlineError",
    "Draw",
    "Effect",
    "Emit",
    "Gather",
    "NoWorkerError",
    "Program",
    "Sleep",
    "close",
    "within",
]

T = TypeVar("T")

MOST_REFUSED = 10_000
"""How many effects a program may ask for after its deadline: one that notes how each of its parts failed has many."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Call(NamedTuple):
    """Call `fn(*args, **kwargs)`, whether it is an ordinary function or an async one.

    `afn`, where given, is what an async run awaits in its place. After `timeout_s` seconds the call is given up,
    as a CallTimeoutError. A `brief` one is known to be over at once: no thread and no timer is spent on it.
    What the function does to context variables stays in the call.
    """

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = _NOTHING
    afn: Callable[..., Awaitable[Any]] | None = None
    timeout_s: float | None = None
    brief: bool = False


class Sleep(NamedTuple):
    """Let so many seconds pass."""

    seconds: float


class Gather(NamedTuple):
    """Run programs side by side, at most `at_once` of them at a time; their results in order.

    All of them come to their end; then what the first in order has raised, if one has, is thrown.
    """

    programs: tuple[Program[Any], ...]
    at_once: int


class Emit(NamedTuple):
    """Hand a value to whoever reads the program as a stream; to nobody, where it is only run."""

    value: Any


class Draw(NamedTuple):
    """Take every item of the iterator that `open` gives; what `take` makes of each is emitted.

    `aopen`, where given, gives the async iterator that an async run takes in its place. After `timeout_s` seconds
    it is given up, as a CallTimeoutError. However it ends, it is closed, by the `close` or `aclose` that it has.
    A sync run without a time draws what it is asked for. Else one thread or one task opens the iterator, draws some
    items ahead and closes it; what it does to context variables stays in it.
    """

    open: Callable[[], Iterator[Any]]
    take: Callable[[Any], Iterable[Any]]
    aopen: Callable[[], AsyncIterator[Any]] | None = None
    timeout_s: float | None = None


Effect: TypeAlias = Call | Sleep | Gather | Emit | Draw
Program: TypeAlias = Generator[Effect, Any, T]


class CallTimeoutError(TimeoutError):
    """A call was given up after its time; `still_runs` where it could not be stopped, and may yet have an effect.

    `own` is whether that was the call's own time, and not one for several.
    """

    def __init__(self, *, still_runs: bool, own: bool = True) -> None:
        super().__init__("the call took too long, and " + ("still runs" if still_runs else "was cancelled"))
        self.still_runs = still_runs
        self.own = own

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), still_runs=self.still_runs, own=self.own), ()


class CallCancelledError(Exception):
    """A call ended as cancelled by something inside of it, not by whoever runs the program."""


class CallBrokenError(Exception):
    """A call raised what is no Exception, and no interrupt or exit either: the cause of this."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"the call raised {type(cause).__name__}")
        self.__cause__ = cause

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.__cause__,)


class NoWorkerError(Exception):
    """A call was not begun, since there is no thread for it: too many that were given up still run."""


class DeadlineError(Exception):
    """An effect was not begun, or a sleep was cut, since the time for the whole is over."""


def within(program: Program[T], seconds: float) -> Program[T]:
    """The program with so many seconds for all that it waits for; after them it is thrown a DeadlineError.

    The time begins with the program. A call that is under way at its end is given up like one that took too long,
    by a CallTimeoutError. A program that goes on and on regardless is closed.
    """
    return (yield from _until(program, time.monotonic() + seconds))


def _until(program: Program[T], end: float) -> Program[T]:
    refused = 0
    try:
        effect = next(program)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                refused += 1
                _check_end(refused)
                if not isinstance(effect, Gather | Emit):  # each program of the one is refused by itself
                    effect = program.throw(DeadlineError("the time is over"))
                    continue
            try:
                value = yield _shortened(effect, end, left)
            except Exception as error:  # noqa: BLE001 - whatever it is belongs to the program
                if isinstance(error, CallTimeoutError) and isinstance(effect, Call | Draw):
                    error.own = error.own and effect.timeout_s is not None and effect.timeout_s <= left
                effect = program.throw(error)
                continue
            if isinstance(effect, Sleep) and effect.seconds > left:
                effect = program.throw(DeadlineError("the time is over"))
            else:
                effect = program.send(value)
    except StopIteration as end_of_program:
        return end_of_program.value  # type: ignore[no-any-return]  # PEP 380 carries the result untyped
    except BaseException:
        close(program)
        raise


def _check_end(refused: int) -> None:
    if refused > MOST_REFUSED:
        raise DeadlineError("the time is over, and the program does not end")


def close(program: Program[Any]) -> None:
    """End a program that is left by what goes straight out; what it makes of its end does not stand in the way."""
    with suppress(Exception):
        program.close()


def _shortened(effect: Effect, end: float, left: float) -> Effect:
    match effect:
        case Emit():
            return effect
        case Call() | Draw():
            return effect._replace(timeout_s=left if effect.timeout_s is None else min(left, effect.timeout_s))
        case Sleep():
            return Sleep(min(left, effect.seconds))
        case Gather():
            return effect._replace(programs=tuple(_until(program, end) for program in effect.programs))
        case _:
            assert_never(effect)
