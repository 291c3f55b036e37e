"""The vocabulary: what a message may hold, its way through JSON and back, and the numbers beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Any, get_args

import pytest

from magic_tools.chat import Capabilities, ChatModel, ModelReply, ModelRequest
from magic_tools.messages import ErrorCode, Issue, Message, Part, Repair, Role, TextPart, ToolCall, ToolResult, Usage
from magic_tools.options import Limits

TEXT = TextPart("Where is order A-7?")
CALL = ToolCall("call_1", "find_order", '{"id": "A-7",}')
RESULT = ToolResult(
    "call_1", "find_order", '{"state": "sent"}', value={"state": "sent"}, repairs=(Repair("comma", 12, 13, "trailing"),)
)
FAILED = ToolResult("call_2", "find_order", "no such order", is_error=True, code=ErrorCode.NOT_FOUND)

MESSAGES = [
    Message.system("Answer in one word."),
    Message.user("Ordnung 天气 \U0001f600 \u2028 \x00"),
    Message("user", ()),
    Message("assistant", (TEXT, CALL, TextPart(""), ToolCall("", "", ""))),
    Message("tool", (RESULT, FAILED)),
]

HOLDS: dict[Role, set[type]] = {
    "system": {TextPart},
    "user": {TextPart},
    "assistant": {TextPart, ToolCall},
    "tool": {ToolResult},
}


@pytest.mark.parametrize("role", get_args(Role))
@pytest.mark.parametrize("part", [TEXT, CALL, RESULT], ids=lambda part: type(part).__name__)
def test_a_message_holds_what_its_role_may_say(role: Role, part: Part) -> None:
    """Assistants speak and call, tools answer, the others speak; all else is refused by name."""
    if type(part) in HOLDS[role]:
        assert Message(role, (part,)).parts == (part,)
    else:
        with pytest.raises(ValueError, match=f"role '{role}' cannot hold a {type(part).__name__}"):
            Message(role, (part,))


def test_an_unknown_role_is_refused() -> None:
    """A role that no conversation has is refused with those there are."""
    with pytest.raises(ValueError, match="unknown role 'developer': use one of system, user, assistant, tool"):
        Message("developer", ())  # type: ignore[arg-type]  # the fault that is tested


def test_a_message_gives_its_texts_and_calls() -> None:
    """`text` joins the text parts and `calls` keeps the order; neither sees the other's parts."""
    message = Message("assistant", (TextPart("a"), CALL, TextPart("b"), ToolCall("call_2", "other", "")))
    assert message.text == "ab"
    assert [call.id for call in message.calls] == ["call_1", "call_2"]
    assert Message("tool", (RESULT,)).text == ""


def test_a_message_cannot_change() -> None:
    """What is in a transcript stays as it was said."""
    with pytest.raises(FrozenInstanceError):
        Message.user("a").role = "system"  # type: ignore[misc]  # the fault that is tested


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.role)
def test_a_message_survives_json(message: Message) -> None:
    """Written as JSON and read back, a message is the same one."""
    assert Message.from_data(json.loads(json.dumps(message.to_data()))) == message


def test_a_result_s_value_stays_behind() -> None:
    """What a function returned may be any object: it is no part of the data, nor of equality."""
    (part,) = Message.from_data(Message("tool", (RESULT,)).to_data()).parts
    assert isinstance(part, ToolResult)
    assert part.value is None
    assert part == RESULT


def with_part(role: str, part: object) -> dict[str, object]:
    """The data of a message of one part."""
    return {"role": role, "parts": [part]}


