"""What a model answered, kept in a file: what is written, what is given again, and what an unknown request is told."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from magic_tools.chat import Capabilities, ModelReply, ModelRequest, OutputFormat, StreamingModel, ToolDefinition
from magic_tools.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitError,
    StreamCutError,
    UnsupportedSettingError,
)
from magic_tools.messages import ErrorCode, Message, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.recording import ReplayModel, record
from magic_tools.models.scripted import CutReply, ScriptedModel
from magic_tools.settings import ModelSettings
from tests.models.four_ways import FOUR_WAYS, STREAMED, Ask, items_of

REQUEST = ModelRequest((Message.user("Hi"),))
KEY = "sk-TEST-1234567890"
CALL = ToolCall("c1", "f", '{"a": 1}')
REPLY = ModelReply(
    (ProviderPart("anthropic", '{"signature": "s"}', "I think"), TextPart("Hello 東京\n\u2028 \ud800"), CALL),
    "tool_calls",
    Usage(10, 20, 5, 3),
    "a-2026",
    100,
    ("seed",),
)
SEARCH = ToolDefinition("search", "Search.", {"type": "object", "properties": {"q": {"type": "string"}}})
LOOK = ToolDefinition("look", "Look.", {"type": "object"})


def asking(text: str) -> ModelRequest:
    return ModelRequest((Message.user(text),))


def recorded(file: Path, request: ModelRequest, *replies: Any) -> ReplayModel:
    """A replay of the replies that a scripted model has given to one request."""
    model = record(ScriptedModel(replies), file)
    for _ in replies:
        model.complete(request)
    return ReplayModel(file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recorded.jsonl"


@pytest.mark.parametrize("again", FOUR_WAYS)
@pytest.mark.parametrize("first", FOUR_WAYS)
def test_the_same_request_gives_the_same_reply(file: Path, first: Ask, again: Ask) -> None:
    """In whole, with usage and what a provider alone can read, however it was asked and is asked again."""
    assert first(record(ScriptedModel([REPLY]), file), REQUEST) == REPLY
    assert again(ReplayModel(file), REQUEST) == REPLY
    assert again(ReplayModel(str(file)), REQUEST) == REPLY


def test_replies_to_equal_requests(file: Path) -> None:
    """They come in order, and the last of them from then on; each replay begins anew."""
    model = recorded(file, REQUEST, "one", "two", "three")
    assert [model.complete(REQUEST).text for _ in range(5)] == ["one", "two", "three", "three", "three"]
    assert ReplayModel(file).complete(REQUEST).text == "one"


def test_a_whole_conversation(file: Path) -> None:
    """The results of tools may be made anew: the same content is the same request, whatever the value was."""
    first = ModelRequest((Message.user("Go"),), (SEARCH,), settings=ModelSettings(temperature=0, stop=("END",)))
    turn = Message("assistant", REPLY.parts)
    results = [Message("tool", (ToolResult("c1", "f", "3", value=value),)) for value in (3, object())]
    second, again = (replace(first, messages=(*first.messages, turn, result)) for result in results)
    model = record(ScriptedModel([REPLY, "done"]), file)
    model.complete(first)
    model.complete(second)
    replayed = ReplayModel(file)
    assert (replayed.complete(first), replayed.complete(again).text) == (REPLY, "done")


def test_each_is_written_when_it_happens(file: Path) -> None:
    """A line for each reply, after one that says what the file is; another recorder goes on with the file."""
    capable = Capabilities(tools=True, context_tokens=8_000)
    model = record(ScriptedModel(["one", "two"], capabilities=capable), file)
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {
            "format": "magic_tools recording",
            "version": 1,
            "model": "scripted",
            "capabilities": {name: getattr(capable, name) for name in Capabilities.__slots__},
        }
    ]
    for count in (2, 3):
        model.complete(REQUEST)
        assert len(file.read_text().splitlines()) == count
    record(ScriptedModel(["three"]), file).complete(REQUEST)
    replayed = ReplayModel(file)
    assert [replayed.complete(REQUEST).text for _ in range(3)] == ["one", "two", "three"]
    assert replayed.capabilities == capable


def test_the_file_can_be_read(file: Path) -> None:
    """Text of any language stands in it as it is."""
    recorded(file, asking("東京"), "Привет")
    assert "東京" in file.read_text(encoding="utf-8")
    assert "Привет" in file.read_text(encoding="utf-8")


def test_names_and_capabilities(file: Path) -> None:
    """A recorder is called like its model and can do what it can; so can a replay, whose name says what it is."""
    inner = ScriptedModel(["one"], capabilities=Capabilities(tools=True))
    inner.name = "openai:gpt-5"
    model = record(inner, file)
    replayed = ReplayModel(file)
    assert isinstance(model, StreamingModel)
    assert isinstance(replayed, StreamingModel)
    assert (model.name, model.capabilities) == ("openai:gpt-5", inner.capabilities)
    assert (replayed.name, replayed.capabilities) == ("replay:openai:gpt-5", inner.capabilities)
    assert replayed.identity == f"replay:openai:gpt-5 in {file}"
    assert repr(replayed) == "<ReplayModel replay:openai:gpt-5>"


@pytest.mark.parametrize("again", FOUR_WAYS)
@pytest.mark.parametrize("first", FOUR_WAYS)
@pytest.mark.parametrize(
    "kind", [ModelError, ModelUnavailableError, ModelTimeoutError, RateLimitError, UnsupportedSettingError]
)
def test_errors_are_replies_too(file: Path, kind: type[ModelError], first: Ask, again: Ask) -> None:
    """An error of ours is recorded, and raised again as the same class, with the same text."""
    model = record(ScriptedModel([kind("not now"), "now"]), file)
    with pytest.raises(kind, match=r"^not now$"):
        first(model, REQUEST)
    first(model, REQUEST)
    replayed = ReplayModel(file)
    with pytest.raises(ModelError, match=r"^not now$") as raised:
        again(replayed, REQUEST)
    assert type(raised.value) is kind
    assert again(replayed, REQUEST).text == "now"


class OddError(RateLimitError):
    """A class of somebody else's."""


