"""The command `magic-tools`: what it takes, what it prints, and how it ends.

It ends with 0 when all went well, 1 when a model gave no answer, snapshots differ, the linter found something
grave or the doctor no model that can serve, and 2 when something named is missing or nothing that could answer is
installed or set.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from inspect import isfunction
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from magic_tools.cli import doctor as doctor_command
from magic_tools.cli import lint as lint_command
from magic_tools.cli import repair as repair_command
from magic_tools.cli.printing import note, print_json, print_text
from magic_tools.cli.targets import InputError, compiled, find_target, find_tools, read_text, written
from magic_tools.contracts.snapshot import compare_snapshots, write_snapshots
from magic_tools.errors import DefinitionError, MagicToolsError, ModelUnavailableError, SchemaRejectedError
from magic_tools.models.registry import load_model
from magic_tools.running import run
from magic_tools.schema.dialects.rendered import DialectChange
from magic_tools.schema.dialects.table import Dialect, form_of, render_schema
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset
from magic_tools.values import JsonObject

__all__ = ["app", "main"]

_NOT_SET_UP = (InputError, ModelUnavailableError, DefinitionError, SchemaRejectedError)

_SENT: tuple[Dialect, ...] = ("openai-chat",)
"""The dialects of requests: what a snapshot holds beside the contract."""

_BY_DEFAULT = "docs/examples"


def _examples(*commands: str) -> str:
    """The end of a help text, whose lines stay as they are: that is what its first character asks for."""
    return "\n  ".join(("\b\nExamples:", *commands))


app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)

TargetArgument = Annotated[
    str, typer.Argument(metavar="TARGET", help="module:Name or path.py:Name", show_default=False)
]


@app.callback(epilog=_examples("magic-tools extract tickets.py:TicketInfo ticket.txt", "magic-tools extract --help"))
def _about() -> None:
    """Typed answers from language models, and the contracts of their tools."""


@app.command(
    epilog=_examples(
        "magic-tools extract tickets.py:TicketInfo ticket.txt",
        "cat mail.txt | magic-tools extract shop.models:Order - --model openai:gpt-5",
    )
)
def extract(
    target: TargetArgument,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a text file, or - for the standard input", show_default=False)
    ],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="openai:NAME, local or local:FILE.gguf; else $MAGIC_TOOLS_MODEL, else local"
        ),
    ] = None,
    instructions: Annotated[
        str | None, typer.Option(metavar="TEXT", help="what the model is told beside the text")
    ] = None,
) -> None:
    """Read a value of a type out of a text, and print it as JSON.

    The JSON goes to the standard output; the model that answered, and what had to be repaired, are
    named on the standard error.
    """
    found = find_target(target)
    if isinstance(found, Tool):
        raise InputError(f"{target} is a tool, and extract wants a type, such as a pydantic model.")
    schema = compiled(target, found)
    text = read_text(file)
    chosen = load_model(model, notify=note)
    with redirect_stdout(sys.stderr):  # what a type's own checks may print is no JSON
        outcome = run(text, output=found, model=chosen, instructions=instructions)
    print_json(written(target, schema, outcome.value))
    spent = f"{outcome.usage.input_tokens} tokens read, {outcome.usage.output_tokens} written"
    note(f"answered by {outcome.model} ({chosen.name}); {spent}")
    for repair in outcome.repairs:
        note(f"repaired: {repair.note}")


@app.command(
    epilog=_examples(
        "magic-tools schema tickets.py:TicketInfo",
        "magic-tools schema search.py:search_documents --dialect openai-chat",
        "magic-tools schema shop.tools:TOOLS --dialect anthropic --strict",
    )
)
def schema(
    target: TargetArgument,
    dialect: Annotated[
        Dialect, typer.Option(metavar="DIALECT", help=f"the form to print it in: {', '.join(get_args(Dialect))}")
    ] = "canonical",
    strict: Annotated[
        bool | None,
        typer.Option(
            "--strict/--no-strict", help="the provider's strict form, or not; by default where nothing is lost"
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a type, or the definition of a tool.

    A toolset is printed as one request has it. What the form cannot say as the
    canonical schema does is listed on the standard error.
    """
    form = form_of(dialect)
    if strict and form.strict in (None, form.loose):
        raise InputError(f"The dialect {dialect} knows no strict form: leave --strict out.")
    written, changes = _rendered(target, dialect, strict)
    print_json(written)
    for name, listed in changes.items():
        for change in listed:
            note(f"{name}{change.path or '/'}: {change.keyword}: {change.what}")


