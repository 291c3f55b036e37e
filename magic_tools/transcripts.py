"""What makes a transcript whole: each call has an id of its own, and its one result right behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import count

from magic_tools.messages import Message, ToolCall, ToolResult

__all__ = ["unanswered", "with_own_ids"]


def with_own_ids(calls: Iterable[ToolCall], taken: Collection[str] = ()) -> tuple[ToolCall, ...]:
    """The calls, each under an id that is not empty and that no other call has, nor is among those that are taken.

    An id that is given is the old one, or `call`, and how manieth call it is among all.
    """
    new: set[str] = set()
    own: list[ToolCall] = []
    for number, call in enumerate(calls, 1 + len(taken)):
        name = call.id
        if not name or name in taken or name in new:
            free = (f"{call.id or 'call'}_{each}" for each in count(number))
            name = next(each for each in free if each not in taken and each not in new)
        new.add(name)
        own.append(call if name == call.id else replace(call, id=name))
    return tuple(own)


def unanswered(messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """The calls of the last assistant message that wait for their results, all or none of them.

    ValueError where a result stands without its call just before it, or a call without its result right after it.
    """
    calls: tuple[ToolCall, ...] = ()
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            for part in message.parts:
                if not isinstance(part, ToolResult) or part.call_id not in waiting:
                    raise ValueError(f"a result without its call just before it: {part!r:.120}")
                waiting.remove(part.call_id)
        elif waiting:
            break
        else:
            calls = message.calls
            waiting = [call.id for call in calls]
    else:
        if not waiting or len(waiting) == len(calls):
            return calls if waiting else ()
    raise ValueError(f"a tool call without a result right after it: {', '.join(waiting)}")
