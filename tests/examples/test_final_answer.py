"""The explicit end: a tool whose call is the answer, what its schema may be, and what its texts may not say."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any, get_args
from unicodedata import east_asian_width

import pytest
from pydantic import BaseModel, Field, create_model

from magic_tools import (
    Capabilities,
    DefinitionError,
    ErrorCode,
    LimitError,
    Limits,
    Message,
    ModelReplied,
    Outcome,
    OutputError,
    OutputTool,
    RunOptions,
    ScriptedModel,
    ToolCall,
    ToolResult,
    arun,
    lint,
    loose_parameters,
    output_tool,
    run,
)
from magic_tools.messages import Language

FILE = Path(__file__).parents[2] / "docs" / "examples" / "final_answer.py"
EXAMPLE = runpy.run_path(str(FILE))
FOUND, READ, SUMMARY, WHEN = (EXAMPLE[name] for name in ("FOUND", "READ", "SUMMARY", "WHEN"))
REPORT, WITH_SUMMARY, STRICT, CANNOT = (
    EXAMPLE[name] for name in ("report", "report_with_summary", "strict_report", "cannot_answer")
)
BOTH = (REPORT, CANNOT)
LOG = '{"lines":["02:10 The job started.","02:14 No space left on /mnt/backup.","02:14 Exit 1."]}'
VALUE = EXAMPLE["FailureReport"](
    job="backup",
    failed_at=datetime(2026, 5, 11, 2, 14, tzinfo=timezone(timedelta(hours=8))),
    cause="The disk behind /mnt/backup is full.",
    steps=[EXAMPLE["Step"](action="Delete the backups of last year.", owner="li.na@example.com")],
)
MISSING = {"missing": "磁盘的使用情况", "ask": "li.na@example.com"}

TAKEN = {"en": "The answer was taken.", "zh": "答案已被接受。"}
NOT_RUN = {
    "en": "Not run: the answer was given in the same reply.",
    "zh": "未执行：答案已在同一次回复中给出。",
}

Asking = Callable[..., tuple[Outcome[Any], ScriptedModel]]

every_language = pytest.mark.parametrize("language", get_args(Language))


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Asking:
    """The example's question put to a script, of which nothing is left over; what came of it, and the model."""

    def asked(
        *replies: Any, output: Any = BOTH, limits: Limits | None = None, forced: bool = False, **options: Any
    ) -> Any:
        model = ScriptedModel(replies, capabilities=Capabilities(True, False, True, forced_choice=forced))
        told = RunOptions(**options)
        question = EXAMPLE["QUESTIONS"][told.language]
        given: dict[str, Any] = {
            "tools": [EXAMPLE["read_log"]],
            "output": output,
            "model": model,
            "limits": limits,
            "options": told,
        }
        with model:
            outcome = run(question, **given) if request.param == "sync" else asyncio.run(arun(question, **given))
        return outcome, model

    return asked


def calling(call_id: str, name: str, arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments, ensure_ascii=False))


def results(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]


def whole(outcome: Outcome[Any]) -> bool:
    """Whether each call has its one result, right behind it."""
    called = [[call.id for call in message.calls] for message in outcome.transcript if message.calls]
    answered = [
        [part.call_id for part in message.parts if isinstance(part, ToolResult)]
        for before, message in zip(outcome.transcript, outcome.transcript[1:], strict=False)
        if before.calls
    ]
    return called == answered


def refused(output: OutputTool[Any], language: Language = "en", **wrong: Any) -> str:
    text: str = EXAMPLE["refused_answer"](output, {**FOUND, **wrong}, language)
    return text


# --- the tools ---


def test_by_name_description_and_schema() -> None:
    """A model is told these three; a type and a JSON Schema will do, and their texts have at most 200 characters."""
    told = REPORT.told()
    assert (told.name, told.description) == ("report", WHEN)
    parameters = told.input_schema
    assert (parameters["type"], parameters["additionalProperties"]) == ("object", False)
    assert list(parameters["properties"]) == parameters["required"] == ["job", "failed_at", "cause", "steps"]
    step = parameters["properties"]["steps"]["items"]["properties"]
    assert step["action"] == {"type": "string", "description": "What to do, in a sentence", "maxLength": 200}
    assert step["owner"] == {"type": "string", "description": "Who is to do it", "format": "email"}
    assert CANNOT.told().name == "cannot_answer"
    assert CANNOT.told().description.startswith("Call this once, when the log does not show why")
    assert CANNOT.told().input_schema == {
        "type": "object",
        "properties": {
            "missing": {"type": "string", "description": "What would have to be known", "maxLength": 200},
            "ask": {"type": "string", "format": "email", "description": "Who may know it"},
        },
        "required": ["missing"],
        "additionalProperties": False,
    }