@app.command(
    epilog=_examples(
        "magic-tools snapshot",
        "magic-tools snapshot --check",
        "magic-tools snapshot shop.tools --directory contracts",
    )
)
def snapshot(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLACES", help="modules, files or folders with tools; docs/examples by default"),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="write nothing; end with 1 if something differs")] = False,
    directory: Annotated[Path, typer.Option(metavar="FOLDER", file_okay=False, help="where the snapshots are")] = Path(
        "snapshots"
    ),
) -> None:
    """Write what each tool promises to a file, or check the files.

    Snapshots in the folder of tools that are not in PLACES any more are removed.
    A check prints how the files differ from the code, writes nothing, and ends
    with 1 if they do.
    """
    if not places and not Path(_BY_DEFAULT).exists():
        raise InputError(
            f"There is no folder {_BY_DEFAULT}, in which tools are looked for by default: name the modules, files or "
            "folders that have tools, as in `magic-tools snapshot shop.tools`."
        )
    places = places or [_BY_DEFAULT]
    tools = find_tools(places)
    if not len(tools):
        raise InputError(f"There is no tool in {', '.join(places)}.")
    wanted = {made.contract.id: _snapshot_of(made) for made in _with_files(tools)}
    try:
        drifts = compare_snapshots(directory, wanted) if check else write_snapshots(directory, wanted)
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read or written: {error.strerror}.") from error
    for drift in drifts:
        print_text(f"{drift.kind}: {drift.file}")
        if check:
            print_text(drift.lines)
    print_text(f"tools: {len(wanted)}, snapshots {'that differ' if check else 'written or removed'}: {len(drifts)}")
    if check and drifts:
        raise typer.Exit(1)


app.command(
    "lint",
    epilog=_examples(
        "magic-tools lint shop.tools",
        "magic-tools lint docs/examples --profile production --fail-on warning",
        "magic-tools lint search.py --format json",
    ),
)(lint_command.lint_places)


app.command(
    "repair",
    epilog=_examples(
        "magic-tools repair reply.txt --explain",
        "cat reply.txt | magic-tools repair --target tickets.py:TicketInfo",
    ),
)(repair_command.repair_text)


app.command(
    "doctor",
    epilog=_examples(
        "magic-tools doctor",
        "magic-tools doctor --ask",
        "magic-tools doctor --ask --model openai:gpt-5",
    ),
)(doctor_command.examine)


def main() -> None:
    """Run the command; an error of the library is one sentence on the standard error, and an exit code."""
    try:
        app(prog_name="magic-tools")
    except MagicToolsError as error:
        note(str(error))
        sys.exit(2 if isinstance(error, _NOT_SET_UP) else 1)


def _rendered(
    target: str, dialect: Dialect, strict: bool | None
) -> tuple[JsonObject | list[JsonObject], Mapping[str, tuple[DialectChange, ...]]]:
    """What is to be printed, and what has changed in it, of a toolset by the names of its tools."""
    found = find_target(target)
    if isinstance(found, Toolset):
        offered = found.offered(())
        report = offered.dialect_report(dialect, strict)
        return offered.definitions(dialect, strict), {f"{name}: ": changes for name, changes in report.items()}
    if isinstance(found, Tool) or isfunction(found):
        made = found if isinstance(found, Tool) else tool(found)
        return made.definition(dialect, strict), {"": made.dialect_report(dialect, strict)}
    rendered = render_schema(compiled(target, found).json_schema, dialect, strict, subject=target)
    return rendered.schema, {"": rendered.changes}


def _with_files(tools: Toolset) -> Iterator[Tool[..., Any]]:
    """The tools, each with an id that can be the name of a file, and not of another's; InputError if not."""
    files: dict[str, Tool[..., Any]] = {}
    for made in tools:
        id_ = made.contract.id
        if Path(id_).name != id_:
            raise InputError(f"The id {id_!r} of the tool {made.name!r} cannot be a file's name: take another.")
        other = files.setdefault(id_.casefold(), made)
        if other is not made:
            raise InputError(
                f"The tools {other.name!r} and {made.name!r} would have one snapshot, for their ids are "
                f"{other.contract.id!r} and {id_!r}: give one another with Policy(id=...)."
            )
        yield made


def _snapshot_of(made: Tool[..., Any]) -> JsonObject:
    return {**made.contract.to_data(), "definitions": {dialect: made.definition(dialect) for dialect in _SENT}}
