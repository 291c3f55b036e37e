"""Section F of the cases drawn from public failures: typed answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import AwareDatetime, BaseModel, Field

from magic_tools import (
    Capabilities,
    Limits,
    Message,
    ModelReply,
    ModelRequest,
    ModelSettings,
    OutputError,
    RunOptions,
    ScriptedModel,
    TextPart,
    ToolCall,
    ToolResult,
    TruncatedError,
    Usage,
    aextract,
    extract,
    output_tool,
    tool,
)
from magic_tools.models.openai_chat import WIRE
from magic_tools.models.registry import load_model
from tests.models.wire_server import Answer, WireServer
from tests.ways import RunIt

LIKE_OPENAI = Capabilities(native_schema=True, object_root=True, tools=True, forced_choice=True)
TOOLS_ALONE = Capabilities(tools=True)


class Item(BaseModel):
    name: str
    n: int = 1


class Apple(BaseModel):
    kind: Literal["Apple"]
    weight: int


class Banana(BaseModel):
    kind: Literal["Banana"]
    bend: int


class Coat(BaseModel):
    kind: Literal["Coat"]
    fruit: Apple | Banana


Tagged = Annotated[Apple | Banana, Field(discriminator="kind")]


def told(message: Message) -> str:
    """What a message says, be it as text or as results."""
    return message.text + "".join(part.content for part in message.parts if isinstance(part, ToolResult))


def sent_schema(request: ModelRequest) -> dict[str, Any]:
    """The schema of the answer, as OpenAI is sent it: that of the format, else of the output tool."""
    payload = WIRE.encode(request, "m", ModelSettings())
    if "response_format" in payload:
        found: dict[str, Any] = payload["response_format"]["json_schema"]["schema"]
        return found
    (function,) = [each["function"] for each in payload["tools"]]
    parameters: dict[str, Any] = function["parameters"]
    return parameters


class Ask:
    """A way in which an answer is asked for, and given."""

    def __init__(self, capabilities: Capabilities) -> None:
        self.capabilities = capabilities

    def reply(self, text: str) -> str | ToolCall:
        """An answer as the model gives it: in the format that it is held to, else in a call."""
        return text if self.capabilities.native_schema else ToolCall("", "final_answer", text)

    def model(self, *answers: Any) -> ScriptedModel:
        return ScriptedModel(map(self.reply, map(json.dumps, answers)), capabilities=self.capabilities)


@pytest.fixture(params=[LIKE_OPENAI, TOOLS_ALONE], ids=["as text", "by a call"])
def ask(request: pytest.FixtureRequest) -> Ask:
    return Ask(request.param)


WRAPPED: dict[str, tuple[Any, Any, Any, list[Any]]] = {
    # of each output type: what is answered, what that is, and what is to be refused by the name of the key
    "a list": (
        list[Item],
        [{"name": "a"}, {"name": "b", "n": 2}],
        [Item(name="a"), Item(name="b", n=2)],
        [{"name": "a"}],
    ),
    "an empty list": (list[Item], [], [], [{"name": "a", "n": 1}]),
    "a list of one": (list[Item], [{"name": "a"}], [Item(name="a")], [{"name": "a"}, "a", 5]),
    "a list of numbers": (list[int], [1, 2], [1, 2], [3, {"a": 1}, "x"]),
    "a list of lists": (list[list[int]], [[1], [2]], [[1], [2]], [3]),
    "a list of dicts": (list[dict[str, int]], [{"a": 1}], [{"a": 1}], [{"a": 1}]),
    "a set": (set[int], [1, 2], {1, 2}, [3, {"a": 1}]),
    "a frozen set": (frozenset[str], ["a"], frozenset("a"), [{"a": 1}]),
    "a tuple of any length": (tuple[int, ...], [1, 2], (1, 2), [3]),
    "a tuple": (tuple[int, str], [1, "a"], (1, "a"), [{"a": 1}, 1]),
    "a sequence": (Sequence[Item], [{"name": "a"}], [Item(name="a")], [{"name": "a"}]),
    "a number": (int, 3, 3, [{"n": "x"}]),
    "a truth": (bool, True, True, [{"n": 1}]),
    "a choice": (Literal["a", "b"], "a", "a", [{"n": 1}]),
    "one or none": (Item | None, {"name": "a"}, Item(name="a"), [[1]]),
    "none": (Item | None, None, None, [[1]]),
    "a list or none": (list[int] | None, [1], [1], [{"a": 1}]),
    "one of two": (Apple | Banana, {"kind": "Apple", "weight": 1}, Apple(kind="Apple", weight=1), [[1]]),
}
MANY = [name for name, (_, answer, _, _) in WRAPPED.items() if isinstance(answer, list)]


def the_only_key(schema: Mapping[str, Any]) -> str:
    """The key of a wrapper, of which this asserts that it is one."""
    assert schema["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & schema.keys()
    (key,) = schema["required"]
    assert list(schema["properties"]) == [key]
    assert isinstance(key, str)
    return key


@pytest.mark.parametrize("case", WRAPPED)
def test_f1_the_wrapper_as_the_wire_says(run_it: RunIt, ask: Ask, case: str) -> None:
    """The root is an object with one required key, and what is under it is the value."""
    output, answer, value, _ = WRAPPED[case]
    model = ask.model({"value": answer})
    outcome = run_it("go", output=output, model=model)
    assert the_only_key(sent_schema(model.requests[0])) == "value"
    assert (outcome.value, type(outcome.value)) == (value, type(value))
    assert outcome.repairs == ()
    assert len(model.requests) == 1


@pytest.mark.parametrize("case", WRAPPED)
def test_f1_the_bare_value(run_it: RunIt, case: str) -> None:
    """What was left without its wrapper is the same value, and that is listed."""
    output, answer, value, _ = WRAPPED[case]
    model = ScriptedModel([json.dumps(answer)], capabilities=LIKE_OPENAI)
    outcome = run_it("go", output=output, model=model)
    assert (outcome.value, type(outcome.value)) == (value, type(value))
    assert [repair.kind for repair in outcome.repairs] == ["unwrapped"]
    assert len(model.requests) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", MANY)
def test_f1_the_bare_array_in_a_call(run_it: RunIt, case: str, language: Any) -> None:
    """As arguments it is the same value, or there is one retry whose text names the key."""
    output, answer, value, _ = WRAPPED[case]
    model = Ask(TOOLS_ALONE).model(answer, {"value": answer})
    outcome = run_it("go", output=output, model=model, options=RunOptions(language=language))
    assert (outcome.value, type(outcome.value)) == (value, type(value))
    assert len(model.requests) <= 2
    assert len(model.requests) == 1 or "value" in told(model.requests[1].messages[-1])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", WRAPPED)
def test_f1_a_single_object_for_many(run_it: RunIt, ask: Ask, case: str, language: Any) -> None:
    """It is asked for anew, with the key named, and the array where one is due; it is never a list of one."""
    output, answer, value, wrong = WRAPPED[case]
    for single in wrong:
        for spelled in (single, {"value": single}):
            model = ask.model(spelled, {"value": answer})
            outcome = run_it("go", output=output, model=model, options=RunOptions(language=language))
            assert outcome.value == value
            assert len(model.requests) == 2, f"{spelled} was taken"
            said = told(model.requests[1].messages[-1])
            assert "value" in said
            if case in MANY and ask.capabilities.native_schema:
                assert ("数组" if language == "zh" else "array") in said


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("given", [{"value": {"name": "a"}}, {"name": "a"}], ids=["under the key", "bare"])
def test_f1_a_single_object_for_many_in_a_call(run_it: RunIt, given: Any, language: Any) -> None:
    """Of a call, too, the array is named that is due under the key."""
    model = Ask(TOOLS_ALONE).model(given, {"value": []})
    outcome = run_it("go", output=list[Item], model=model, options=RunOptions(language=language))
    assert outcome.value == []
    said = told(model.requests[1].messages[-1])
    assert "value" in said
    assert ("数组" if language == "zh" else "array") in said


@pytest.mark.parametrize("mode", ["native", "prompt"])
def test_f1_a_single_object_where_nothing_is_wrapped(run_it: RunIt, mode: Any) -> None:
    """Where the array itself is asked for there is no key to name: one item for a plain list is taken, and listed."""
    model = ScriptedModel(['{"name": "a"}'])
    outcome = run_it("go", output=list[Item], model=model, options=RunOptions(output_mode=mode))
    assert outcome.value == [Item(name="a")]
    assert [repair.kind for repair in outcome.repairs] == ["one_as_list"]


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (dict[str, int], {"value": 1, "other": 2}),
        (dict[str, list[int]], {"value": [1]}),
        (dict[str, Any], {"value": {"value": []}}),
    ],
    ids=["of numbers", "of lists", "of anything"],
)
def test_f1_a_dict_is_an_object_already(run_it: RunIt, ask: Ask, output: Any, answer: Any) -> None:
    """It is in no wrapper, and a key of its own that has the wrapper's name is its own."""
    model = ask.model(answer)
    outcome = run_it("go", output=output, model=model)
    assert outcome.value == answer
    assert sent_schema(model.requests[0]).get("required") is None
    assert len(model.requests) == 1