def test_an_error_of_another_class(file: Path) -> None:
    """It is recorded as the nearest class of ours; what is no ModelError is not recorded at all."""
    model = record(ScriptedModel([OddError("odd"), ZeroDivisionError()]), file)
    with pytest.raises(OddError):
        model.complete(REQUEST)
    with pytest.raises(ZeroDivisionError):
        model.complete(REQUEST)
    assert len(file.read_text().splitlines()) == 2
    with pytest.raises(RateLimitError, match="odd") as raised:
        ReplayModel(file).complete(REQUEST)
    assert type(raised.value) is RateLimitError


@pytest.mark.parametrize("ask", STREAMED)
def test_a_stream_that_broke(file: Path, ask: Ask) -> None:
    """It breaks again, with what had come."""
    model = record(ScriptedModel([CutReply(["I look.", CALL], after=3)], piece=4), file)
    with pytest.raises(StreamCutError) as first:
        ask(model, REQUEST)
    with pytest.raises(StreamCutError) as second:
        ask(ReplayModel(file), REQUEST)
    assert second.value.partial == first.value.partial
    assert second.value.partial.parts == (TextPart("I look."), replace(CALL, arguments=""))
    came: list[Any] = []
    with pytest.raises(StreamCutError):
        came.extend(ReplayModel(file).stream(REQUEST))
    assert len(came) == 2


def test_what_is_no_reply_is_not_recorded(file: Path) -> None:
    """It goes out as it is."""
    odd: Any = ModelReply((TextPart("a"),), finish="ended")  # type: ignore[arg-type]  # as a model might
    assert record(ScriptedModel([odd]), file).complete(REQUEST) is odd
    assert len(file.read_text().splitlines()) == 1


def test_pieces(file: Path) -> None:
    """While it is recorded a reply streams as it does, and in a replay part by part."""
    model = record(ScriptedModel(["0123456789"]), file)
    assert len(items_of(model, REQUEST)) == 3
    assert len(items_of(ReplayModel(file), REQUEST)) == 2


def test_threads_share_a_recorder(file: Path) -> None:
    """Each line is whole, and each reply given once, whoever asks at the same time."""
    texts = [f"{number}" * 50 for number in range(100)]
    model = record(ScriptedModel(texts), file)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: model.complete(REQUEST), texts))
    replayed = ReplayModel(file)
    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(lambda _: replayed.complete(REQUEST).text, texts)) == sorted(texts)


# What is never written


