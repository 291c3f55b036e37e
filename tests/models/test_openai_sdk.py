"""The chat completions model on the real SDK, against a server on the loopback: clients, addresses, keys, failures."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest

from magic_tools.chat import ChatModel, ModelReply, ModelRequest, ToolDefinition
from magic_tools.errors import ModelError, ModelTimeoutError, ModelUnavailableError, RateLimitError
from magic_tools.messages import Message, TextPart, ToolCall, Usage
from magic_tools.models.openai_chat import WIRE
from magic_tools.models.registry import load_model
from magic_tools.models.servers import SERVERS
from magic_tools.settings import ModelSettings, Timeouts
from tests.models.wire_server import Answer, WireServer

KEY = "sk-TEST-1234567890"
REQUEST = ModelRequest((Message.user("Hi"),))


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


Ask = Callable[..., ModelReply]


def _ask(model: ChatModel) -> ModelReply:
    return model.complete(REQUEST)


def _ask_async(model: ChatModel) -> ModelReply:
    return asyncio.run(model.acomplete(REQUEST))


def _ask_once(base_url: str, settings: ModelSettings) -> ModelReply:
    with openai.OpenAI(base_url=base_url, api_key=KEY, max_retries=0) as client:
        return _ask(load_model("openai:m", client=client, settings=settings))


def _ask_once_async(base_url: str, settings: ModelSettings) -> ModelReply:
    async def asking() -> ModelReply:
        async with openai.AsyncOpenAI(base_url=base_url, api_key=KEY, max_retries=0) as client:
            return await load_model("openai:m", client=client, settings=settings).acomplete(REQUEST)

    return asyncio.run(asking())


both_ways = pytest.mark.parametrize("ask", [_ask, _ask_async], ids=["sync", "async"])
both_ways_once = pytest.mark.parametrize("ask_once", [_ask_once, _ask_once_async], ids=["sync", "async"])

HELLO = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m-2026",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    "not_known_today": {"a": 1},
}
GREETING = ModelReply((TextPart("Hello!"),), finish="stop", usage=Usage(9, 2), model="m-2026")


@both_ways
def test_answer(wire: WireServer, ask: Ask) -> None:
    """A request goes out as encoded, with the key, and the reply comes back decoded; unknown fields do no harm."""
    wire.answers.append(Answer(HELLO))
    settings = ModelSettings(temperature=0.0, max_tokens=5, extra={"min_p": 0.1})
    model = load_model("openai:m", base_url=wire.base_url, api_key=KEY, settings=settings)
    assert isinstance(model, ChatModel)
    assert ask(model) == replace(GREETING, max_tokens=5)
    (asked,) = wire.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == WIRE.encode(REQUEST, "m", settings, flavour=SERVERS["compatible"])


def test_a_union_reaches_the_tool(wire: WireServer) -> None:
    """What a tool of a union is called with comes back in the form that the tool has, sync and async."""
    branches = [{"type": "object", "properties": {name: {"type": "string"}}, "required": [name]} for name in "ab"]
    request = ModelRequest((Message.user("Hi"),), (ToolDefinition("either", "", {"anyOf": branches}),))
    function = {"name": "either", "arguments": '{"value": {"b": "x"}}'}
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    wire.answers.append(Answer(HELLO | {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}))
    model = load_model("openai:m", base_url=wire.base_url, api_key=KEY)
    for reply in (model.complete(request), asyncio.run(model.acomplete(request))):
        assert reply.parts == (ToolCall("c1", "either", '{"b": "x"}'),)


@both_ways_once
@pytest.mark.parametrize(
    ("answer", "kind", "complaint"),
    [
        pytest.param(
            Answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401),
            ModelError,
            r"^127.0.0.1:\d+ refuses the API key: set OPENAI_API_KEY, or pass api_key=...$",
            id="401",
        ),
        pytest.param(
            Answer({"error": {"message": f"{KEY} may not"}}, 403),
            ModelError,
            r"refuses openai:m to this API key: \*\*\* may not",
            id="403",
        ),
        pytest.param(
            Answer({"error": {"message": "The model does not exist"}}, 404),
            ModelError,
            "does not know openai:m, or its base URL is not right: The model does not exist",
            id="404",
        ),
        pytest.param(
            Answer({"error": {"message": f"Invalid schema\nfor function 'f' of {KEY}", "param": "tools"}}, 400),
            ModelError,
            r"refuses the request to openai:m: Invalid schema for function 'f' of \*\*\*$",
            id="400",
        ),
        pytest.param(
            Answer({"detail": [{"loc": ["body"], "msg": "Field required"}]}, 422),
            ModelError,
            "status 422: .*Field required",
            id="422 in another form",
        ),
        pytest.param(
            Answer({"error": {"message": "You exceeded your quota"}}, 429),
            RateLimitError,
            "rate or quota limits: You exceeded your quota",
            id="429",
        ),
        pytest.param(Answer({"error": "overloaded"}, 500), ModelError, "status 500: overloaded", id="500"),
        pytest.param(Answer("", 500), ModelError, "status 500: Error code: 500", id="500 without a word"),
        pytest.param(
            Answer("<html>\n<h1>502</h1></html>", 502, "text/html"), ModelError, "status 502: <html> <h1>502", id="502"
        ),
        pytest.param(
            Answer("<html>Welcome</html>", 200, "text/html"),
            ModelError,
            r"^openai:m at 127.0.0.1:\d+: the answer is not JSON.*base URL.*<html>Welcome",
            id="a page",
        ),
        pytest.param(Answer('{"choices": ['), ModelError, r"not JSON.*\{\"choices\": \[", id="cut JSON"),
        pytest.param(Answer("[" * 99999), ModelError, r"not JSON.*characters\)$", id="deep JSON"),
        pytest.param(Answer(""), ModelError, "not JSON.*it is empty", id="empty body"),
        pytest.param(Answer('"Hi"'), ModelError, "openai:m at .*not a JSON object: Hi", id="a JSON text"),
        pytest.param(Answer({"choices": []}), ModelError, "openai:m at .*no choice with a message", id="no choices"),
        pytest.param(
            Answer({"error": {"message": f"{'no ' * 98} {KEY} " + "no " * 99}}, 400),
            ModelError,
            r"(no ){97}no\.\.\. \(\d+ characters\)$",
            id="a key where the text is cut",
        ),
        pytest.param(
            Answer("{", headers={"Content-Length": "99", "Connection": "close"}),
            ModelError,
            r"^no whole answer from 127.0.0.1:\d+: .*complete message body",
            id="cut connection",
        ),
        pytest.param(
            Answer({"error": {"message": f"upstream refused {KEY}"}}),
            ModelError,
            r"is an error: upstream refused \*\*\*$",
            id="an error with status 200",
        ),
        pytest.param(Answer(hangs=True), ModelTimeoutError, r"openai:m at .* did not answer within 0.2 s$", id="hang"),
    ],
)
def test_failures(wire: WireServer, ask_once: Ask, answer: Answer, kind: type[ModelError], complaint: str) -> None:
    """Whatever a server does wrong is a ModelError in one line that says what to look at; the key is nowhere in it."""
    wire.answers.append(answer)
    with pytest.raises(ModelError, match=complaint) as raised:
        ask_once(wire.base_url, ModelSettings(timeouts=Timeouts(first_byte_s=0.2) if answer.hangs else None))
    assert type(raised.value) is kind
    shown = [str(raised.value), repr(raised.value), *traceback.format_exception(raised.value)]
    assert not [text for text in shown if KEY in text]
    assert "\n" not in str(raised.value)


@both_ways_once
def test_refused_connection(ask_once: Ask) -> None:
    """Where nobody listens, the error names the host, and no password of its address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        host = f"127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(ModelError, match=f"^no answer from {host}: .*is the base URL right and the server up"):
        ask_once(f"http://me:{KEY}@{host}/v1", ModelSettings())


