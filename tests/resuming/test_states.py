"""The data of states: what is refused, what lasts in it, and what is never in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import (
    Context,
    ContextError,
    IdempotencyKey,
    Injected,
    Limits,
    ModelError,
    ModelReply,
    Policy,
    RunError,
    RunOptions,
    ScriptedModel,
    StallError,
    Tool,
    ToolFailure,
    Usage,
    ask_user,
    resume,
    run,
    tool,
)
from tests.resuming.bank import APPROVAL, ASK, PAY, Bank, Login, call, paused, raised, stored
from tests.ways import Ways, results_in

# States that are none, or that cannot go on


def test_a_run_that_has_ended_cannot_go_on(ways: Ways) -> None:
    """Whether well or not: what is asked then is another run."""
    model = ScriptedModel(["done", "", "", ModelReply((), "refusal")])
    ended = [ways.run("Go", model=model)]
    for kind in (StallError, RunError):
        with pytest.raises(kind) as caught:
            ways.run("Go", model=model)
        ended.append(caught.value.outcome)
    ended.append(ways.run("Go", model=ScriptedModel([ModelReply((), "refusal")]), options=RunOptions(fallback="sorry")))
    for outcome in ended:
        with pytest.raises(ValueError, match=rf"this run has ended \({outcome.stop}\): begin another"):
            ways.resume(stored(outcome.state), model=ScriptedModel([]))


A_STATE = run("Go", tools=Bank().tools, model=ScriptedModel([[PAY]])).state


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        "{}",
        json.dumps(A_STATE),
        5,
        {},
        {"version": 1},
        {**A_STATE, "version": 2},
        {**A_STATE, "version": 0},
        {**A_STATE, "version": "1"},
        {**A_STATE, "version": None},
        {key: value for key, value in A_STATE.items() if key != "version"},
        pytest.param({**A_STATE, "version": True}),
    ],
    ids=lambda state: f"{state!r:.30}" if not isinstance(state, dict) else f"version {state.get('version', 'none')}",
)
def test_states_that_are_none(ways: Ways, state: Any) -> None:
    """Something else, or the state of another version, is a ValueError that says so."""
    with pytest.raises(ValueError, match="not the data of a run's state"):
        ways.resume(state, tools=Bank().tools, model=ScriptedModel([]))


def changed(path: str, value: Any) -> Any:
    """The state of a run that waits, with something else in one place."""
    state = copy.deepcopy(A_STATE)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = state
    for part in way:
        place = place[part]
    place[last] = value
    return state


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("transcript", {}),
        ("transcript", None),
        ("transcript.0", {"role": "boss", "parts": []}),
        ("transcript.0.role", "tool"),
        ("transcript.1.parts.0.arguments", {"to": "Ann"}),
        ("limits.steps", 0),
        ("limits.steps", "9"),
        ("limits.speed", 1),
        ("limits.deadline_s", -1),
        ("usage", []),
        ("pending", 5),
        ("pending.0.status", "running"),
        ("pending.0.status", None),
        ("pending.0.call", {"type": "text", "text": "x"}),
        ("pending.0.facts", {}),
        ("pending.0.result", {"type": "tool_call", "id": "x", "name": "pay", "arguments": ""}),
        ("steps", "1"),
        ("seconds", None),
        ("language", "fr"),
        ("phase", "nowhere"),
        ("hinted", 0),
        ("repairs", [["fence"]]),
        pytest.param("steps", -100),
        pytest.param("steps", True),
        pytest.param("seconds", float("nan")),
        pytest.param("seconds", -1e9),
        pytest.param("usage.input_tokens", "12"),
        pytest.param("failures", {"pay": "2"}),
        pytest.param("finish", "because"),
        pytest.param("closing", "whenever"),
        pytest.param("tool_choice", ""),
        pytest.param("asked", -1),
        ("recent", [{"digest": 1, "token": 2, "call_id": 3, "count": "x"}]),
        pytest.param("pending.0.facts.held", "hostage"),
        pytest.param("pending.0.facts.held", ""),
        pytest.param("pending.0.facts.digest", 7),
        pytest.param("pending.0.approved", "no"),
        pytest.param("pending", []),
        pytest.param("pending.0.call.id", "other"),
        pytest.param("transcript.1.parts.0.id", "other"),
        pytest.param("transcript", []),
    ],
    ids=str,
)
def test_garbage_in_a_state(path: str, value: Any) -> None:
    """What `to_data` cannot have written is a ValueError at once, and nothing is asked or done."""
    bank = Bank()
    model = ScriptedModel(["done"] * 5)
    with pytest.raises(ValueError, match=r"."):
        resume(changed(path, value), tools=bank.tools, model=model)
    assert (model.requests, bank.done) == ([], [])


def test_a_state_whose_calls_are_gone_is_never_sent(ways: Ways) -> None:
    """A transcript that is not whole is not sent, as it is not in a prompt."""
    model = ScriptedModel(["done"])
    with pytest.raises(ValueError, match=r"."):
        ways.resume(changed("pending", []), tools=Bank().tools, model=model)
    assert model.requests == []


def test_a_state_is_not_changed_by_going_on(ways: Ways) -> None:
    """The same state can be gone on with again."""
    bank = Bank()
    state = stored(A_STATE)
    before = copy.deepcopy(state)
    ways.resume(state, {"p": True}, tools=bank.tools, model=ScriptedModel(["done"]))
    assert state == before


def test_a_context_that_lacks_something(ways: Ways) -> None:
    """It is said before anything is done, as at the beginning."""

    @tool(policy=APPROVAL)
    def pay(to: str, bank: Injected[str]) -> str:
        """Pay somebody."""
        return f"{to} {bank}"

    state = stored(paused(ways, [pay], PAY, context={"bank": "b"}).state)
    with pytest.raises(ContextError, match="bank"):
        ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel([]))
    assert ways.resume(state, {"p": True}, tools=[pay], model=ScriptedModel(["ok"]), context={"bank": "b"}).ok


def test_options_that_are_none(ways: Ways) -> None:
    """As `run` does, `resume` refuses what is no RunOptions."""
    with pytest.raises(ValueError, match="options are RunOptions"):
        ways.resume(A_STATE, {"p": True}, tools=Bank().tools, model=ScriptedModel([]), options={"language": "zh"})


# What lasts


def test_limits_last(ways: Ways) -> None:
    """Steps, tokens and failures go on from where they were."""
    bank = Bank()
    reply = ModelReply((PAY,), "tool_calls", Usage(50, 10))
    outcome = ways.run("Go", tools=bank.tools, model=ScriptedModel([reply]), limits=Limits(tokens=100, steps=2))
    last = ScriptedModel([ModelReply((call("n", "note", text="x"),), "tool_calls", Usage(20, 15)), "end"])
    after = ways.resume(stored(outcome.state), {"p": True}, tools=bank.tools, model=last)
    assert (after.value, after.steps, after.usage) == ("end", 2, Usage(70, 25))
    assert after.stop == "step_limit"
    assert last.requests[1].tool_choice == "none"


def test_the_language_lasts(ways: Ways) -> None:
    """A run goes on in its own language, whatever the options say."""
    bank = Bank()
    outcome = paused(ways, bank.tools, PAY, options=RunOptions(language="zh"))
    for options in (None, RunOptions(language="en")):
        model = ScriptedModel(["好"])
        after = ways.resume(stored(outcome.state), {"p": False}, tools=bank.tools, model=model, options=options)
        assert "人" in results_in(after.transcript)[0].content


def test_idempotency_keys_last(ways: Ways) -> None:
    """A call that is made again after a crash has the key that it had, also where the options name another run."""
    keys: list[str] = []

    @tool(policy=Policy(idempotent=True))
    def pay(to: str, key: Injected[IdempotencyKey]) -> str:
        """Pay somebody."""
        keys.append(str(key))
        return f"paid {to}"

    kept: list[Any] = []
    options = RunOptions(checkpoint=lambda state: kept.append(stored(state)))
    ways.run("Go", tools=[pay], model=ScriptedModel([PAY, "done"]), options=options)
    state = next(state for state in kept if state["pending"])
    assert state["run_id"]
    for again in (None, RunOptions(run_id="another")):
        ways.resume(state, tools=[pay], model=ScriptedModel(["done"]), options=again)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    ways.run("Go", tools=[pay], model=ScriptedModel([PAY, "done"]))
    assert len(set(keys)) == 2


# Secrets


def secret_bank(preview: Callable[..., Any] | None = None) -> tuple[list[str], Tool[..., Any]]:
    done: list[str] = []

    @tool(policy=APPROVAL)
    def log_in(login: Login, pin: SecretStr, token: Injected[str], vault: Injected[SecretStr]) -> str:
        """Log in."""
        done.append(f"{login.password.get_secret_value()} {pin.get_secret_value()} {token}")
        return f"in with {vault.get_secret_value()}"

    if preview is not None:
        log_in.preview(preview)
    return done, log_in


LOG_IN = call("l", "log_in", login={"user": "ann", "password": "pass-word-1"}, pin="pin-4711")


SECRETS = {"token": "token-0815", "vault": SecretStr("vault-0816")}


HIDDEN = ("pass-word-1", "pin-4711", "token-0815", "vault-0816")


def tell_all(login: Login, pin: SecretStr, token: str, vault: SecretStr) -> Any:
    texts = [login.password.get_secret_value(), pin.get_secret_value(), token, vault.get_secret_value()]
    return {"texts": texts, "one": " ".join(texts), texts[0]: [pin, vault]}


@pytest.mark.parametrize("preview", [None, tell_all])
def test_secrets_are_not_shown(ways: Ways, preview: Any) -> None:
    """Neither secret arguments nor what the context fills in is shown, also by an author who lets it slip."""
    _, log_in = secret_bank(preview)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS)
    shown = json.dumps([outcome.waiting[0].arguments, outcome.waiting[0].preview])
    assert "ann" in shown or preview
    assert not [text for text in HIDDEN if text in shown]


def test_what_the_context_fills_in_is_not_in_the_state(ways: Ways) -> None:
    """Neither while the run waits, nor after its tool has told it on; the model's own words are as it wrote them."""
    done, log_in = secret_bank(tell_all)
    kept: list[Any] = []
    options = RunOptions(checkpoint=kept.append)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS, options=options)
    kept.append(outcome.state)
    model = ScriptedModel([ModelError("down")])
    with pytest.raises(ModelError) as caught:
        ways.resume(stored(outcome.state), {"l": True}, tools=[log_in], model=model, context=SECRETS, options=options)
    assert done == ["pass-word-1 pin-4711 token-0815"]
    assert caught.value.outcome is not None
    kept.append(caught.value.outcome.state)
    assert len(kept) >= 4
    for state in kept:
        text = json.dumps(state)
        assert "token-0815" not in text
        assert "vault-0816" not in text
        pending = json.dumps([each["preview"] for each in state["pending"]])
        assert not [secret for secret in HIDDEN if secret in pending]