@pytest.mark.parametrize(
    "extra",
    [
        {"api_key": KEY},
        {"apiKey": KEY},
        {"X-Api-Key": KEY},
        {"Authorization": f"Bearer {KEY}"},
        {"extra_headers": {"x-tenant": KEY}},
        {"headers": [["x-tenant", KEY]]},
        {"tools": [{"type": "mcp", "authorization": KEY}]},
        {"auth": {"user": KEY}},
        {"access_token": KEY},
        {"client-secret": KEY},
        {"aws_secret_access_key": KEY},
        {"password": KEY},
        {"api_key": [KEY]},
        {"cookie": f"session={KEY}; path=/"},
        {"cookie": "", "api_key": KEY},
    ],
)
def test_j3_keys_are_never_written(file: Path, extra: dict[str, Any]) -> None:
    """Neither from the settings nor from the text of an error; the model is asked with them all the same."""
    request = replace(REQUEST, settings=ModelSettings(extra=extra))
    inner = ScriptedModel(["one", ModelError(f"401 for {KEY}")])
    model = record(inner, file)
    model.complete(request)
    with pytest.raises(ModelError, match=KEY):
        model.complete(request)
    assert "sk-TEST" not in file.read_text()
    assert inner.requests[0].settings == ModelSettings(extra=extra)
    replayed = ReplayModel(file)
    assert replayed.complete(request).text == "one"
    with pytest.raises(ModelError, match=r"401 for .*\*\*\*$"):
        replayed.complete(request)


def test_j3_the_key_of_the_model_itself(file: Path) -> None:
    """A pydantic secret that the model holds is left out of its errors."""
    inner = ScriptedModel([ModelError(f"401 for {KEY}")])
    inner.key = SecretStr(KEY)  # type: ignore[attr-defined]  # which models may have
    with pytest.raises(ModelError):
        record(inner, file).complete(REQUEST)
    assert "sk-TEST" not in file.read_text()


@pytest.mark.parametrize(
    "extra",
    [
        {"max_tokens": 7},
        {"max_completion_tokens": 7},
        {"prompt_cache_key": "k7"},
        {"metadata": {"user": "u7"}},
        {"api_key": None, "tokens": [7]},
    ],
)
def test_what_is_no_secret_is_written(file: Path, extra: dict[str, Any]) -> None:
    """So that two requests with other values are two."""
    request = replace(REQUEST, settings=ModelSettings(extra=extra))
    recorded(file, request, "one")
    told = json.loads(file.read_text().splitlines()[1])["request"]["settings"]
    assert told == {"extra": extra}


def test_results_of_tools_are_never_written(file: Path) -> None:
    """They may hold what a policy masks: neither content nor value nor exception is; nor is a provider's part asked."""
    parts = (
        ToolResult("c1", "f", "salary 5100", value="salary 5100"),
        ToolResult("c2", "g", "salary 5100", True, ErrorCode.INTERNAL, exception=ValueError("salary 5100")),
    )
    thought = Message("assistant", (ProviderPart("anthropic", '{"signature": "salary 5100"}', "salary 5100"),))
    recorded(file, ModelRequest((Message.user("Hi"), thought, Message("tool", parts))), "done")
    assert "5100" not in file.read_text()


# An unknown request

BASE = ModelRequest(
    (
        Message.system("Be kind."),
        Message.user("How warm is it in Rome?"),
        Message("assistant", (TextPart("I look."), CALL)),
        Message("tool", (ToolResult("c1", "f", "secret 3"),)),
    ),
    (SEARCH, LOOK),
    output=OutputFormat("answer", {"type": "object"}),
    settings=ModelSettings(temperature=0.0, seed=1),
)


def with_message(index: int, message: Message) -> ModelRequest:
    messages = list(BASE.messages)
    messages[index] = message
    return replace(BASE, messages=tuple(messages))


