"""From an annotation to pydantic's validator of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import isbuiltin, isfunction, ismethod
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, PydanticUserError, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, SchemaError, core_schema

from magic_tools.errors import DefinitionError
from magic_tools.schema.hidden import refuse_hidden
from magic_tools.schema.prepare import prepared

__all__ = ["adapt", "adapt_keys", "stated_field"]

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
    return _adapter(prepared(annotation), f"{where} has the annotation {annotation!r}, which")


def adapt_keys(name: str, annotations: Mapping[str, tuple[Any, bool]]) -> TypeAdapter[dict[str, Any]]:
    """The validator of an object by its keys, each with its annotation and whether it is required.

    What is absent stays absent. DefinitionError, starting with `name`, if there can be none.
    """
    keys = {key: (prepared(annotation), required) for key, (annotation, required) in annotations.items()}
    return _adapter(
        Annotated[dict[str, Any], _Keys(keys)], f"{name}() has parameters ({', '.join(keys)}), one of which"
    )


def stated_field(annotation: Any) -> FieldInfo | None:
    """What the `Field`s in an annotation's own metadata say together; None where there is none."""
    if not any(isinstance(item, FieldInfo) for item in getattr(annotation, "__metadata__", ())):
        return None
    return FieldInfo.from_annotation(annotation)


class _Keys:
    """In `Annotated`: an object of just these keys; some three times as fast to make as a TypedDict of them."""

    def __init__(self, keys: Mapping[str, tuple[Any, bool]]) -> None:
        self._keys = keys

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        fields = {key: _key_schema(annotation, required, handler) for key, (annotation, required) in self._keys.items()}
        return core_schema.typed_dict_schema(fields)


def _key_schema(annotation: Any, required: bool, handler: GetCoreSchemaHandler) -> core_schema.TypedDictField:
    stated = stated_field(annotation)
    if stated is None:
        return core_schema.typed_dict_field(handler.generate_schema(annotation), required=required)
    tag = () if stated.discriminator is None else (Field(discriminator=stated.discriminator),)
    metadata = (*stated.metadata, *tag)
    schema = handler.generate_schema(Annotated[(stated.annotation, *metadata)] if metadata else stated.annotation)
    if not stated.is_required():
        made = stated.default_factory
        schema = core_schema.with_default_schema(
            schema,
            **({"default": stated.default} if made is None else {"default_factory": made}),
            default_factory_takes_data=stated.default_factory_takes_validated_data,
            validate_default=stated.validate_default,
        )
    alias = stated.validation_alias
    return core_schema.typed_dict_field(
        schema,
        required=required and stated.is_required(),
        validation_alias=alias if alias is None or isinstance(alias, str) else alias.convert_to_aliases(),
        serialization_alias=stated.serialization_alias,
    )


def _adapter(made: Any, subject: str) -> TypeAdapter[Any]:
    try:
        adapter = TypeAdapter(made)
        if not adapter.pydantic_complete:  # some name was not known yet: say which, unless it is by now
            adapter.rebuild(raise_errors=True)
    except NameError as error:
        raise DefinitionError(
            f"{subject} uses a name that is not known ({_reason(error)}). "
            "Define or import it above, at the top of the module and not only under TYPE_CHECKING."
        ) from error
    except Exception as error:  # pydantic, and what a class says of itself, may raise anything
        raise DefinitionError(
            f"{subject} cannot be made into a schema ({_reason(error)}). "
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