def test_with_a_summary() -> None:
    """The parameters are data and summary, both required, and nothing else."""
    parameters = WITH_SUMMARY.told().input_schema
    assert list(parameters["properties"]) == parameters["required"] == ["data", "summary"]
    assert parameters["additionalProperties"] is False
    assert parameters["properties"]["data"]["properties"] == REPORT.told().input_schema["properties"]
    assert parameters["properties"]["summary"] == {
        "type": "string",
        "description": "What the answer comes to, in one sentence.",
        "minLength": 1,
        "maxLength": 200,
    }


def test_the_tool_beside_them() -> None:
    """The linter finds nothing, and no input passes that should be refused."""
    made = EXAMPLE["read_log"]
    assert lint([made]) == []
    assert list(loose_parameters(made)) == []


# --- the end of a run ---


@every_language
def test_a_call_ends_the_run_at_once(ask: Asking, language: Language) -> None:
    """It is answered in the transcript, the model is not asked again, and the value is of the type."""
    outcome, model = ask(READ, calling("c2", "report", FOUND), language=language)
    assert outcome.value == VALUE
    assert type(outcome.value) is EXAMPLE["FailureReport"]
    assert (outcome.stop, outcome.ok, outcome.output_tool, outcome.summary) == ("output_tool", True, "report", None)
    assert (outcome.steps, len(model.requests), outcome.fallback) == (2, 2, False)
    last, result = outcome.transcript[-1], results(outcome)[-1]
    assert (last.role, last.parts) == ("tool", (result,))
    assert (result.call_id, result.name, result.content) == ("c2", "report", TAKEN[language])
    assert (result.is_error, result.code) == (False, None)
    assert results(outcome)[0].content == LOG
    assert whole(outcome)


@every_language
@pytest.mark.parametrize("place", range(3))
def test_other_calls_of_its_reply(ask: Asking, place: int, language: Language) -> None:
    """They are answered as not run, wherever they stand, and are not made."""
    events: list[Any] = []
    others = [calling("c3", "read_log", {"job": "invoices", "day": "2026-05-11"}), calling("c4", "no_tool", {})]
    reply = [*others[:place], calling("c2", "report", FOUND), *others[place:]]
    outcome, _ = ask(reply, language=language, trace=events.append)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == (VALUE, "output_tool", True, 1)
    told = {each.call_id: each for each in results(outcome)}
    assert [each.call_id for each in results(outcome)] == [call.id for call in reply]
    assert (told["c2"].content, told["c2"].is_error) == (TAKEN[language], False)
    for call_id in ("c3", "c4"):
        result = told[call_id]
        assert (result.content, result.is_error, result.code) == (NOT_RUN[language], True, ErrorCode.CONFLICT)
        assert (result.effect, result.value) == ("none", None)
    assert [type(event) for event in events] == [ModelReplied]  # and none of a call
    assert whole(outcome)


def test_two_answers_in_one_reply(ask: Asking) -> None:
    """The first counts, and the other is answered as not run."""
    outcome, _ = ask([calling("c1", "cannot_answer", MISSING), calling("c2", "report", FOUND)])
    assert (outcome.value, outcome.output_tool) == (MISSING, "cannot_answer")
    assert [each.content for each in results(outcome)] == [TAKEN["en"], NOT_RUN["en"]]


