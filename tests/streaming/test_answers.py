"""A typed answer while it arrives, in each way in which one is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools import (
    Capabilities,
    Limits,
    OutputError,
    PartialValue,
    RunOptions,
    ScriptedModel,
    ToolCall,
    output_tool,
    tool,
)
from tests.streaming.hearing import Hear


class Row(BaseModel):
    sku: str
    count: int


class Order(BaseModel):
    rows: list[Row]
    note: str = ""


@tool
def stock(place: str) -> str:
    """Say what is in stock."""
    return f"3 in {place}"


WRITTEN = '{"rows": [{"sku": "a", "count": 1}, {"sku": "b", "count": 2}], "note": "soon"}'
ORDER = Order(rows=[Row(sku="a", count=1), Row(sku="b", count=2)], note="soon")
ABLE = Capabilities(native_schema=True, object_root=True, tools=True, streaming=True)
NO_SCHEMAS = Capabilities(tools=True, streaming=True)
NOTHING_ELSE = Capabilities(streaming=True)
IN_A_CALL = ToolCall("c1", "final_answer", WRITTEN)

# How an answer of one type is asked for, and what the model then says.
WAYS: dict[str, tuple[Capabilities, Any, dict[str, Any]]] = {
    "natively": (ABLE, WRITTEN, {"output": Order}),
    "by an output tool": (NO_SCHEMAS, IN_A_CALL, {"output": Order}),
    "by instructions": (NOTHING_ELSE, f"Here:\n```json\n{WRITTEN}\n```\nThat is all.", {"output": Order}),
    "by the caller's output tool": (
        ABLE,
        ToolCall("c1", "order", WRITTEN),
        {"output": output_tool("order", "Order it.", Order)},
    ),
    "with a summary": (
        ABLE,
        ToolCall("c1", "order", f'{{"data": {WRITTEN}, "summary": "Two rows."}}'),
        {"output": output_tool("order", "Order it.", Order, summary=True)},
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("piece", [1, 7, 1_000])
def test_an_answer_that_grows(hear: Hear, way: str, piece: int) -> None:
    """What is whole in it is validated, whatever way it was asked for in, and nothing else is told of it."""
    able, reply, options = WAYS[way]
    heard = hear("Hi", model=ScriptedModel([reply], capabilities=able, piece=piece), **options)
    assert heard.told == ["value", "done"]
    assert heard.outcome.value == ORDER
    values = [each.value for each in heard.events if isinstance(each, PartialValue)]
    assert values[-1].value == (ORDER if way == "with a summary" else {"rows": ORDER.rows, "note": "soon"})
    assert all(each.validated and not each.complete and each.errors == () for each in values)
    values = [each for each in values if isinstance(each.value, dict)]
    lengths = [len(each.value.get("rows", ())) for each in values]
    assert lengths == sorted(lengths)
    if piece == 1:
        assert set(lengths) == {0, 1, 2}
        whole = [row for each in values for row in each.value.get("rows", ()) if isinstance(row, Row)]
        assert len(whole) > 10
        opened = {each.open_path for each in values}
        assert {("rows",), ("rows", 0), ("rows", 0, "sku"), ("rows", 1), ("note",), ()} <= opened


@pytest.mark.parametrize("way", WAYS)
def test_a_part_that_does_not_fit(hear: Hear, way: str) -> None:
    """It is told where it stands in the answer; the model is asked again, and another value begins."""
    able, reply, options = WAYS[way]

    def wrong(text: str) -> str:
        return text.replace('"count": 1', '"count": "many"')

    bad = wrong(reply) if isinstance(reply, str) else ToolCall("c0", reply.name, wrong(reply.arguments))
    heard = hear("Hi", model=ScriptedModel([bad, reply], capabilities=able, piece=4), **options)
    values = [each.value for each in heard.events if isinstance(each, PartialValue)]
    assert {issue.path for each in values for issue in each.errors} == {"rows[0].count"}
    again = next(at for at, each in enumerate(values) if at > 5 and not each.value)
    assert values[again - 1].value["rows"][0] == {"sku": "a", "count": "many"}
    assert [each.errors for each in values[again:]] == [()] * (len(values) - again)
    assert heard.told == ["value", "done"]
    assert heard.outcome.value == ORDER


@pytest.mark.parametrize(
    ("output", "written", "values", "value"),
    [
        pytest.param(list[int], '{"value": [1, 2, 3]}', [[], [1], [1, 2], [1, 2, 3]], [1, 2, 3], id="a list"),
        pytest.param(list[int], "[1, 2, 3]", [], [1, 2, 3], id="a list without its wrapper"),
        pytest.param(int, '{"value": 12}', [12], 12, id="a number"),
        pytest.param(str | None, '{"value": "ab"}', ["", "a", "ab"], "ab", id="a text"),
        pytest.param(
            dict[str, int] | list[int],
            '{"value": {"a": 1}}',
            [{}, {"a": 1}],
            {"a": 1},
            id="a choice",
        ),
    ],
)
def test_an_answer_in_a_wrapper(hear: Hear, output: Any, written: str, values: list[Any], value: Any) -> None:
    """Where a provider takes nothing but objects, what is told is what the object holds."""
    model = ScriptedModel([written], capabilities=ABLE, piece=1)
    heard = hear("Hi", output=output, model=model)
    assert heard.outcome.value == value
    seen: list[Any] = []
    for each in heard.values():
        if not seen or seen[-1] != each:
            seen.append(each)
    assert seen == values
    places = [each.value.open_path for each in heard.events if isinstance(each, PartialValue)]
    assert all(place in (None, ()) for place in places)


def test_an_answer_in_a_wrapper_that_does_not_fit(hear: Hear) -> None:
    """What is wrong with it is told where it is in the answer, not in the wrapper."""
    model = ScriptedModel(['{"value": [1, "x", 3]}', '{"value": [1]}'], capabilities=ABLE, piece=1)
    heard = hear("Hi", output=list[int], model=model)
    paths = {issue.path for each in heard.events if isinstance(each, PartialValue) for issue in each.value.errors}
    assert paths == {"[1]"}
    assert heard.outcome.value == [1]


def test_an_answer_of_a_schema(hear: Hear) -> None:
    """The parts of an answer that is asked for by a schema are plain data until the end."""
    schema = {"type": "array", "items": {"type": "integer"}}
    heard = hear("Hi", output=schema, model=ScriptedModel(['{"value": [1, "x"]}', '{"value": [1]}'], capabilities=ABLE))
    values = [each.value for each in heard.events if isinstance(each, PartialValue)]
    assert [1, "x"] in [each.value for each in values]
    assert not any(each.validated or each.errors for each in values)
    assert heard.outcome.value == [1]


@pytest.mark.parametrize("mode", ["tool", "prompt", "native"])
def test_an_answer_after_calls(hear: Hear, mode: Any) -> None:
    """What is said beside a call is no answer, and told where no text can be one; the arguments are told apart."""
    answer: Any = '{"a": 1}' if mode != "tool" else ToolCall("c2", "final_answer", '{"a": 1}')
    model = ScriptedModel([["I look.", ToolCall("c1", "stock", '{"place": "Rome"}')], answer], capabilities=ABLE)
    heard = hear("Hi", tools=[stock], output=dict[str, int], model=model, options=RunOptions(output_mode=mode))
    said = ["text"] if mode == "tool" else []
    assert heard.told == [*said, "value c1", "started c1", "finished c1", "value", "done"]
    assert heard.values() == [{}, {"a": 1}][-len(heard.values()) :]
    assert heard.values("c1")[-1] == {"place": "Rome"}


def test_text_is_told_where_text_is_the_answer(hear: Hear) -> None:
    """A run for text tells no values of it, though it be JSON."""
    heard = hear("Hi", model=ScriptedModel(['{"a": 1}']))
    assert heard.told == ["text", "done"]
    assert heard.outcome.value == heard.text == '{"a": 1}'


def test_reasoning_in_a_text(hear: Hear) -> None:
    """Values in a block of reasoning are not taken for the answer."""
    text = '<think>Maybe {"a": 7}.</think>{"a": 1}'
    heard = hear("Hi", output=dict[str, int], model=ScriptedModel([text], piece=1))
    assert heard.values()[-1] == {"a": 1}
    assert heard.outcome.value == {"a": 1}


def test_no_answer_in_the_end(hear: Hear) -> None:
    """What does not fit in the last try either is an error after all that was told."""
    heard = hear("Hi", output=dict[str, int], model=ScriptedModel(['{"a": "x"}']), limits=Limits(retries=0))
    assert heard.told == ["value"]
    assert isinstance(heard.error, OutputError)
    assert heard.error.outcome.stop == "invalid_output"


def test_refused_texts_are_told(hear: Hear) -> None:
    """Text where an output tool is to be called is told as text, and the model is asked again."""
    model = ScriptedModel(["It is 1.", ToolCall("c1", "final_answer", '{"a": 1}')], capabilities=NO_SCHEMAS)
    heard = hear("Hi", output=dict[str, int], model=model)
    assert heard.told == ["text", "value", "done"]
    assert heard.text == "It is 1."