@pytest.mark.parametrize("given", [{"value": ["a"]}, {"items": ["a"]}, {"list": ["a"]}])
def test_f1_a_wrapper_of_the_model_s_own(run_it: RunIt, given: dict[str, Any]) -> None:
    """Under another key the value is not picked out: the retry names the one that was asked for."""
    model = ScriptedModel([json.dumps(given), '{"value": ["b"]}'], capabilities=LIKE_OPENAI)
    outcome = run_it("go", output=list[str], model=model)
    assert outcome.value == (["a"] if "value" in given else ["b"])
    assert len(model.requests) == (1 if "value" in given else 2)
    assert "value" in given or "value" in told(model.requests[1].messages[-1])


CHERRY = {"kind": "Cherry", "weight": 1}
BANANA = {"kind": "Banana", "bend": 2}
UNIONS: dict[str, tuple[Any, Any, Any, Any]] = {
    # the output type, the wrong answer, the right one, and its value
    "by shape": (Apple | Banana, CHERRY, BANANA, Banana(kind="Banana", bend=2)),
    "by a tag": (Tagged, CHERRY, BANANA, Banana(kind="Banana", bend=2)),
    "another case": (Tagged, {"kind": "cherry", "bend": 2}, BANANA, Banana(kind="Banana", bend=2)),
    "in a list": (list[Tagged], [BANANA, CHERRY], [BANANA], [Banana(kind="Banana", bend=2)]),
    "in a list, by shape": (list[Apple | Banana], [CHERRY], [BANANA], [Banana(kind="Banana", bend=2)]),
    "in a dict": (dict[str, Tagged], {"a": CHERRY}, {"a": BANANA}, {"a": Banana(kind="Banana", bend=2)}),
    "in a field": (
        Coat,
        {"kind": "Coat", "fruit": CHERRY},
        {"kind": "Coat", "fruit": BANANA},
        Coat(kind="Coat", fruit=Banana(kind="Banana", bend=2)),
    ),
    "or none": (Tagged | None, CHERRY, BANANA, Banana(kind="Banana", bend=2)),
}


