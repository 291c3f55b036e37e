"""A function made into a tool by its contract, and where a contract and a tool do not say the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.execution import Execution
from magic_tools.contracts.normal import schema_digest
from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.options import NO_FALLBACK
from magic_tools.schema.guard.guard import SchemaLimits
from magic_tools.schema.tool_names import TOOL_NAME
from magic_tools.tools.behaviour import Behaviour, attached
from magic_tools.tools.compiling import of_schema
from magic_tools.tools.executable import Executable
from magic_tools.values import JsonObject, canonical_json

__all__ = ["behaviour_of", "contract_of", "disagreements", "of_contract", "policy_of", "refuse"]

_SIDES = {"input_schema": "input", "output_schema": "output", "error_schema": "error"}
_BY_NAME = frozenset({"$defs", "patternProperties", "dependentSchemas", "dependentRequired"})
_MOST = 200
_NOTHING = object()
_DIGESTS = ("interface_digest", "surface_digest")


def contract_of(source: str | Path | ToolContract) -> ToolContract:
    """The contract that is given: itself, or as a text or file in YAML or JSON."""
    return source if isinstance(source, ToolContract) else ToolContract.from_file(source)


def of_contract(
    contract: ToolContract,
    fn: Callable[..., Any],
    rules: Iterable[Callable[..., Any]],
    result_rules: Iterable[Callable[..., Any]],
    fallback: Any,
    limits: SchemaLimits,
) -> Executable:
    """What a function is for a model by a contract; DefinitionError where its rules or its fall-back are not those."""
    if not TOOL_NAME.fullmatch(contract.name):
        raise DefinitionError(
            f"The contract {contract.id} says no name that a model could call: providers take letters, digits, _ and "
            f"-. Add one, such as `name: {contract.name.rpartition('.')[2]}`."
        )
    behaviour = behaviour_of(contract.execution, fallback)
    schemas = (contract.input_schema, contract.output_schema)
    made = of_schema(fn, contract.name, contract.description, schemas, policy_of(contract), behaviour, limits)
    made.hooks.rules += (attached(rule, tool=made.name, known=None) for rule in rules)
    made.hooks.result_rules += (attached(rule, tool=made.name, known=None, first=1) for rule in result_rules)
    refuse(disagreements(contract, made, ("rules", "result_rules", "execution")), contract.id, made.name)
    return made


def policy_of(contract: ToolContract) -> Policy:
    """The declarations of a contract as those of a function."""
    return replace(contract.policy, id=contract.id)


def behaviour_of(execution: Execution, fallback: Any = NO_FALLBACK) -> Behaviour:
    """How calls go by a contract, where this stands in for a result."""
    timeout_s, retries = execution.timeout_s, execution.retries
    return Behaviour(timeout_s, retries, fallback, execution.keep, execution.repeatable)


def refuse(found: Iterable[str], id_: str, name: str) -> None:
    """DefinitionError that lists where a contract and a function disagree, if they do anywhere."""
    places = list(found)
    if places:
        counted = "one place" if len(places) == 1 else f"{len(places)} places"
        raise DefinitionError(
            f"The contract {id_} and {name}() disagree in {counted}:\n"
            + "".join(f"- {place}\n" for place in places)
            + "Change the one or the other; `.contract.to_yaml()` of the tool writes the file anew."
        )


def disagreements(contract: ToolContract, made: Executable, parts: Iterable[str] | None = None) -> Iterator[str]:
    """Where a contract does not say what a tool is: each place with both values; of these parts, or of all.

    Schemas that say the same in another way agree. A name that the contract leaves to its identifier, which no model
    could call, is the function's.
    """
    own = made.contract
    if contract.name == contract.id and not TOOL_NAME.fullmatch(contract.name):
        contract = replace(contract, name=own.name)
    theirs, ours = contract.to_data(), own.to_data()
    names = [name for name in dict.fromkeys([*theirs, *ours]) if name not in _DIGESTS]
    for name in names if parts is None else [name for name in names if name in parts]:
        said, is_ = theirs.get(name, _NOTHING), ours.get(name, _NOTHING)
        if name in _SIDES and isinstance(said, dict) and isinstance(is_, dict):
            if schema_digest(said) != schema_digest(is_):
                yield from _differing(said, is_, _SIDES[name])
        elif name == "execution":
            yield from _of_execution(said, is_)
        else:
            yield from _differing(said, is_, _SIDES.get(name, name))


def _of_execution(said: JsonObject, is_: JsonObject) -> Iterator[str]:
    """The places at which two do not say the same of how calls go, and where the function may just not say it."""
    usual = {"timeout_s": Execution().timeout_s}
    for key in dict.fromkeys([*said, *is_]):
        default = _is_same(is_.get(key, _NOTHING), usual.get(key, _NOTHING))
        for place in _differing(said.get(key, _NOTHING), is_.get(key, _NOTHING), f"execution.{key}"):
            yield f"{place}, which is its default" if default else place


def _differing(said: Any, is_: Any, path: str, *, by_name: bool = False) -> Iterator[str]:
    """The places at which two values differ, each with both; a mapping `by_name` holds what fields or the like are."""
    if isinstance(said, dict) and isinstance(is_, dict):
        for key in dict.fromkeys([*said, *is_]):
            below, names = _below(path, key, by_name=by_name)
            yield from _differing(said.get(key, _NOTHING), is_.get(key, _NOTHING), below, by_name=names)
    elif not _is_same(said, is_):
        yield f"{path}: the file says {_told(said)}, the function {_told(is_)}"


def _below(path: str, key: str, *, by_name: bool) -> tuple[str, bool]:
    """The path of a member, in which fields stand by their names alone, and whether it is by name."""
    if by_name:
        return f"{path}.{key}", False
    if key == "properties":
        return path, True
    return (f"{path}[]" if key == "items" else f"{path}.{key}"), key in _BY_NAME


def _is_same(said: Any, is_: Any) -> bool:
    if said is _NOTHING or is_ is _NOTHING:
        return said is is_
    return canonical_json(said) == canonical_json(is_)


def _told(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."
