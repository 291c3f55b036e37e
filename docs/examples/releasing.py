"""Releasing changes of a tool that agents in the field call: what breaks, whom, and what becomes of them.

Run without arguments it goes through the whole life of a ticket desk, whose versions stand in docs/releasing.
docs/how-to/release.md goes the same way from the command line, by the steps `keep`, `run` and `receipts`.
"""

from __future__ import annotations

import re
import runpy
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from magic_tools import (
    CallUpgraded,
    Change,
    Event,
    FixtureReport,
    Lifecycle,
    Manifest,
    Outcome,
    Receipt,
    Receipts,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolContract,
    ToolDeprecated,
    ToolDrifted,
    ToolResult,
    UiUse,
    agent_use,
    check_fixtures,
    diff,
    keep_fixture,
    required_bump,
    run,
    version_fault,
)

VERSIONS = Path(__file__).parents[1] / "releasing"
LOCK, FIXTURES, RECEIPTS = "agent.lock.json", "fixtures", "receipts.jsonl"

SHORT = '{"title": "The printer is on fire"}'
WHOLE = '{"title": "The printer is on fire", "priority": "P1"}'


def desk(file: str | Path) -> Tool[..., Any]:
    """The tool of a version of the desk."""
    made: Tool[..., Any] = runpy.run_path(str(VERSIONS / file))["create_ticket"]
    return made


def agent(ticket: Tool[..., Any], arguments: str, options: RunOptions | None = None) -> tuple[Outcome[str], list[str]]:
    """The run of an agent whose model makes one call, and the arguments that its model was offered."""
    model = ScriptedModel([[ToolCall("c1", "create_ticket", arguments)], "I opened T-1 for you."])
    outcome = run("The printer is on fire!", tools=[ticket], model=model, options=options)
    return outcome, [name for told in model.requests[0].tools for name in told.input_schema["properties"]]


def keep(ticket: Tool[..., Any], folder: Path) -> None:
    """What its consumers keep: the calls of two agents, and what a page shows."""
    for consumer, arguments in (("helper", SHORT), ("planner", WHOLE)):
        outcome, _ = agent(ticket, arguments)
        keep_fixture(folder / FIXTURES, consumer, ticket, agent_use(ticket, outcome), contact=f"#{consumer}")
    page = UiUse(fields=("id", "priority"), error_codes=("INVALID_ARGUMENT", "INTERNAL"))
    keep_fixture(folder / FIXTURES, "ticket-page", ticket, page, contact="ui@example.com")


def in_the_field(ticket: Tool[..., Any], folder: Path, day: str) -> list[str]:
    """What happens on a day to the agent that is pinned to what it began with, in lines."""
    told: list[str] = []
    receipts = Receipts(folder / RECEIPTS)

    def trace(event: Event) -> None:
        receipts(event)
        match event:
            case ToolDrifted():
                told.append(f"{event.kind}: {event.tool}")
            case CallUpgraded():
                told.append(f"call upgraded: {event.from_version} -> {event.to_version}")
            case ToolDeprecated():
                told.append(f"deprecated: until {event.ends}, then {event.replacement}; ask {event.contact}")

    at = datetime.fromisoformat(day).replace(tzinfo=UTC)
    options = RunOptions(manifest=Manifest.load(folder / LOCK), clock=lambda: at, trace=trace)
    outcome, offered = agent(ticket, SHORT, options)
    (result,) = [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
    content = re.sub("sha256:[0-9a-f]+", "sha256:...", result.content)
    return [f"offered: {', '.join(sorted(offered)) or 'nothing'}", *told, f"result: {content}"]


def receipt_words(receipt: Receipt) -> str:
    """A receipt in a line."""
    return f"{receipt.at} {receipt.tool} {receipt.version}: {receipt.outcome}, {receipt.effect}"


def change_words(change: Change) -> str:
    """A change in a line."""
    return f"{change.effect}: {change.path} {change.kind} {change.before} -> {change.after}"


def judged(old: ToolContract, new: ToolContract) -> list[str]:
    """What changed, by which part the version has to rise, and whether it did."""
    changes = diff(old, new)
    fault = version_fault(old, new, changes)
    said = [change_words(change) for change in changes if change.path.startswith("input")]
    return [*said, f"needs a {required_bump(changes)} version", fault or f"{new.version} is enough"]


def consumers(report: FixtureReport) -> list[str]:
    """What becomes of each consumer, and where it breaks whom to tell of what."""
    said: list[str] = []
    for each in report.consumers:
        said.append(each.heading)
        said += [f"tell {each.contact}: {change_words(found)}" for found in each.findings if found.effect == "breaking"]
    return said


def too_small(ticket: Tool[..., Any]) -> Tool[..., Any]:
    """The new default as somebody would release it who takes that for a small change: as 1.2.0, without an adapter."""
    contract = ticket.contract
    policy = replace(contract.policy, version="1.2.0", deprecates=(), sunset=None, lifecycle=Lifecycle())
    return Tool.from_contract(replace(contract, version="1.2.0", policy=policy), lambda **arguments: arguments)


def main() -> None:
    """Go through the life of the desk."""
    first, second, third = desk("desk_1_0_0.py"), desk("desk_1_1_0.py"), desk("desk_2_0_0.py")
    small, ended = too_small(third), desk("desk_2_1_0.py")
    with TemporaryDirectory() as name:
        folder = Path(name)
        keep(first, folder)
        Manifest.of([first], at="2026-12-01").save(folder / LOCK)
        snapshot = folder / "create_ticket.json"
        snapshot.write_text(first.contract.to_json(), encoding="utf-8")
        for title, lines in (
            ("1.0.0 is released", in_the_field(first, folder, "2026-12-15")),
            ("an urgency is added", judged(ToolContract.from_json(snapshot), second.contract)),
            ("the agent in the field, with 1.1.0", in_the_field(second, folder, "2027-01-01")),
            ("the default becomes P2, as 1.2.0", judged(second.contract, small.contract)),
            ("its consumers", consumers(check_fixtures([small], folder / FIXTURES))),
            ("the default becomes P2, as 2.0.0", judged(second.contract, third.contract)),
            ("its consumers", consumers(check_fixtures([third], folder / FIXTURES, at="2027-01-15"))),
            ("the agent in the field, with 2.0.0", in_the_field(third, folder, "2027-01-15")),
            ("after the sunset of 1.x", in_the_field(third, folder, "2027-06-01")),
            ("after the end of the desk", in_the_field(ended, folder, "2028-03-01")),
            ("its receipts", [receipt_words(receipt) for receipt in Receipts(folder / RECEIPTS).read()]),
        ):
            print(title, *lines, sep="\n  ")


def step(*arguments: str) -> None:
    """One step in the folder at hand, as docs/how-to/release.md takes it."""
    here = Path.cwd()
    match arguments:
        case ("keep", file):
            keep(desk(here / file), here)
        case ("run", file, day):
            print(*in_the_field(desk(here / file), here, day), sep="\n")
        case ("receipts",):
            print(*map(receipt_words, Receipts(here / RECEIPTS).read()), sep="\n")
        case _:
            main()


if __name__ == "__main__":
    step(*sys.argv[1:])
