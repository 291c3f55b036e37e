"""A function with all that is needed to call it for a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import Policy
from magic_tools.errors import ContextError
from magic_tools.loose.decode import Schema
from magic_tools.schema.hidden import ABSENT, context_value
from magic_tools.schema.reading import ARGUMENTS
from magic_tools.schema.signature import Signature
from magic_tools.tools.behaviour import Behaviour, Hooks
from magic_tools.tools.brevity import is_brief
from magic_tools.tools.eager import eager
from magic_tools.tools.results import ResultWriter
from magic_tools.values import JsonObject

__all__ = ["Executable", "scopes_of"]


@dataclass(frozen=True)
class Executable:
    """A function with all that is needed to call it for a model.

    `arguments` reads an object of the parameters by name or, if `flat` names one of them, its value.
    """

    name: str
    description: str
    fn: Callable[..., Any]
    signature: Signature
    arguments: Schema[Any]
    results: ResultWriter
    policy: Policy
    behaviour: Behaviour = field(default_factory=Behaviour)
    flat: str | None = None
    hooks: Hooks = field(default_factory=Hooks)

    @cached_property
    def contract(self) -> ToolContract:
        """What the tool promises; not a copy."""
        return ToolContract(
            id=self.policy.id or self.name,
            description=self.description,
            input_schema=self.arguments.json_schema,
            output_schema=self.results.schema,
            error_schema=self.policy.error_schema,
        )

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The scopes that a context has to grant."""
        return frozenset(self.policy.scopes)

    @cached_property
    def is_brief(self) -> bool:
        """Whether a time limit could do nothing, since the function cannot take long."""
        return not self.signature.hidden and is_brief(self.fn)

    @cached_property
    def takes_secrets(self) -> bool:
        """Whether an argument may be a secret."""
        return '"writeOnly"' in json.dumps(self.arguments.json_schema)

    @cached_property
    def arguments_schema(self) -> JsonObject | None:
        """The schema of the arguments, where there is a set in it, whose items have no order."""
        schema = self.arguments.json_schema
        return schema if '"uniqueItems"' in json.dumps(schema) else None

    @cached_property
    def body(self) -> Callable[..., Any]:
        """The function as it is called: what it generates is read out within the call, which a brief one cannot do."""
        return self.fn if self.is_brief else eager(self.fn, self.behaviour.timeout_s)

    @property
    def is_safe(self) -> bool:
        """Whether the same call may be made twice without more being done than by one."""
        return self.policy.read_only or self.policy.idempotent

    @property
    def is_open(self) -> bool:
        """Whether the arguments are whatever a schema from outside names."""
        return self.flat == ARGUMENTS

    def values(self, parsed: Any) -> dict[str, Any]:
        """What was read of the arguments, by parameter."""
        return parsed if self.flat is None else {self.flat: parsed}

    def told(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the author names them, those that were left out at their defaults."""
        return dict(values[ARGUMENTS]) if self.is_open else self.signature.filled(values)


def scopes_of(context: Any) -> frozenset[str]:
    """The scopes that a context grants: what it has under `scopes`; ContextError unless that is several texts."""
    scopes = context_value(context, "scopes")
    if scopes is ABSENT or scopes is None:
        return frozenset()
    if not isinstance(scopes, set | frozenset | list | tuple):
        raise ContextError(f"the context's scopes are a {type(scopes).__name__}: give a set of texts, one for each.")
    if strange := [scope for scope in scopes if not isinstance(scope, str)]:
        raise ContextError(f"the context's scopes hold a {type(strange[0]).__name__}: give a set of texts.")
    return frozenset(scopes)
