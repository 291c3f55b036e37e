"""Fixtures kept from what was done, so that nobody writes them by hand."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from magic_tools.consumers.judging import judged
from magic_tools.consumers.replaying import Door, replayed
from magic_tools.contracts.fixture import Fixture
from magic_tools.contracts.used_parts import Steps, path_of
from magic_tools.contracts.uses import AgentUse, KeptCall, Use
from magic_tools.errors import DefinitionError
from magic_tools.messages import Message, Part, TextPart, ToolCall, ToolResult
from magic_tools.outcome import Outcome
from magic_tools.tools.executable import Executable
from magic_tools.tools.secrets import Redactor
from magic_tools.tools.tool import Tool

__all__ = ["agent_use", "keep_fixture"]

Source: TypeAlias = Outcome[Any] | Sequence[Message | ToolCall | ToolResult]
"""A run's outcome or transcript, or calls and what they came to, in their order."""


def agent_use(tool: Tool[..., Any], *sources: Source, results: Iterable[str] | None = None) -> AgentUse:
    """What an agent used of a tool in its runs: each call of it once, and the parts of results that it went on with.

    Without `results`, a part counts as used where its text or number stands in what the model said or called
    afterwards. Secrets in a call are masked; of a tool that takes secrets, calls that are refused are left out, since
    nobody can tell where in them a secret stands.
    """
    calls: dict[str, KeptCall] = {}
    found: dict[str, None] = {}
    for source in sources:
        parts = list(_parts(source))
        called = {part.id for part in parts if isinstance(part, ToolCall) and part.name == tool.name}
        for part in parts:
            if isinstance(part, ToolCall) and part.id in called and part.arguments not in calls:
                calls |= _kept(tool.executable, part.arguments)
        found |= dict.fromkeys(_used(tool.name, parts))
    return AgentUse(tuple(calls.values()), tuple(found) if results is None else tuple(results))


def keep_fixture(
    directory: str | os.PathLike[str], consumer: str, tool: Tool[..., Any], use: Use, *, contact: str | None = None
) -> Fixture:
    """Keep what a consumer uses of a tool as it is now, in `directory/consumer/<tool id>.json`, and give what was kept.

    `contact` says whom to tell if it breaks. DefinitionError where the tool does not hold what it uses even now.
    """
    fixture = Fixture(consumer, tool.contract, use, contact)
    findings = judged(fixture, Door(tool.executable, tool.executable)).findings
    if broken := [each for each in findings if each.effect == "breaking"]:
        raise DefinitionError(f"{consumer} cannot keep this of {tool.name}, {broken[0].path}: {broken[0].why}")
    fixture.save(directory)
    return fixture


def _parts(source: Source) -> Iterator[Part]:
    for each in source.transcript if isinstance(source, Outcome) else source:
        if isinstance(each, Message):
            yield from each.parts
        else:
            yield each


def _kept(target: Executable, arguments: str) -> dict[str, KeptCall]:
    """The call as it is kept, by its arguments; none where a secret may stand in it."""
    came = replayed(target, arguments)
    if target.takes_secrets and came.code is not None:
        return {}
    if came.secrets:
        masked = Redactor().with_secrets(*came.secrets)(arguments)
        came, kept = replayed(target, masked), masked
    else:
        kept = arguments
    return {arguments: KeptCall(kept, came.code, came.paths)}


def _used(name: str, parts: Sequence[Part]) -> Iterator[str]:
    """The paths of what stands in results of a tool, and again in what came afterwards."""
    for place, part in enumerate(parts):
        if isinstance(part, ToolResult) and part.name == name and not part.is_error:
            later = "\n".join(_said(parts[place + 1 :]))
            for steps, text in _leaves(_data_of(part.content), ()):
                if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", later):
                    yield path_of(steps)


def _said(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case TextPart(text=text):
                yield text
            case ToolCall(arguments=arguments):
                yield arguments
                yield from (text for _, text in _leaves(_data_of(arguments), ()))


def _data_of(text: str) -> Any:
    """The JSON value of a text; None where it holds none, such as of a result that is prose, or was cut."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _leaves(data: Any, way: Steps) -> Iterator[tuple[Steps, str]]:
    """The texts and numbers in data, each with its path, in which one item stands for all."""
    match data:
        case dict():
            for name, each in data.items():
                yield from _leaves(each, (*way, ("field", name)))
        case list():
            for each in data:
                yield from _leaves(each, (*way, ("rest", 0)))
        case str() if way and data.strip():
            yield way, data.strip()
        case int() | float() if way and not isinstance(data, bool):
            yield way, str(data)
