"""The command `magic-tools`: what it takes, what it prints, and how it ends.

It ends with 0 when all went well, 1 when a model gave no answer, snapshots differ, the linter found something
grave or the doctor no model that can serve, 2 when something named is missing or nothing that could answer is
installed or set, and 3 or 4 when contracts differ so that callers get something else, or fail.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from inspect import isfunction
from typing import Annotated, get_args

import typer

from magic_tools.cli import differing as diff_command
from magic_tools.cli import doctor as doctor_command
from magic_tools.cli import fixtures as fixtures_command
from magic_tools.cli import lint as lint_command
from magic_tools.cli import locking as lock_command
from magic_tools.cli import repair as repair_command
from magic_tools.cli import snapshots as snapshots_command
from magic_tools.cli.printing import note, print_json
from magic_tools.cli.targets import InputError, compiled, find_target, read_text, written
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


app.command(
    "snapshot",
    epilog=_examples(
        "magic-tools snapshot",
        "magic-tools snapshot --check",
        "magic-tools snapshot shop.tools --directory contracts",
        "magic-tools snapshot shop.tools --update",
        "magic-tools snapshot shop.tools --retire crm.find",
    ),
)(snapshots_command.snapshot_tools)


app.command(
    "diff",
    epilog=_examples(
        "magic-tools diff git:main shop.tools",
        "magic-tools diff git:v1.2:contracts contracts --format markdown",
        "magic-tools diff old.json new.yaml --fail-on behavioural",
    ),
)(diff_command.compare_contracts)


app.command(
    "lock",
    epilog=_examples(
        "magic-tools lock shop.tools",
        "magic-tools lock shop.tools --check",
        "magic-tools lock tools/ --file deploy/tools.lock.json --check --format json",
    ),
)(lock_command.lock_tools)


app.command(
    "fixtures",
    epilog=_examples(
        "magic-tools fixtures shop.tools fixtures",
        "magic-tools fixtures shop.tools fixtures --snapshots snapshots",
        "magic-tools fixtures tools/ fixtures --format markdown --fail-on never",
    ),
)(fixtures_command.check_consumers)


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
