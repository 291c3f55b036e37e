"""A bank whose payments need leave, and what is asked of its runs: that they pause, are stored, and are whole."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr

from magic_tools import Message, Outcome, Policy, ScriptedModel, Tool, ToolCall, ToolResult, tool
from tests.ways import Ways

__all__ = [
    "APPROVAL",
    "ASK",
    "PAY",
    "Bank",
    "Login",
    "assert_whole",
    "call",
    "in_a_process",
    "paused",
    "raised",
    "stored",
    "unpinned",
]


APPROVAL = Policy(approval=True)


class Bank:
    """A function that needs leave, and others that do not, of which is kept what they did."""

    def __init__(self, policy: Policy = APPROVAL, **options: Any) -> None:
        self.done: list[str] = []

        @tool(policy=policy, **options)
        def pay(to: str, amount: int = 1) -> str:
            """Pay somebody."""
            self.done.append(f"pay {to} {amount}")
            return f"paid {to} {amount}"

        @tool
        def note(text: str) -> str:
            """Write something down."""
            self.done.append(f"note {text}")
            return f"noted {text}"

        self.pay = pay
        self.note = note

    @property
    def tools(self) -> tuple[Tool[..., Any], ...]:
        return (self.pay, self.note)


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


PAY = call("p", "pay", to="Ann")
ASK = call("a", "ask_user", question="Which Ann?")


class Login(BaseModel):
    user: str
    password: SecretStr


def stored(state: Any) -> Any:
    """A state as another process has it."""
    return json.loads(json.dumps(state))


def unpinned(state: Any) -> Any:
    """A state as it was written before runs were pinned to their tools."""
    return {key: held for key, held in stored(state).items() if key != "pins"}


def assert_whole(messages: tuple[Message, ...]) -> None:
    """Each call has its one result in the message after it, and an id of its own."""
    waiting: list[str] = []
    seen: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert [part.call_id for part in message.parts if isinstance(part, ToolResult)] == waiting
            waiting = []
            continue
        assert waiting == []
        waiting = [each.id for each in message.calls]
        seen += waiting
    assert waiting == []
    assert len(set(seen)) == len(seen)


def paused(ways: Ways, tools: Any, *calls: ToolCall, **more: Any) -> Outcome[Any]:
    """A run that pauses after its first reply, which makes these calls."""
    outcome = ways.run("Go", tools=tools, model=ScriptedModel([calls]), **more)
    assert outcome.stop in ("needs_approval", "needs_input")
    assert_whole(outcome.transcript)
    return outcome


def raised(error: BaseException) -> Any:
    raise error


SHOP = '''
import json, os, sys
from magic_tools import *

PATH, LOG = sys.argv[1:3]

def log(text):
    with open(LOG, "a") as file:
        file.write(text + chr(10))

@tool(policy=Policy(approval=True))
def pay(to: str, amount: int = 1) -> str:
    """Pay somebody."""
    log(f"pay {to} {amount}")
    return f"paid {to}"

@tool
def note(text: str) -> str:
    """Write something down."""
    log(f"note {text}")
    return "noted"

@tool
def die(how: str) -> str:
    """End the process."""
    log(f"die {how}")
    if how == "exit":
        raise SystemExit(7)
    if how == "kill":
        os.kill(os.getpid(), 9)
    os._exit(7)

def save(state):
    with open(PATH + ".new", "w") as file:
        json.dump(state, file)
    os.replace(PATH + ".new", PATH)

def call(id, name, **arguments):
    return ToolCall(id, name, json.dumps(arguments))

def read():
    with open(PATH) as file:
        return json.load(file)

TOOLS = [pay, note, die, ask_user]
'''


def in_a_process(script: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SHOP + textwrap.dedent(script), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
