"""The linter: every rule over every tool, less what is silenced with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.schema.emit import Side
from magic_tools.tools.lint.findings import SEVERITIES, Finding, LintConfig, Profile
from magic_tools.tools.lint.place_rules import PLACE_RULES
from magic_tools.tools.lint.places import Place, places
from magic_tools.tools.lint.rule import Fault, Rule
from magic_tools.tools.lint.set_rules import SET_RULES
from magic_tools.tools.lint.tool_rules import TOOL_RULES
from magic_tools.tools.tool import Tool, tool
from magic_tools.values import JsonObject

__all__ = ["RULES", "lint"]

_UNUSED: Rule[None] = Rule(
    "unused-silence", "advice", "A silence of which no finding was left to be silenced.", "Take it out.", None
)

_ALL: tuple[Rule[Any], ...] = (*PLACE_RULES, *TOOL_RULES, *SET_RULES, _UNUSED)

RULES: Mapping[str, Rule[Any]] = {rule.name: rule for rule in _ALL}
"""Every rule by its name."""


@dataclass(frozen=True, slots=True)
class _Silence:
    """What is not to be told: a rule's findings, or those at one path, of one tool or of all."""

    key: str
    rule: str
    path: str | None
    tool: str | None

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is not to be told."""
        of_tool = self.tool is None or self.tool == finding.tool
        return self.rule == finding.rule and of_tool and self.path in (None, finding.path)


def lint(
    tools: Iterable[Callable[..., Any]] | Callable[..., Any],
    *,
    config: LintConfig | None = None,
    profile: Profile | None = None,
) -> list[Finding]:
    """What models may misread in tools, in the order of the tools and then from grave to slight.

    `tools` is a toolset, a list of tools or functions, or one of them; what is true of the set comes last.
    `profile` is that of the config unless it is given. A rule is silenced with a reason, by `Policy.lint_ignore`
    for a tool and by `LintConfig.ignore` for all: DefinitionError if it has none, or names no rule.
    """
    config = LintConfig() if config is None else config
    config = config if profile is None else replace(config, profile=profile)
    given = tools if isinstance(tools, Iterable) else [tools]
    made = [each if isinstance(each, Tool) else tool(each) for each in given]
    silences = [*_silences(config.ignore, "The lint config", None)]
    for each in made:
        silences += _silences(each.policy.lint_ignore, f"The policy of the tool {each.name!r}", each.name)
    found = [finding for each in made for finding in _of_tool(each, config)]
    found += (_finding(rule, fault, fault.tool) for rule in SET_RULES for fault in rule.check(made, config))
    used = {silence for silence in silences for finding in found if silence.covers(finding)}
    found += (_unused(each) for each in silences if each not in used and _holds(RULES[each.rule], config))
    told = [finding for finding in found if not any(silence.covers(finding) for silence in silences)]
    order = {each.name: index for index, each in enumerate(made)}
    return sorted(
        dict.fromkeys(told), key=lambda each: (order.get(each.tool or "", len(made)), SEVERITIES.index(each.severity))
    )


def _of_tool(made: Tool[..., Any], config: LintConfig) -> Iterator[Finding]:
    for rule in TOOL_RULES:
        if _holds(rule, config):
            for fault in rule.check(made, config):
                yield _finding(rule, fault, made.name)
    contract = made.contract
    sides: tuple[tuple[Side, JsonObject], ...] = (("input", contract.input_schema), ("output", contract.output_schema))
    for side, schema in sides:
        for place in places(schema, side):
            yield from _of_place(place, made, config)


def _of_place(place: Place, made: Tool[..., Any], config: LintConfig) -> Iterator[Finding]:
    for rule in PLACE_RULES:
        message = rule.check(place, config) if place.side in rule.sides else None
        if message is not None:
            yield _finding(rule, Fault(message, place.path), made.name)


def _holds(rule: Rule[Any], config: LintConfig) -> bool:
    return rule.profile in ("default", config.profile)


def _finding(rule: Rule[Any], fault: Fault, name: str | None) -> Finding:
    return Finding(rule.name, rule.severity, name, fault.path, fault.message, rule.advice)


def _unused(silence: _Silence) -> Finding:
    return _finding(_UNUSED, Fault(f"the silence of {silence.key!r} silences nothing"), silence.tool)


def _silences(stated: Any, where: str, name: str | None) -> Iterator[_Silence]:
    if not isinstance(stated, Mapping):
        raise DefinitionError(
            f"{where} silences {stated!r}: write the rules with their reasons, as in {{'rule': 'why'}}."
        )
    for key, reason in stated.items():
        rule, _, path = str(key).partition(":")
        if rule not in RULES:
            raise DefinitionError(f"{where} silences {rule!r}, which is no rule; the rules are: {', '.join(RULES)}.")
        if not isinstance(reason, str) or not reason.strip():
            raise DefinitionError(f"{where} silences {key!r} without a reason: give one, as in {{{key!r}: 'why'}}.")
        yield _Silence(str(key), rule, path or None, name)