def is_bare(output: Any) -> bool:
    return output is not Coat and getattr(output, "__origin__", None) is not dict


def spelled(output: Any, answer: Any) -> Any:
    return {"value": answer} if is_bare(output) else answer


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", UNIONS)
def test_f2_an_unknown_kind(run_it: RunIt, ask: Ask, case: str, language: Any) -> None:
    """The retry names what came and what there is; the valid answer then is the value."""
    output, wrong, right, value = UNIONS[case]
    model = ask.model(spelled(output, wrong), spelled(output, right))
    outcome = run_it("go", output=output, model=model, options=RunOptions(language=language))
    assert outcome.value == value
    assert len(model.requests) == 2
    said = told(model.requests[1].messages[-1])
    assert "Cherry" in said or "cherry" in said
    assert "Apple" in said
    assert "Banana" in said
    assert "KeyError" not in said


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", [name for name in UNIONS if is_bare(UNIONS[name][0])])
def test_f2_an_unknown_kind_without_the_wrapper(run_it: RunIt, case: str, language: Any) -> None:
    """It is told the same of a value that was left bare."""
    output, wrong, right, value = UNIONS[case]
    model = ScriptedModel([json.dumps(wrong), json.dumps(right)], capabilities=LIKE_OPENAI)
    outcome = run_it("go", output=output, model=model, options=RunOptions(language=language))
    assert outcome.value == value
    said = told(model.requests[1].messages[-1])
    assert "herry" in said
    assert "Apple" in said
    assert "Banana" in said


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"weight": 1}, ("Apple", "Banana")),
        ({"kind": None, "weight": 1}, ("Apple", "Banana")),
        ({"kind": 5, "weight": 1}, ("5", "Apple", "Banana")),
        ({"kind": ["Apple"], "weight": 1}, ("Apple", "Banana")),
        ({"kind": {"Apple": 1}}, ("Apple", "Banana")),
        ({"kind": "", "weight": 1}, ("Apple", "Banana")),
        ({"kind": "Apple"}, ("weight",)),
        ({"kind": "Apple", "weight": "much"}, ("weight", "much")),
        ("Cherry", ("Cherry",)),
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize("output", [Apple | Banana, Tagged], ids=["by shape", "by a tag"])
def test_f2_kinds_that_are_none(run_it: RunIt, ask: Ask, output: Any, wrong: Any, named: tuple[str, ...]) -> None:
    """A tag that is missing, no text, or right with the rest wrong, is told as what it is."""
    model = ask.model({"value": wrong}, {"value": BANANA})
    assert run_it("go", output=output, model=model).value == Banana(kind="Banana", bend=2)
    assert len(model.requests) == 2
    said = told(model.requests[1].messages[-1])
    assert all(word in said for word in named)
    assert "KeyError" not in said


