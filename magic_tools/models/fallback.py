"""Several models as one: the first that can answer does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from magic_tools.asking import ProgramModel, asked
from magic_tools.chat import Capabilities, ChatModel, ModelReply, ModelRequest, Piece, fault_of
from magic_tools.effects.program import Program
from magic_tools.errors import ModelError
from magic_tools.events import ModelPassedOver, tell
from magic_tools.models.reply_data import error_like
from magic_tools.models.wrapping import identity_of

__all__ = ["FallbackModel"]


class FallbackModel(ProgramModel):
    """Models that are asked in turn, each with its own tries, settings and address, until one answers.

    After a ModelError the next is asked, and `ModelPassedOver` told; where all fail, the error is of the last one's
    class, and names each model and why it failed. An UnsupportedSettingError is raised as it is, as is the error of a
    stream of which something was handed on. It can do what all of them can. ValueError without a model.
    """

    def __init__(self, models: Iterable[ChatModel]) -> None:
        self.models = tuple(models)
        if not self.models:
            raise ValueError("a fall-back list needs one model or more, got none")
        self._capabilities = _shared([model.capabilities for model in self.models])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def name(self) -> str:
        """The names of all, in order: `openai:gpt-5 | anthropic:claude-sonnet-4-5`."""
        return " | ".join(model.name for model in self.models)

    @property
    def identity(self) -> str:
        """Who the models are, and how they are set."""
        return " | ".join(map(identity_of, self.models))

    @property
    def capabilities(self) -> Capabilities:
        """What all of them can do; the same for its whole life."""
        return self._capabilities

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        failures: list[ModelError] = []
        reasons: list[str] = []
        delivered: list[Piece] = []

        def told(piece: Piece) -> tuple[Piece]:
            delivered[:] = (piece,)
            return (piece,)

        for model, before in zip(self.models, (None, *self.models), strict=False):
            if before is not None:
                tell(request.note, ModelPassedOver(before.name, reasons[-1]))
            try:
                reply = yield from asked(model, request, streamed=streamed, told=told)
            except ModelError as error:
                if delivered:
                    raise
                failures.append(error)
                reasons.append(f"{type(error).__name__}: {error}")
            else:
                return reply if fault_of(reply) or reply.model else replace(reply, model=model.name)
        each = "; ".join(f"{model.name}: {reason}" for model, reason in zip(self.models, reasons, strict=True))
        raise error_like(failures[-1], f"None of the models could answer: {each}") from failures[-1]


def _shared(all_of_them: Sequence[Capabilities]) -> Capabilities:
    """What each of them can do; where one holds its answer to an object alone, all of them do."""
    told = [{name: getattr(each, name) for name in Capabilities.__slots__} for each in all_of_them]
    shared = {name: all(each[name] for each in told) for name in Capabilities.__slots__}
    contexts = [each.context_tokens for each in all_of_them if each.context_tokens is not None]
    bound = shared["native_schema"] and any(each.object_root for each in all_of_them)
    return replace(Capabilities(**shared), object_root=bound, context_tokens=min(contexts, default=None))