@every_language
def test_a_summary_of_the_outcome(ask: Asking, language: Language) -> None:
    """It stands beside the value, which is the data alone."""
    summary = {"en": SUMMARY, "zh": "磁盘已满，备份失败。"}[language]
    call = calling("c1", "report", {"data": FOUND, "summary": summary})
    outcome, _ = ask(call, output=WITH_SUMMARY, language=language)
    assert (outcome.value, outcome.summary) == (VALUE, summary)
    assert (outcome.stop, outcome.output_tool, outcome.ok) == ("output_tool", "report", True)
    assert results(outcome)[0].content == TAKEN[language]


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        (FOUND, "data: expected a value, since it is required", "data：应为一个值（必填）"),
        ({"data": FOUND}, "summary: expected a value, since it is required", "summary：应为一个值（必填）"),
        ({"data": FOUND, "summary": " "}, "summary: expected one sentence, got blanks", "summary：应为一句话，收到"),
        ({"data": FOUND, "summary": "x" * 201}, "summary: expected text of at most 200", "summary：应为最多 200 个"),
        ({"data": FOUND, "summary": "a\nb"}, "summary: expected one sentence on one line", "summary：应为写在一行内"),
        ({"data": FOUND, "summary": "```x```"}, "summary: expected text without a code", "summary：应为不含代码围栏"),
        ({"data": {**FOUND, "cause": {}}, "summary": "x"}, "data.cause: expected a string", "data.cause：应为字符串"),
    ],
)  # fmt: skip
def test_data_and_summary_that_do_not_fit(ask: Asking, arguments: Any, english: str, chinese: str) -> None:
    """What is wrong is said by its place, and the next call is taken."""
    good = calling("c2", "report", {"data": FOUND, "summary": SUMMARY})
    for language, words in zip(get_args(Language), (english, chinese), strict=True):
        outcome, _ = ask(calling("c1", "report", arguments), good, output=WITH_SUMMARY, language=language)
        wrong, taken = results(outcome)
        assert (wrong.is_error, wrong.code) == (True, ErrorCode.INVALID_ARGUMENT)
        assert words in wrong.content
        assert (taken.content, outcome.value, outcome.summary) == (TAKEN[language], VALUE, SUMMARY)


# --- text is not the end ---


@every_language
@pytest.mark.parametrize("words", ["The disk is full.", "磁盘已满。", json.dumps(FOUND)])
def test_text_is_not_the_end(ask: Asking, words: str, language: Language) -> None:
    """Also where it is JSON that would fit; the model is told which calls are, and then ends the run by one."""
    outcome, model = ask(READ, words, calling("c2", "report", FOUND), language=language)
    said = {
        "en": r"Text does not end this run\. Give the answer by calling either report or cannot_answer\.",
        "zh": "文字不会结束本次运行。请调用 report ?(、|或) ?cannot_answer ?来给出答案。",
    }[language]
    *_, spoken, told = model.requests[2].messages
    assert (spoken.role, spoken.text) == ("assistant", words)
    assert told.role == "user"
    assert re.fullmatch(said, told.text)
    assert (outcome.value, outcome.stop, outcome.steps) == (VALUE, "output_tool", 3)


@every_language
def test_a_model_that_only_writes(ask: Asking, language: Language) -> None:
    """It is no answer at the third text either; the error says that a call was expected."""
    with pytest.raises(OutputError, match="in 3 tries") as caught:
        ask("It is full.", "The disk is full.", "Full, I said.", language=language)
    (issue,) = caught.value.issues
    assert (issue.expected, issue.got) == {
        "en": ("a call of either report or cannot_answer", "text alone"),
        "zh": ("对 report 或 cannot_answer 的调用", "只有文字"),
    }[language]
    assert (caught.value.outcome.stop, caught.value.outcome.ok) == ("invalid_output", False)


@every_language
def test_blanks_are_silence(ask: Asking, language: Language) -> None:
    """They are nudged, as in any run."""
    outcome, model = ask(" ", calling("c1", "report", FOUND), language=language)
    nudge = {
        "en": "Your reply was empty. Give the answer by calling either report or cannot_answer, or call another tool.",
        "zh": "你的回复是空的。请调用 report 或 cannot_answer 来给出答案，或者调用其他工具。",
    }[language]
    assert model.requests[1].messages[-1] == Message.user(nudge)
    assert outcome.ok


@pytest.mark.parametrize("forced", [False, True])
def test_a_call_is_asked_for(ask: Asking, forced: bool) -> None:
    """All tools are offered, and a provider that can make a model call one is told to."""
    _, model = ask(READ, calling("c2", "report", FOUND), forced=forced)
    for request in model.requests:
        assert [tool.name for tool in request.tools] == ["read_log", "report", "cannot_answer"]
        assert request.tool_choice == ("required" if forced else "auto")
        assert request.output is None


# --- several side by side ---


@every_language
def test_the_other_end(ask: Asking, language: Language) -> None:
    """Which of the tools was called, the outcome says; the value is what that one takes."""
    outcome, _ = ask(READ, calling("c2", "cannot_answer", MISSING), language=language)
    assert (outcome.value, outcome.output_tool, outcome.ok) == (MISSING, "cannot_answer", True)
    assert results(outcome)[-1].content == TAKEN[language]


