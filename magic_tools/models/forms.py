"""A model's replies in canonical form, and the history of a conversation in the form that the model is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import TypeAlias, TypeVar

from magic_tools.chat import ModelReply, ModelRequest
from magic_tools.loose.reshape import reshaped
from magic_tools.messages import Part, TextPart, ToolCall
from magic_tools.schema.dialects.rendered import Rendered
from magic_tools.schema.dialects.requests import render_output
from magic_tools.schema.dialects.table import Dialect, render_tool

__all__ = ["replayed", "restored"]

P = TypeVar("P", bound=Part)


def restored(reply: ModelReply, request: ModelRequest, dialect: Dialect) -> ModelReply:
    """The reply with its arguments and its answer where the canonical schemas have them.

    What has to be mended in them is left for who reads them, and what is not what was asked for is, too.
    """
    return replace(reply, parts=_changed(reply.parts, _renderings(request, dialect), _restored))


def _restored(rendered: Rendered, text: str, prose: bool) -> str:
    if not rendered.moves:
        return text
    return reshaped(text, lambda found: rendered.restore(found.source, found.members), prose=prose)


def replayed(request: ModelRequest, dialect: Dialect) -> ModelRequest:
    """The request with the model's earlier turns in the form that the model is told: what `restored` undoes."""
    renderings = _renderings(request, dialect)
    messages = (
        replace(message, parts=_changed(message.parts, renderings, _moved)) if message.role == "assistant" else message
        for message in request.messages
    )
    return replace(request, messages=tuple(messages))


def _moved(rendered: Rendered, text: str, prose: bool) -> str:
    return reshaped(text, lambda found: rendered.moved(found.json), prose=prose) if rendered.moves else text


_Renderings: TypeAlias = Callable[[str | None], Rendered | None]
"""Gives how the tool of a name was rendered, or the output for None, where the request has one."""


def _renderings(request: ModelRequest, dialect: Dialect) -> _Renderings:
    """The renderings that are asked for, each made once; what is moved does not depend on strictness."""
    definitions = {definition.name: definition for definition in request.tools}

    @cache
    def rendering(name: str | None) -> Rendered | None:
        if name in definitions:
            return render_tool(definitions[name], dialect, strict=False)[1]
        if name is None and request.output is not None:
            return render_output(request.output, dialect, strict=False)
        return None

    return rendering


def _changed(
    parts: Iterable[P], renderings: _Renderings, change: Callable[[Rendered, str, bool], str]
) -> tuple[P, ...]:
    """The parts with what was rendered in another form; `change` is told whether there may be prose around it."""

    def changed(part: P) -> P:
        match part:
            case ToolCall(name=name, arguments=text) if rendered := renderings(name):
                return replace(part, arguments=change(rendered, text, False))
            case TextPart(text) if rendered := renderings(None):
                return replace(part, text=change(rendered, text, True))
            case _:
                return part

    return tuple(map(changed, parts))
