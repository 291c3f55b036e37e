"""From a name such as `openai:gpt-5` to a model that answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from magic_tools.chat import ChatModel, ModelSettings
from magic_tools.errors import ModelUnavailableError
from magic_tools.models.local import LocalModel
from magic_tools.models.openai_chat import OpenAIChatModel

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["MODEL_VARIABLE", "load_model"]

MODEL_VARIABLE = "MAGIC_TOOLS_MODEL"

_DEFAULTS = ModelSettings()


def load_model(
    spec: str | None = None,
    *,
    settings: ModelSettings = _DEFAULTS,
    base_url: str | None = None,
    api_key: str | None = None,
    client: OpenAI | AsyncOpenAI | None = None,
    notify: Callable[[str], None] | None = None,
) -> ChatModel:
    """The model that a name stands for: `openai:NAME`, `local`, or `local:FILE.gguf`.

    Without a name it is the one in the environment variable MAGIC_TOOLS_MODEL, else `local`.
    `base_url`, `api_key` and `client` are for `openai:` alone, and a ValueError with another; `notify` is
    told in a line when a local model's weights are about to be loaded. ModelUnavailableError says what
    to install or set where no model can answer.
    """
    chosen = spec or os.environ.get(MODEL_VARIABLE) or None
    kind, _, name = (chosen or "local").partition(":")
    if kind == "openai" and name:
        return OpenAIChatModel(name, settings=settings, base_url=base_url, api_key=api_key, client=client)
    if kind != "local":
        whence = "" if spec else f", as {MODEL_VARIABLE} has it"
        raise ModelUnavailableError(
            f"There is no model called {chosen!r}{whence}: write openai:NAME (such as openai:gpt-5), local, or "
            "local:FILE.gguf."
        )
    if base_url or api_key or client is not None:
        raise ValueError("base_url, api_key and client are for openai:NAME: a local model has none of them")
    try:
        return LocalModel(Path(name) if name else None, settings, notify)
    except ModelUnavailableError as error:
        if chosen is not None:
            raise
        elsewhere = f"or set {MODEL_VARIABLE}=openai:NAME and OPENAI_API_KEY"
        raise ModelUnavailableError(f"No model can answer here: {str(error).rstrip('.')}, {elsewhere}.") from error
