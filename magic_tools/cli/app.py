"""The command `magic-tools`: what it takes, what it prints, and how it ends.

It ends with 0 when all went well, 1 when a model gave no answer or snapshots differ, and 2 when
something named is missing or nothing that could answer is installed or set.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from magic_tools.cli.targets import InputError, find_target, find_tools, read_text
from magic_tools.contracts.snapshot import compare_snapshots, write_snapshots
from magic_tools.errors import DefinitionError, MagicToolsError, ModelUnavailableError, SchemaRejectedError
from magic_tools.loose.decode import compile_schema
from magic_tools.models.registry import load_model
from magic_tools.running import run
from magic_tools.schema.dialects import DIALECTS, Dialect
from magic_tools.schema.rendered import DialectChange
from magic_tools.tools.tool import Tool
from magic_tools.values import JsonObject

__all__ = ["app", "main"]

_NOT_SET_UP = (InputError, ModelUnavailableError, DefinitionError, SchemaRejectedError)

_SENT: tuple[Dialect, ...] = ("openai-chat",)
"""The dialects of requests: what a snapshot holds beside the contract."""

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)

TargetArgument = Annotated[str, typer.Argument(help="module:Name or path.py:Name", show_default=False)]


@app.callback()
def _about() -> None:
    """Typed answers from language models, and the contracts of their tools."""


@app.command()
def extract(
    target: TargetArgument,
    file: Annotated[str, typer.Argument(help="a text file, or - for the standard input", show_default=False)],
    model: Annotated[
        str | None, typer.Option(help="openai:NAME, local or local:FILE.gguf; else $MAGIC_TOOLS_MODEL, else local")
    ] = None,
    instructions: Annotated[str | None, typer.Option(help="what the model is told beside the text")] = None,
) -> None:
    r"""Read a value of a type out of a text, and print it as JSON.

    The model that answered is named on the standard error.

    \b
    Examples:
      magic-tools extract docs/examples/tickets.py:TicketInfo docs/examples/ticket.txt
      cat mail.txt | magic-tools extract shop.models:Order - --model openai:gpt-5
    """
    found = find_target(target)
    if isinstance(found, Tool):
        raise InputError(f"{target} is a tool, and extract wants a type, such as a pydantic model.")
    schema = compile_schema(found)
    text = read_text(file)
    chosen = load_model(model, notify=_note)
    outcome = run(text, output=found, model=chosen, instructions=instructions)
    _print_json(json.loads(schema.dump(outcome.value)))
    spent = f"{outcome.usage.input_tokens} tokens read, {outcome.usage.output_tokens} written"
    _note(f"answered by {outcome.model} ({chosen.name}); {spent}")
    for repair in outcome.repairs:
        _note(f"repaired: {repair.note}")


@app.command()
def schema(
    target: TargetArgument,
    dialect: Annotated[Dialect, typer.Option(help="the form to print it in")] = "canonical",
) -> None:
    r"""Print the JSON Schema of a type, or what a provider is sent of a tool.

    What the form cannot say as the canonical schema does is listed on the standard error.

    \b
    Examples:
      magic-tools schema docs/examples/tickets.py:TicketInfo
      magic-tools schema docs/examples/search.py:search_documents --dialect openai-chat
    """
    written, changes = _rendered(find_target(target), dialect)
    _print_json(written)
    for change in changes:
        _note(f"{change.path or '/'}: {change.keyword}: {change.what}")


@app.command()
def snapshot(
    places: Annotated[
        list[str] | None, typer.Argument(help="modules, files or folders with tools; docs/examples by default")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="write nothing; fail if something differs")] = False,
    directory: Annotated[Path, typer.Option(help="where the snapshots are")] = Path("snapshots"),
) -> None:
    r"""Write what each tool promises into a file of its own, or check that the files say the same.

    \b
    Examples:
      magic-tools snapshot
      magic-tools snapshot --check
      magic-tools snapshot shop.tools --directory contracts
    """
    places = places or ["docs/examples"]
    tools = find_tools(places)
    if not len(tools):
        raise InputError(f"There is no tool in {', '.join(places)}.")
    wanted = {made.contract.id: _snapshot_of(made) for made in tools}
    drifts = compare_snapshots(directory, wanted) if check else write_snapshots(directory, wanted)
    for drift in drifts:
        typer.echo(f"{drift.kind}: {drift.file}")
        if check:
            typer.echo(drift.lines)
    typer.echo(f"{len(wanted)} tools, {len(drifts)} snapshots {'differ' if check else 'written'}")
    if check and drifts:
        raise typer.Exit(1)


def main() -> None:
    """Run the command; an error of the library is one sentence on the standard error, and an exit code."""
    try:
        app()
    except MagicToolsError as error:
        _note(str(error))
        sys.exit(2 if isinstance(error, _NOT_SET_UP) else 1)


def _rendered(found: Any, dialect: Dialect) -> tuple[JsonObject, tuple[DialectChange, ...]]:
    if isinstance(found, Tool):
        return found.definition(dialect), found.dialect_report(dialect)
    rendered = DIALECTS[dialect].schema(compile_schema(found).json_schema)
    return rendered.schema, rendered.changes


def _snapshot_of(made: Tool[..., Any]) -> JsonObject:
    return {**made.contract.to_data(), "definitions": {dialect: made.definition(dialect) for dialect in _SENT}}


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2).encode())


def _note(text: str) -> None:
    typer.echo(f"magic-tools: {text}", err=True)