@every_language
def test_a_wrong_answer_and_another(ask: Asking, language: Language) -> None:
    """One that is refused does not end the run; beside it a right one does."""
    wrong = calling("c1", "report", {**FOUND, "failed_at": "at night"})
    outcome, _ = ask([wrong, calling("c2", "cannot_answer", MISSING)], language=language)
    assert (outcome.value, outcome.output_tool) == (MISSING, "cannot_answer")
    first, second = results(outcome)
    assert (first.is_error, second.content) == (True, TAKEN[language])
    assert {"en": "failed_at: expected an ISO 8601 date and time like", "zh": "failed_at：应为"}[
        language
    ] in first.content


@every_language
def test_the_last_request(ask: Asking, language: Language) -> None:
    """With no steps left only the ends are offered, and by one of them the answer is made from what is known."""
    outcome, model = ask(READ, calling("c2", "cannot_answer", MISSING), limits=Limits(steps=1), language=language)
    assert (outcome.value, outcome.stop, outcome.ok, outcome.steps) == (MISSING, "step_limit", True, 1)
    assert [tool.name for tool in model.requests[1].tools] == ["report", "cannot_answer"]
    told = model.requests[1].messages[-1].text
    assert {"en": "This is the last reply of this run: only ", "zh": "只能调用 report"}[language] in told


def test_text_at_the_last_request(ask: Asking) -> None:
    """It is no answer there either."""
    with pytest.raises(LimitError, match="its last reply was no answer"):
        ask(READ, "The disk is full.", limits=Limits(steps=1))


def test_two_ends_of_one_name(ask: Asking) -> None:
    """That is an error of whoever made them, as is a tool of the same name."""
    with pytest.raises(DefinitionError, match="Two output tools are called 'report'"):
        ask(output=(REPORT, STRICT))
    with pytest.raises(DefinitionError, match="A tool and an output tool are both called 'read_log'"):
        ask(output=output_tool("read_log", WHEN, EXAMPLE["FailureReport"]))


# --- the limits of a schema ---

SAID = {
    "A root that is no object": "at the root, the whole is an array, and has to be an object",
    "A root that is one of two objects": "at /anyOf, the whole is one of several, and not one object",
    "6 levels, through an array, unions and references": "at /$defs/level_6, objects and arrays stand 6 deep inside "
    "each other; the limit is 5",
    "51 properties of one object": "at /properties/rows/items, an object has 51 properties; the limit is 50",
    "A description of 201 characters": "at /properties/note/description, the description has 201 characters; the limit "
    "is 200",
    "A text that has to be longer than 200 characters": "at /properties/note, its minLength or its default has 201 "
    "characters",
}


@pytest.mark.parametrize("what", EXAMPLE["TOO_LARGE"])
def test_a_schema_over_a_limit(what: str) -> None:
    """It is refused when the tool is made, with its name, the place, the limit, and a way out."""
    text = EXAMPLE["refused_schema"](EXAMPLE["TOO_LARGE"][what])
    assert text.startswith(f"the output tool 'finish': {SAID[what]}")
    way_out = "summary=True" if what.startswith("A root") else r"OutputLimits\.(depth|properties|text_chars)"
    assert re.search(way_out, text)


@pytest.mark.parametrize(
    "target",
    [
        EXAMPLE["nested"](5),
        EXAMPLE["wide"](50),
        EXAMPLE["text"](description="x" * 200),
        EXAMPLE["text"](minLength=200),
        EXAMPLE["text"](minLength=201, maxLength=400),
    ],
)
def test_a_schema_at_a_limit(target: Any) -> None:
    """It is taken, as is a text that states its own length."""
    assert EXAMPLE["refused_schema"](target) == ""


def model(name: str = "Held", **fields: Any) -> Any:
    """A type of these fields, all of them required."""
    made: Any = create_model  # of which a checker wants to know the fields
    return made(name, **{field: (annotation, ...) for field, annotation in fields.items()})


class Fourth(BaseModel):
    n: int


class Third(BaseModel):
    inner: Fourth | None


class Second(BaseModel):
    inner: Third | None


class First(BaseModel):
    inner: Second | None


@pytest.mark.parametrize(
    ("inner", "levels"),
    [
        (First, 5),
        (First | None, 5),
        (list[First], 6),
        (dict[str, First], 6),
        (tuple[int, First], 6),
        (list[int] | list[First], 6),
        (list[list[list[list[int]]]], 5),
        (list[dict[str, tuple[list[list[int]], int]]], 6),
    ],
    ids=str,
)
def test_the_depth_of_types_is_counted(inner: Any, levels: int) -> None:
    """Of objects, arrays, maps and tuples each is a level, wherever a union or a reference stands between."""
    text = EXAMPLE["refused_schema"](model("Outer", inner=inner))
    assert ("objects and arrays stand 6 deep inside each other; the limit is 5" in text) is (levels == 6)
    assert (text == "") is (levels == 5)


