"""Section D of the cases drawn from public failures: what a provider accepts as a conversation."""

from __future__ import annotations

import pytest

from magic_tools.loop.history import fitted
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult
from magic_tools.options import History

SYSTEM = Message.system("Be brief.")


def called(*ids: str) -> Message:
    return Message("assistant", tuple(ToolCall(each, "look", "{}") for each in ids))


def answered(*ids: str) -> Message:
    return Message("tool", tuple(ToolResult(each, "look", f"of {each}") for each in ids))


def said(text: str) -> Message:
    return Message("assistant", (TextPart(text),))


ONE_BY_ONE = (
    SYSTEM,
    Message.user("one"),
    called("c1", "c2"),
    answered("c1"),
    answered("c2"),
    said("first"),
    Message.user("two"),
    called("c3"),
    answered("c3"),
    Message.user("three"),
)
TOGETHER = (*ONE_BY_ONE[:3], answered("c1", "c2"), *ONE_BY_ONE[5:])


def ids_of(messages: tuple[Message, ...]) -> tuple[list[str], list[str]]:
    """The calls, and right behind each message of calls its results; any other result fails."""
    calls: list[str] = []
    results: list[str] = []
    for message in messages:
        if message.role == "tool":
            results += [part.call_id for part in message.parts if isinstance(part, ToolResult)]
            assert results == calls[: len(results)], "a result without its call just before it"
        else:
            assert results == calls, "a call without its results"
            calls += [call.id for call in message.calls]
    return calls, results


@pytest.mark.parametrize("limit", range(1, 11))
@pytest.mark.parametrize("transcript", [ONE_BY_ONE, TOGETHER], ids=["one by one", "together"])
def test_d2_a_window_parts_no_call_from_its_result(transcript: tuple[Message, ...], limit: int) -> None:
    """At each size the rest is a whole conversation that begins as one does."""
    sent = fitted(transcript, History(messages=limit))
    assert len(sent) <= limit
    assert sent[0] == SYSTEM
    assert [message.role for message in sent[1:2]] in ([], ["user"])
    calls, results = ids_of(sent)
    assert calls == results
    assert {"c1", "c2"} <= set(calls) or not {"c1", "c2"} & set(calls)
    assert limit == 1 or sent[-1] == Message.user("three")
    assert limit < len(transcript) or sent is transcript