@pytest.mark.parametrize("retries", [0, 1, 2])
@pytest.mark.parametrize("case", UNIONS)
def test_f2_no_retries_are_left(run_it: RunIt, ask: Ask, case: str, retries: int) -> None:
    """The error carries the last reply and what was wrong with it, each of which came to something else."""
    output, wrong, _, _ = UNIONS[case]
    answers = [ask.reply(f"{json.dumps(spelled(output, wrong))}{' ' * number}") for number in range(9)]
    model = ScriptedModel(answers, capabilities=ask.capabilities)
    with pytest.raises(OutputError, match="herry") as caught:
        run_it("go", output=output, model=model, limits=Limits(retries=retries))
    outcome = caught.value.outcome
    assert len(model.requests) == retries + 1
    assert (outcome.stop, outcome.ok, outcome.steps) == ("invalid_output", False, retries + 1)
    last = [message for message in outcome.transcript if message.role == "assistant"][-1]
    text = last.text or last.calls[0].arguments
    assert json.loads(text) == spelled(output, wrong)
    assert text.endswith("}" + " " * retries)
    assert any("Apple" in issue.expected or "Apple" in str(issue) for issue in caught.value.issues)
    assert run_it([*outcome.transcript, Message.user("And?")], model=ScriptedModel(["done"])).value == "done"


def test_f2_by_output_tools(run_it: RunIt) -> None:
    """Where each kind is a tool of its own, a kind that there is not is a tool that there is not."""
    tools = [output_tool("apple", "An apple.", Apple), output_tool("banana", "A banana.", Banana)]
    model = ScriptedModel(
        [ToolCall("c1", "cherry", json.dumps(CHERRY)), ToolCall("c2", "banana", json.dumps(CHERRY)),
         ToolCall("c3", "banana", json.dumps(BANANA))]
    )  # fmt: skip
    outcome = run_it("go", output=tools, model=model)
    assert outcome.value == Banana(kind="Banana", bend=2)
    assert (outcome.stop, outcome.output_tool) == ("output_tool", "banana")
    assert "cherry" in told(model.requests[1].messages[-1])
    assert "Cherry" in told(model.requests[2].messages[-1])
    assert "Banana" in told(model.requests[2].messages[-1])