@both_ways
def test_retry(wire: WireServer, ask: Ask) -> None:
    """A request is sent again when told to slow down, and the run sees only the answer."""
    wire.answers.extend([Answer({"error": {"message": "slow"}}, 429, headers={"retry-after-ms": "1"}), Answer(HELLO)])
    assert ask(load_model("openai:m", base_url=wire.base_url)) == GREETING
    assert len(wire.asked) == 2


@both_ways
def test_unsendable_text(wire: WireServer, ask: Ask) -> None:
    """Text that no request can carry is a ModelError, raised before anything is sent."""
    model = load_model("openai:m", base_url=wire.base_url, settings=ModelSettings(extra={"user": "\ud800"}))
    with pytest.raises(ModelError, match=r"openai:m holds text that cannot be sent: .*surrogates"):
        ask(model)
    assert wire.asked == []


def test_one_model_in_several_loops(wire: WireServer) -> None:
    """One model object serves one event loop after the other, and several at a time."""
    wire.answers.append(Answer(HELLO))
    model = load_model("openai:m", base_url=wire.base_url)
    assert [_ask_async(model), _ask_async(model)] == [GREETING, GREETING]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(_ask_async, [model] * 8)) == [GREETING] * 8


def test_many_at_once(wire: WireServer) -> None:
    """Requests made at the same time in one loop are all answered, those after them too."""
    wire.answers.append(Answer(HELLO))
    model = load_model("openai:m", base_url=wire.base_url)

    async def asking() -> list[ModelReply]:
        together = await asyncio.gather(*(model.acomplete(REQUEST) for _ in range(5)))
        return [*together, await model.acomplete(REQUEST)]

    assert asyncio.run(asking()) == [GREETING] * 6


