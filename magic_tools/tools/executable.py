"""A function with all that is needed to call it for a model."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.guards import Guards
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
from magic_tools.tools.standing import SERVED, Standing
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
    standing: Standing = SERVED

    def under(self, standing: Standing) -> Executable:
        """The same for a run that stands so to it, with what was found out of it already."""
        made = copy.copy(self)
        object.__setattr__(made, "standing", standing)
        return made

    @property
    def contract(self) -> ToolContract:
        """What the tool promises, by the rules that are attached to it now; not a copy."""
        named = self.hooks.names
        if named not in self._contracts:
            self._contracts[named] = self._promise(*named)
        return self._contracts[named]

    @cached_property
    def _contracts(self) -> dict[tuple[tuple[str, ...], tuple[str, ...]], ToolContract]:
        """What was promised, by the names of the rules that were attached then."""
        return {}

    def _promise(self, rules: tuple[str, ...], result_rules: tuple[str, ...]) -> ToolContract:
        return ToolContract(
            id=self.policy.id or self.name,
            description=self.description,
            input_schema=self.arguments.json_schema,
            output_schema=self.results.schema,
            name=self.name,
            policy=self.policy,
            execution=self.behaviour.execution,
            rules=rules,
            result_rules=result_rules,
        )

    @cached_property
    def examined(self) -> set[tuple[str, ...]]:
        """The names of the rules, each time that the wrong examples were tried by them."""
        return set()

    @property
    def told_description(self) -> str:
        """The description as a model reads it: what is said of the tool's end stands below its author's words."""
        upgrade = self.standing.upgrade
        return self.policy.lifecycle.added_to(self.description if upgrade is None else upgrade.pin.description)

    @property
    def told_arguments(self) -> JsonObject:
        """The input schema as a model reads it: that of the pin where a run is served an older version; a copy."""
        upgrade = self.standing.upgrade
        return self.arguments.json_schema if upgrade is None else copy.deepcopy(upgrade.pin.input_schema or {})

    @property
    def guards(self) -> Guards:
        """What protects its callers: what is declared and, in a run that is pinned, what was declared then."""
        return self.standing.guards or self._declared

    @cached_property
    def _declared(self) -> Guards:
        return Guards.of(self.policy)

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes that a context has to grant."""
        return frozenset(self.guards.scopes)

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

    @cached_property
    def has_an_end(self) -> bool:
        """Whether anything is declared of the tool's life."""
        return self.policy.lifecycle.is_declared

    @property
    def is_safe(self) -> bool:
        """Whether the same call may be made twice without more being done than by one."""
        return self.guards.is_safe

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
