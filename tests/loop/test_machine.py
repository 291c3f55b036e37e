"""The loop's decisions: each event in each state, limits, ids, counts, and state that survives JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest

from magic_tools.chat import ModelReply
from magic_tools.loop.machine import step
from magic_tools.loop.state import LoopState, ids_in
from magic_tools.loop.steps import (
    Action,
    CallModel,
    Finish,
    Replied,
    RunTools,
    Started,
    ToolsRan,
)
from magic_tools.messages import ErrorCode, Message, Repair, TextPart, ToolCall, ToolResult, Usage
from magic_tools.options import Limits
from tests.loop.events import ASKED, ISSUES, LAST_WORD, START, after, calls, facts, fresh, limited, ran, said, text


def test_the_first_thing_is_a_request() -> None:
    """A run begins by sending the transcript as it is."""
    assert step(START, Started()) == (START, CallModel("auto"))


def test_an_answer_ends_the_run() -> None:
    """A valid text is the end, well; the reply stands in the transcript and counts."""
    reply = ModelReply((TextPart("12"),), "stop", Usage(3, 4), "gpt-5")
    repairs = (Repair("fence", 0, 1, ""),)
    state, action = step(START, Replied(reply, "valid", repairs=repairs))
    assert action == Finish("final", ok=True)
    assert state.transcript == (ASKED, Message("assistant", (TextPart("12"),)))
    assert (state.steps, state.usage, state.model, state.repairs) == (1, Usage(3, 4), "gpt-5", repairs)


def test_calls_are_run_and_their_results_sent() -> None:
    """All calls of a reply are made; with their results the model is asked again."""
    state, action = after(calls("stock", "sell"))
    assert action == RunTools((ToolCall("c1", "stock", "{}"), ToolCall("c2", "sell", "{}")))
    results = (
        ToolResult(state.pending[0].call.id, "stock", "3", repairs=(Repair("a", 0, 1, ""),)),
        ToolResult("c2", "sell", "ok"),
    )
    state, action = step(state, ToolsRan(results))
    assert action == CallModel("auto")
    assert state.transcript[-1] == Message("tool", results)
    assert state.repairs == (Repair("a", 0, 1, ""),)


def test_text_beside_calls_is_no_answer_yet() -> None:
    """A reply with calls is never the end, whatever its text; the text stays in the transcript."""
    call = ToolCall("c1", "stock", "{}")
    state, action = step(START, Replied(ModelReply((TextPart("12"), call)), "silent", calls=(facts("stock"),)))
    assert action == RunTools((call,))
    assert state.transcript[-1].parts == (TextPart("12"), call)


def test_usage_and_model_are_kept_over_replies() -> None:
    """Tokens add up; a reply that does not say who answered leaves who did before."""
    state, _ = after(
        text("invalid", usage=Usage(1, 2), model="gpt-5"), text("invalid", usage=Usage(10, 20)), text(usage=Usage(100))
    )
    assert (state.usage, state.model, state.steps) == (Usage(111, 22), "gpt-5", 3)


def test_an_invalid_answer_is_told_and_asked_again() -> None:
    """The model is told in its own words what was wrong."""
    state, action = after(text("invalid"))
    assert action == CallModel("auto")
    assert state.transcript[-1] == Message.user(
        "Your answer was refused: name: expected a string, got 5. Give the whole answer again, with this mended."
    )


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_invalid_answers_are_counted(retries: int) -> None:
    """`retries` answers that do not fit are let go on; one more ends the run with its issues, and no last request."""
    state, action = after(*[text("invalid")] * retries, state=limited(retries=retries))
    assert isinstance(action, CallModel)
    state, action = after(text("invalid"), state=state)
    assert action == Finish("invalid_output", ok=False, issues=ISSUES)
    assert state.transcript[-1].role == "assistant"


@pytest.mark.parametrize("stalls", [0, 1, 3])
@pytest.mark.parametrize("said", ["", "..."])
def test_silence_is_nudged(stalls: int, said: str) -> None:
    """`stalls` silent replies get a nudge; one more ends the run by stall, with no last request."""
    state, action = after(*[text("silent", said)] * stalls, state=limited(stalls=stalls))
    assert isinstance(action, CallModel)
    assert [message.text for message in state.transcript if message.role == "user"][1:] == [
        "Your reply was empty. Give the answer now, or call a tool."
    ] * stalls
    assert after(text("silent", said), state=state)[1] == Finish("stall", ok=False)


@pytest.mark.parametrize("between", [(calls("stock"), ""), (text("invalid"),)])
def test_silence_counts_in_a_row(between: tuple[Any, ...]) -> None:
    """Anything that was said between two silences begins the count again."""
    silent = text("silent", "")
    assert after(silent, *between, silent)[1] == CallModel("auto")
    assert after(silent, *between, silent, silent)[1] == Finish("stall", ok=False)


def test_a_cut_answer_ends_the_run() -> None:
    """A truncated answer is never asked for again: it would be cut again."""
    state, action = after(text("truncated", finish="length"))
    assert action == Finish("truncated", ok=False)
    assert state.transcript[-1].text == "12"


def test_cut_calls_are_never_made() -> None:
    """Calls of a cut reply are answered as not run, each once, and the run ends."""
    state, action = after(calls("stock", "sell", finish="length"))
    assert action == Finish("truncated", ok=False)
    assert [
        (part.call_id, part.name, part.is_error, part.code)
        for part in state.transcript[-1].parts
        if isinstance(part, ToolResult)
    ] == [("c1", "stock", True, ErrorCode.CONFLICT), ("c2", "sell", True, ErrorCode.CONFLICT)]
    assert "Not run: the reply was cut" in str(state.transcript[-1].parts[0])


@pytest.mark.parametrize(
    "event", [text(finish="refusal"), text("invalid", "No.", finish="refusal"), text("silent", "", "refusal")]
)
def test_a_refusal_ends_the_run(event: Replied) -> None:
    """A refusal is no answer, whatever its text, and nothing more is asked or said."""
    state, action = after(event)
    assert action == Finish("refusal", ok=False)
    assert all(message.role in ("user", "assistant") for message in state.transcript)


def test_a_refusal_with_calls() -> None:
    """Its calls are answered as not run."""
    state, action = after(calls("stock", finish="refusal"))
    assert action == Finish("refusal", ok=False)
    assert "Not run: the model declined" in str(state.transcript[-1].parts[0])


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(
    ("event", "results"), [(fresh, True), (partial(text, "invalid"), False), (partial(text, "silent", ""), False)]
)
def test_the_step_limit_ends_well(steps: int, event: Callable[..., Replied], results: bool) -> None:
    """At the limit one last request is made, without tools, that no step counts; a valid answer to it is the end."""
    state = limited(steps=steps, retries=9, stalls=9)
    action: Action = CallModel()
    for _ in range(steps):
        assert action == CallModel("auto")
        state, action = after(event("stock") if results else said(event), *([""] if results else []), state=state)
    assert action == CallModel("none", last=True)
    assert state.closing == "step_limit"
    assert LAST_WORD in state.transcript[-1].text
    state, action = after(text(), state=state)
    assert (action, state.steps) == (Finish("step_limit", ok=True), steps)


@pytest.mark.parametrize(
    ("event", "action"),
    [
        (text("invalid"), Finish("step_limit", ok=False, issues=ISSUES)),
        (text("silent", ""), Finish("step_limit", ok=False)),
        (text("truncated"), Finish("truncated", ok=False)),
        (text(finish="refusal"), Finish("refusal", ok=False)),
        (calls("stock"), Finish("step_limit", ok=False)),
        (calls("stock", finish="length"), Finish("truncated", ok=False)),
    ],
)
def test_nothing_comes_after_the_last_request(event: Replied, action: Finish) -> None:
    """Whatever the last reply is, the run ends; its calls are answered as not run."""
    state, asked = after(calls("stock"), "", state=limited(steps=1))
    assert asked == CallModel("none", last=True)
    state, ended = after(event, state=state)
    assert (ended, state.steps) == (action, 1)
    assert not state.transcript[-1].calls


@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("name", ["stock", "nowhere"])
def test_failing_calls_are_counted(retries: int, name: str) -> None:
    """A tool may fail `retries` times in a row, and so may calls of unknown names; one more is the last request."""
    state = limited(retries=retries)
    for _ in range(retries):
        state, action = after(fresh(name), name, state=state)
        assert action == CallModel("auto")
    state, action = after(fresh(name), name, state=state)
    assert (action, state.closing) == (CallModel("none", last=True), "tool_failures")
    assert LAST_WORD in state.transcript[-1].text
    assert after(text(), state=state)[1] == Finish("tool_failures", ok=True)


def failing(*replies: str) -> tuple[Any, ...]:
    """Replies, each the names of its calls with a ! after those that fail, as events."""
    return tuple(
        event
        for names in replies
        for event in (
            fresh(*names.replace("!", "").split()),
            " ".join(name[:-1] for name in names.split() if name.endswith("!")) or "",
        )
    )


@pytest.mark.parametrize(
    ("replies", "goes_on"),
    [
        (["stock!", "stock!", "stock", "stock!", "stock!"], True),
        (["stock! stock!", "stock! stock!"], True),
        (["stock! stock!", "stock! stock!", "stock!"], False),
        (["stock!", "sell!", "stock!", "sell!"], True),
        (["stock!", "sell", "stock!", "sell", "stock!"], False),
        (["nowhere!", "nobody!", "nothing!"], False),
        (["nowhere!", "nobody!", "stock", "nothing!", "never!"], True),
        (["nowhere!", "nobody!", "stock!", "nothing!"], False),
        (["nowhere! stock", "nobody! stock", "nothing! stock"], False),
        (["nowhere! nobody! nothing!"], True),
    ],
)
def test_failures_count_in_a_row(replies: list[str], goes_on: bool) -> None:
    """A success of the tool begins its count again, for unknown names that of any; several in a reply are one."""
    state, action = after(*failing(*replies))
    assert (action == CallModel("auto")) is goes_on
    assert (state.closing is None) is goes_on


@pytest.mark.parametrize(
    ("ids", "own"),
    [
        (("a", "b"), ("a", "b")),
        (("", ""), ("call_1", "call_2")),
        (("x", "x"), ("x", "x_2")),
        (("x", "x", "x"), ("x", "x_2", "x_3")),
        (("x", "x", "x_2"), ("x", "x_2", "x_2_3")),
        (("call_2", ""), ("call_2", "call_3")),
    ],
)
def test_every_call_has_an_id_of_its_own(ids: tuple[str, ...], own: tuple[str, ...]) -> None:
    """Missing and repeated ids are replaced, in the transcript and in what is run alike."""
    state, action = after(calls(*(f"stock:{n}" for n in range(len(ids))), ids=ids))
    assert isinstance(action, RunTools)
    assert tuple(call.id for call in action.calls) == own
    assert state.transcript[-1].calls == action.calls


def test_ids_are_unique_over_the_whole_run() -> None:
    """An id that an earlier turn had, this run's or the prompt's, is not given again."""
    state, _ = after(calls("stock:1", ids=("x",)), "", calls("stock:2", ids=("x",)), "", calls("stock:3", ids=("",)))
    assert [call.id for message in state.transcript for call in message.calls] == ["x", "x_2", "call_3"]
    earlier = (Message("assistant", (ToolCall("x", "stock", ""),)), Message("tool", (ToolResult("x", "stock", "3"),)))
    begun = START._replace(transcript=(*earlier, ASKED), ids=ids_in(earlier))
    state, _ = after(calls("stock", ids=("x",)), state=begun)
    assert state.transcript[-1].calls[0].id == "x_2"


def test_blank_texts_are_not_kept() -> None:
    """A transcript holds no empty text, and no message without parts."""
    call = ToolCall("c1", "stock", "{}")
    said = (TextPart(""), call, TextPart(" \n"))
    state, _ = step(START, Replied(ModelReply(said), "silent", calls=(facts("stock"),)))
    assert state.transcript[-1].parts == (call,)
    state, _ = step(START, Replied(ModelReply((TextPart(""), TextPart(" "))), "valid"))
    assert state.transcript == (ASKED,)


def test_step_changes_nothing() -> None:
    """The state that goes in is as it was, its counts included."""
    state, action = after(fresh("stock"), "stock", fresh("stock"))
    before = state.to_data()
    step(state, ran(state, action, "stock"))
    assert state.to_data() == before


def a_long_run() -> LoopState:
    state, _ = after(
        text("invalid", usage=Usage(1, 2, 3, 4), model="gpt-5"),
        text("silent", ""),
        *failing("stock! nowhere!", "sell!"),
        fresh("stock"),
        state=START._replace(
            limits=Limits(steps=5, repeats=2, stalls=2, retries=3), transcript=(Message.system("Be brief."), ASKED)
        ),
    )
    results = (ToolResult(state.pending[0].call.id, "stock", "3", repairs=(Repair("fence", 0, 9, "took"),)),)
    return step(state, ToolsRan(results))[0]


def test_state_survives_json() -> None:
    """Written as JSON and read back, a state is the same, and the run goes on the same."""
    state = a_long_run()._replace(repairs=(Repair("unwrapped", None, None, "took"), Repair("fence", 0, 9, "took")))
    assert state.closing == "step_limit"
    read = LoopState.from_data(json.loads(json.dumps(state.to_data())))
    assert read == state
    assert step(read, text()) == step(state, text())
    assert LoopState.from_data(START.to_data()) == START


@pytest.mark.parametrize("key", sorted(START.to_data().keys() - {"pins"}))
def test_data_that_lacks_something(key: str) -> None:
    """Data without one of its parts is refused, naming it or showing what came."""
    data = START.to_data()
    del data[key]
    with pytest.raises(ValueError, match="not the data of a run's state"):
        LoopState.from_data(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": 2},
        {"version": "1"},
        {"version": None},
        {"transcript": None},
        {"transcript": ["hi"]},
        {"transcript": [{"role": "user"}]},
        {"limits": {"steps": 1, "speed": 2}},
        {"limits": {"steps": 0}},
        {"limits": None},
        {"usage": {"tokens": 1}},
        {"usage": 5},
        {"repairs": [["fence"]]},
        {"repairs": [5]},
        {"pending": [{"call": {}}]},
        {"recent": [{"digest": "a"}]},
        {"steps": "1"},
        {"closing": 5},
        {"reusable": {"a": {"type": "text", "text": "b"}}},
    ],
    ids=str,
)
def test_data_of_something_else(wrong: Mapping[str, Any]) -> None:
    """Data of another version, or of another shape, is a ValueError."""
    with pytest.raises(ValueError, match=r"not the data|Limits\.steps"):
        LoopState.from_data({**START.to_data(), **wrong})


@pytest.mark.parametrize("data", [None, [], "state", 5, {}])
def test_data_that_is_no_state_at_all(data: Any) -> None:
    """Whatever else is refused, and the start of it shown."""
    with pytest.raises(ValueError, match="not the data of a run's state in version 1: "):
        LoopState.from_data(data)