@both_ways
def test_connections_are_closed(wire: WireServer, ask: Ask) -> None:
    """The connection is closed with an async run, and with the last reference to the model."""
    wire.answers.append(Answer(HELLO))
    ask(load_model("openai:m", base_url=wire.base_url))
    assert wire.hung_up.wait(10)
    gc.collect()  # one that is open warns when it is collected, and a warning is an error


def test_sync_connection_is_kept(wire: WireServer) -> None:
    """Sync requests of one model go through one connection."""
    wire.answers.append(Answer(HELLO))
    model = load_model("openai:m", base_url=wire.base_url)
    assert [_ask(model), _ask(model)] == [GREETING, GREETING]
    first, second = wire.asked
    assert first.peer == second.peer


def test_cancelled(wire: WireServer) -> None:
    """A cancelled request ends as cancelled, and the model can be asked again."""
    wire.answers.extend([Answer(hangs=True), Answer(HELLO)])
    model = load_model("openai:m", base_url=wire.base_url)

    async def asking() -> ModelReply:
        task = asyncio.create_task(model.acomplete(REQUEST))
        assert await asyncio.to_thread(wire.arrived.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await model.acomplete(REQUEST)

    assert asyncio.run(asking()) == GREETING


def test_client_of_the_wrong_kind() -> None:
    """A sync run cannot use an async client, nor the reverse; the error says what to do."""
    client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY)
    with pytest.raises(ModelError, match=r"a sync one: pass client=AsyncOpenAI\(...\), or use a sync run"):
        _ask_async(load_model("openai:m", client=client))
    async_client = openai.AsyncOpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY)
    with pytest.raises(ModelError, match=r"an async one: pass client=OpenAI\(...\), or use an async run"):
        _ask(load_model("openai:m", client=async_client))
    asyncio.run(async_client.close())


def test_client_and_address() -> None:
    """A client brings its address and key; others beside it are refused."""
    client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key=KEY)
    address_and_key: list[dict[str, Any]] = [{"api_key": KEY}, {"base_url": "http://127.0.0.1:9/v1"}]
    for beside in address_and_key:
        with pytest.raises(ValueError, match="a client has its own base URL and key"):
            load_model("openai:m", client=client, **beside)


