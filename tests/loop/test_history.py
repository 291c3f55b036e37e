"""What is sent of a transcript: which messages of a window, what of an older result, and what stays as it is."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from magic_tools.loop.history import fitted
from magic_tools.messages import ErrorCode, Message, TextPart, ToolCall, ToolResult
from magic_tools.options import History
from magic_tools.tools.trimming import cut_short


def transcript(plan: str) -> tuple[Message, ...]:
    """A message for each letter: s(ystem), u(ser), a(ssistant's text), c(alls), and t(ool) results of 20 characters.

    `c` makes as many calls as `t` follow it, and each `t` holds one result.
    """
    messages: list[Message] = []
    for at, letter in enumerate(plan):
        match letter:
            case "s":
                messages.append(Message.system(str(at)))
            case "u":
                messages.append(Message.user(str(at)))
            case "a":
                messages.append(Message("assistant", (TextPart(str(at)),)))
            case "c":
                results = len(plan[at + 1 :]) - len(plan[at + 1 :].lstrip("t"))
                calls = tuple(ToolCall(str(at + 1 + number), "look", "{}") for number in range(results))
                messages.append(Message("assistant", calls))
            case _:
                messages.append(Message("tool", (ToolResult(str(at), "look", f"{at:020}"),)))
    return tuple(messages)


def kept(plan: str, limit: int, asked: int | None = None) -> str:
    """The plan with a dot for each message that is not sent."""
    messages = transcript(plan)
    sent = fitted(messages, History(messages=limit), asked)
    assert len(sent) <= limit
    return "".join(letter if message in sent else "." for letter, message in zip(plan, messages, strict=True))


WINDOWS = [
    # a system message stays, and of more than may be sent the first ones
    ("suctu", 1, "s...."),
    ("suctu", 2, "s...u"),
    ("suctu", 4, "su..u"),
    ("ssssu", 2, "ss..."),
    ("ssssu", 4, "ssss."),
    ("ssuctu", 3, "ss...u"),
    ("suctus", 5, "s...us"),
    # the longest end that begins with a user's message
    ("uauaua", 1, "....u."),
    ("uauaua", 3, "....ua"),
    ("uauaua", 5, "..uaua"),
    ("uauuua", 4, "..uuua"),
    ("uauu", 1, "...u"),
    ("uauu", 3, "..uu"),
    ("usucta", 4, "..ucta"),
    ("ausa", 3, ".usa"),
    ("suctauctau", 6, "s....uctau"),
    ("suctauctau", 9, "s....uctau"),
    ("uctctctuctctu", 12, ".......uctctu"),
    # a turn that is too long: its question and its latest groups
    ("uctctct", 1, "u......"),
    ("uctctct", 2, "u......"),
    ("uctctct", 3, "u....ct"),
    ("uctctct", 4, "u....ct"),
    ("uctctct", 6, "u..ctct"),
    ("uauctctct", 4, "..u....ct"),
    ("ucttttctt", 3, "u........"),
    ("ucttttctt", 7, "u.....ctt"),
    ("uctcttttt", 6, "u........"),
    ("uctcttttt", 7, "u..cttttt"),
    ("suctact", 5, "su..act"),
    ("usucta", 3, "..u..a"),
    # an end that leaves more than half of the room brings what was before it
    ("uctctctctau", 2, "..........u"),
    ("uctctctctau", 3, "u........au"),
    ("uctctctctau", 6, "u......ctau"),
    ("uctctctuctctu", 5, ".......u..ctu"),
    ("uctctctuctctu", 6, ".......uctctu"),
    # no user at all, and none before the end
    ("ctctct", 1, "......"),
    ("ctctct", 5, "..ctct"),
    ("sctctct", 2, "s......"),
    ("sctctct", 4, "s....ct"),
    ("aaa", 2, ".aa"),
    ("aaau", 3, "...u"),
]


@pytest.mark.parametrize(("plan", "limit", "rest"), WINDOWS)
def test_windows(plan: str, limit: int, rest: str) -> None:
    """What is sent of each transcript at each size."""
    assert kept(plan, limit) == rest


@pytest.mark.parametrize(
    ("plan", "limit", "asked", "rest"),
    [
        ("uctctuctctu", 6, 0, "u.....ctctu"),
        ("uauctaucta", 5, 2, "..u...ucta"),
        ("uauctaucta", 4, 2, "..u....cta"),
        ("uauctaucta", 4, None, "......ucta"),
        ("uauctaucta", 9, 2, "..uctaucta"),
        ("uauctaucta", 9, 6, "..uctaucta"),
        ("uauctauctau", 1, 2, "..u........"),
    ],
)
def test_the_question_stays(plan: str, limit: int, asked: int | None, rest: str) -> None:
    """What the loop itself says as a user on the way does not take the place of what it is about."""
    assert kept(plan, limit, asked) == rest


@pytest.mark.parametrize("plan", ["", "s", "u", "a", "suctu", "ct", "uctt"])
def test_nothing_to_do(plan: str) -> None:
    """What fits is sent as it is: the same tuple, whatever the history says that is not reached."""
    messages = transcript(plan)
    for history in (History(), History(messages=5), History(result_chars=20, recent=0), History(5, 10, recent=1)):
        assert fitted(messages, history) is messages


def results(*contents: str) -> tuple[Message, ...]:
    """A group for each content, after a question."""
    groups = [
        (
            Message("assistant", (ToolCall(str(at), "look", "{}"),)),
            Message("tool", (ToolResult(str(at), "look", each),)),
        )
        for at, each in enumerate(contents)
    ]
    return (Message.user("?"), *(message for group in groups for message in group))


def contents(messages: tuple[Message, ...]) -> list[str]:
    return [part.content for message in messages for part in message.parts if isinstance(part, ToolResult)]


def test_older_results_are_shortened() -> None:
    """All but the latest groups, and only those over the size; what stays is the same message."""
    long, short = "x" * 1000, "y" * 50
    sent_before = results(long, short, long, long, long)
    sent = fitted(sent_before, History(result_chars=100))
    cut = cut_short(long, None, 100)
    assert contents(sent) == [cut, short, cut, long, long]
    assert json.loads(cut) == {"cut": True, "chars": 1000, "head": "x" * 100}
    assert [new is old for new, old in zip(sent, sent_before, strict=True)].count(False) == 2
    assert contents(sent_before) == [long, short, long, long, long]


@pytest.mark.parametrize(("recent", "cut"), [(0, 3), (1, 2), (2, 1), (3, 0), (4, 0)])
def test_recent_groups_stay(recent: int, cut: int) -> None:
    """A group is recent as a whole, however many results and messages it has."""
    long = "x" * 300
    plan = transcript("uctttactauctt")
    messages = tuple(
        Message("tool", (ToolResult(message.parts[0].call_id, "look", long),))
        if isinstance(message.parts[0], ToolResult)
        else message
        for message in plan
    )
    of_groups = [contents(fitted(messages, History(result_chars=10, recent=recent)))[at] for at in (0, 3, 4)]
    assert [each != long for each in of_groups] == [True] * cut + [False] * (3 - cut)


def test_all_of_a_result_but_its_content_stays() -> None:
    """Errors are shortened too, and stay what they are; so do the others of one message."""
    failed = ToolResult("a", "look", "x" * 500, is_error=True, code=ErrorCode.INTERNAL, value=5, effect="unknown")
    fine = ToolResult("b", "look", "y" * 10)
    calls = Message("assistant", (ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}")))
    messages = (Message.user("?"), calls, Message("tool", (failed, fine)))
    sent = fitted(messages, History(result_chars=50, recent=0))
    first, second = sent[2].parts
    assert isinstance(first, ToolResult)
    assert first.content == cut_short("x" * 500, None, 50)
    assert (first.call_id, first.name, first.is_error, first.code) == ("a", "look", True, ErrorCode.INTERNAL)
    assert (first.value, first.effect) == (5, "unknown")
    assert second is fine


def one_cut(content: str, limit: int) -> str:
    return contents(fitted(results(content), History(result_chars=limit, recent=0)))[0]


def test_what_would_not_become_shorter_stays() -> None:
    """The form that says what was cut takes some characters itself."""
    assert one_cut("x" * 110, 100) == "x" * 110
    assert len(one_cut("x" * 200, 100)) < 150


DATA: Any = {"id": 7, "rows": [{"text": '\n"' * 900}]}
LONG = json.dumps(DATA)


@pytest.mark.parametrize("limit", [0, 1, 30, 100, 500, 999])
def test_what_was_cut_is_cut_again(limit: int) -> None:
    """The number of characters is that of the whole, and the head is a shorter one of the same."""
    once = cut_short(LONG, DATA, 1000, keep=["id"])
    again = json.loads(one_cut(once, limit))
    assert again["chars"] == len(LONG)
    assert LONG.startswith(again["head"])
    assert again.get("kept") == ({"id": 7} if limit >= 20 else None)
    assert len(one_cut(once, limit)) <= limit + 100
    assert one_cut(one_cut(once, limit), limit) == one_cut(once, limit)


@pytest.mark.parametrize("limit", [1000, 1050])
def test_what_was_cut_to_this_size_stays(limit: int) -> None:
    """The gateway's own cut is not cut again at the same size."""
    once = cut_short(LONG, DATA, 1000, keep=["id"])
    assert one_cut(once, limit) == once


def test_kept_fields_that_do_not_fit_are_left_out() -> None:
    """Those that fit into half of the size stay, in their order."""
    data: Any = {"a": "1" * 40, "b": 2, "c": "3" * 40, "d": [4]}
    once = cut_short("x" * 900, data, 400, keep=list(data))
    assert json.loads(one_cut(once, 60))["kept"] == {"b": 2, "d": [4]}
    assert json.loads(one_cut(once, 120))["kept"] == {"a": "1" * 40, "b": 2}
    assert len(one_cut(once, 120)) <= 120 + len('{"cut":true,"chars":900,"kept":,"head":""}')


def test_nothing_is_added_to_a_short_head() -> None:
    """Where the kept fields go, the head that is left is the one that there was."""
    once = '{"cut":true,"chars":900,"kept":{"a":"' + "1" * 300 + '"},"head":"x"}'
    assert one_cut(once, 100) == '{"cut":true,"chars":900,"head":"x"}'


@pytest.mark.parametrize(
    "content",
    [
        '{"cut":true,"chars":3,"head":"' + "x" * 300 + '"}',
        '{"cut":true,"chars":"many","head":"' + "x" * 300 + '"}',
        '{"cut":true,"chars":500,"head":"' + "x" * 300,
        '{"cut":true,"chars":500,"head":"' + "x" * 300 + '","tail":""}',
        '{"cut":true,"chars":' + "9" * 5000 + ',"head":"x"}',
        '{"cut":true,"chars":500,"head":"","kept":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"cut":true,"note":"' + "x" * 300 + '"}',
    ],
)
def test_what_only_looks_like_a_cut_is_cut_as_text(content: str) -> None:
    """JSON that does not say what a cut says, or that no one can read, is a text like any other."""
    cut = json.loads(one_cut(content, 50))
    assert cut["chars"] == len(content)
    assert content.startswith(cut["head"])
    assert len(cut["head"]) >= 40


def test_half_a_character_is_never_sent() -> None:
    """Where another's JSON names one, a sign stands for it, so that the text can be encoded."""
    content = '{"cut":true,"chars":900,"head":"\\ud83d' + "x" * 300 + '","kept":{"\\ud83d":"\\ude00"}}'
    one_cut(content, 60).encode()
    assert json.loads(one_cut(content, 60))["kept"] == {"\ufffd": "\ufffd"}


def test_a_window_of_shortened_results() -> None:
    """Both at once: what is recent is counted from the end."""
    sent = fitted(results(*["x" * 500] * 6), History(messages=8, result_chars=50, recent=1))
    assert [len(each) for each in contents(sent)] == [len(cut_short("x" * 500, None, 50))] * 2 + [500]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"messages": 0}, "History.messages must be a whole number of at least 1 or None, got 0"),
        ({"messages": True}, "History.messages must be"),
        ({"messages": 2.0}, "History.messages must be"),
        ({"result_chars": -1}, "History.result_chars must be a whole number of at least 0 or None, got -1"),
        ({"result_chars": "5"}, "History.result_chars must be"),
        ({"recent": -1}, "History.recent must be a whole number of at least 0, got -1"),
        ({"recent": None}, "History.recent must be a whole number of at least 0, got None"),
        ({"reuse": 1}, "History.reuse must be True or False, got 1"),
    ],
)
def test_wrong_histories(wrong: dict[str, Any], told: str) -> None:
    """Each is told by its name."""
    with pytest.raises(ValueError, match=told):
        History(**wrong)


