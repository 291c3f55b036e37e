"""The rules about the end of a tool: each a small function, and the table of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from magic_tools.contracts.lifecycle import instant_text
from magic_tools.tools.lint.findings import LintConfig
from magic_tools.tools.lint.rule import Fault, Rule, ToolRule
from magic_tools.tools.tool import Tool

__all__ = ["LIFECYCLE_RULES"]


def _no_replacement(tool: Tool[..., Any], _: LintConfig) -> Iterator[Fault]:
    life = tool.policy.lifecycle
    if life.beginnings and life.replacement is None:
        yield Fault(f"is deprecated since {instant_text(life.beginnings[0][1])}, and names no tool to use instead")


def _sunset_near(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    now = _now(config)
    for what, ends in _ends(tool):
        if now < ends <= now + timedelta(days=config.sunset_days):
            yield Fault(f"refuses {what} from {instant_text(ends)}, in {(ends - now).days} days")


def _sunset_past(tool: Tool[..., Any], config: LintConfig) -> Iterator[Fault]:
    for what, ends in _ends(tool):
        if ends <= _now(config):
            yield Fault(f"refuses {what} since {instant_text(ends)}, and is still here")


def _ends(tool: Tool[..., Any]) -> Iterator[tuple[str, datetime]]:
    """When calls of a tool, and of its older versions, begin to be refused."""
    policy = tool.policy
    if (ends := policy.lifecycle.rejected or policy.lifecycle.retired) is not None:
        yield "all calls", ends
    if policy.ends_deprecated is not None:
        yield f"calls for {', '.join(policy.deprecates)}", policy.ends_deprecated


def _now(config: LintConfig) -> datetime:
    """The day that the config gives, or the clock's time."""
    day = config.today
    return datetime.now(UTC) if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)


LIFECYCLE_RULES: tuple[ToolRule, ...] = (
    Rule("no-replacement", "warning", "A deprecated tool that names no tool to use instead.",
         'Name it: Lifecycle(replacement="crm.customer.find"), or silence this where there is none.', _no_replacement),
    Rule("sunset-near", "warning", "A tool, or its older versions, refused within `sunset_days`.",
         "See who still calls it, and tell them what to use instead.", _sunset_near),
    Rule("sunset-past", "error", "A tool, or its older versions, refused by now.",
         "Take it out, and keep its id for nothing else; of older versions, take them out of deprecates.",
         _sunset_past),
)  # fmt: skip
"""The rules about tools whose life ends."""
