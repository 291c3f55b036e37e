"""From an annotation to pydantic's validator of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import isbuiltin, isfunction, ismethod
from typing import Any, NotRequired

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic_core import SchemaError
from typing_extensions import TypedDict

from magic_tools.errors import DefinitionError
from magic_tools.schema.hidden import refuse_hidden
from magic_tools.schema.prepare import prepared

__all__ = ["adapt", "adapt_keys"]

_NO_WAY_OUT = re.compile(r"Set `arbitrary_types_allowed=True`.*|If you got this error by calling handler.*")
"""pydantic's advice for values that only Python has, which JSON cannot state."""


def adapt(annotation: Any, *, where: str) -> TypeAdapter[Any]:
    """The validator of an annotation; DefinitionError, starting with `where`, if there can be none.

    A text or a mapping is none: pydantic would run the one as Python, and take the other for its own core schema.
    """
    if isinstance(annotation, str | Mapping):
        raise DefinitionError(
            f"{where} is the {type(annotation).__name__} {annotation!r:.80}, and has to be a type, such as a model or "
            "list[int]. Were the arguments swapped?"
        )
    if isfunction(annotation) or ismethod(annotation) or isbuiltin(annotation):
        raise DefinitionError(f"{where} has the annotation {annotation!r}, which is a function and no type.")
    refuse_hidden(annotation, f"{where} has the annotation {annotation!r}, which")
    return _adapter(prepared(annotation), annotation, where)


def adapt_keys(name: str, annotations: Mapping[str, tuple[Any, bool]]) -> TypeAdapter[dict[str, Any]]:
    """The validator of an object by its keys, each with its annotation and whether it is required.

    What is absent stays absent. DefinitionError, starting with `name`, if there can be none.
    """
    keys = {}
    for key, (annotation, required) in annotations.items():
        made = prepared(annotation)
        keys[key] = made if required else NotRequired[made]
    arguments = TypedDict(name, keys)  # type: ignore[misc]  # names known only now
    # pydantic would look for it in every base, again and again
    arguments.__pydantic_config__ = ConfigDict()  # type: ignore[attr-defined]  # as it says in pydantic's manual
    return _adapter(arguments, arguments, name)


def _adapter(made: Any, annotation: Any, where: str) -> TypeAdapter[Any]:
    try:
        adapter = TypeAdapter(made)
        if not adapter.pydantic_complete:  # some name was not known yet: say which, unless it is by now
            adapter.rebuild(raise_errors=True)
    except NameError as error:
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which uses a name that is not known ({_reason(error)}). "
            "Define or import it above, at the top of the module and not only under TYPE_CHECKING."
        ) from error
    except Exception as error:  # pydantic, and what a class says of itself, may raise anything
        raise DefinitionError(
            f"{where} has the annotation {annotation!r}, which cannot be made into a schema ({_reason(error)}). "
            "Use a type that pydantic can validate: a primitive, a container, an Enum, a dataclass, a BaseModel."
        ) from error
    return adapter


def _reason(error: Exception) -> str:
    """An error's text in one line, without the address that pydantic adds and advice that would not help."""
    text = " ".join(str(getattr(error, "message", error)).split("\n\n")[0].split())
    text = _NO_WAY_OUT.sub("", text).strip()
    return (
        text
        if isinstance(error, PydanticUserError | SchemaError | TypeError | ImportError)
        else f"{type(error).__name__}: {text}"
    )
