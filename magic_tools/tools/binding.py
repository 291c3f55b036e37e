"""A function and the file of its contract, held to each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ParamSpec, TypeVar

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import Policy
from magic_tools.tools.behaviour import Behaviour
from magic_tools.tools.compiling import checked
from magic_tools.tools.contracted import behaviour_of, contract_of, disagreements, policy_of, refuse
from magic_tools.tools.executable import Executable
from magic_tools.tools.tool import Tool, tool

__all__ = ["bind_contract"]

P = ParamSpec("P")
R = TypeVar("R")


def bind_contract(source: str | Path | ToolContract, function: Callable[P, R]) -> Tool[P, R]:
    """The tool of a function, held to its contract: a text or file in YAML or JSON, or the contract itself.

    Of a function or tool without a policy the contract is the policy, and time, tries and what is kept are those of
    the contract where none are given. DefinitionError lists each place where the two disagree: schemas, texts,
    declarations, how calls go, the names of rules.
    """
    contract = contract_of(source)
    made: Tool[P, R] = function if isinstance(function, Tool) else tool(function)
    executable = _completed(made.executable, contract)
    refuse(disagreements(contract, executable), contract.id, made.name)
    if executable is made.executable:
        return made
    bound: Tool[P, R] = Tool(executable.fn, executable, made.strict)
    return bound


def _completed(made: Executable, contract: ToolContract) -> Executable:
    """The same with the contract's declarations, where it has no policy of its own."""
    silences = made.policy.lint_ignore
    if replace(made.policy, lint_ignore={}) != Policy():
        return made
    policy = replace(policy_of(contract), lint_ignore=silences)
    as_usual = replace(made.behaviour, fallback=Behaviour().fallback) == Behaviour()
    behaviour = behaviour_of(contract.execution, made.behaviour.fallback) if as_usual else made.behaviour
    if policy == made.policy and behaviour == made.behaviour:
        return made
    return checked(replace(made, policy=policy, behaviour=behaviour))