def test_a_long_transcript_is_fitted_at_once() -> None:
    """The time grows with the transcript, not faster: a hundred thousand messages take less than a few seconds."""
    messages = results(*["x" * 200] * 50_000)
    start = time.monotonic()
    fitted(messages, History(messages=90_000, result_chars=50))
    fitted(messages, History(messages=10))
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("limit", [100, 200, 500])
def test_what_is_not_longer_than_its_cut_stays(limit: int) -> None:
    """A result is either sent as it is, or as something shorter, at every length."""
    cut = len(cut_short("x" * 999, None, limit))
    for length in range(cut - 3, cut + 4):
        messages = results("x" * length)
        sent = fitted(messages, History(result_chars=limit, recent=0))
        assert (sent is messages) is (length <= cut)
        assert len(one_cut("x" * length, limit)) == min(length, cut)


def test_kept_fields_may_fill_their_half() -> None:
    """Those that come to half of the size, braces and commas and all, stay; with one character less the last goes."""
    fields: dict[str, Any] = {"a": "1" * 10, "b": "2" * 10}
    once = cut_short("x" * 900, fields, 400, keep=list(fields))
    half = len(json.dumps(fields, separators=(",", ":")))
    assert json.loads(one_cut(once, 2 * half))["kept"] == fields
    assert json.loads(one_cut(once, 2 * half - 1))["kept"] == {"a": "1" * 10}
    assert '"kept":{"a":"1111111111","b":"2222222222"}' in one_cut(once, 2 * half)
