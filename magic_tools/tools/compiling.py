"""Functions and schemas made into what can be called for a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.loose.decode import Schema
from magic_tools.loose.foreign import foreign_reader
from magic_tools.loose.foreign_defaults import with_defaults
from magic_tools.schema.adapting import adapt
from magic_tools.schema.guard.guard import SchemaLimits
from magic_tools.schema.reading import ARGUMENTS, open_signature, read_signature
from magic_tools.schema.signature import Signature
from magic_tools.schema.tool_names import TOOL_NAME
from magic_tools.schema.walk import resolve, subschemas
from magic_tools.tools.behaviour import Behaviour
from magic_tools.tools.examples import with_sound_examples
from magic_tools.tools.executable import Executable
from magic_tools.tools.results import ResultWriter, has_open_place
from magic_tools.values import JsonObject

__all__ = ["check_options", "checked", "checked_name", "of_function", "of_schema"]


def of_function(
    fn: Callable[..., Any],
    name: str | None,
    description: str | None,
    policy: Policy,
    behaviour: Behaviour,
    *,
    flat: bool,
) -> Executable:
    """What an annotated function is for a model; DefinitionError names the parameter that cannot become a schema."""
    signature = _signature(fn)
    only = _flattened(signature) if flat else None
    made = Executable(
        checked_name(signature.name if name is None else name),
        signature.docs.prose if description is None else description,
        fn.__func__ if isinstance(fn, staticmethod) else fn,
        signature,
        _arguments(signature) if only is None else only,
        ResultWriter.of(signature),
        policy,
        behaviour,
        None if only is None else signature.parameters[0].name,
    )
    return checked(made)


def of_schema(
    fn: Callable[..., Any],
    name: str,
    description: str,
    schemas: tuple[Mapping[str, Any], Mapping[str, Any] | None],
    policy: Policy,
    behaviour: Behaviour,
    limits: SchemaLimits,
) -> Executable:
    """What a function is for a model whose arguments and results follow schemas that anybody may have written."""
    if len(description) > limits.texts:
        raise DefinitionError(
            f"{name}(): the description has {len(description):,} characters, and SchemaLimits.texts allows "
            f"{limits.texts:,}. Shorten it, or pass limits=SchemaLimits(texts=...)."
        )
    input_schema, output_schema = schemas
    where = f"{name}(): the input schema"
    arguments: Schema[Any] = Schema(
        foreign_reader(input_schema, where=where, limits=limits), name=f"{name}()", closed=True
    )
    where = f"{name}(): the output schema"
    results: Schema[Any] = Schema(
        foreign_reader(
            {} if output_schema is None else output_schema, where=where, limits=replace(limits, object_root=False)
        ),
        name=where,
    )
    root = arguments.json_schema
    given = {*root.get("required", ()), *with_defaults({}, {**root, "required": []}, root)}
    signature = open_signature(fn, name, root.get("properties", {}).keys(), given)
    return checked(
        Executable(
            checked_name(name),
            description,
            fn,
            signature,
            arguments,
            ResultWriter(results),
            policy,
            behaviour,
            ARGUMENTS,
        )
    )


def checked(made: Executable) -> Executable:
    """The same; DefinitionError where its policy contradicts its arguments or its results."""
    return with_sound_examples(_with_known_fields(made))


def _with_known_fields(made: Executable) -> Executable:
    """The same; DefinitionError where it masks or keeps a result field that there is not."""
    named = {"Policy(masks=...)": made.policy.masks, "tool(keep=...)": made.behaviour.keep}
    schema = made.results.schema
    if not any(named.values()) or has_open_place(schema) or _has_free_keys(schema):
        return made
    known = sorted(_fields_of(schema))
    for option, names in named.items():
        for name in names:
            if not any(name == field or name.endswith(f".{field}") for field in known):
                raise DefinitionError(
                    f"{made.name}(): {option} names {name!r}, and the result has no such field; it has: "
                    f"{', '.join(known) or 'none'}. A field is named as it is sent, by its alias if it has one."
                )
    return made


def _fields_of(schema: JsonObject) -> set[str]:
    return set(schema.get("properties", ())).union(*map(_fields_of, subschemas(schema)))


def _has_free_keys(schema: JsonObject) -> bool:
    free = isinstance(schema.get("additionalProperties"), dict) or "patternProperties" in schema
    return free or any(map(_has_free_keys, subschemas(schema)))


def check_options(name: object, description: object, policy: object, strict: object) -> None:
    """DefinitionError for an option of the wrong kind, which would come out far from here."""
    wanted: Mapping[str, tuple[object, type, str]] = {
        "name": (name, str, "a text"),
        "description": (description, str, "a text"),
        "policy": (policy, Policy, "a Policy, such as Policy(tags=('read',))"),
        "strict": (strict, bool, "True, False or None"),
    }
    for option, (given, kind, words) in wanted.items():
        if not isinstance(given, kind) and not (given is None and option != "policy"):
            raise DefinitionError(f"tool({option}=...) wants {words}, got {given!r:.80}.")


def _signature(fn: Callable[..., Any]) -> Signature:
    if isinstance(fn, classmethod | staticmethod):
        return read_signature(fn.__func__, is_method=isinstance(fn, classmethod))
    return read_signature(fn)


def checked_name(name: str) -> str:
    """The name, if it can be a tool's; DefinitionError if providers would refuse it."""
    if not TOOL_NAME.fullmatch(name):
        raise DefinitionError(
            f"{name!r} cannot be a tool's name: providers take letters, digits, _ and -, up to 64, and no digit or - "
            f"first ({TOOL_NAME.pattern}). Give another with `@tool(name=...)`."
        )
    return name


def _arguments(signature: Signature) -> Schema[dict[str, Any]]:
    schema = Schema(signature.adapter, name=f"{signature.name}()", closed=True, said=signature.said())
    try:
        schema.check("input")
    except DefinitionError as error:
        fault = error
    else:
        return schema
    signature.check_each()  # names the parameter, if it is one alone
    raise fault


def _flattened(signature: Signature) -> Schema[Any] | None:
    """The schema of a function's only parameter, if that is an object with fields of its own; None for a union."""
    if len(signature.parameters) != 1:
        raise DefinitionError(
            f"{signature.name}(): flat=True wants one parameter that a model fills, and there are "
            f"{len(signature.parameters)}. Leave flat out."
        )
    (parameter,) = signature.parameters
    where = f"{signature.name}(): parameter '{parameter.name}'"
    if not parameter.required:
        raise DefinitionError(
            f"{where} is offered field by field by flat=True, so that it cannot be left out as a whole, and has a "
            "default or a star. Leave the one or the other out."
        )
    adapter = adapt(parameter.annotation, where=where)
    schema = Schema(adapter, name=f"{signature.name}()", closed=True, annotation=parameter.annotation)
    whole = schema.json_schema
    root = resolve(whole, whole)
    if "properties" in root:
        return schema
    if "anyOf" in root or "oneOf" in root:
        return None
    raise DefinitionError(f"{where} has no fields of its own that flat=True could offer. Leave flat out.")
