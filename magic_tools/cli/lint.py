"""The command `magic-tools lint`: findings about tools, and what the tools cost."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from magic_tools.cli.printing import in_lines, print_json, print_text
from magic_tools.cli.targets import InputError, find_tools
from magic_tools.models.weights import checked, embedded_weights, loaded_weights
from magic_tools.tools.lint.findings import SEVERITIES, Finding, LintConfig, Profile, Severity
from magic_tools.tools.lint.linter import lint
from magic_tools.tools.tokens import TokenCost, token_cost
from magic_tools.values import JsonObject

__all__ = ["lint_places"]

_STYLES: Mapping[Severity, str] = {"error": "bold red", "warning": "yellow", "advice": "cyan"}


def lint_places(
    places: Annotated[
        list[str], typer.Argument(metavar="PLACES", help="modules, files or folders with tools", show_default=False)
    ],
    profile: Annotated[
        Profile | None, typer.Option(help="production asks for more; else what the config says", show_default=False)
    ] = None,
    format_: Annotated[Literal["table", "json"], typer.Option("--format", help="how to print it")] = "table",
    fail_on: Annotated[Severity, typer.Option(help="end with 1 from this severity on")] = "error",
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="a file like pyproject.toml; else that of the project", show_default=False),
    ] = None,
    tokenizer: Annotated[
        Literal["estimate", "local"], typer.Option(help="count tokens by rule of thumb, or as the embedded model does")
    ] = "estimate",
) -> None:
    """Say what models may misread in tools, and what they cost.

    The cost is in tokens, each time that a model is told of a tool.

    Rules are silenced, with a reason, and thresholds set in the table
    [tool.magic-tools.lint] of pyproject.toml.
    """
    tools = find_tools(places)
    if not len(tools):
        raise InputError(f"There is no tool in {', '.join(places)}.")
    findings = lint(tools, config=_config(config), profile=profile)
    count = _local_count() if tokenizer == "local" else None
    cost = token_cost(tools, count=count)
    if format_ == "json":
        print_json(_as_data(findings, cost))
    else:
        print_text(_as_table(findings, cost))
    grave = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    if any(finding.severity in grave for finding in findings):
        raise typer.Exit(1)


def _config(file: Path | None) -> LintConfig:
    """What a file says of the linter, or the project's pyproject.toml; the defaults where there is neither."""
    path = file or _of_project()
    if path is None:
        return LintConfig()
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # no UTF-8, or no TOML
        raise InputError(f"{path} is not TOML: {error}.") from error
    table: Any = stated
    for step in ("tool", "magic-tools", "lint"):
        table = table.get(step, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise InputError(f"{path} has something else than a table under [tool.magic-tools.lint].")
    return LintConfig.from_table(table)


def _of_project() -> Path | None:
    """The nearest pyproject.toml, in this folder or one that it is in."""
    here = Path.cwd()
    files = (folder / "pyproject.toml" for folder in (here, *here.parents))
    return next((file for file in files if file.exists()), None)


def _local_count() -> Callable[[str], int]:
    """The embedded model's own count of tokens."""
    llama = loaded_weights(checked(embedded_weights()), None).llama
    return lambda text: len(llama.tokenize(text.encode(errors="replace"), add_bos=False, special=False))


def _as_data(findings: Iterable[Finding], cost: TokenCost) -> JsonObject:
    return {
        "tools": [{"name": name, "tokens": each, "exact": cost.exact} for name, each in cost.by_tool.items()],
        "tokens": cost.tokens,
        "findings": [asdict(finding) for finding in findings],
    }


def _as_table(findings: list[Finding], cost: TokenCost) -> str:
    """The findings by tool, in lines that fit the terminal, and a last line with the sums."""
    parts: list[Any] = []
    for name, tokens in cost.by_tool.items():
        held = [finding for finding in findings if finding.tool == name]
        heading = Text.assemble((name, "bold"), f"  {_tokens(tokens, cost.exact)}")
        parts += [heading, _grid(held) if held else Padding("no findings", (0, 0, 0, 2)), ""]
    if common := [finding for finding in findings if finding.tool is None]:
        parts += [Text("all tools together", style="bold"), _grid(common), ""]
    counts = (f"{severity}: {sum(each.severity == severity for each in findings)}" for severity in SEVERITIES)
    parts.append(Text(f"tools: {len(cost.by_tool)}, {_tokens(cost.tokens, cost.exact)}; {', '.join(counts)}"))
    return in_lines(parts)


def _tokens(count: int, exact: bool) -> str:
    return f"{'' if exact else 'about '}{count} tokens"


def _grid(findings: list[Finding]) -> Padding:
    """Findings one below the other; those of one rule that say the same are one."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=len("warning"))
    grid.add_column()
    ranked = sorted(findings, key=lambda each: (SEVERITIES.index(each.severity), each.rule, each.message))
    for (severity, rule, message), same in groupby(ranked, key=lambda each: (each.severity, each.rule, each.message)):
        held = list(same)
        places = ", ".join(finding.path for finding in held if finding.path)
        says = Text(f"{places}: {message}" if places else message, overflow="fold")
        grid.add_row(Text(severity, style=_STYLES[severity]), Text(rule, style="bold"))
        grid.add_row("", says)
        grid.add_row("", Text(held[0].advice, style="dim"))
    return Padding(grid, (0, 0, 0, 2))
