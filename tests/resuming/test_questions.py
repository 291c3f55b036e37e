"""Questions to a person wait for their answers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from magic_tools import ErrorCode, ScriptedModel, Toolset, WaitingCall, ask_user
from tests.resuming.bank import ASK, PAY, Bank, Login, call, paused, stored
from tests.ways import Ways, results_in


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Ann Lee", "Ann Lee"),
        ("", ""),
        ('{"a": 1}', '{"a": 1}'),
        ("安妮\n\u2028", "安妮\n\u2028"),
        (5, "5"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ({"name": "Ann", "ids": [1, 2.5]}, '{"name":"Ann","ids":[1,2.5]}'),
        (("a", "b"), '["a","b"]'),
        (Login(user="ann", password=SecretStr("x")), '{"user":"ann","password":"**********"}'),
    ],
    ids=repr,
)
def test_a_question_is_answered(ways: Ways, answer: Any, told: str) -> None:
    """A text is told as it is, all else as JSON."""
    outcome = paused(ways, [ask_user], ASK)
    assert outcome.stop == "needs_input"
    assert outcome.waiting == (
        WaitingCall("a", "ask_user", "question", {"question": "Which Ann?"}, {"question": "Which Ann?"}),
    )
    after = ways.resume(stored(outcome.state), {"a": answer}, tools=[ask_user], model=ScriptedModel(["ok"]))
    (result,) = results_in(after.transcript)
    assert (result.content, result.is_error, after.value) == (told, False, "ok")


@pytest.mark.parametrize("answer", [object(), {1: object()}, b"\xff", lambda: 5], ids=["object", "in", "bytes", "fn"])
def test_answers_without_a_json_form(ways: Ways, answer: Any) -> None:
    """They are a ValueError, and the run can still be gone on with."""
    state = stored(paused(ways, [ask_user], ASK).state)
    with pytest.raises(ValueError):  # noqa: PT011 - in the words of the encoder
        ways.resume(state, {"a": answer}, tools=[ask_user], model=ScriptedModel([]))
    assert ways.resume(state, {"a": "x"}, tools=[ask_user], model=ScriptedModel(["ok"])).ok


def test_both_kinds_at_once(ways: Ways) -> None:
    """A call that needs leave goes before a question in the reason; each is decided in its own way."""
    bank = Bank()
    tools = (*bank.tools, ask_user)
    outcome = paused(ways, tools, ASK, PAY)
    assert outcome.stop == "needs_approval"
    assert [(each.call_id, each.kind) for each in outcome.waiting] == [("a", "question"), ("p", "approval")]
    one = ways.resume(stored(outcome.state), {"p": True}, tools=tools, model=ScriptedModel([]))
    assert (one.stop, bank.done) == ("needs_input", ["pay Ann 1"])
    other = ways.resume(stored(outcome.state), {"a": True}, tools=tools, model=ScriptedModel([]))
    assert other.stop == "needs_approval"
    with pytest.raises(ValueError, match="True or False"):
        ways.resume(stored(other.state), {"p": "true"}, tools=tools, model=ScriptedModel([]))
    bank.done.clear()
    both = ways.resume(stored(outcome.state), {"p": False, "a": "Lee"}, tools=tools, model=ScriptedModel(["ok"]))
    assert results_in(both.transcript)[0].content == "Lee"
    assert bank.done == []


def test_questions_that_are_none(ways: Ways) -> None:
    """A question that is too long, or not there, is told to the model, and no person is bothered."""
    wrongs: list[dict[str, Any]] = [{"question": "x" * 501}, {}, {"question": [5]}, {"question": "a", "to": "b"}]
    for arguments in wrongs:
        outcome = ways.run("Go", tools=[ask_user], model=ScriptedModel([call("a", "ask_user", **arguments), "ok"]))
        assert (outcome.value, results_in(outcome.transcript)[0].code) == ("ok", ErrorCode.INVALID_ARGUMENT)


def test_a_question_that_was_answered_is_not_asked_twice(ways: Ways) -> None:
    """The same question again is a repeat, and is told with the answer."""
    state = stored(paused(ways, [ask_user], ASK).state)
    model = ScriptedModel([call("b", "ask_user", question="Which Ann?"), "ok"])
    after = ways.resume(state, {"a": "Lee"}, tools=[ask_user], model=model)
    assert after.value == "ok"
    assert "Lee" in results_in(after.transcript)[1].content


def test_nobody_can_be_asked_by_hand() -> None:
    """Outside of a run the tool says so."""
    result = ask_user.invoke({"question": "Who?"})
    assert (result.code, result.content.startswith("Nobody can be asked here")) == (ErrorCode.CONFLICT, True)


def test_ask_user_under_another_name(ways: Ways) -> None:
    """Renamed, it asks all the same."""
    tools = Toolset(ask_user).renamed({"ask_user": "ask"})
    outcome = paused(ways, tools, call("a", "ask", question="Who?"))
    assert (outcome.stop, outcome.waiting[0].name) == ("needs_input", "ask")
    assert ways.resume(stored(outcome.state), {"a": "x"}, tools=tools, model=ScriptedModel(["ok"])).ok
