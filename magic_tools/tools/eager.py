"""Functions whose results are read out within the call, and not where they are written."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

__all__ = ["MOST_ITEMS", "eager"]

_MARGIN_S = 1.0
"""How much longer than its call a generator goes on, so that it is the call that is over first."""

MOST_ITEMS = 1_000_000
"""How many items of a generator are taken for one result."""


def eager(fn: Callable[..., Any], timeout_s: float | None) -> Callable[..., Any]:
    """The function, with the list of what it generates in place of a generator or another iterator.

    An endless one ends soon after the time of the call, so that no thread goes on with it for ever.
    """
    if inspect.iscoroutinefunction(fn):

        @wraps(fn)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            value = await fn(*args, **kwargs)
            if hasattr(type(value), "__await__"):  # as of a function that returns another's coroutine
                value = await value
            return await _all_of(value) if hasattr(type(value), "__anext__") else _read(value, timeout_s)

        return awaited

    def called(*args: Any, **kwargs: Any) -> Any:
        value = fn(*args, **kwargs)
        if hasattr(type(value), "__next__"):
            return _read(value, timeout_s)
        return _all_of(value) if hasattr(type(value), "__anext__") else value

    return called


def _read(value: Any, timeout_s: float | None) -> Any:
    return list(_bounded(value, timeout_s)) if hasattr(type(value), "__next__") else value


def _bounded(values: Iterator[Any], timeout_s: float | None) -> Iterator[Any]:
    end = None if timeout_s is None else time.monotonic() + timeout_s + _MARGIN_S
    for count, value in enumerate(values, 1):
        if end is not None and time.monotonic() > end:
            raise TimeoutError("the generator did not end in the time of the call")
        if count > MOST_ITEMS:
            raise OverflowError(f"the generator gave more than {MOST_ITEMS:,} items")
        yield value


async def _all_of(values: Any) -> list[Any]:
    found: list[Any] = []
    async for value in values:
        if len(found) == MOST_ITEMS:
            raise OverflowError(f"the generator gave more than {MOST_ITEMS:,} items")
        found.append(value)
    return found
