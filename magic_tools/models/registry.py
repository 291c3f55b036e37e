"""From a name such as `openai:gpt-5` to a model that answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from magic_tools.chat import ChatModel
from magic_tools.errors import ModelUnavailableError
from magic_tools.models import anthropic_messages, openai_chat, openai_responses
from magic_tools.models.fallback import FallbackModel
from magic_tools.models.local import LocalModel
from magic_tools.models.recording import ReplayModel
from magic_tools.models.remote import RemoteModel
from magic_tools.models.sdks import ANTHROPIC, OPENAI, Sdk, Service
from magic_tools.models.servers import Server, flavour_of
from magic_tools.models.wire import DEFAULTS, Wire
from magic_tools.settings import ModelSettings

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

    Client: TypeAlias = OpenAI | AsyncOpenAI | Anthropic | AsyncAnthropic | Any

__all__ = ["MODEL_VARIABLE", "REMOTE", "load_model"]

MODEL_VARIABLE = "MAGIC_TOOLS_MODEL"

REMOTE: Mapping[str, tuple[Wire, Sdk]] = {
    wire.prefix: (wire, sdk)
    for wire, sdk in (
        (openai_chat.WIRE, OPENAI),
        (openai_responses.WIRE, OPENAI),
        (anthropic_messages.WIRE, ANTHROPIC),
    )
}
"""The wire formats, by what stands before a model's name, and the SDK that sends each."""

_SPECS = (
    "openai:NAME (such as openai:gpt-5), openai-responses:NAME, anthropic:NAME, local, local:FILE.gguf, or "
    "replay:FILE.jsonl"
)


def load_model(
    spec: str | Sequence[str | ChatModel] | None = None,
    *,
    settings: ModelSettings = DEFAULTS,
    base_url: str | None = None,
    api_key: str | None = None,
    client: Client | None = None,
    server: Server | None = None,
    notify: Callable[[str], None] | None = None,
) -> ChatModel:
    """The model that a name stands for; of several names or ready models, the first that can answer at the time.

    A name is `openai:NAME`, `openai-responses:NAME`, `anthropic:NAME`, `local`, `local:FILE.gguf` or
    `replay:FILE.jsonl`. Without a name it is the one in the environment variable MAGIC_TOOLS_MODEL, else `local`.
    `base_url`, `api_key` and `client`, a ready client of the provider's SDK, are for a model behind a server, and a
    ValueError with another, as with several: those have each its own. `server` names what speaks OpenAI's chat
    completions at `base_url`, where its address does not say it. Each of several has to be there to be loaded, such as
    its key. `settings` are for each model that is given by its
    name. `notify` is told in a line when a local model's weights are about to be loaded. ModelUnavailableError says
    what to install or set where no model can answer.
    """
    if not isinstance(spec, str | None):
        if base_url or api_key or client is not None or server is not None:
            raise ValueError("base_url, api_key, client and server are for one model: give a list ready models instead")
        given: Any = spec  # which a caller without a type checker may give as anything
        if not isinstance(given, Sequence) or not all(isinstance(each, str | ChatModel) for each in given):
            raise ValueError(f"several models are a list of names and ready models, in order, got {given!r:.80}")
        return FallbackModel(
            [load_model(each, settings=settings, notify=notify) if isinstance(each, str) else each for each in spec]
        )
    chosen = spec or os.environ.get(MODEL_VARIABLE) or None
    kind, _, name = (chosen or "local").partition(":")
    if kind in REMOTE and name:
        wire, sdk = REMOTE[kind]
        service = Service(sdk, base_url, api_key, client)
        flavour = wire.flavour
        if wire is openai_chat.WIRE:
            flavour = flavour_of(server, service.host, is_official=service.is_official)
        elif server is not None:
            raise ValueError(f"server=... is for openai:NAME: {kind} is one service, wherever it is")
        return RemoteModel(wire, name, service, settings, flavour)
    if kind not in ("local", "replay") or (kind == "replay" and not name):
        whence = "" if spec else f", as {MODEL_VARIABLE} has it"
        raise ModelUnavailableError(f"There is no model called {chosen!r}{whence}: write {_SPECS}.")
    if base_url or api_key or client is not None or server is not None:
        raise ValueError(
            f"base_url, api_key, client and server are for models behind a server, such as openai:NAME: {kind} has none"
        )
    if kind == "replay":
        return ReplayModel(Path(name))
    try:
        return LocalModel(Path(name) if name else None, settings, notify)
    except ModelUnavailableError as error:
        if chosen is not None:
            raise
        elsewhere = f"or set {MODEL_VARIABLE}=openai:NAME and OPENAI_API_KEY"
        raise ModelUnavailableError(f"No model can answer here: {str(error).rstrip('.')}, {elsewhere}.") from error
