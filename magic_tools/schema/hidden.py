"""Parameters that a model neither sees nor fills: they come from the run's context."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

from magic_tools.errors import DefinitionError

__all__ = [
    "ABSENT",
    "Context",
    "Hidden",
    "IdempotencyKey",
    "Injected",
    "context_value",
    "hidden_mark",
    "holds_hidden",
    "holds_key",
    "refuse_hidden",
]

T = TypeVar("T")

ABSENT: Any = object()
"""What a context that has no value of a name gives in place of one."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The mark of a hidden parameter: filled by its name from the context, or, if `whole`, the context itself."""

    whole: bool = False


Injected: TypeAlias = Annotated[T, Hidden()]
"""The type of a parameter that is filled by its name from the run's context; no model sees it or can set it."""

Context: TypeAlias = Annotated[Any, Hidden(whole=True)]
"""The type of a parameter that is the run's context itself, as it was given; no model sees it or can set it."""


class IdempotencyKey(str):
    """A text by which two tries of one call are known to be one; a parameter `Injected[IdempotencyKey]` is given it.

    The same for the same run, tool, contract and arguments, and for no other.
    """

    __slots__ = ()


def holds_key(annotation: Any) -> bool:
    """Whether a hidden parameter of this annotation is given the key of the call, in place of the context's value."""
    arguments = (annotation, *getattr(annotation, "__args__", ()))
    return any(argument is IdempotencyKey for argument in arguments) or any(
        argument is not annotation and holds_key(argument) for argument in arguments
    )


def hidden_mark(annotation: Any) -> Hidden | None:
    """The mark in an annotation's own metadata, if it is hidden."""
    return next((item for item in getattr(annotation, "__metadata__", ()) if isinstance(item, Hidden)), None)


def holds_hidden(annotation: Any) -> bool:
    """Whether a mark stands somewhere inside an annotation, where it could hide nothing."""
    arguments = getattr(annotation, "__args__", ())  # of an Annotated type, that type alone
    return bool(arguments) and any(
        hidden_mark(argument) is not None or holds_hidden(argument) for argument in arguments
    )


def refuse_hidden(annotation: Any, what: str) -> None:
    """DefinitionError if an annotation has a mark that could hide nothing, since it is no parameter's own."""
    if hidden_mark(annotation) is not None or holds_hidden(annotation):
        raise DefinitionError(
            f"{what} has Injected or Context inside, which hide a whole parameter of a function and nothing else. "
            "Make it a parameter of its own, with Injected[...] around all of it"
        )


def context_value(context: Any, name: str) -> Any:
    """What a context, a mapping or an object, has under a name; ABSENT where it has nothing.

    What an attribute's own code raises is not taken for its absence.
    """
    if isinstance(context, Mapping):
        return context.get(name, ABSENT)
    try:
        return getattr(context, name)
    except AttributeError:
        if inspect.getattr_static(context, name, ABSENT) is not ABSENT:
            raise
        return ABSENT