def test_f2_by_an_output_tool_with_a_summary(run_it: RunIt) -> None:
    """A union stands under `data` there, and is told of as elsewhere."""
    made = output_tool("hand_in", "Hand in the fruit.", Tagged, summary=True)
    wrong, right = ({"data": fruit, "summary": "A fruit."} for fruit in (CHERRY, BANANA))
    model = ScriptedModel([ToolCall(f"c{at}", "hand_in", json.dumps(each)) for at, each in enumerate((wrong, right))])
    outcome = run_it("go", output=made, model=model)
    assert (outcome.value, outcome.summary) == (Banana(kind="Banana", bend=2), "A fruit.")
    said = told(model.requests[1].messages[-1])
    assert all(word in said for word in ("Cherry", "Apple", "Banana"))


CUT: dict[str, tuple[Any, str]] = {
    "an object": (Item, '{"name": "abc'),
    "an object, at a key": (Item, '{"name": "abc", "n'),
    "an object, at its start": (Item, "{"),
    "nothing at all": (Item, ""),
    "a list in its wrapper": (list[Item], '{"value": [{"name": "a"}, {"na'),
    "a bare list": (list[Item], '[{"name": "a"}, {"name": "b"}'),
    "a fence": (Item, '```json\n{"name": "abc"'),
    "prose": (Item, "Here is what I have found, in the form"),
    "a union": (Apple | Banana, '{"value": {"kind": "App'),
    "a number": (int, '{"value": 12'),
    "a dict": (dict[str, int], '{"a": 1, "b": 2'),
}


@pytest.mark.parametrize("case", CUT)
def test_f3_an_answer_that_was_cut(run_it: RunIt, ask: Ask, case: str) -> None:
    """That is an error of its own after one request, with what there is of the answer, and no retry."""
    output, text = CUT[case]
    part = ask.reply(text)
    reply = ModelReply((TextPart(part) if isinstance(part, str) else part,), "length", Usage(7, 5))
    model = ScriptedModel([reply] * 5, capabilities=ask.capabilities)
    with pytest.raises(TruncatedError) as caught:
        run_it("go", output=output, model=model, limits=Limits(retries=3))
    assert type(caught.value) is TruncatedError
    assert caught.value.__cause__ is None
    outcome = caught.value.outcome
    assert len(model.requests) == 1
    assert (outcome.stop, outcome.steps, outcome.usage) == ("truncated", 1, Usage(7, 5))
    said = [message for message in outcome.transcript if message.role == "assistant"]
    assert "".join(message.text + "".join(call.arguments for call in message.calls) for message in said) == text
    assert "cut" in str(caught.value)


@pytest.mark.parametrize("finish", ["stop", "other", None])
@pytest.mark.parametrize("case", [name for name in CUT if CUT[name][1].startswith(("{", "["))])
def test_f3_a_cut_that_the_server_does_not_say(run_it: RunIt, case: str, finish: Any) -> None:
    """An answer with as many tokens as were allowed that is not whole was cut, whatever reason is given."""
    output, text = CUT[case]
    replies = [ModelReply((TextPart(text),), finish, Usage(7, 64), max_tokens=64)] * 5
    model = ScriptedModel(replies, capabilities=LIKE_OPENAI)
    with pytest.raises(TruncatedError) as caught:
        run_it("go", output=output, model=model, limits=Limits(retries=3))
    assert len(model.requests) == 1
    assert caught.value.outcome.transcript[-1].text == text


@pytest.mark.parametrize("case", CUT)
def test_f3_through_the_wire(run_it: RunIt, case: str) -> None:
    """The adapter's reason for the end, and its text, are what the error has."""
    output, text = CUT[case]
    body = {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "length"}]}
    with WireServer() as wire:
        wire.answers.append(Answer(body))
        with pytest.raises(TruncatedError) as caught:
            run_it("go", output=output, model=load_model("openai:m", base_url=wire.base_url))
        assert len(wire.asked) == 1
    assert "".join(message.text for message in caught.value.outcome.transcript[1:]) == text