CALL_DATA = {"type": "tool_call", "id": "call_1", "name": "f", "arguments": "{}"}
RESULT_DATA = {
    "type": "tool_result",
    "call_id": "call_1",
    "name": "f",
    "content": "",
    "is_error": False,
    "code": None,
    "repairs": [],
    "fallback": False,
    "reused": False,
    "retryable": False,
    "effect": "applied",
}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (None, "not the data of a message: None"),
        ([], r"not the data of a message: \[\]"),
        ("user", "not the data of a message: 'user'"),
        ({}, "not the data of a message: {}"),
        ({"role": "user"}, "not the data of a message: {'role': 'user'}"),
        ({"parts": []}, "not the data of a message: {'parts'"),
        ({"role": ["user"], "parts": []}, "not the data of a message: {'role'"),
        ({"role": "user", "parts": "hi"}, "not the data of a message: {'role'"),
        ({"role": "user", "parts": {"type": "text"}}, "not the data of a message: {'role'"),
        ({"role": "nobody", "parts": []}, "unknown role 'nobody'"),
        (with_part("user", "hi"), "not the data of a message part: 'hi'"),
        (with_part("user", {"type": "image"}), "not the data of a message part: {'type': 'image'}"),
        (with_part("user", {"type": "text", "text": 5}), "not the data of a message part: {'type': 'text'"),
        (with_part("user", CALL_DATA), "role 'user' cannot hold a ToolCall"),
        (with_part("assistant", CALL_DATA | {"arguments": {}}), "not the data of a message part: {'type': 'tool_call'"),
        (with_part("tool", RESULT_DATA | {"is_error": "no"}), "not the data of a message part: {'type': 'tool_result'"),
        (with_part("tool", RESULT_DATA | {"effect": "some"}), "not the data of a message part: {'type': 'tool_result'"),
        (with_part("tool", RESULT_DATA | {"code": "NOPE"}), "'NOPE' is not a valid ErrorCode"),
        (with_part("tool", RESULT_DATA | {"repairs": ["abcd"]}), "not the data of a repair: 'abcd'"),
        (with_part("tool", RESULT_DATA | {"repairs": [["comma", 1, 2]]}), "not the data of a repair: "),
    ],
)
def test_other_data_is_refused(data: Any, fault: str) -> None:
    """Data that `to_data` cannot have written is a ValueError that shows it."""
    with pytest.raises(ValueError, match=fault):
        Message.from_data(data)


def test_a_refusal_is_short() -> None:
    """However large the wrong data, the error shows the start of it."""
    with pytest.raises(ValueError, match="not the data of a message") as caught:
        Message.from_data({"role": "user", "text": "x" * 10_000})
    assert len(str(caught.value)) < 300


def test_usage_adds_up() -> None:
    """Each kind of token is summed for itself, and nothing is the neutral usage."""
    assert Usage(1, 2, 3, 4) + Usage(10, 20, 30, 40) == Usage(11, 22, 33, 44)
    assert sum([Usage(1), Usage(2)], Usage()) == Usage(3)


def test_an_issue_reads_as_a_sentence() -> None:
    """The place comes first where there is one."""
    assert str(Issue("items[2].price", "a number", '"free"')) == 'items[2].price: expected a number, got "free"'
    assert str(Issue("", "an object", "a list")) == "expected an object, got a list"


def test_an_issue_reads_as_a_sentence_in_chinese() -> None:
    """Chinese has its own punctuation, and a blank only beside what is no Chinese."""
    issue = Issue("items[2].price", "不小于 0 的数", '"free"', "zh")
    assert str(issue) == 'items[2].price：应为不小于 0 的数，收到 "free"'
    assert str(Issue("", "'a' 或 'b'", "空对象", "zh")) == "应为 'a' 或 'b'，收到空对象"


@pytest.mark.parametrize("limits", [{"steps": 1}, {"stalls": 0}, {"retries": 0}, {"steps": 100, "retries": 5}])
def test_limits_take_whole_numbers(limits: Mapping[str, int]) -> None:
    """One step is the least; no retry and no nudge are allowed."""
    assert all(getattr(Limits(**limits), name) == value for name, value in limits.items())


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        ({"steps": 0}, "Limits.steps must be a whole number of at least 1, got 0"),
        ({"steps": 2.0}, "Limits.steps must be a whole number of at least 1, got 2.0"),
        ({"steps": True}, "Limits.steps must be a whole number of at least 1, got True"),
        ({"stalls": -1}, "Limits.stalls must be a whole number of at least 0, got -1"),
        ({"retries": None}, "Limits.retries must be a whole number of at least 0, got None"),
        ({"retries": "2"}, "Limits.retries must be a whole number of at least 0, got '2'"),
    ],
)
def test_limits_refuse_the_rest(limits: Mapping[str, Any], fault: str) -> None:
    """A limit that is too small or no whole number is refused by its name, when it is made."""
    with pytest.raises(ValueError, match=fault):
        Limits(**limits)


def test_a_model_is_whatever_has_its_four_parts() -> None:
    """`ChatModel` is a protocol: a class of one's own is one without deriving from it."""

    class Parrot:
        name = "parrot"
        capabilities = Capabilities()

        def complete(self, request: ModelRequest) -> ModelReply:
            return ModelReply((TextPart(request.messages[-1].text),))

        async def acomplete(self, request: ModelRequest) -> ModelReply:
            return self.complete(request)

    assert isinstance(Parrot(), ChatModel)
    assert not isinstance(object(), ChatModel)