LONG = "0123456789" * 20


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            with_message(1, Message.user("How warm is it in Oslo?")),
            "messages[1].parts[0].text: 'How warm is it in Oslo?', recorded 'How warm is it in Rome?'.",
        ),
        (with_message(0, Message.user("Be kind.")), "messages[0].role: 'user', recorded 'system'."),
        (
            with_message(2, Message("assistant", (TextPart("I look."), replace(CALL, name="g")))),
            "messages[2].parts[1].name: 'g', recorded 'f'.",
        ),
        (
            with_message(2, Message("assistant", (TextPart("I look."), replace(CALL, arguments="{}")))),
            "messages[2].parts[1].arguments: another than was recorded.",
        ),
        (
            with_message(3, Message("tool", (ToolResult("c1", "f", "secret 4"),))),
            "messages[3].parts[0].content: another than was recorded.",
        ),
        (replace(BASE, messages=BASE.messages[:3]), "messages: 3, recorded 4."),
        (replace(BASE, messages=(*BASE.messages, Message.user("And?"))), "messages: 5, recorded 4."),
        (replace(BASE, tools=(SEARCH,)), "tools: 'look' was recorded, and is missing."),
        (
            replace(BASE, tools=(*BASE.tools, replace(LOOK, name="sell"))),
            "tools: 'sell' is not among what was recorded.",
        ),
        (
            replace(BASE, tools=(SEARCH, replace(LOOK, description="Look at it."))),
            "tools.look.description: 'Look at it.', recorded 'Look.'.",
        ),
        (
            replace(BASE, tools=(SEARCH, replace(LOOK, input_schema={"type": "array"}))),
            "tools.look.input_schema.type: 'array', recorded 'object'.",
        ),
        (replace(BASE, tool_choice="required"), "tool_choice: 'required', recorded 'auto'."),
        (replace(BASE, output=None), "output: None, recorded {'name': 'answer', 'schema': {'type': 'object'}}."),
        (
            replace(BASE, settings=ModelSettings(temperature=0.5, seed=1)),
            "settings.temperature: 0.5, recorded 0.0.",
        ),
        (
            replace(BASE, settings=ModelSettings(temperature=0)),
            "settings: 'seed' was recorded, and is missing.",
        ),
        (
            replace(BASE, settings=ModelSettings(temperature=0, seed=1, extra={"x": True})),
            "settings: 'extra' is not among what was recorded.",
        ),
        (
            replace(BASE, tool_choice="none", settings=ModelSettings(temperature=1, seed=2, top_p=1)),
            (
                "tool_choice: 'none', recorded 'auto'; settings.temperature: 1, recorded 0.0; "
                "settings: 'top_p' is not among what was recorded; and 1 more."
            ),
        ),
    ],
)
@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_an_unknown_request(file: Path, request_: ModelRequest, told: str, ask: Ask) -> None:
    """The error says which part differs, and from which line; never what a tool returned or was sent."""
    model = recorded(file, BASE, "done")
    with pytest.raises(ModelError) as raised:
        ask(model, request_)
    text = str(raised.value)
    assert text.startswith(f"The recording {file} has no reply to this request. Beside the nearest, in line 2: {told}")
    assert "secret" not in text
    assert len(text) < 600


def test_texts_are_shown_where_they_differ(file: Path) -> None:
    """Of long texts the place of the difference is shown, and not all that is before and behind it."""
    model = recorded(file, asking(f"{LONG}Rome{LONG}"), "done")
    with pytest.raises(ModelError) as raised:
        model.complete(asking(f"{LONG}Oslo{LONG}"))
    assert (
        "messages[0].parts[0].text: ...'01234567890123456789Oslo0123456789012345'..., "
        "recorded ...'01234567890123456789Rome0123456789012345'..." in str(raised.value)
    )


def test_the_nearest(file: Path) -> None:
    """It is the recorded request that differs in the fewest values, whatever its line."""
    model = record(ScriptedModel(["one", "two", "three"]), file)
    longer = ModelRequest((*BASE.messages, Message.user("And in Oslo?")), BASE.tools)
    for request in (asking("And in Oslo?"), longer, BASE):
        model.complete(request)
    with pytest.raises(ModelError, match=r"in line 3: messages\[4\].parts\[0\].text: 'And in Bern\?', recorded"):
        ReplayModel(file).complete(replace(longer, messages=(*BASE.messages, Message.user("And in Bern?"))))
    with pytest.raises(ModelError, match=r"in line 4: settings.seed: 2, recorded 1"):
        ReplayModel(file).complete(replace(BASE, settings=ModelSettings(temperature=0, seed=2)))


