"""A local model's reply, read while its text grows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from magic_tools.chat import CallPiece, FinishReason, ModelReply, Piece, TextPiece
from magic_tools.messages import TextPart, ToolCall
from magic_tools.models.forms import Form, restored
from magic_tools.models.local_offer import Offer, head_of_call

__all__ = ["GrowingReply"]

_ID = "call_1"
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # as text: no number is too long for that


class GrowingReply:
    """A reply as far as it has come: a call as soon as it begins like one, else text.

    What the model has in another form than the canonical one comes in one piece, when it is whole.
    """

    def __init__(self, offer: Offer, form: Form) -> None:
        self._names = {head_of_call(tool["name"]): tool["name"] for tool in offer.tools}
        self._form = form
        self._text = ""
        self._name: str | None = None  # of the tool, once it is known that this is a call
        self._start = 0
        self._given = 0

    @property
    def has_come(self) -> bool:
        """Whether a piece of it has come."""
        return self._name is not None or self._given > 0

    def feed(self, text: str) -> Iterator[Piece]:
        """The pieces that new text brings."""
        self._text += text
        if not self.has_come:
            for head, name in self._names.items():
                if self._text.startswith(head):
                    self._name, self._start = name, len(head)
                    yield self._piece("")
        if (new := self._body[self._given : self._sure_end()]) != "":
            self._given += len(new)
            yield self._piece(new)

    def ended(self, finish: FinishReason) -> ModelReply:
        """The reply, whose text ended for this reason; it is `length` wherever a call is not whole."""
        reply = ModelReply(self._parts(), finish)
        if reply.calls:
            reply = replace(reply, finish="tool_calls" if _end_of_arguments(self._body) else "length")
        return restored(reply, self._form)

    def rest(self, reply: ModelReply) -> Iterator[Piece]:
        """What of the reply, now that it has ended, has not come as a piece yet."""
        whole = "".join(call.arguments for call in reply.calls) or reply.text
        if new := whole[self._given :]:
            yield self._piece(new)

    def cut(self) -> ModelReply:
        """What has come of a reply that broke off."""
        return ModelReply(self._parts())

    @property
    def _body(self) -> str:
        return self._text[self._start :]

    def _parts(self) -> tuple[TextPart | ToolCall, ...]:
        if self._name is None:
            return (TextPart(self._text),) if self._text else ()
        return (ToolCall(_ID, self._name, self._body[: _end_of_arguments(self._body)]),)

    def _piece(self, new: str) -> Piece:
        return TextPiece(new) if self._name is None else CallPiece(0, _ID, self._name, new)

    def _sure_end(self) -> int:
        """Up to where the body is what the reply will have: the brace at its end may be that of the call."""
        rendered = self._form.rendering(self._name)
        if rendered is not None and rendered.moves:
            return 0
        if self._name is None:
            return 0 if any(head.startswith(self._text) for head in self._names) else len(self._text)
        return len(self._body.rstrip().removesuffix("}").rstrip())


def _end_of_arguments(body: str) -> int | None:
    """Where the arguments end that a call's text begins with; None where they are not whole."""
    try:
        _, end = _DECODER.raw_decode(body)
    except (ValueError, RecursionError):
        return None
    return end
