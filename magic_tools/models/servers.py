"""The servers that speak OpenAI's chat completions: what each wants otherwise, or cannot do, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from magic_tools.models.openai_chat import OPENAI
from magic_tools.models.wire import Flavour

__all__ = ["SERVERS", "Server", "flavour_of"]

Server = Literal["openai", "vllm", "ollama", "llama.cpp", "llama-cpp-python", "compatible"]

_LIMIT: Mapping[str, str | None] = {"max_tokens": "max_tokens"}

SERVERS: Mapping[Server, Flavour] = {
    "openai": OPENAI,
    # vLLM's documents of its OpenAI-compatible server, 2026: tool_choice may be forced, `strict` is passed over.
    "vllm": Flavour("vllm", _LIMIT, frozenset({"strict_tools"})),
    # Ollama's page on OpenAI compatibility, 2026: no tool_choice.
    "ollama": Flavour("ollama", _LIMIT, frozenset({"strict_tools", "forced_choice"})),
    # llama.cpp's tools/server/README.md, 2026: it takes json_schema, and passes over `strict`.
    "llama.cpp": Flavour("llama.cpp", _LIMIT, frozenset({"strict_tools"})),
    # Version 0.3.36: it ignores max_completion_tokens, answers a null content and a json_schema with status 500.
    "llama-cpp-python": Flavour(
        "llama-cpp-python", _LIMIT, frozenset({"strict_tools"}), frozenset({"no null content", "schema in json_object"})
    ),
    # What is safe with all of them.
    "compatible": Flavour("compatible", _LIMIT, frozenset({"strict_tools"}), frozenset({"no null content"})),
}

_PORTS: Mapping[str, Server] = {"11434": "ollama"}
"""Ports on which nothing else is to be expected."""


def flavour_of(server: str | None, host: str, *, is_official: bool) -> Flavour:
    """The flavour of a server: as it is named, else as its address lets it be known; ValueError for an unknown name."""
    if server is None:
        known: Server = _PORTS.get(host.rpartition(":")[2], "compatible")
        return OPENAI if is_official else SERVERS[known]
    for name, flavour in SERVERS.items():
        if name == server:
            return flavour
    raise ValueError(f"server=... is one of {', '.join(get_args(Server))}, got {server!r:.80}")
