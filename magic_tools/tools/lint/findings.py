"""What the linter says, and what it is told: findings, and the limits from which on it speaks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, Literal, get_args

from magic_tools.errors import DefinitionError
from magic_tools.tools.listing import listed

__all__ = ["SEVERITIES", "Finding", "LintConfig", "Profile", "Severity"]

Severity = Literal["error", "warning", "advice"]
Profile = Literal["default", "production"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the gravest to the least."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a model may misread, and what to do about it.

    `tool` is None of what is true of a set of tools as a whole. `path` is a parameter or what is inside one, such as
    `query.lines[].sku`, or `result.total` in what comes back; `""` for the tool itself.
    """

    rule: str
    severity: Severity
    tool: str | None
    path: str
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class LintConfig:
    """Which rules hold, from which measure on, and what is silenced.

    `ignore` gives the reason for silence by the name of a rule, or by `rule:path` for one place. A unit of text is
    two thirds of a word: a word counts 1.5, a Chinese, Japanese or Korean character 1. `overlap` is the share of
    words that two texts must have in common to say the same, and `near` to be easily confused. `today` is the day by
    which a tool's end is near or past, that of the clock where it is None.
    """

    profile: Profile = "default"
    ignore: Mapping[str, str] = field(default_factory=dict)
    field_units: float = 30
    tool_units: float = 150
    tool_characters: float = 1024  # what OpenAI's chat completions took of a description (reports of 2025)
    enum_values: float = 8
    object_levels: float = 2
    name_characters: float = 40
    null_defaults: float = 3
    overlap: float = 0.6
    near: float = 0.4
    total_tokens: float = 10_000
    sunset_days: float = 30
    today: date | None = None

    def __post_init__(self) -> None:
        if self.profile not in get_args(Profile):
            raise DefinitionError(
                f"There is no lint profile {self.profile!r}; there are: {', '.join(get_args(Profile))}."
            )
        day: object = self.today  # which a caller without a type checker may give as anything
        if day is not None and not isinstance(day, date):
            raise DefinitionError(f"The lint setting today is {day!r}: make it a date, such as 2026-12-01.")
        for name in _THRESHOLDS:
            limit = getattr(self, name)
            if isinstance(limit, bool) or not isinstance(limit, int | float) or not math.isfinite(limit) or limit < 0:
                raise DefinitionError(f"The lint threshold {name} is {limit!r}: make it a number from 0 on.")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> LintConfig:
        """The config that the table `[tool.magic-tools.lint]` of a pyproject.toml states; DefinitionError if none."""
        for name in table:
            if name not in _SETTINGS:
                raise DefinitionError(
                    f"[tool.magic-tools.lint] has no setting {name!r}; there are: {listed(_SETTINGS, like=name)}."
                )
        return cls(**table)


_SETTINGS = tuple(each.name for each in fields(LintConfig))
_THRESHOLDS = tuple(name for name in _SETTINGS if name not in ("profile", "ignore", "today"))
