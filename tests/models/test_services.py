"""The clients below the models: reused, closed, one for each process, loop and kind, and other people's."""

from __future__ import annotations

import asyncio
import gc
import os
import traceback
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from magic_tools.chat import ChatModel, ModelReply, ModelRequest, StreamingModel, TextPiece
from magic_tools.errors import ModelError, ModelUnavailableError
from magic_tools.messages import Message
from magic_tools.models.registry import load_model
from tests.models.wire_server import Answer, WireServer

KEY = "sk-TEST-1234567890"
REQUEST = ModelRequest((Message.user("Hi"),))

CHAT = {
    "model": "m-2026",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}, "finish_reason": "stop"}],
}
RESPONSES = {
    "model": "m-2026",
    "status": "completed",
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]}],
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "model": "m-2026",
    "content": [{"type": "text", "text": "Hello!"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
BODIES = {"openai": CHAT, "openai-responses": RESPONSES, "anthropic": ANTHROPIC}

each_wire = pytest.mark.parametrize("prefix", list(BODIES))


def answering(wire: WireServer, prefix: str) -> ChatModel:
    """A model at a server that says hello."""
    wire.answers.append(Answer(BODIES[prefix]))
    base_url = wire.base_url if prefix != "anthropic" else wire.base_url.removesuffix("/v1")
    return load_model(f"{prefix}:m", base_url=base_url, api_key=KEY)


@each_wire
def test_one_connection_serves_one_loop(prefix: str) -> None:
    """Awaited requests one after the other go through one connection, which is closed when the loop shuts down."""
    with WireServer() as wire:
        model = answering(wire, prefix)

        async def asking() -> list[str]:
            return [(await model.acomplete(REQUEST)).text for _ in range(3)]

        assert asyncio.run(asking()) == ["Hello!"] * 3
        assert len({asked.peer for asked in wire.asked}) == 1
        assert wire.hung_up.wait(10)
        assert asyncio.run(asking()) == ["Hello!"] * 3  # in another loop, after the first has gone
        assert len({asked.peer for asked in wire.asked}) == 2
    gc.collect()  # a connection that is open warns when it is collected, and a warning is an error


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@each_wire
def test_a_process_has_its_own_connection(prefix: str) -> None:
    """After a fork the child opens a connection of its own, and the parent's goes on."""
    with WireServer() as wire:
        model = answering(wire, prefix)
        assert model.complete(REQUEST).text == "Hello!"
        child = os.fork()
        if child == 0:
            said = ""
            try:
                said = model.complete(REQUEST).text
            finally:
                os._exit(0 if said == "Hello!" else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert model.complete(REQUEST).text == "Hello!"
        first, of_the_child, last = (asked.peer for asked in wire.asked)
        assert first == last
        assert of_the_child != first


def offline(body: Any, sent: list[httpx2.Request]) -> httpx2.Client:
    """An HTTP client with an answer at hand for every request."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json=body)

    return httpx2.Client(transport=httpx2.MockTransport(answer))


CLIENTS: list[tuple[str, str, Callable[[httpx2.Client], Any], str]] = [
    ("Anthropic", "anthropic", lambda http: anthropic.Anthropic(api_key=KEY, http_client=http), "/v1/messages"),
    (
        "Bedrock",
        "anthropic",
        lambda http: anthropic.AnthropicBedrock(
            aws_access_key="a", aws_secret_key=KEY, aws_region="eu-west-1", http_client=http
        ),
        "/model/m/invoke",
    ),
    (
        "Vertex",
        "anthropic",
        lambda http: anthropic.AnthropicVertex(region="r", project_id="p", access_token=KEY, http_client=http),
        "/v1/projects/p/locations/r/publishers/anthropic/models/m:rawPredict",
    ),
    (
        "Foundry",
        "anthropic",
        lambda http: anthropic.AnthropicFoundry(api_key=KEY, resource="r", http_client=http),
        "/anthropic/v1/messages",
    ),
    (
        "Azure",
        "openai",
        lambda http: openai.AzureOpenAI(
            azure_endpoint="https://mine.openai.azure.com", api_version="1", api_key=KEY, http_client=http
        ),
        "/openai/deployments/m/chat/completions",
    ),
    (
        "Azure's responses",
        "openai-responses",
        lambda http: openai.AzureOpenAI(
            azure_endpoint="https://mine.openai.azure.com", api_version="1", api_key=KEY, http_client=http
        ),
        "/openai/responses",
    ),
]


@pytest.mark.parametrize(("prefix", "make", "path"), [each[1:] for each in CLIENTS], ids=[each[0] for each in CLIENTS])
def test_clients_of_other_clouds(prefix: str, make: Callable[[httpx2.Client], Any], path: str) -> None:
    """A ready client sends to its own cloud, in that cloud's way."""
    sent: list[httpx2.Request] = []
    model = load_model(f"{prefix}:m", client=make(offline(BODIES[prefix], sent)))
    assert model.complete(REQUEST).text == "Hello!"
    assert [request.url.path for request in sent] == [path]
    assert KEY not in repr(model)


@pytest.mark.parametrize(
    ("prefix", "client", "complaint"),
    [
        ("anthropic", anthropic.AsyncAnthropic(api_key=KEY), r"an async one: pass client=Anthropic\(...\)"),
        ("openai-responses", openai.AsyncOpenAI(api_key=KEY), r"an async one: pass client=OpenAI\(...\)"),
    ],
)
def test_a_client_of_the_wrong_kind(prefix: str, client: Any, complaint: str) -> None:
    """An async client serves no sync run; the error names what does."""
    with pytest.raises(ModelError, match=complaint):
        load_model(f"{prefix}:m", client=client).complete(REQUEST)


def test_what_is_no_client() -> None:
    """Anything else is refused when the model is made."""
    with pytest.raises(ValueError, match=r"client=\.\.\. is a client of the SDK 'anthropic', got a str"):
        load_model("anthropic:m", client="my key")


def test_a_key_that_is_missing() -> None:
    """Each provider's own variable is named."""
    with pytest.raises(ModelUnavailableError, match=r"^Anthropic needs an API key: set ANTHROPIC_API_KEY"):
        load_model("anthropic:m")
    with pytest.raises(ModelUnavailableError, match=r"^OpenAI needs an API key: set OPENAI_API_KEY"):
        load_model("openai-responses:m")


def test_streams_share_a_connection() -> None:
    """A stream that was left early does not spoil the model for the next request."""
    events = "".join(f"data: {each}\n\n" for each in ('{"choices":[{"delta":{"content":"a"}}]}', *["{}"] * 50))
    with WireServer() as wire:
        wire.answers.extend([Answer(events, content_type="text/event-stream"), Answer(CHAT)])
        model = load_model("openai:m", base_url=wire.base_url, api_key=KEY)
        stream = model.stream(REQUEST)  # type: ignore[attr-defined]  # a remote model can
        assert next(stream).text == "a"
        stream.close()
        reply: ModelReply = model.complete(REQUEST)
        assert reply.text == "Hello!"


EVENTS = [
    'data: {"choices":[{"delta":{"content":"Hi \\ud83d"}}]}',
    'data: {"choices":[{"delta":{"content":"\\ude00!"}}]}',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
]


@pytest.mark.parametrize("between", ["event: ping", "id: 5", "retry: 3000", "data:", "event: x\ndata:", ": comment"])
def test_events_without_data(between: str) -> None:
    """They say nothing, wherever they stand; and a character that comes in halves is told whole."""
    body = "".join(f"{between}\n\n{event}\n\n" for event in EVENTS) + f"{between}\n\ndata: [DONE]\n\n"
    with WireServer() as wire:
        wire.answers.append(Answer(body, content_type="text/event-stream"))
        model = load_model("openai:m", base_url=wire.base_url, api_key=KEY)
        assert isinstance(model, StreamingModel)

        async def awaited() -> list[Any]:
            return [item async for item in model.astream(REQUEST)]

        for items in (list(model.stream(REQUEST)), asyncio.run(awaited())):
            *pieces, reply = items
            assert [piece.text for piece in pieces if isinstance(piece, TextPiece) and piece.text] == ["Hi ", "😀!"]
            assert isinstance(reply, ModelReply)
            assert reply.text == "Hi 😀!"


OTHER_KEYS: list[tuple[str, Callable[[str], Any]]] = [
    ("anthropic", lambda url: anthropic.Anthropic(auth_token=KEY, base_url=url, max_retries=0)),
    ("openai", lambda url: openai.OpenAI(api_key=lambda: KEY, base_url=url, max_retries=0)),
    (
        "openai",
        lambda url: openai.AzureOpenAI(azure_ad_token=KEY, base_url=url, api_version="1", max_retries=0),
    ),
    (
        "openai",
        lambda url: openai.AzureOpenAI(
            azure_ad_token_provider=lambda: KEY, base_url=url, api_version="1", max_retries=0
        ),
    ),
    (
        "openai",
        lambda url: openai.OpenAI(
            api_key="another", base_url=url, default_headers={"Authorization": f"Bearer {KEY}"}, max_retries=0
        ),
    ),
]


@pytest.mark.parametrize(("prefix", "make"), OTHER_KEYS)
@pytest.mark.parametrize("status", [400, 200])
def test_the_keys_of_a_ready_client(prefix: str, make: Callable[[str], Any], status: int) -> None:
    """However a client shows itself, no error text holds it, whatever the server says."""
    with WireServer() as wire, make(wire.base_url) as client:
        wire.answers.append(Answer({"error": {"message": f"{KEY} may not"}}, status))
        with pytest.raises(ModelError, match=r"\*\*\* may not") as raised:
            load_model(f"{prefix}:m", client=client).complete(REQUEST)
    assert KEY not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("prefix", "client"), [("openai", anthropic.Anthropic(api_key=KEY)), ("anthropic", openai.OpenAI(api_key=KEY))]
)
def test_a_client_of_another_sdk(prefix: str, client: Any) -> None:
    """It is refused when the model is made."""
    with pytest.raises(ValueError, match=f"client=... is a client of the SDK '{prefix}', got a "):
        load_model(f"{prefix}:m", client=client)
