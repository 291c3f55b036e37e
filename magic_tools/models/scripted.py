"""A model for tests: it answers from a script and remembers what it was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from magic_tools.chat import Capabilities, ModelReply, ModelRequest
from magic_tools.messages import TextPart, ToolCall

__all__ = ["ScriptedModel", "ScriptedReply"]

ScriptedReply: TypeAlias = str | ToolCall | Sequence[str | ToolCall] | ModelReply | BaseException

_CAPABLE = Capabilities(native_schema=True, object_root=False, tools=True, forced_choice=True)


class ScriptedModel:
    """A `ChatModel` that gives the replies of its script in order and keeps the `requests`.

    A reply is text, a call, a sequence of these, a whole `ModelReply`, or an exception to raise.
    A request beyond the script is an AssertionError; so are replies left over at the end of a
    `with` block that raised nothing, and at `verify()`.
    """

    name = "scripted"

    def __init__(self, replies: Iterable[ScriptedReply], *, capabilities: Capabilities = _CAPABLE) -> None:
        if isinstance(replies, str):
            raise ValueError(f"the script is a list of replies, got only a text: put it in a list, {replies!r:.80}")
        self._left = deque(_reply(reply) for reply in replies)
        self._length = len(self._left)
        self.capabilities = capabilities
        self.requests: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script."""
        self.requests.append(request)
        if not self._left:
            raise AssertionError(
                f"the script has {self._length} replies, but request {len(self.requests)} came: {_last_words(request)}"
            )
        reply = self._left.popleft()
        if isinstance(reply, BaseException):
            raise reply
        return reply

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The next reply of the script, awaited."""
        return self.complete(request)

    def verify(self) -> None:
        """AssertionError if a reply of the script was not asked for."""
        if self._left:
            count = f"{len(self._left)} of {self._length} scripted replies"
            raise AssertionError(f"{count} were not asked for; the next is {self._left[0]!r:.300}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.verify()


def _reply(scripted: ScriptedReply) -> ModelReply | BaseException:
    match scripted:
        case ModelReply() | BaseException():
            return scripted
        case str() | ToolCall():
            return _reply([scripted])
        case [*parts] if all(isinstance(part, str | ToolCall) for part in parts):
            calls = any(isinstance(part, ToolCall) for part in parts)
            return ModelReply(
                parts=tuple(TextPart(part) if isinstance(part, str) else part for part in parts),
                finish="tool_calls" if calls else "stop",
                model=ScriptedModel.name,
            )
        case _:
            raise ValueError(f"a scripted reply is text, calls, a ModelReply or an exception, got {scripted!r:.200}")


def _last_words(request: ModelRequest) -> str:
    if not request.messages:
        return "it has no messages"
    last = request.messages[-1]
    return f"its last message is {last.role}'s {last.parts!r:.300}"
