"""Whether a reply was cut, where its server does not say so."""

from __future__ import annotations

from dataclasses import replace

from pydantic_core import from_json

from magic_tools.chat import ModelReply
from magic_tools.outputs.answer import Answer
from magic_tools.settings import ModelSettings

__all__ = ["cut_at_its_limit"]


def cut_at_its_limit(reply: ModelReply, settings: ModelSettings | None, answer: Answer) -> ModelReply:
    """The reply as one that was cut, where it stopped at its limit and what should be JSON is none.

    Some servers give `tool_calls` as the reason for the end of a call that they cut.
    """
    most = reply.max_tokens or (settings.max_tokens if settings else None)
    if most is None or reply.usage.output_tokens < most or reply.finish == "length":
        return reply
    calls = reply.calls
    is_cut = not all(_is_json(call.arguments) for call in calls) if calls else answer.schema is not None
    return replace(reply, finish="length") if is_cut else reply


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True