def test_secrets_are_not_shown_where_a_resume_fails(ways: Ways) -> None:
    """Where a run that goes on is interrupted before it has looked at what waits, that is shown with as little."""
    _, log_in = secret_bank()
    errors: list[BaseException] = []
    log_in.rule(lambda: raised(errors.pop()) if errors else True)
    outcome = paused(ways, [log_in], LOG_IN, context=SECRETS)
    errors.append(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt) as caught:
        ways.resume(stored(outcome.state), {"l": True}, tools=[log_in], model=ScriptedModel([]), context=SECRETS)
    shown = repr(caught.value.outcome.waiting)  # type: ignore[attr-defined]  # which it was given
    assert "log_in" in shown
    assert not [text for text in HIDDEN if text in shown]


def test_a_secret_that_is_another_is_another_call(ways: Ways) -> None:
    """Leave is for the secret too, though it is not shown: another one in the state is asked about anew."""
    done, log_in = secret_bank()
    state = stored(paused(ways, [log_in], LOG_IN, context=SECRETS).state)
    changed = json.loads(json.dumps(state).replace("pass-word-1", "pass-word-2"))
    after = ways.resume(changed, {"l": True}, tools=[log_in], model=ScriptedModel([]), context=SECRETS)
    assert (after.stop, done) == ("needs_approval", [])


def test_the_context_is_not_in_the_state(ways: Ways) -> None:
    """Neither what tools were given of it, nor what they sent on of its secrets, nor its names."""

    class Deep(BaseModel):
        key: SecretStr
        name: str

    @tool
    def look(what: str, deep: Injected[Deep], ctx: Context) -> str:
        """Look something up."""
        return f"{what}: {deep.key.get_secret_value()}"

    @tool
    def fail(token: Injected[str]) -> str:
        """Fail."""
        raise ToolFailure(f"no such token: {token}")

    kept: list[Any] = []
    context = {"deep": Deep(key=SecretStr("deep-secret"), name="deep-name"), "token": "token-0815", "more": "more-17"}
    calls = [call("a", "look", what="x"), call("b", "fail"), ASK]
    outcome = paused(ways, [look, fail, ask_user], *calls, context=context, options=RunOptions(checkpoint=kept.append))
    text = json.dumps([*kept, outcome.state])
    assert not [secret for secret in ("deep-secret", "deep-name", "token-0815", "more-17") if secret in text]
