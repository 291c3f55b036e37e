"""The examples that a tool's author gives, held to what the tool does with them."""

from __future__ import annotations

import json

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.policy import WrongExample
from magic_tools.effects.runners import run_sync
from magic_tools.errors import DefinitionError, ParseError
from magic_tools.loose.taker import Parsed
from magic_tools.messages import listed
from magic_tools.tools.behaviour import Attached
from magic_tools.tools.executable import Executable
from magic_tools.tools.preparing import broken_rules
from magic_tools.values import JsonObject

__all__ = ["checked_contract", "with_sound_examples"]


def with_sound_examples(made: Executable) -> Executable:
    """The same; DefinitionError where its arguments refuse a right example, or let a wrong one pass.

    A wrong example that names a rule has to be one that the arguments let pass.
    """
    for number, example in enumerate(made.policy.examples, 1):
        if (refusal := _refusal(made, example)) is not None:
            raise DefinitionError(
                f"{made.name}(): Policy(examples=...), number {number}, is refused by the arguments: {refusal} "
                "Mend the example, or what refuses it."
            )
    for number, wrong in enumerate(made.policy.wrong_examples, 1):
        refusal = _refusal(made, wrong.arguments)
        where = f"{made.name}(): Policy(wrong_examples=...), number {number} ({wrong.why:.80}),"
        if wrong.rule is None and refusal is None:
            raise DefinitionError(
                f"{where} is not refused by the arguments: bound them, or name the rule that refuses it: "
                "WrongExample(..., rule='its_name')."
            )
        if wrong.rule is not None and refusal is not None:
            raise DefinitionError(
                f"{where} does not come to the rule {wrong.rule}, for the arguments refuse it: {refusal} Leave the "
                "rule out, or mend the example."
            )
    return made


def checked_contract(made: Executable) -> ToolContract:
    """What the tool promises, not a copy; DefinitionError where a wrong example's rule is not there or lets it pass.

    A rule that asks for what the context fills in, or for the object of a method, is not tried.
    """
    contract = made.contract
    if contract.rules not in made.examined:
        rules = {rule.name: rule for rule in made.hooks.rules}
        for number, wrong in enumerate(made.policy.wrong_examples, 1):
            if wrong.rule is not None:
                where = f"{made.name}(): Policy(wrong_examples=...), number {number} ({wrong.why:.80}),"
                if wrong.rule not in rules:
                    known = ", ".join(rules) or "none"
                    raise DefinitionError(
                        f"{where} names the rule {wrong.rule}, and there is none of this name, but: {known}. Attach "
                        f"it with @{made.name}.rule, or name another."
                    )
                _try_rule(made, rules[wrong.rule], wrong, where)
        made.examined.add(contract.rules)
    return contract


def _refusal(made: Executable, example: object) -> str | None:
    """Why the arguments refuse an example, if they do."""
    try:
        _parsed(made, example)
    except ParseError as error:
        return f"{listed(error.issues)}."
    return None


def _parsed(made: Executable, example: object) -> Parsed[object]:
    return made.arguments.parse(json.dumps(example, ensure_ascii=False))


def _try_rule(made: Executable, rule: Attached, wrong: WrongExample, where: str) -> None:
    hidden = {parameter.name for parameter in made.signature.hidden}
    if (rule.on_object and made.signature.unbound) or hidden & set(rule.names) or (hidden and rule.takes_all):
        return
    held: JsonObject = made.told(made.values(_parsed(made, wrong.arguments).value))
    try:
        found = run_sync(broken_rules(made, [rule], held))
    except Exception as error:
        raise DefinitionError(f"{where} makes the rule {rule.name} raise {type(error).__name__}: {error}.") from error
    if not found:
        raise DefinitionError(f"{where} is not refused by the rule {rule.name}: mend the rule, or the example.")