def _offline(sent: list[httpx2.Request]) -> httpx2.Client:
    """The HTTP client of an SDK client, with an answer at hand for every request."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json=HELLO)

    return httpx2.Client(transport=httpx2.MockTransport(answer))


@pytest.mark.parametrize(
    ("make", "url", "field"),
    [
        pytest.param(
            lambda http: openai.OpenAI(api_key=KEY, http_client=http),
            "https://api.openai.com/v1/chat/completions",
            "max_completion_tokens",
            id="openai",
        ),
        pytest.param(
            lambda http: openai.AzureOpenAI(
                azure_endpoint="https://mine.openai.azure.com", api_version="1", api_key=KEY, http_client=http
            ),
            "https://mine.openai.azure.com/openai/deployments/m/chat/completions?api-version=1",
            "max_completion_tokens",
            id="azure",
        ),
        pytest.param(
            lambda http: openai.OpenAI(base_url="http://localhost:8000/v1", api_key=KEY, http_client=http),
            "http://localhost:8000/v1/chat/completions",
            "max_tokens",
            id="compatible",
        ),
    ],
)
def test_services(make: Callable[[httpx2.Client], openai.OpenAI], url: str, field: str) -> None:
    """Each service is asked at its own address, with the token limit in the field that it knows."""
    sent: list[httpx2.Request] = []
    with make(_offline(sent)) as client:
        model = load_model("openai:m", client=client, settings=ModelSettings(max_tokens=5))
        assert _ask(model) == replace(GREETING, max_tokens=5)
    (request,) = sent
    assert str(request.url) == url
    assert json.loads(request.content) == {"model": "m", "messages": [{"role": "user", "content": "Hi"}], field: 5}


@pytest.mark.parametrize(
    ("environment", "arguments", "complaint"),
    [
        pytest.param({}, {}, r"^OpenAI needs an API key: set OPENAI_API_KEY, or pass api_key=...$", id="no key"),
        pytest.param({"OPENAI_API_KEY": ""}, {}, "OpenAI needs an API key", id="empty key"),
        pytest.param({"OPENAI_API_KEY": f"{KEY}\n"}, {}, "holds a blank, a line break or a", id="line break"),
        pytest.param({}, {"api_key": f" {KEY}"}, "holds a blank, a line break or a", id="blank"),
        pytest.param({}, {"api_key": f"{KEY}…"}, "or a character beyond ASCII", id="ellipsis"),
        pytest.param(
            {}, {"base_url": "localhost:8000/v1"}, "a base URL starts with http:// or https://", id="bare host"
        ),
        pytest.param(
            {}, {"base_url": "http:///v1"}, "a base URL starts with http:// or https:// and a host", id="no host"
        ),
        pytest.param({}, {"base_url": "http://[x/v1"}, "a base URL starts with", id="half an address"),
        pytest.param({}, {"base_url": "http://x:99999/v1"}, "a base URL starts with", id="no such port"),
        pytest.param({"OPENAI_BASE_URL": f"ftp://:{KEY}@x"}, {}, "a base URL starts with", id="another protocol"),
    ],
)
def test_unavailable(
    environment: Mapping[str, str], arguments: Mapping[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can never be asked is refused when the model is made, in one sentence without the key."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ModelUnavailableError, match=complaint) as raised:
        load_model("openai:m", **arguments)
    assert KEY not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("environment", "arguments", "key"),
    [
        pytest.param({}, {}, "none", id="no key for a server of one's own"),
        pytest.param({"OPENAI_API_KEY": "sk-set"}, {}, "sk-set", id="key from the environment"),
        pytest.param({"OPENAI_API_KEY": "sk-set"}, {"api_key": "sk-given"}, "sk-given", id="argument over environment"),
    ],
)
@pytest.mark.parametrize("address", ["argument", "environment"])
def test_address_and_key(
    wire: WireServer,
    address: str,
    environment: Mapping[str, str],
    arguments: Mapping[str, Any],
    key: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Address and key come from the arguments, else from the environment as it was when the model was made."""
    wire.answers.append(Answer(HELLO))
    if address == "environment":
        monkeypatch.setenv("OPENAI_BASE_URL", wire.base_url)
    else:
        arguments = {**arguments, "base_url": wire.base_url}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    model = load_model("openai:m", **arguments)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-later")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert _ask(model) == GREETING
    assert wire.asked[0].headers["authorization"] == f"Bearer {key}"


def test_shown_without_secrets() -> None:
    """A model's repr says which model and where, and holds neither key nor password."""
    model = load_model("openai:m", base_url=f"https://me:{KEY}@example.org:8443/{KEY}/v1", api_key=KEY)
    assert repr(model) == "<RemoteModel openai:m at example.org:8443>"
    assert repr(load_model("openai:gpt-5", api_key=KEY)) == "<RemoteModel openai:gpt-5 at api.openai.com>"
    assert model.name == "openai:m"
    assert (model.capabilities.native_schema, model.capabilities.object_root, model.capabilities.tools) == (True,) * 3


def test_an_empty_base_url_is_refused() -> None:
    """It is a variable that was not set, and the key is for another server than OpenAI's."""
    with pytest.raises(ModelUnavailableError, match="a base URL starts with http"):
        load_model("openai:m", base_url="", api_key="sk-for-another-server")