@pytest.mark.parametrize("summary", [False, True])
@pytest.mark.parametrize("arguments", ['{"name": "ab', '{"data": {"name": "a"}, "summary": "A', "", '{"name": "abc"}'])
def test_f3_a_call_of_an_output_tool_that_was_cut(run_it: RunIt, arguments: str, summary: bool) -> None:
    """It is not taken, however whole it looks."""
    made = output_tool("hand_in", "Hand in the item.", Item, summary=summary)
    call = ToolCall("c1", "hand_in", arguments)
    model = ScriptedModel([ModelReply((call,), "length")] * 5)
    with pytest.raises(TruncatedError) as caught:
        run_it("go", output=made, model=model, limits=Limits(retries=3))
    outcome = caught.value.outcome
    assert (len(model.requests), outcome.stop, outcome.value) == (1, "truncated", None)
    assert outcome.transcript[1].calls == (call,)
    (result,) = outcome.transcript[2].parts
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.is_error) == ("c1", True)


def test_f3_text_that_was_cut(run_it: RunIt) -> None:
    """A plain text is no answer either, if it was cut, and it is there to be read."""
    model = ScriptedModel([ModelReply((TextPart("The best three are"),), "length")] * 3)
    with pytest.raises(TruncatedError) as caught:
        run_it("go", model=model)
    assert len(model.requests) == 1
    assert caught.value.outcome.transcript[-1].text == "The best three are"


@pytest.mark.parametrize(
    ("output", "text"),
    [(int, "12"), (float, "12"), (int, "-1"), (list[int] | int, "1"), (Any, "12"), (float, "1e1")],
)
def test_f3_a_number_at_the_end_is_not_whole(run_it: RunIt, output: Any, text: str) -> None:
    """More digits might have come: a bare number that was cut is none."""
    model = ScriptedModel([ModelReply((TextPart(text),), "length")] * 3)
    with pytest.raises(TruncatedError):
        run_it("go", output=output, model=model)
    assert len(model.requests) == 1


@pytest.mark.parametrize("text", ['{"name": "abc"}', ' {"name": "abc"}\n'])
def test_f3_an_answer_that_is_whole_though_something_was_cut(run_it: RunIt, text: str) -> None:
    """JSON that is whole is the answer, and is not asked for again."""
    model = ScriptedModel([ModelReply((TextPart(text),), "length")] * 3)
    assert run_it("go", output=Item, model=model).value == Item(name="abc")
    assert len(model.requests) == 1


def test_f3_a_cut_after_a_refused_answer(run_it: RunIt) -> None:
    """Nor is it part of the count of retries: it ends the run at once."""
    model = ScriptedModel(['{"name": []}', ModelReply((TextPart('{"name": "a'),), "length")])
    with pytest.raises(TruncatedError) as caught:
        run_it("go", output=Item, model=model, limits=Limits(retries=3))
    assert caught.value.outcome.steps == 2


@pytest.mark.parametrize("how", [extract, lambda *args, **kwargs: asyncio.run(aextract(*args, **kwargs))])
def test_f3_of_extract(how: Callable[..., Any]) -> None:
    """It can be caught by its class there too."""
    model = ScriptedModel([ModelReply((TextPart('{"name": "a'),), "length")] * 5)
    with pytest.raises(TruncatedError):
        how(Item, "text", model=model)
    assert len(model.requests) == 1


class Dates(BaseModel):
    due: datetime = datetime(2026, 1, 1)
    day: date = date(2026, 1, 1)
    at: AwareDatetime = datetime(2026, 1, 1, tzinfo=UTC)
    clock: time = time(12)


@tool
def plan(
    due: datetime = datetime(2026, 1, 1),
    day: date = date(2026, 1, 1),
    at: AwareDatetime = datetime(2026, 1, 1, tzinfo=UTC),
    clock: time = time(12),
) -> dict[str, str]:
    """Plan."""
    return {"due": due.isoformat(), "day": day.isoformat(), "at": at.isoformat(), "clock": clock.isoformat()}


