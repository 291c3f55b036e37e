"""The linter: every rule over every tool, less what is silenced with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.schema.emit import Side
from magic_tools.tools.discovery import is_ours
from magic_tools.tools.lint.findings import SEVERITIES, Finding, LintConfig, Profile
from magic_tools.tools.lint.place_rules import PLACE_RULES
from magic_tools.tools.lint.places import Place, places
from magic_tools.tools.lint.rule import Fault, Rule
from magic_tools.tools.lint.set_rules import REQUEST_RULES, SET_RULES
from magic_tools.tools.lint.tool_rules import TOOL_RULES
from magic_tools.tools.listing import listed
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset
from magic_tools.values import JsonObject

__all__ = ["RULES", "lint"]

_UNUSED: Rule[None] = Rule(
    "unused-silence", "advice", "A silence of which no finding was left to be silenced.", "Take it out.", None
)

_OF_SEVERAL: tuple[Rule[Any], ...] = (*SET_RULES, *REQUEST_RULES)
_ALL: tuple[Rule[Any], ...] = (*PLACE_RULES, *TOOL_RULES, *_OF_SEVERAL, _UNUSED)
_MOST_NAMED = 3

RULES: Mapping[str, Rule[Any]] = {rule.name: rule for rule in _ALL}
"""Every rule by its name."""


_Told = tuple[Rule[Any], Fault]


@dataclass(frozen=True, slots=True)
class _Silence:
    """What is not to be told: a rule's findings, or those at one path, of one tool, also beside others, or of all."""

    key: str
    rule: str
    path: str | None
    tool: str | None

    def covers(self, told: _Told) -> bool:
        """Whether something is not to be told."""
        rule, fault = told
        of_tool = self.tool is None or self.tool in (fault.tool, fault.beside)
        return self.rule == rule.name and of_tool and self.path in (None, fault.path)

    def is_expected_to_cover(self, config: LintConfig) -> bool:
        """Whether there should be something: a rule about several tools may wait for others than are there."""
        rule = RULES[self.rule]
        return _holds(rule, config) and (rule not in _OF_SEVERAL or self.path is not None)


def lint(
    tools: Iterable[Callable[..., Any]] | Callable[..., Any],
    *,
    config: LintConfig | None = None,
    profile: Profile | None = None,
) -> list[Finding]:
    """What models may misread in tools, in the order of the tools and then from grave to slight.

    `tools` is a toolset, a list of tools or functions, or one of them; what is true of the set comes last. Of a
    searchable toolset all tools are looked at, but for the search, and what they cost is what a request offers.
    `profile` is that of the config unless it is given. A rule is silenced with a reason, by `Policy.lint_ignore`
    for a tool and by `LintConfig.ignore` for all: DefinitionError if it has none, or names no rule. What is wrong
    between two tools either of them may silence.
    """
    config = LintConfig() if config is None else config
    config = config if profile is None else replace(config, profile=profile)
    given = tools if isinstance(tools, Iterable) else [tools]
    made = [each if isinstance(each, Tool) else tool(each) for each in given]
    offered = tuple(tools.offered(())) if isinstance(tools, Toolset) else made
    authored = [each for each in made if not is_ours(each)]
    silences = [*_silences(config.ignore, "The lint config", None)]
    for each in made:
        silences += _silences(each.policy.lint_ignore, f"The policy of the tool {each.name!r}", each.name)
    found = [told for each in authored for told in _of_tool(each, config)]
    found += ((rule, fault) for rule in SET_RULES for fault in rule.check(authored, config))
    found += ((rule, fault) for rule in REQUEST_RULES for fault in rule.check(offered, config))
    used = {silence for silence in silences for told in found if silence.covers(told)}
    found += (_unused(each) for each in silences if each not in used and each.is_expected_to_cover(config))
    left = (told for told in found if not any(silence.covers(told) for silence in silences))
    order = {each.name: index for index, each in enumerate(made)}
    return sorted(
        _findings(left), key=lambda each: (order.get(each.tool or "", len(made)), SEVERITIES.index(each.severity))
    )


def _of_tool(made: Tool[..., Any], config: LintConfig) -> Iterator[_Told]:
    for rule in TOOL_RULES:
        if _holds(rule, config):
            yield from ((rule, fault._replace(tool=made.name)) for fault in rule.check(made, config))
    contract = made.contract
    sides: tuple[tuple[Side, JsonObject], ...] = (("input", contract.input_schema), ("output", contract.output_schema))
    for side, schema in sides:
        for place in places(schema, side):
            yield from _of_place(place, made, config)


def _of_place(place: Place, made: Tool[..., Any], config: LintConfig) -> Iterator[_Told]:
    for rule in PLACE_RULES:
        message = rule.check(place, config) if place.side in rule.sides else None
        if message is not None:
            yield rule, Fault(message, place.path, made.name)


def _holds(rule: Rule[Any], config: LintConfig) -> bool:
    return rule.profile in ("default", config.profile)


def _findings(found: Iterable[_Told]) -> Iterator[Finding]:
    """Each fault once, and what is the same beside several tools in one."""
    others: dict[tuple[str, Fault], list[str]] = {}
    for rule, fault in found:
        named = others.setdefault((rule.name, fault._replace(beside=None)), [])
        named += [fault.beside] if fault.beside is not None else []
    for (name, fault), beside in others.items():
        rule, message = RULES[name], fault.message
        message = message.format(listed(beside, _MOST_NAMED)) if beside else message
        yield Finding(name, rule.severity, fault.tool, fault.path, message, rule.advice)


def _unused(silence: _Silence) -> _Told:
    return _UNUSED, Fault(f"the silence of {silence.key!r} silences nothing", tool=silence.tool)


def _silences(stated: Any, where: str, name: str | None) -> Iterator[_Silence]:
    if not isinstance(stated, Mapping):
        raise DefinitionError(
            f"{where} silences {stated!r}: write the rules with their reasons, as in {{'rule': 'why'}}."
        )
    for key, reason in stated.items():
        rule, _, path = str(key).partition(":")
        if rule not in RULES:
            raise DefinitionError(
                f"{where} silences {rule!r}, which is no rule; there are: {listed(RULES, like=rule)}."
            )
        if not isinstance(reason, str) or not reason.strip():
            raise DefinitionError(f"{where} silences {key!r} without a reason: give one, as in {{{key!r}: 'why'}}.")
        yield _Silence(str(key), rule, path or None, name)
