"""What a model said, as it can be sent back to it, and whether it has said so before."""

from __future__ import annotations

import re
from dataclasses import replace

from magic_tools.chat import ReplyPart
from magic_tools.loop.state import LoopState
from magic_tools.loose.phrases import printable
from magic_tools.messages import Part, ProviderPart, TextPart, ToolCall
from magic_tools.transcripts import with_own_ids

__all__ = ["says_the_same", "sendable"]

_LONGEST_NAME = 64
_NAME = re.compile("[A-Za-z0-9_-]{1,64}")  # what OpenAI and Anthropic take in a history, November 2026
_NO_NAME = re.compile("[^A-Za-z0-9_-]+")


def says_the_same(state: LoopState, spoken: tuple[ReplyPart, ...]) -> bool:
    """Whether this is the reply before, given again after what was said of that, whatever was thought meanwhile."""
    if len(state.transcript) < state.asked + 2 or not spoken:
        return False
    before = state.transcript[-2]
    return before.role == "assistant" and _said(before.parts) == _said(spoken)


def _said(parts: tuple[Part, ...]) -> list[Part]:
    return [part for part in parts if not isinstance(part, ProviderPart)]


def sendable(parts: tuple[ReplyPart, ...], taken: frozenset[str]) -> tuple[ReplyPart, ...]:
    """The parts of a reply as they can be sent back: without empty texts, each call under an id that no other has."""
    said = [_sendable(part) for part in parts if not isinstance(part, TextPart) or part.text.strip()]
    own = iter(with_own_ids([part for part in said if isinstance(part, ToolCall)], taken))
    return tuple([next(own) if isinstance(part, ToolCall) else part for part in said])


def _sendable(part: ReplyPart) -> ReplyPart:
    """A part without what no provider takes back: lone surrogates, and names that no tool can have."""
    if isinstance(part, ProviderPart):
        return part  # which is to go back as it came
    if isinstance(part, TextPart):
        return part if part.text.isascii() else TextPart(printable(part.text))
    if part.id.isascii() and _NAME.fullmatch(part.name):
        return part
    name = part.name if _NAME.fullmatch(part.name) else _NO_NAME.sub("_", part.name)[:_LONGEST_NAME] or "unnamed"
    return replace(part, id=printable(part.id), name=name)