FORMS = {"due": "2026-11-29T12:30:00Z", "day": "2026-11-29", "at": "2026-11-29T12:30:00Z", "clock": "12:30:00"}
REFUSED_DATES = [
    *[
        (name, text)
        for name in ("due", "day", "at", "clock")
        for text in ("tomorrow", "next Monday", "now", "", "明天")
    ],
    *[(name, 0) for name in ("due", "day", "at", "clock")],
    *[(name, number) for name in ("due", "day", "at") for number in (1772384400, 1.5, "0", "1772384400", True)],
    ("day", "2026-02-30"),
    ("due", "2026-02-30T10:00:00"),
    ("at", "2026-02-30T10:00:00Z"),
    ("day", "2026-13-01"),
    ("due", "2026-03-01T25:00:00"),
    ("day", "03/01/2026"),
    ("at", "2026-03-01T17:00:00"),
    ("at", "2026-03-01 17:00"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "sent"), REFUSED_DATES)
def test_f4_what_is_no_date(run_it: RunIt, name: str, sent: Any, language: Any) -> None:
    """It is refused by the name of its parameter, with the form that is due; the run goes on."""
    call = ToolCall("c1", "plan", json.dumps({name: sent}, ensure_ascii=False))
    model = ScriptedModel([call, "done"])
    outcome = run_it("go", tools=[plan], model=model, options=RunOptions(language=language))
    (result,) = outcome.transcript[2].parts
    assert isinstance(result, ToolResult)
    assert (result.is_error, outcome.value) == (True, "done")
    assert (f"{name}：" if language == "zh" else f"{name}: ") in result.content
    assert FORMS[name] in result.content


@pytest.mark.parametrize("language", ["en", "zh"])
def test_f4_a_time_without_its_zone(run_it: RunIt, language: Any) -> None:
    """Where one has to be known, the missing offset is named; nothing is taken for UTC."""
    call = ToolCall("c1", "plan", '{"at": "2026-03-01T17:00:00"}')
    outcome = run_it("go", tools=[plan], model=ScriptedModel([call, "done"]), options=RunOptions(language=language))
    said = told(outcome.transcript[2])
    assert "at" in said
    assert ("offset" if language == "en" else "时区") in said


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        ("due", "2026-03-01T17:00:00", "2026-03-01T17:00:00"),
        ("due", "2026-03-01T17:00:00Z", "2026-03-01T17:00:00+00:00"),
        ("at", "2026-03-01T17:00:00Z", "2026-03-01T17:00:00+00:00"),
        ("at", "2026-03-01T17:00:00+02:00", "2026-03-01T17:00:00+02:00"),
        ("at", "2026-03-01T17:00:00-05:30", "2026-03-01T17:00:00-05:30"),
        ("day", "2028-02-29", "2028-02-29"),
        ("clock", "17:00:00", "17:00:00"),
        ("clock", "17:00:00+02:00", "17:00:00+02:00"),
    ],
)
def test_f4_what_is_a_date(run_it: RunIt, name: str, sent: str, value: str) -> None:
    """It arrives as it was sent: what has no zone is given none."""
    model = ScriptedModel([ToolCall("c1", "plan", json.dumps({name: sent})), "done"])
    (result,) = run_it("go", tools=[plan], model=model).transcript[2].parts
    assert isinstance(result, ToolResult)
    assert (result.is_error, result.value[name]) == (False, value)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "sent"), REFUSED_DATES)
def test_f4_in_an_answer(run_it: RunIt, name: str, sent: Any, language: Any) -> None:
    """In an answer it is the same: there is a retry that names the field."""
    model = ScriptedModel([json.dumps({name: sent}, ensure_ascii=False), "{}"])
    outcome = run_it("go", output=Dates, model=model, options=RunOptions(language=language))
    assert outcome.value == Dates()
    assert len(model.requests) == 2
    assert name in told(model.requests[1].messages[-1])


def test_f4_a_zone_in_an_answer(run_it: RunIt) -> None:
    """What has a zone keeps it, and what has none gets none."""
    model = ScriptedModel(['{"due": "2026-03-01T17:00:00", "at": "2026-03-01T17:00:00+02:00", "day": "2026-02-28"}'])
    held: Dates = run_it("go", output=Dates, model=model).value
    assert (held.due, held.due.tzinfo) == (datetime(2026, 3, 1, 17), None)
    assert held.at.utcoffset() == timedelta(hours=2)
    assert held.day == date(2026, 2, 28)
