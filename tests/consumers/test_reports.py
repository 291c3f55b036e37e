"""The report of all consumers: fixtures without a tool, changes that nobody uses, and its three forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

import pytest

from magic_tools import (
    DefinitionError,
    DownstreamUse,
    FixtureReport,
    Message,
    ScriptedModel,
    Tool,
    ToolCall,
    ToolResult,
    Toolset,
    UiUse,
    agent_use,
    check_fixtures,
    keep_fixture,
    run,
    tool,
)
from magic_tools.contracts.retired import reservation_text, reserve
from magic_tools.contracts.snapshot_files import write_snapshots
from magic_tools.messages import TextPart
from magic_tools.tools.picturing import Pictures
from tests.consumers.desk import desk, made


def renamed(id_: str) -> Tool[..., Any]:
    return desk(id=id_)


def test_a_tool_that_is_gone(tmp_path: Path) -> None:
    """Its fixtures are told as unused, with what it may be called now, and the check is not well."""
    keep_fixture(tmp_path, "page", desk(), UiUse(), contact="#ui")
    report = check_fixtures([renamed("desk.open")], tmp_path)
    (only,) = report.having("unused")
    assert not report.ok
    assert report.effect == "breaking"
    assert only.gone == (
        "There is no tool 'desk.create' any more. It may be called 'desk.open' now: keep the old id, or keep the "
        "fixture anew."
    )
    assert "unused 1" in report.summary
    assert "There is no tool 'desk.create' any more." in report.to_markdown()
    assert str(only).startswith("ui page, desk.create 1.0.0: unused; tell #ui; There is no tool")

    @tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return ""

    (only,) = check_fixtures([weather], tmp_path).consumers
    assert only.gone == ("There is no tool 'desk.create' any more. Where the consumer is gone too, remove the fixture.")


def test_a_version_that_is_not_declared(tmp_path: Path) -> None:
    """It is told as such, and where neither side has one none is told."""
    keep_fixture(tmp_path, "page", desk(None), UiUse())
    assert str(check_fixtures([desk("1.0.0")], tmp_path).consumers[0]) == (
        "ui page, desk.create no version -> 1.0.0: works"
    )
    assert str(check_fixtures([desk(None)], tmp_path).consumers[0]) == "ui page, desk.create: works"


def test_a_tool_that_is_retired(tmp_path: Path) -> None:
    """Its reservation among the snapshots says since when."""
    keep_fixture(tmp_path / "fixtures", "page", desk(), UiUse())
    snapshots = tmp_path / "snapshots"
    snapshots.mkdir()
    (snapshots / "retired.json").write_text(reservation_text({"desk.create": reserve(desk().contract, "2026-05-01")}))
    (only,) = check_fixtures([], tmp_path / "fixtures", snapshots=snapshots).consumers
    assert only.gone is not None
    assert "is retired since 2026-05-01, last in version 1.0.0" in only.gone


def test_changes_since_the_snapshot(tmp_path: Path) -> None:
    """With snapshots, only what changed since they were written is told; without, all since the fixtures were kept."""

    def second(title: str) -> dict[str, str]:
        """Create a ticket."""
        return {}

    def third(title: str, team: str) -> dict[str, str]:
        """Create a ticket."""
        return {}

    fixtures, snapshots = tmp_path / "fixtures", tmp_path / "snapshots"
    keep_fixture(fixtures, "page", desk(), UiUse())
    write_snapshots(snapshots, Pictures([made(second, "2.0.0")]))
    new = made(third, "3.0.0")
    since = check_fixtures([new], fixtures, snapshots=snapshots)
    assert {each.change.path for each in since.changes if each.change.effect == "breaking"} == {"input.team"}
    before = check_fixtures([new], fixtures)
    paths = {each.change.path for each in before.changes if each.change.effect == "breaking"}
    assert paths == {"input.team", "input.note", "input.priority"}
    keep_fixture(fixtures, "other", desk(), UiUse())
    assert check_fixtures([new], fixtures).changes == before.changes
    elsewhere = check_fixtures([renamed("desk.new"), new], fixtures, snapshots=snapshots)
    assert elsewhere.changes == since.changes


class Numbered(TypedDict):
    id: int


class Lettered(TypedDict):
    id: str


@pytest.fixture
def report(tmp_path: Path) -> FixtureReport:
    """The report of a page that breaks, one that does not, and a change that reaches nobody."""

    def old(title: str) -> Lettered:
        """Create."""
        return {"id": ""}

    def new(title: str, team: str) -> Numbered:
        """Create."""
        return {"id": 1}

    keep_fixture(tmp_path, "page", made(old), UiUse(("id",)), contact="ui@example.org <b>")
    keep_fixture(tmp_path, "books", made(old), DownstreamUse(versions=("1.x",)))
    return check_fixtures([made(new, "1.1.0")], tmp_path)


def test_as_text(report: FixtureReport) -> None:
    """The broken one comes first, with file, contact, place, both values, why and advice; no line is too long."""
    lines = str(report).splitlines()
    assert lines[0] == "ui page, desk.create 1.0.0 -> 1.1.0: broken"
    assert "  tell ui@example.org <b>" in lines
    assert "  breaking output.id" in lines
    assert '    type_changed: "string" -> "integer"' in lines
    assert "downstream books, desk.create 1.0.0 -> 1.1.0: works" in lines
    assert max(map(len, lines)) <= 80
    text = " ".join(str(report).split())
    assert 'input.team: required_field_added: (nothing) -> "team": breaking by schema, used by no kept consumer' in text
    assert text.endswith("consumers: broken 1, unused 0, affected 0, upgraded 0, works 1; changes that nobody uses: "
                         "breaking 1, behavioural 0")  # fmt: skip


def test_as_data(report: FixtureReport) -> None:
    """Everything is there as JSON."""
    data = json.loads(json.dumps(report.to_data()))
    assert (data["ok"], data["effect"]) == (False, "breaking")
    assert [(each["consumer"], each["status"]) for each in data["consumers"]] == [
        ("page", "broken"),
        ("books", "works"),
    ]
    page = data["consumers"][0]
    assert page["version"] == {"kept": "1.0.0", "now": "1.1.0"}
    assert page["place"].endswith("page/desk.create.json")
    assert page["findings"][0]["path"] == "output.id"
    assert [(each["tool"], each["path"]) for each in data["unused_changes"]] == [("desk.create", "input.team")]


def test_as_markdown(report: FixtureReport) -> None:
    """Nothing in it is taken for Markdown, HTML or somebody's name."""
    text = report.to_markdown()
    assert text.startswith("### Consumers of tools\n\nconsumers: broken 1")
    assert "#### ui page, desk.create 1.0.0 -\\> 1.1.0: broken" in text
    assert "Tell ui@<!-- -->example.org \\<b\\>." in text
    assert '- **breaking** output.id: "string" -\\> "integer": ' in text
    assert "#### Changes that reach nobody" in text


