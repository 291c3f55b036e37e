"""A request's tools and answer in a provider's form, and the way between that form and the canonical one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from magic_tools.chat import ModelReply, ModelRequest, OutputFormat, ReplyPart, ToolDefinition
from magic_tools.loose.reshape import reshaped
from magic_tools.messages import Part, TextPart, ToolCall
from magic_tools.schema.dialects.rendered import Rendered
from magic_tools.schema.dialects.requests import render_output, render_tools
from magic_tools.schema.dialects.table import Dialect
from magic_tools.values import JsonObject

__all__ = ["Form", "Forms", "replayed", "restored"]

P = TypeVar("P", bound=Part | ReplyPart)

_MOST_KEPT = 8


class Form(NamedTuple):
    """The tools of a request as its provider is told of them, and how they and the answer were rendered."""

    tools: tuple[JsonObject, ...]
    renderings: Mapping[str, Rendered]
    output: Rendered | None

    @property
    def has_moves(self) -> bool:
        """Whether a value may stand elsewhere than where the canonical schema has it."""
        return bool(self.output and self.output.moves) or any(each.moves for each in self.renderings.values())

    def rendering(self, name: str | None) -> Rendered | None:
        """How the tool of a name was rendered, or the answer for None; None where the request has no such thing."""
        return self.output if name is None else self.renderings.get(name)


class Forms:
    """The forms of requests in a dialect, each made once for the same tools and answer, of which the last are kept.

    What it hands out is shared, and not to be changed.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect: Dialect = dialect
        self._kept: deque[tuple[tuple[ToolDefinition, ...], OutputFormat | None, Form]] = deque(maxlen=_MOST_KEPT)
        self._making = threading.Lock()

    def of(self, request: ModelRequest) -> Form:
        """The form of a request; SchemaRejectedError where the provider cannot be sent what is wished strict."""
        for tools, output, form in tuple(self._kept):
            if tools == request.tools and output == request.output:
                return form
        with self._making:
            form = self._made(request)
            self._kept.append((request.tools, request.output, form))
        return form

    def _made(self, request: ModelRequest) -> Form:
        output = None if request.output is None else render_output(request.output, self._dialect)
        tools = render_tools(request.tools, self._dialect, beside=[output] if output else [])
        renderings = {definition.name: held for definition, (_, held) in zip(request.tools, tools, strict=True)}
        return Form(tuple(written for written, _ in tools), renderings, output)


def restored(reply: ModelReply, form: Form) -> ModelReply:
    """The reply with its arguments and its answer where the canonical schemas have them.

    What has to be mended in them is left for who reads them, and what is not what was asked for is, too.
    """
    return replace(reply, parts=_changed(reply.parts, form, _restored)) if form.has_moves else reply


def _restored(rendered: Rendered, text: str, prose: bool) -> str:
    if not rendered.moves:
        return text
    return reshaped(text, lambda found: rendered.restore(found.source, found.members), prose=prose)


def replayed(request: ModelRequest, form: Form) -> ModelRequest:
    """The request with the model's earlier turns in the form that the model is told: what `restored` undoes."""
    if not form.has_moves:
        return request
    messages = (
        replace(message, parts=_changed(message.parts, form, _moved)) if message.role == "assistant" else message
        for message in request.messages
    )
    return replace(request, messages=tuple(messages))


def _moved(rendered: Rendered, text: str, prose: bool) -> str:
    return reshaped(text, lambda found: rendered.moved(found.json), prose=prose) if rendered.moves else text


def _changed(parts: Iterable[P], form: Form, change: Callable[[Rendered, str, bool], str]) -> tuple[P, ...]:
    """The parts with what was rendered in another form; `change` is told whether there may be prose around it."""

    def changed(part: P) -> P:
        match part:
            case ToolCall(name=name, arguments=text) if rendered := form.rendering(name):
                return replace(part, arguments=change(rendered, text, False))
            case TextPart(text) if rendered := form.rendering(None):
                return replace(part, text=change(rendered, text, True))
            case _:
                return part

    return tuple(map(changed, parts))
