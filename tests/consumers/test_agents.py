"""An agent's kept calls and results against a candidate: what breaks it, what it gets otherwise, what is bridged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, SecretStr

from magic_tools import (
    AgentUse,
    ErrorCode,
    FixtureReport,
    IdempotencyKey,
    Injected,
    KeptCall,
    Lifecycle,
    Tool,
    ToolCall,
    Toolset,
    Unit,
    agent_use,
    check_fixtures,
    keep_fixture,
)
from tests.consumers.desk import desk, made

Candidate = Callable[..., Any]


class Ticket(TypedDict):
    id: str
    title: str


class Numbered(TypedDict):
    id: int
    title: str


class Titled(TypedDict):
    title: str


class Row(BaseModel):
    sku: str
    qty: int = 1


def calls(*arguments: str) -> list[ToolCall]:
    """Calls as a model sent them."""
    return [ToolCall(f"c{number}", "create", text) for number, text in enumerate(arguments)]


def checked(
    directory: Path, old: Tool[..., Any], new: Tool[..., Any], *arguments: str, results: tuple[str, ...] = (), **at: Any
) -> FixtureReport:
    """What becomes of an agent that made these calls of the old tool and used these results, with the new one."""
    keep_fixture(directory, "bot", old, agent_use(old, calls(*arguments), results=results), contact="#bots")
    return check_fixtures([new], directory, **at)


def told(report: FixtureReport) -> list[tuple[str, str, str]]:
    """What was found of the one consumer."""
    (only,) = report.consumers
    return [(each.path, each.kind, each.effect) for each in only.findings]


def test_nothing_changed(tmp_path: Path) -> None:
    """The same tool, and one with a new optional argument, let an agent work as before."""

    def create(title: str, urgency: str | None = None, priority: str = "P3", note: str | None = None) -> dict[str, str]:
        """Create a ticket."""
        return {}

    for candidate in (desk(), made(create, "1.1.0")):
        report = checked(tmp_path, desk(), candidate, '{"title": "x"}', "```json\n{}\n```")
        assert (report.ok, report.effect, told(report), report.changes) == (True, None, [], ())
        assert [each.status for each in report.consumers] == ["works"]


def test_a_call_that_is_refused_now(tmp_path: Path) -> None:
    """It breaks, at the place in the contract, with how many calls it is so, whom to tell, and what to do."""

    def create(title: str, team: str, priority: Literal["P1", "P3"] = "P3", note: str | None = None) -> dict[str, str]:
        """Create a ticket."""
        return {}

    report = checked(tmp_path, desk(), made(create, "1.1.0"), '{"title": "x"}', '{"title": "y", "priority": "P2"}')
    assert told(report) == [
        ("input.priority", "call_refused", "breaking"),
        ("input.team", "call_refused", "breaking"),
    ]
    (only,) = report.having("broken")
    assert not report.ok
    assert only.contact == "#bots"
    assert (only.findings[0].before, only.findings[0].after) == ({"title": "y", "priority": "P2"}, "INVALID_ARGUMENT")
    assert "expected one of 'P1' or 'P3', got \"P2\". So it is with 1 of 2." in only.findings[0].why
    assert only.findings[1].why.endswith("So it is with 2 of 2.")
    assert "upgrade_from" in only.findings[1].advice
    assert str(only).startswith("agent bot, desk.create 1.0.0 -> 1.1.0: broken; tell #bots\ninput.priority: {")


def test_a_breaking_change_that_nobody_uses(tmp_path: Path) -> None:
    """No kept call sends what is gone: the consumer works, and the change is told as breaking and used by nobody."""

    def create(title: str, priority: Literal["P1", "P3"] = "P3") -> dict[str, str]:
        """Create a ticket."""
        return {}

    report = checked(tmp_path, desk(), made(create, "1.1.0"), '{"title": "x", "priority": "P1"}')
    assert report.ok
    assert [each.status for each in report.consumers] == ["works"]
    assert {each.change.path for each in report.changes} == {"input.note", "input.priority"}
    assert all(each.change.effect == "breaking" for each in report.changes)
    assert str(report.changes[0]).endswith(": breaking by schema, used by no kept consumer")
    assert "changes that nobody uses: breaking 2" in report.summary.replace("\n", " ")


def later_default(title: str, priority: str = "P2", note: str | None = None) -> dict[str, str]:
    """Create a ticket."""
    return {}


@pytest.mark.parametrize(
    ("risk", "arguments", "effect"),
    [
        ("write", '{"title": "x"}', "breaking"),
        ("read", '{"title": "x"}', "behavioural"),
        ("write", '{"title": "x", "priority": "P1"}', None),
        ("read", "{title: x", None),
    ],
)
def test_another_default(risk: str, arguments: str, effect: str | None, tmp_path: Path) -> None:
    """It reaches who leaves the argument out, as gravely as the tool acts; nobody else, nor a call that is refused."""
    report = checked(tmp_path, desk(risk=risk), made(later_default, "1.1.0", risk=risk), arguments)
    assert told(report) == ([] if effect is None else [("input.priority", "default_changed", effect)])
    assert [each.change.path for each in report.changes] == (["input.priority"] if effect is None else [])


def test_a_default_deep_inside(tmp_path: Path) -> None:
    """Each item that leaves the field out is reached, wherever it stands."""

    class Later(BaseModel):
        sku: str
        qty: int = 2

    def old(rows: list[Row]) -> str:
        """Order."""
        return ""

    def new(rows: list[Later]) -> str:
        """Order."""
        return ""

    for arguments, paths in (
        ('{"rows": [{"sku": "a", "qty": 1}, {"sku": "b"}]}', ["input.rows[].qty"]),
        ('{"rows": [{"sku": "a", "qty": 1}]}', []),
        ('{"rows": []}', []),
    ):
        report = checked(tmp_path, made(old), made(new, "1.1.0"), arguments)
        assert [path for path, _, _ in told(report)] == paths


def test_another_meaning_of_what_is_sent(tmp_path: Path) -> None:
    """A call that is taken all the same is reached by another unit, which breaks it, and by another text."""

    def old(title: str, height: Annotated[int, Unit("cm")] = 0, note: Annotated[str, "Of any kind"] = "") -> str:
        """Create."""
        return ""

    def new(title: str, height: Annotated[int, Unit("mm")] = 0, note: Annotated[str, "For the boss"] = "") -> str:
        """Create."""
        return ""

    for arguments, found in (
        (
            '{"title": "x", "height": 3}',
            [("input.height", "unit_changed", "breaking"), ("input.height", "description_changed", "behavioural")],
        ),
        ('{"title": "x", "note": "y"}', [("input.note", "description_changed", "behavioural")]),
        ('{"title": "x"}', []),
    ):
        assert told(checked(tmp_path, made(old), made(new, "1.1.0"), arguments)) == found


def test_what_was_refused_is_taken_now(tmp_path: Path) -> None:
    """The agent gets something else: a call that came to nothing is made."""

    def create(title: str, priority: str = "P3", note: str | None = None, team: str = "") -> dict[str, str]:
        """Create a ticket."""
        return {}

    report = checked(tmp_path, desk(), made(create, "1.1.0"), '{"title": "x", "team": "a"}')
    assert told(report) == [("input.team", "call_taken", "behavioural")]
    assert [each.status for each in report.consumers] == ["affected"]
    assert (report.ok, report.effect) == (True, "behavioural")
    why = report.consumers[0].findings[0].why
    assert why == "calls that were refused (INVALID_ARGUMENT) are taken now. So it is with 1 of 1."


def test_what_was_refused_is_refused_otherwise(tmp_path: Path) -> None:
    """The model is told something else of its mistake."""

    def create(title: str, team: str = "", priority: Literal["P1", "P3"] = "P3", note: str | None = None) -> str:
        """Create a ticket."""
        return ""

    report = checked(tmp_path, desk(), made(create, "1.1.0"), '{"title": [], "priority": "P9"}')
    assert told(report) == [("input.title", "call_refused_otherwise", "behavioural")]
    (only,) = report.consumers
    assert "refused otherwise now" in only.findings[0].why


def test_rules_count_that_need_nothing_hidden(tmp_path: Path) -> None:
    """A rule that looks at arguments refuses a kept call; one that looks at the context is not asked."""

    def create(title: str, key: Injected[IdempotencyKey], user: Injected[str]) -> str:
        """Create a ticket."""
        raise AssertionError("no tool is run")

    old, new = made(create, scopes=("desk.write",)), made(create, "1.1.0", scopes=("desk.write",))

    @new.rule
    def short(title: str) -> None:
        if len(title) > 3:
            raise ValueError("titles are short")

    @new.rule
    def own(title: str, user: str) -> None:
        raise AssertionError("nobody knows the user here")

    @new.rule
    def all_of_it(**everything: Any) -> None:
        raise AssertionError("nobody knows the user here")

    report = checked(tmp_path, old, new, '{"title": "abc"}', '{"title": "abcd"}')
    assert told(report) == [("rules", "call_refused", "breaking")]
    (only,) = report.consumers
    assert "titles are short" in only.findings[0].why
    assert only.findings[0].why.endswith("So it is with 1 of 2.")
    kept = agent_use(new, calls('{"title": "abcd"}'))
    assert kept.calls == (KeptCall('{"title": "abcd"}', ErrorCode.INVALID_ARGUMENT, ("rules",)),)


def test_a_rule_that_fails(tmp_path: Path) -> None:
    """What a rule raises by mistake is a refusal with its class, and ends no check."""
    new = desk("1.1.0")

    @new.rule
    def broken(title: str) -> None:
        raise KeyError(title)

    report = checked(tmp_path, desk(), new, '{"title": "x"}')
    (only,) = report.consumers
    assert only.findings[0].path == "rules"
    assert "INTERNAL" in only.findings[0].why


def test_results_that_are_used(tmp_path: Path) -> None:
    """The parts that the agent goes on with count, and no others."""

    def old(title: str) -> Ticket:
        """Create a ticket."""
        return {"id": "", "title": ""}

    def numbered(title: str) -> Numbered:
        """Create a ticket."""
        return {"id": 1, "title": ""}

    def without(title: str) -> Titled:
        """Create a ticket."""
        return {"title": ""}

    for new, kind in ((numbered, "type_changed"), (without, "field_removed")):
        report = checked(
            tmp_path, made(old), made(new, "2.0.0", accepts=("1.x", "2.x")), '{"title": "x"}', results=("id",)
        )
        assert told(report) == [("output.id", kind, "breaking")]
        report = checked(
            tmp_path, made(old), made(new, "2.0.0", accepts=("1.x", "2.x")), '{"title": "x"}', results=("title",)
        )
        assert (told(report), report.ok) == ([], True)
        assert [each.change.path for each in report.changes] == ["output.id"]


def test_what_a_model_is_told(tmp_path: Path) -> None:
    """Another description may make it choose otherwise; another name breaks its calls."""

    def create(title: str, priority: str = "P3", note: str | None = None) -> dict[str, str]:
        """Open a ticket at the desk."""
        return {}

    report = checked(tmp_path, desk(), made(create, "1.0.1").renamed("open"), '{"title": "x"}')
    assert told(report) == [("name", "name_changed", "breaking"), ("description", "description_changed", "behavioural")]


def upgraded(version: str = "2.0.0", **options: Any) -> Tool[..., Any]:
    """The next desk, whose arguments have other names, and which takes old ones by way of an adapter."""

    def create(subject: str, priority: str = "P2", note: str | None = None) -> dict[str, str]:
        """Create a ticket."""
        raise AssertionError("no tool is run")

    new = made(create, version, **options)

    @new.upgrade_from("1.x")
    def old(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"subject": arguments["title"].upper() if arguments["title"] else {}, "priority": arguments["priority"]}

    return new


def test_a_declared_adapter_bridges_the_change(tmp_path: Path) -> None:
    """Old calls pass through it: the agent is told as upgraded, with what would break without it, which is used."""
    report = checked(tmp_path, desk(), upgraded(), '{"title": "x"}', '{"title": "y", "priority": "P1"}', "{}")
    (only,) = report.consumers
    assert (only.status, only.upgraded, only.calls, only.findings) == ("upgraded", 2, 3, ())
    assert {each.path for each in only.bridged} >= {"input.subject", "input.title"}
    assert report.ok
    assert {each.path for each in only.bridged} >= {"input.priority"}
    assert report.changes == ()
    assert only.heading == "agent bot, desk.create 1.0.0 -> 2.0.0: upgraded, 2 of 3 calls by way of an adapter"
    assert only.to_data()["bridged"]
    assert "  bridged input.priority default_changed" in str(report).splitlines()
    assert "- bridged input.priority: default\\_changed" in report.to_markdown().splitlines()


def test_an_adapter_that_does_not_bring_a_call_up_to_date(tmp_path: Path) -> None:
    """What it makes is refused, or it raises: that call breaks, and the adapter is to be mended."""
    report = checked(tmp_path, desk(), upgraded(), '{"title": "x"}', '{"title": ""}')
    (only,) = report.consumers
    assert (only.status, only.upgraded) == ("broken", 1)
    assert only.findings[0].kind == "call_refused"
    assert "The adapter old of create, for the arguments from 1.0.0 to 2.0.0" in only.findings[0].why
    assert only.findings[0].advice == "Mend the adapter."


def test_an_adapter_for_other_versions(tmp_path: Path) -> None:
    """It does not count for what was kept against a version that it does not cover."""
    report = checked(tmp_path, desk("0.9.0"), upgraded(), '{"title": "x"}')
    assert [each.status for each in report.consumers] == ["broken"]


def test_results_are_not_bridged(tmp_path: Path) -> None:
    """An adapter of arguments brings calls up to date, and results break all the same who uses them."""

    def old(title: str) -> Ticket:
        """Create a ticket."""
        return {"id": "", "title": ""}

    def create(title: str) -> Numbered:
        """Create a ticket."""
        return {"id": 1, "title": ""}

    new = made(create, "2.0.0")
    new.upgrade_from("1.x")(lambda arguments: arguments)
    report = checked(tmp_path, made(old), new, '{"title": "x"}', results=("id",))
    (only,) = report.consumers
    assert (only.status, only.upgraded) == ("broken", 1)
    assert told(report) == [("output.id", "type_changed", "breaking")]


def test_a_version_that_is_not_accepted(tmp_path: Path) -> None:
    """Where the author says so, its calls break; where only the major rose, it is what a pinned run would meet."""
    report = checked(tmp_path, desk(), desk("2.0.0", accepts=(">=1.5.0 <3",)), '{"title": "x"}')
    assert told(report) == [("policy.deprecates", "not_served", "breaking")]
    (only,) = report.consumers
    assert "version 2.0.0 accepts >=1.5.0 <3 alone" in only.findings[0].why
    report = checked(tmp_path, desk(), desk("2.0.0"), '{"title": "x"}')
    assert told(report) == [("policy.accepts", "not_accepted", "behavioural")]


ENDING = Lifecycle(
    announced="2026-01-01",
    hidden="2026-02-01",
    warned="2026-03-01",
    rejected="2026-04-01",
    replacement="desk.open",
    guide="https://desk.example/move",
    contact="desk@example.org",
)


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ("2026-01-15", []),
        ("2026-02-15", []),
        ("2026-03-15", [("policy.lifecycle", "warned", "behavioural")]),
        ("2026-04-15", [("policy.lifecycle", "not_served", "breaking")]),
    ],
)
def test_a_tool_near_its_end(at: str, found: list[tuple[str, str, str]], tmp_path: Path) -> None:
    """By the clock, hidden tools serve whoever knew them, then they warn, then they refuse, and name the way on."""
    report = checked(tmp_path, desk(lifecycle=ENDING), desk(lifecycle=ENDING), '{"title": "x"}', at=at)
    assert told(report) == found
    for each in report.consumers[0].findings:
        assert "desk.open" in each.why
        assert "https://desk.example/move" in each.why
        assert "desk@example.org" in each.why


def test_an_end_that_is_announced(tmp_path: Path) -> None:
    """A model reads of it, and may choose otherwise; where only a replacement is named it reads nothing else."""
    announced = desk(lifecycle=Lifecycle(announced="2026-01-01"))
    report = checked(tmp_path, desk(), announced, '{"title": "x"}', at="2026-01-15")
    assert told(report) == [("policy.lifecycle.announced", "announced_added", "behavioural")]
    named = desk(lifecycle=Lifecycle(replacement="desk.open"))
    assert told(checked(tmp_path, desk(), named, '{"title": "x"}')) == []


def test_a_deprecated_version_is_warned_of_and_then_refused(tmp_path: Path) -> None:
    """Until its sunset an old version is served by way of the adapter, and told; afterwards no call of it is made."""
    new = upgraded(deprecates=("1.x",), sunset="2026-06-01")
    report = checked(tmp_path, desk(), new, '{"title": "x"}', at="2026-05-31")
    assert told(report) == [("policy.deprecates", "warned", "behavioural")]
    assert report.consumers[0].upgraded == 1
    report = check_fixtures(Toolset(new), tmp_path, at="2026-06-01")
    assert ("policy.deprecates", "not_served", "breaking") in told(report)
    assert report.changes == ()


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    """A secret in a call is masked in the file, and a refused call of a tool that takes secrets is not kept at all."""

    def create(title: str, token: SecretStr) -> str:
        """Create a ticket."""
        return ""

    secret = made(create)
    use = agent_use(
        secret, calls('{"title": "x", "token": "tk-very-secret"}', '{"title": [], "token": "tk-other-one"}')
    )
    keep_fixture(tmp_path, "bot", secret, use)
    assert [each.arguments for each in use.calls] == ['{"title": "x", "token": "***"}']
    assert 'secret"' not in (tmp_path / "bot" / "desk.create.json").read_text()
    assert check_fixtures([secret], tmp_path).ok


def test_no_arguments_at_all(tmp_path: Path) -> None:
    """Blank arguments are an empty call, whose defaults count."""

    def old(priority: str = "P3") -> str:
        """Create a ticket."""
        return ""

    def new(priority: str = "P2") -> str:
        """Create a ticket."""
        return ""

    for blank in ("", " ", "null", "{}"):
        assert told(checked(tmp_path, made(old), made(new, "1.1.0"), blank)) == [
            ("input.priority", "default_changed", "breaking")
        ]


def test_each_call_is_kept_once(tmp_path: Path) -> None:
    """The same arguments twice are one call, and calls of other tools are none of its own."""
    use = agent_use(desk(), [*calls('{"title": "x"}', '{"title": "x"}'), ToolCall("z", "other", "{}")])
    assert use == AgentUse((KeptCall('{"title": "x"}'),))
