"""The rules about one tool: each a small function, and the table of them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.lifecycle_rules import LIFECYCLE_RULES
from magic_tools.tools.lint.places import is_open, object_levels, places
from magic_tools.tools.lint.rule import Fault, Rule, ToolRule
from magic_tools.tools.lint.terms import identities_in, identity_of
from magic_tools.tools.lint.words import units
from magic_tools.tools.tool import Tool

__all__ = ["TOOL_RULES"]

_ABSENT = object()


def _missing_docstring(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    if not tool.description.strip():
        yield Fault("has no text that says what it does")


def _missing_return(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    signature = tool.executable.signature
    stated = signature.returns is not inspect.Parameter.empty or signature.unresolved_return is not None
    if not stated and is_open(tool.contract.output_schema):
        yield Fault("has no return annotation, so that its result may be anything", "result")


def _unresolved_return(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    name = tool.executable.signature.unresolved_return
    if name is not None:
        yield Fault(f"has a return annotation that is not known when it runs ({name}): its result is open", "result")


def _open_result(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    if tool.executable.signature.returns is not inspect.Parameter.empty and is_open(tool.contract.output_schema):
        yield Fault("has a result that may be any JSON value", "result")


def _long_tool_text(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    length = units(tool.description)
    if length > config.tool_units:
        yield Fault(f"has a text of {length:g} units, over {config.tool_units:g}")
    elif len(tool.description) > config.tool_characters:
        yield Fault(f"has a text of {len(tool.description)} characters, over {config.tool_characters:g}")


def _long_tool_name(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    if len(tool.name) > config.name_characters:
        yield Fault(f"has a name of {len(tool.name)} characters, over {config.name_characters:g}")


def _many_null_defaults(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    fields = tool.contract.input_schema.get("properties", {})
    null = [name for name, held in fields.items() if isinstance(held, dict) and held.get("default", _ABSENT) is None]
    if len(null) > config.null_defaults:
        yield Fault(f"has {len(null)} parameters that default to None, over {config.null_defaults:g}")


def _chosen_identity(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    about = identities_in(tool.name)
    for place in places(tool.contract.input_schema, "input"):
        kind = identity_of(place.name) if place.kind == "field" else None
        listed = kind == "scope" and place.values  # which is where to look, and nothing that a caller may do
        if kind is not None and kind not in about and not listed:
            yield Fault(f"lets the model choose the {kind}", place.path)


def _deep_nesting(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    schema = tool.contract.input_schema
    for name, held in schema.get("properties", {}).items():
        levels = object_levels(held, schema) if isinstance(held, dict) else 0
        if levels > config.object_levels:
            yield Fault(f"has objects inside objects, {levels} levels of them, over {config.object_levels:g}", name)


def _wrong_example(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    for index, example in enumerate(tool.policy.examples):
        repairs = tool.executable.arguments.parse(json.dumps(example, ensure_ascii=False)).repairs
        if repairs:  # one that is refused cannot be declared
            mended = "; ".join(repair.note for repair in repairs)
            yield Fault(f"has an example (number {index + 1}) that has to be repaired: {mended}")


def _undeclared(attribute: str) -> Callable[[Tool[..., Any], LintConfig], Iterator[Fault]]:
    """A check that the policy of a tool says something under a name."""

    def check(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
        if getattr(tool.policy, attribute) in (None, "", ()):
            yield Fault(f"does not declare {_DECLARED[attribute][0]}")

    return check


# What a tool in production declares: in words, and an example.
_DECLARED = {
    "id": ("an id that outlives its name", 'id="crm.search"'),
    "version": ("its version", 'version="1.0.0"'),
    "owner": ("who answers for it", 'owner="team-search"'),
    "risk": ("its risk", 'risk="read"'),
    "scopes": ("the scopes that a caller needs", 'scopes=("crm.read",)'),
    "examples": ("an example of its arguments", 'examples=({"city": "Rome"},)'),
    "error_schema": ("what its failures hold", 'error_schema={"type": "object", ...}'),
}

TOOL_RULES: tuple[ToolRule, ...] = (
    Rule("missing-docstring", "error", "A tool without a text.",
         "Write a docstring: what it does, what it gives, and what it is not for.", _missing_docstring),
    Rule("missing-return", "error", "A function without a return annotation.",
         "Annotate what it returns, None included; of Tool.from_schema, pass output_schema.", _missing_return),
    Rule("open-result", "error", "A return annotation that says nothing of the result.",
         "Give it a type that says what comes back, such as str, list[int] or a model.", _open_result),
    Rule("unresolved-return", "error", "A return annotation that cannot be resolved.",
         "Import its names where they are known when the program runs, not only under TYPE_CHECKING.",
         _unresolved_return),
    Rule("long-tool-text", "warning", "A tool's text over `tool_units` or `tool_characters`.",
         "Keep what helps to choose the tool; say of the parameters in their own texts.", _long_tool_text),
    Rule("long-tool-name", "warning", "A tool's name over `name_characters`.",
         "Shorten it to a verb and what it acts on.", _long_tool_name),
    Rule("many-null-defaults", "warning", "More than `null_defaults` parameters that default to None.",
         "Make several tools of it, or give the parameters defaults that say what happens.", _many_null_defaults),
    Rule("chosen-identity", "warning",
         "A parameter, or a field of one, named like the tenant, user, customer, account, role, scope or price of a "
         "call.",
         "Fill it from the run's context, where the model cannot set it: Injected[...].", _chosen_identity),
    Rule("deep-nesting", "warning", "Objects inside objects, over `object_levels`.",
         "Lift the inner fields, or make a tool for the inner object.", _deep_nesting),
    Rule("wrong-example", "error", "An example in the policy that is not as a model should send it.",
         "Mend the example: it is shown to models as the right way.", _wrong_example),
    *LIFECYCLE_RULES,
    *(
        Rule(f"undeclared-{attribute.replace('_', '-')}", "error", f"A tool that does not declare {what}.",
             f"Declare it: @tool(policy=Policy({example})).", _undeclared(attribute), profile="production")
        for attribute, (what, example) in _DECLARED.items()
    ),
)  # fmt: skip
"""The rules about tools."""
