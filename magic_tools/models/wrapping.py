"""A model around another: what it does itself is one program, and in all else it is that other."""

from __future__ import annotations

from magic_tools.asking import ProgramModel
from magic_tools.chat import Capabilities, ChatModel

__all__ = ["WrappedModel", "identity_of"]


class WrappedModel(ProgramModel):
    """A model around `model`, which it is called like and which says what it can do."""

    def __init__(self, model: ChatModel) -> None:
        given: object = model  # which a caller without a type checker may give as anything
        if not isinstance(given, ChatModel):
            raise ValueError(f"this takes a model, such as load_model('openai:NAME'), got {given!r:.80}")
        self.model = model

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model!r}>"

    @property
    def name(self) -> str:
        """What a person would call the model inside."""
        return self.model.name

    @property
    def identity(self) -> str:
        """Who answers inside, and how it is set."""
        return identity_of(self.model)

    @property
    def capabilities(self) -> Capabilities:
        """What the model inside can do."""
        return self.model.capabilities


def identity_of(model: ChatModel) -> str:
    """Who a model is and how it is set, as its `identity` has it; without one, its name."""
    identity: object = getattr(model, "identity", None)
    return identity if isinstance(identity, str) else model.name