class Wide(model(**{f"column_{number}": int for number in range(51)})):  # type: ignore[misc]  # made here
    pass


class Narrow(model(**{f"column_{number}": int for number in range(50)})):  # type: ignore[misc]  # made here
    pass


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (Wide, Narrow),
        (Wide | None, Narrow | None),
        (int | list[Wide], int | list[Narrow]),
        (dict[str, Wide], dict[str, Narrow]),
        (tuple[int, Wide], tuple[int, Narrow]),
    ],
    ids=str,
)
def test_the_width_of_types_is_counted(wide: Any, narrow: Any) -> None:
    """Of an object wherever it stands."""
    assert "an object has 51 properties; the limit is 50" in EXAMPLE["refused_schema"](model(held=wide))
    assert EXAMPLE["refused_schema"](model(held=narrow)) == ""


@pytest.mark.parametrize("annotation", [list[str], dict[str, str], str | None, tuple[str, int]])
def test_the_texts_of_types_are_limited(annotation: Any) -> None:
    """At 200 characters, through arrays, maps and unions, unless the type says otherwise."""
    made = output_tool("finish", WHEN, model(held=annotation))
    longest = {list[str]: ["x" * 200], dict[str, str]: {"k": "x" * 200}, tuple[str, int]: ["x" * 200, 1]}
    taken = longest.get(annotation, "x" * 200)
    assert EXAMPLE["refused_answer"](made, {"held": taken}, "en") == ""
    text = json.dumps({"held": taken}).replace("x" * 200, "x" * 201)
    assert "expected text of at most 200 characters" in EXAMPLE["refused_answer"](made, json.loads(text), "en")


def test_a_text_with_a_length_of_its_own() -> None:
    """It may be longer."""
    made = output_tool("finish", WHEN, model(held=Annotated[str, Field(max_length=400)]))
    assert EXAMPLE["refused_answer"](made, {"held": "x" * 400}, "en") == ""
    assert "at most 400 characters" in EXAMPLE["refused_answer"](made, {"held": "x" * 401}, "en")


# --- what an answer holds ---

HARMS = ("```", "script>", "previous instructions", "之前的所有指令", "DROP TABLE", "backups;")
HARMFUL = ("A code fence", "A script tag", "A demand to ignore instructions", "The same in Chinese", "DROP TABLE")


@every_language
@pytest.mark.parametrize("what", EXAMPLE["WRONG"])
def test_what_is_refused_in_an_answer(ask: Asking, what: str, language: Language) -> None:
    """By its place, in words, without the harm itself; the model is told, mends it, and then the run ends."""
    place, english, chinese = {
        "A day that there is not": ("failed_at", "an ISO 8601 date and time like 2026", "的 ISO 8601 日期和时间（"),
        "An address that is none": ("steps[0].owner", "not a valid email address", "不是有效的电子邮件地址"),
        "201 characters": ("cause", "text of at most 200 characters", "应为最多 200 个字符的文本"),
        "A code fence": ("cause", "text without a code fence, got text with one", "应为不含代码围栏的文本"),
        "A script tag": ("cause", "text without a script, got text with one", "应为不含脚本的文本"),
        "A demand to ignore instructions": ("cause", "text without a demand to ignore instr", "不含要求忽略指令的话"),
        "The same in Chinese": ("cause", "text without a demand to ignore instructions", "不含要求忽略指令的话"),
        "DROP TABLE": ("steps[0].action", "text without an SQL command that changes", "不含更改数据的 SQL 命令"),
    }[what]
    wrong = EXAMPLE["WRONG"][what]
    outcome, model = ask(calling("c1", "report", {**FOUND, **wrong}), calling("c2", "report", FOUND), language=language)
    told, taken = results(outcome)
    assert (told.is_error, told.code, told.effect) == (True, ErrorCode.INVALID_ARGUMENT, "none")
    lead, colon, words, rest = {
        "en": ("Your answer was refused: ", ": ", english, "Give the whole answer again, with this mended."),
        "zh": ("你的答案未被接受：", "：", chinese, "请改正后，重新给出完整的答案。"),
    }[language]
    assert told.content.startswith(f"{lead}{place}{colon}")
    assert words in told.content
    assert told.content.endswith(rest)
    assert model.requests[1].messages[-1].parts == (told,)
    assert [harm for harm in HARMS if harm in told.content] == []
    assert (taken.content, outcome.value, outcome.stop) == (TAKEN[language], VALUE, "output_tool")