def test_a_long_value_is_cut(tmp_path: Path) -> None:
    """What is too long to read says how much more there is; as data it is whole."""
    long = json.dumps({"title": "x" * 500})
    keep_fixture(tmp_path, "bot", desk(), agent_use(desk(), [ToolCall("1", "create", long)]))

    def create(subject: str) -> dict[str, str]:
        """Create a ticket."""
        return {}

    report = check_fixtures([made(create, "1.1.0")], tmp_path)
    assert "... (353 characters more)" in " ".join(str(report).split())
    assert "x" * 500 in json.dumps(report.to_data())


def test_results_that_a_run_went_on_with(tmp_path: Path) -> None:
    """What stands again in what the model said or called afterwards is used; the rest of a result is not."""

    class Found(TypedDict):
        ids: list[str]
        total: int
        hint: str
        ok: bool

    @tool
    def find(text: str) -> Found:
        """Find tickets."""
        return {"ids": ["T-17", "T-18"], "total": 2, "hint": "more", "ok": True}

    @tool
    def close(id: str) -> str:  # noqa: A002 - as the model is to call it
        """Close a ticket."""
        return "done"

    model = ScriptedModel(
        [
            [ToolCall("1", "find", '{"text": "printer"}')],
            [ToolCall("2", "close", '{"id": "T-18"}'), ToolCall("3", "find", '{"words": "x"}')],
            "I closed one of 2 tickets.",
        ]
    )
    outcome = run("Close it", tools=[find, close], model=model)
    use = agent_use(find, outcome)
    assert use.results == ("ids[]", "total")
    assert [(each.code, each.paths) for each in use.calls] == [
        (None, ()),
        ("INVALID_ARGUMENT", ("input.text", "input.words")),
    ]
    assert agent_use(find, outcome.transcript) == use
    assert agent_use(find, outcome, results=("hint",)).results == ("hint",)
    assert agent_use(close, outcome).results == ()
    keep_fixture(tmp_path, "bot", find, use)
    assert check_fixtures(Toolset(find, close), tmp_path).ok


def test_results_by_hand() -> None:
    """Calls and results that were made without a run are kept the same way; a failed one gives no parts."""
    ticket = made(lambda_ticket)
    call = ToolCall("1", "create", '{"title": "x"}')
    said = Message("assistant", (TextPart("It is T-1."),))
    assert agent_use(ticket, [call, ToolResult("1", "create", '{"id": "T-1"}'), said]).results == ("id",)
    assert agent_use(ticket, [call, ToolResult("1", "create", '{"id": "T-1"}', True), said]).results == ()
    assert agent_use(ticket, [call, ToolResult("1", "create", '{"id": "T-1', False), said]).results == ()
    next_call = ToolCall("2", "other", r'{"id": "\u51b7"}')
    assert agent_use(ticket, [call, ToolResult("1", "create", '{"id": "冷"}'), next_call]).results == ("id",)
    assert agent_use(ticket, [call, said, ToolResult("1", "create", '{"id": "T-1"}')]).results == ()


def lambda_ticket(title: str) -> Lettered:
    """Create."""
    return {"id": ""}


def test_there_is_nothing_to_check(tmp_path: Path) -> None:
    """No fixture is a report of nobody; a directory that is not there is told."""
    report = check_fixtures([desk()], tmp_path)
    assert (report.ok, report.consumers, report.changes) == (True, (), ())
    with pytest.raises(DefinitionError, match="There is no folder"):
        check_fixtures([desk()], tmp_path / "nowhere")
    with pytest.raises(DefinitionError, match=r"check_fixtures\(at="):
        check_fixtures([desk()], tmp_path, at="soon")
