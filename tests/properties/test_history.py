"""Whatever a transcript holds and however little may be sent of it, what is sent is whole and the latest there is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.loop.history import fitted
from magic_tools.messages import ErrorCode, Message, TextPart, ToolCall, ToolResult
from magic_tools.options import History
from magic_tools.tools.trimming import cut_short
from magic_tools.values import JsonObject, JsonValue

MOST_OF_AN_ENVELOPE = 100
KINDS: list[Literal["user", "assistant", "system", "calls"]] = ["user", "assistant", "system", "calls", "calls"]

texts = st.sampled_from(["", "x", "x" * 30, "x" * 400, '\n"\\' * 60, "\U0001f468\u200d\U0001f469" * 40, "\ud800" * 90])
values: st.SearchStrategy[JsonValue] = st.sampled_from([1, "x" * 20, [None]])
kept_fields: st.SearchStrategy[JsonObject] = st.dictionaries(st.sampled_from(["id", "a.b", "name"]), values)


kinds = st.sampled_from(KINDS)


@st.composite
def results_contents(draw: st.DrawFn) -> str:
    """A text, a text that was cut before, or one that looks like that."""
    text, size = draw(texts), draw(st.integers(0, 200))
    match draw(st.sampled_from(["plain", "plain", "cut", "odd"])):
        case "cut":
            fields = draw(kept_fields)
            return cut_short(text, fields, size, keep=list(fields))
        case "odd":
            odd = {"cut": True, "chars": size, "head": text, "kept": draw(st.one_of(st.none(), kept_fields))}
            return json.dumps(odd)[: draw(st.sampled_from([-1, 10**6]))]
        case _:
            return text


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[Message, ...]:
    """Whole transcripts: the results of a reply in one message or several, in any order, and texts in any order."""
    messages = [Message.system(str(at)) for at in range(draw(st.integers(0, 3)))]
    for at, kind in enumerate(
        draw(st.lists(st.sampled_from(["user", "text", "calls", "calls", "system"]), max_size=14))
    ):
        match kind:
            case "user" | "system":
                messages.append(Message("user" if kind == "user" else "system", (TextPart(f"{kind} {at}"),)))
            case "text":
                messages.append(Message("assistant", (TextPart(f"text {at}"),)))
            case _:
                ids = [f"c{at}_{number}" for number in range(draw(st.integers(1, 4)))]
                said = (TextPart("so"),) if draw(st.booleans()) else ()
                messages.append(Message("assistant", (*said, *(ToolCall(each, "look", "{}") for each in ids))))
                messages += draw(answers(ids))
    return tuple(messages)


@st.composite
def answers(draw: st.DrawFn, ids: list[str]) -> list[Message]:
    messages: list[Message] = []
    left = draw(st.permutations(ids))
    while left:
        size = draw(st.integers(1, len(left)))
        failed = draw(st.booleans())
        made = tuple(
            ToolResult(each, "look", draw(results_contents()), failed, ErrorCode.INTERNAL if failed else None)
            for each in left[:size]
        )
        messages.append(Message("tool", made))
        left = left[size:]
    return messages


histories = st.builds(
    History,
    st.one_of(st.none(), st.integers(1, 20)),
    st.one_of(st.none(), st.integers(0, 120)),
    st.integers(0, 4),
)


def groups(messages: tuple[Message, ...]) -> list[tuple[Message, ...]]:
    """The messages, those of calls with the results right behind them; each call has one, each result its call."""
    parted: list[list[Message]] = []
    waiting: set[str] = set()
    for message in messages:
        answered = [part.call_id for part in message.parts if isinstance(part, ToolResult)]
        if message.role == "tool":
            assert len(set(answered)) == len(answered)
            assert waiting.issuperset(answered), "a result without its call"
            waiting.difference_update(answered)
            parted[-1].append(message)
        else:
            assert not waiting, "a call without its result"
            parted.append([message])
            waiting = {call.id for call in message.calls}
    assert not waiting, "a call without its result"
    return [tuple(group) for group in parted]


def leading(messages: tuple[Message, ...]) -> int:
    return next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))


def bare(message: Message) -> Message:
    """The message without the contents of its results, by which it is known when they are cut."""
    return Message(
        message.role,
        tuple(replace(part, content="") if isinstance(part, ToolResult) else part for part in message.parts),
    )


@settings(max_examples=500)
@given(transcript=transcripts(), history=histories, data=st.data())
def test_a_window_is_whole_and_the_latest(
    transcript: tuple[Message, ...], history: History, data: st.DataObject
) -> None:
    """Never too long, no call parted from its result, begun as a conversation is, and with what is newest."""
    limit = history.messages or len(transcript)
    users = [at for at, message in enumerate(transcript) if message.role == "user"]
    asked = data.draw(st.sampled_from([None, *users]))
    sent = fitted(transcript, history, asked)
    plain = [bare(message) for message in transcript]
    known = [bare(message) for message in sent]

    assert len(sent) <= limit
    whole, parted = groups(tuple(plain)), groups(tuple(known))
    assert all(group in whole for group in parted)

    lead = min(leading(transcript), limit)
    assert sent[:lead] == transcript[:lead]
    if len(transcript) <= limit:
        assert known == plain
        return
    rest, room = known[lead:], limit - lead
    if room == 0:
        return
    if users:
        assert [message.role for message in rest[:1]] == ["user"]
        question = plain[users[-1] if asked is None else asked]
        assert question in rest

    opened = next(at for at in range(len(rest) + 1) if rest[at:] == plain[len(plain) - len(rest[at:]) :])
    assert opened <= 1, "something is missing that is newer than something that stays"
    older = groups(tuple(plain[leading(transcript) : len(plain) - len(rest[opened:])]))
    if opened or not users:
        assert len(rest) + len(older[-1]) > room, "there was room for one more"
    else:
        assert 2 * len(rest) >= room or not any(group[0].role == "user" for group in older)


@settings(max_examples=500)
@given(transcript=transcripts(), history=histories)
def test_older_results_are_short_and_say_how_long_they_were(transcript: tuple[Message, ...], history: History) -> None:
    """Only contents change, only those of older groups that are too long, and each says its true size."""
    sent = fitted(transcript, replace(history, messages=None))
    assert [bare(message) for message in sent] == [bare(message) for message in transcript]
    assert fitted(sent, replace(history, messages=None)) is sent
    limit = history.result_chars
    of_groups = [group for group in groups(sent) if group[0].calls]
    recent = [message for group in of_groups[::-1][: history.recent] for message in group]
    for new, old in zip(sent, transcript, strict=True):
        if limit is None or new in recent or new.role != "tool":
            assert new is old
            continue
        for short, long in zip(new.parts, old.parts, strict=True):
            assert isinstance(short, ToolResult)
            assert isinstance(long, ToolResult)
            assert_short(short.content, long.content, limit)


def assert_short(short: str, long: str, limit: int) -> None:
    """What became of a content of an older result."""
    assert len(short) <= limit + MOST_OF_AN_ENVELOPE
    assert len(short) < len(long) or short == long
    if len(long) <= limit:
        assert short == long
    if short != long:
        cut = json.loads(short)
        assert cut["cut"] is True
        told = size_told(long)
        assert cut["chars"] == (len(long) if told is None else told)
        short.encode()


def size_told(content: str) -> int | None:
    """How many characters a content says that it was cut from, if it says so well."""
    try:
        cut = json.loads(content)
    except ValueError:
        return None
    good = isinstance(cut, dict) and cut.keys() >= {"cut", "chars", "head"} and cut["chars"] >= len(cut["head"])
    return cut["chars"] if good else None