@pytest.mark.parametrize("failed_at", ["yesterday", "2026-05-11T02:14:00", "2026-13-01T00:00:00Z", 5])
def test_forms_are_asserted(failed_at: Any) -> None:
    """A time is one with its offset, and an address is one, of a type as of a JSON Schema."""
    assert refused(REPORT, failed_at=failed_at).startswith("failed_at: expected ")
    assert EXAMPLE["refused_answer"](CANNOT, {"missing": "x", "ask": "nobody"}, "en") == (
        'ask: expected an e-mail address, got "nobody"'
    )
    assert EXAMPLE["refused_answer"](CANNOT, {"missing": "x", "ask": "nobody"}, "zh") == (
        'ask：应为电子邮件地址，收到 "nobody"'
    )


@pytest.mark.parametrize("made", [REPORT, STRICT, WITH_SUMMARY])
def test_a_good_answer(made: OutputTool[Any]) -> None:
    """Nothing is wrong with the example's own."""
    whole = {"data": FOUND, "summary": SUMMARY} if made is WITH_SUMMARY else FOUND
    assert EXAMPLE["refused_answer"](made, whole, "en") == ""


@pytest.mark.parametrize("what", EXAMPLE["LEAKING"])
def test_words_of_the_strict_screen(ask: Asking, what: str) -> None:
    """password and secret are refused by it alone."""
    leaking = {**FOUND, **EXAMPLE["LEAKING"][what]}
    outcome, _ = ask(calling("c1", "report", leaking))
    assert outcome.value.cause == leaking["cause"]
    for language, words in (
        ("en", "cause: expected text without a word such as password or secret, got text with one"),
        ("zh", "cause：应为不含“密码”或“机密”之类的词的文本，收到含有它的文本"),
    ):
        replies = calling("c1", "report", leaking), calling("c2", "report", FOUND)
        outcome, _ = ask(*replies, output=STRICT, language=language)
        assert words in results(outcome)[0].content
        assert outcome.value == VALUE


@pytest.mark.parametrize("what", HARMFUL)
def test_the_strict_screen_finds_the_others_too(what: str) -> None:
    """And no screen at all finds none of them."""
    assert "expected text without" in refused(STRICT, **EXAMPLE["WRONG"][what])
    unscreened = output_tool("report", WHEN, EXAMPLE["FailureReport"], screen=None)
    assert refused(unscreened, **EXAMPLE["WRONG"][what]) == ""


@every_language
def test_a_model_that_goes_on_with_harmful_answers(ask: Asking, language: Language) -> None:
    """The third is the last, and nothing of them is a value."""
    harmful = {**FOUND, **EXAMPLE["WRONG"]["DROP TABLE"]}
    with pytest.raises(OutputError, match="in 3 tries") as caught:
        ask(*(calling(f"c{number}", "report", harmful) for number in range(3)), language=language)
    assert (caught.value.outcome.value, caught.value.outcome.ok) == (None, False)
    assert [issue.path for issue in caught.value.issues] == ["steps[0].action"]
    assert whole(caught.value.outcome)


# --- the program ---


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_as_a_program(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints, in 80 columns, three ends, and what is refused of schemas and of answers."""
    monkeypatch.setenv("COLUMNS", columns)
    done = subprocess.run([sys.executable, str(FILE)], capture_output=True, encoding="utf-8", check=True)
    lines = done.stdout.splitlines()
    assert done.stderr == ""
    assert max(sum(1 + (east_asian_width(letter) in "FW") for letter in line) for line in lines) <= 80
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "Text is not the end. A call is, and nothing else in its reply is run:",
        "The other end, in Chinese:",
        "With a summary beside the data:",
        "Schemas that are refused when the tool is made:",
        "Answers that are refused when they come, in both languages:",
        "Answers that are refused with screen='strict' alone:",
    ]
    text = "".join(done.stdout.split())
    told = (*TAKEN.values(), NOT_RUN["en"], *SAID.values(), f"summary: {SUMMARY}", "Text does not end this run.")
    assert [words for words in told if "".join(words.split()) not in text] == []
    assert [line.split()[-1] for line in lines if line.startswith(" default ")] == ["taken", "taken"]