def test_the_nearest_by_values(file: Path) -> None:
    """One place in which much is missing is further than two in which one value is another."""
    settings = ModelSettings(temperature=1, seed=2)
    model = record(ScriptedModel(["one", "two"]), file)
    for request in (replace(BASE, messages=(*BASE.messages, Message.user("And?")), settings=settings), BASE):
        model.complete(request)
    with pytest.raises(ModelError, match=r"in line 3: settings.temperature: 1, recorded 0.0; settings.seed"):
        ReplayModel(file).complete(replace(BASE, settings=settings))


def test_true_is_not_one(file: Path) -> None:
    """Values are compared as JSON has them."""
    request = replace(REQUEST, settings=ModelSettings(extra={"x": 1}))
    model = recorded(file, request, "done")
    assert model.complete(replace(REQUEST, settings=ModelSettings(extra={"x": 1.0}))).text == "done"
    with pytest.raises(ModelError, match=r"settings.extra.x: True, recorded 1\."):
        model.complete(replace(REQUEST, settings=ModelSettings(extra={"x": True})))


def test_nothing_was_recorded(file: Path) -> None:
    """A recording may have no request at all, as the error says."""
    record(ScriptedModel([]), file)
    with pytest.raises(ModelError, match="no reply to this request: it has none at all"):
        ReplayModel(file).complete(REQUEST)


# A file that cannot be read


def test_no_file(file: Path) -> None:
    """There is none: the error says where it was looked for, and how one is made."""
    with pytest.raises(ModelUnavailableError, match=r"recorded\.jsonl cannot be read: No such file.* record\(\)"):
        ReplayModel(file)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"request": {}, "re', "line 3: it is not JSON"),
        ("[" * 100_000, "line 3: it is not JSON"),
        ("[]", "line 3: it is no request with its reply"),
        ('{"request": {}}', "line 3: it is no request with its reply"),
        ('{"request": [], "reply": {}}', "line 3: it is no request with its reply"),
        ('{"request": {}, "reply": {}}', "line 3: not the data of a reply"),
        ('{"request": {}, "error": {"class": "KeyError", "text": "a"}}', "line 3: not the data of a failure"),
        (
            '{"request": {}, "error": {"class": "StreamCutError", "text": "a", "partial": null}}',
            "line 3: not the data of a reply",
        ),
    ],
)
def test_a_damaged_line(file: Path, line: str, told: str) -> None:
    """Its number is told when the file is read, for a replay as for a recorder, which leaves the file as it is."""
    recorded(file, REQUEST, "one")
    with file.open("a") as opened:
        opened.write(line)
    before = file.read_bytes()
    for make in (ReplayModel, lambda path: record(ScriptedModel([]), path)):
        with pytest.raises(ModelError, match=told):
            make(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hello", "line 1: it is not JSON"),
        ("{}", "is no recording: its first line does not say so"),
        ("[]", "is no recording"),
        ("\n", "is no recording"),
        ('{"format": "other", "version": 1}', "is no recording"),
        ('{"format": "magic_tools recording", "version": 2}', "is a recording of version 2, and only 1 can be read"),
        ('{"format": "magic_tools recording", "version": 1}', "line 1: it does not name the model"),
    ],
)
def test_no_recording(file: Path, text: str, told: str) -> None:
    """A file that is something else is not read, and not written to."""
    file.write_text(text)
    for make in (ReplayModel, lambda path: record(ScriptedModel([]), path)):
        with pytest.raises(ModelError, match=told):
            make(file)
    assert file.read_text() == text


def test_an_empty_file_is_begun(file: Path) -> None:
    """As if there were none."""
    file.touch()
    assert recorded(file, REQUEST, "one").complete(REQUEST).text == "one"


def test_a_recording_of_another_model(file: Path) -> None:
    """It is not mixed up with this one's."""
    recorded(file, REQUEST, "one")
    other = ScriptedModel([])
    other.name = "other"
    with pytest.raises(ModelError, match="is a recording of scripted: record other in another file"):
        record(other, file)


def test_what_a_later_version_may_add(file: Path) -> None:
    """A capability that is not known here is passed over, and empty lines are."""
    recorded(file, REQUEST, "one")
    first, *rest = file.read_text().splitlines()
    header = json.loads(first)
    header["capabilities"]["telepathy"] = True
    file.write_text("\n\n".join([json.dumps(header), *rest]))
    assert ReplayModel(file).complete(REQUEST).text == "one"
