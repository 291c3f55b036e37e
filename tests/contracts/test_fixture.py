"""Consumer fixtures: what they hold, their files, and what is said of data that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.fixture import Fixture, read_fixtures
from magic_tools.contracts.policy import Policy
from magic_tools.contracts.semantics import Semantics
from magic_tools.contracts.uses import AgentUse, DownstreamUse, GatewayUse, KeptCall, UiUse, Use
from magic_tools.errors import DefinitionError
from magic_tools.messages import ErrorCode

CONTRACT = ToolContract(
    id="desk.create_ticket",
    description="Create a ticket.",
    input_schema={"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    output_schema={
        "type": "object",
        "properties": {"id": {"type": "string"}, "rows": {"type": "array", "items": {"type": "integer"}}},
    },
    version="1.2.0",
    policy=Policy(
        risk="write",
        masks=("phone",),
        scopes=("desk.write",),
        semantics=Semantics(idempotency="keyed"),
        data_class="internal",
    ),
)
REFUSED = KeptCall({"title": 1}, ErrorCode.INVALID_ARGUMENT, ("input.title",))
USES: dict[str, Use] = {
    "agent": AgentUse((KeptCall('{"title": "冷 \ud800"}'), REFUSED), ("id", "rows[]")),
    "ui": UiUse(("id",), ("NOT_FOUND", "DESK_CLOSED"), ("fallback", "cut", "approval")),
    "gateway": GatewayUse.of(CONTRACT),
    "downstream": DownstreamUse(("key", "version"), ("1.x", ">=2.0.0 <3"), 45.5, (ErrorCode.RATE_LIMITED,)),
}


@pytest.mark.parametrize("kind", USES)
def test_a_fixture_comes_back_from_its_file(kind: str, tmp_path: Path) -> None:
    """What is saved is loaded equal, whatever its kind; its file is named by consumer and tool, and is of one form."""
    fixture = Fixture("support-bot", CONTRACT, USES[kind], "#support")
    file = fixture.save(tmp_path)
    assert file == tmp_path / "support-bot" / "desk.create_ticket.json"
    assert Fixture.load(file) == fixture
    assert (fixture.kind, fixture.tool, fixture.version) == (kind, "desk.create_ticket", "1.2.0")
    before = file.read_bytes()
    Fixture.load(file).save(tmp_path)
    assert file.read_bytes() == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    data = json.loads(before)
    assert data["contract"]["interface_digest"] == CONTRACT.interface_digest
    assert data["contract"]["surface_digest"] == CONTRACT.surface_digest


def test_what_is_not_used_is_not_written() -> None:
    """An empty use is an empty object, and a contact that nobody gave is left out."""
    data = Fixture("bot", CONTRACT, AgentUse()).to_data()
    assert data["uses"] == {}
    assert "contact" not in data
    assert Fixture.from_data(data) == Fixture("bot", CONTRACT, AgentUse())


def test_a_gateway_decides_by_all_that_a_contract_declares() -> None:
    """Masks, scopes, risk, approval, class of data and the rule of keys are taken from it."""
    assert USES["gateway"] == GatewayUse(("phone",), ("desk.write",), "write", False, "internal", "keyed")


def test_a_call_is_kept_as_it_was_sent() -> None:
    """Raw text stays as it is, an object is a copy that nobody changes, and the outcome stands beside it."""
    given: dict[str, Any] = {"title": ["a"]}
    call = KeptCall(given, ErrorCode.INVALID_ARGUMENT, ("input.title",))
    given["title"].append("b")
    assert call.to_data() == {
        "arguments": {"title": ["a"]},
        "outcome": "refused",
        "code": "INVALID_ARGUMENT",
        "paths": ["input.title"],
    }
    assert KeptCall("```json\n{}```").to_data() == {"arguments": "```json\n{}```", "outcome": "accepted"}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: AgentUse(results=("rows[",)), r"'rows\[' is no path"),
        (lambda: AgentUse(results="id"), "is a bare text"),  # type: ignore[arg-type]  # the fault that is tested
        (lambda: AgentUse(calls=({"title": "x"},)), "KeptCall"),  # type: ignore[arg-type]  # the fault
        (lambda: KeptCall({"a": object()}), "is to be the text that a model sent, or plain JSON data"),
        (lambda: KeptCall({}, "OOPS"), "no code; there are: INVALID_ARGUMENT"),  # type: ignore[arg-type]  # the fault
        (lambda: KeptCall({}, None, (1,)), "is to hold texts"),  # type: ignore[arg-type]  # the fault
        (lambda: UiUse(flags=("blink",)), "'blink', which is none of: fallback, cut, approval"),  # type: ignore[arg-type]  # the fault
        (lambda: GatewayUse(risk="huge"), "is to be one of: read, read_sensitive"),  # type: ignore[arg-type]  # the fault
        (lambda: GatewayUse(approval="yes"), "is to be one of: True, False"),  # type: ignore[arg-type]  # the fault
        (lambda: GatewayUse(data_class="a b"), "is no identifier"),
        (lambda: DownstreamUse(receipts=("colour",)), "'colour', which is none of: key, tool, version"),
        (lambda: DownstreamUse(versions=("newest",)), "'newest' is no range of versions"),
        (lambda: DownstreamUse(wait_s=0), "seconds, more than none"),
        (lambda: DownstreamUse(wait_s=True), "seconds, more than none"),
        (lambda: DownstreamUse(retry_on=("OOPS",)), "no code; there are"),  # type: ignore[arg-type]  # the fault
        (lambda: Fixture("a/b", CONTRACT, UiUse()), r"Fixture\(consumer='a/b'\) is no identifier"),
        (lambda: Fixture("a", {}, UiUse()), "create_ticket.contract"),  # type: ignore[arg-type]  # the fault
        (lambda: Fixture("a", CONTRACT, "ui"), "is to be such as UiUse"),  # type: ignore[arg-type]  # the fault
        (lambda: Fixture("a", CONTRACT, UiUse(), " "), "a text that is not blank"),
        (
            lambda: Fixture("page", CONTRACT, UiUse(("idd",))),
            r"page uses 'idd' of the results of desk.create_ticket, which 1.2.0 does not have; there are: id, rows\.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_kept(make: Any, said: str) -> None:
    """The error names what was given, and shows or lists what may be."""
    with pytest.raises(DefinitionError, match=said):
        make()


def _changed(**parts: Any) -> str:
    return json.dumps(Fixture("bot", CONTRACT, USES["agent"]).to_data() | parts)


def _contract(**parts: Any) -> dict[str, Any]:
    return {"contract": CONTRACT.to_data() | parts}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it cannot be read as JSON"),
        ("[]", "it is JSON, and no object"),
        ('{"a": 1}', "it is no consumer fixture, whose format is 'magic_tools fixture 1': put it elsewhere"),
        (_changed(format="magic_tools fixture 9"), "it is no consumer fixture"),
        (_changed(colour="red"), "the key 'colour' is unknown: take it out"),
        ('{"format": "magic_tools fixture 1"}', "the key 'consumer' is missing: keep the fixture anew"),
        (_changed(kind="robot"), "kind: 'robot' is none; there are: agent, ui, gateway, downstream"),
        (_changed(kind=[]), r"kind: \[\] is none"),
        (_changed(consumer="a b"), "is no identifier"),
        (_changed(uses=[]), "uses: what is used is an object of calls, results"),
        (_changed(uses={"tint": 1}), "uses: the key 'tint' is none of: calls, results: take it out"),
        (_changed(uses={"calls": 7}), "uses: .*is to hold several"),
        (
            _changed(uses={"calls": [{"arguments": {}, "outcome": "accepted"}, {"arguments": {}}]}),
            r"uses: calls\[1\]: a call is \{arguments, outcome: accepted\}",
        ),
        (
            _changed(uses={"calls": [{"arguments": {}, "outcome": "accepted", "code": "CONFLICT"}]}),
            r"uses: calls\[0\]: a call is",
        ),
        (_changed(uses={"results": ["nope"]}), "bot uses 'nope' of the results"),
        (_changed(kind="downstream", uses={"wait_s": "long"}), "uses: DownstreamUse"),
        (_changed(**_contract(colour="red")), "contract: .*colour"),
        (_changed(**_contract(interface_digest="sha256:" + "0" * 64)), "contract: .*digest"),
    ],
)
def test_a_file_that_is_none_is_told_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    """The error begins with the file, names the place in it, and says what to do."""
    file = tmp_path / "bot" / "desk.create_ticket.json"
    file.parent.mkdir()
    file.write_text(text)
    for read in (lambda: Fixture.load(file), lambda: read_fixtures(tmp_path)):
        with pytest.raises(DefinitionError, match=said) as caught:
            read()
        assert str(caught.value).startswith(file.as_posix())


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    """It is told, as is one that is not there."""
    (tmp_path / "a.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(DefinitionError, match=r"a\.json: it is not text in UTF-8"):
        Fixture.load(tmp_path / "a.json")
    with pytest.raises(DefinitionError, match=r"b\.json: it cannot be read: No such file"):
        Fixture.load(tmp_path / "b.json")


def test_all_fixtures_of_a_directory(tmp_path: Path) -> None:
    """They are found below it, in the order of their files; what is no JSON file is let alone."""
    for consumer, use in (("page", USES["ui"]), ("bot", USES["agent"])):
        Fixture(consumer, CONTRACT, use).save(tmp_path)
    (tmp_path / "README.md").write_text("what consumers keep")
    found = read_fixtures(tmp_path)
    assert [(file.relative_to(tmp_path).as_posix(), held.consumer) for file, held in found.items()] == [
        ("bot/desk.create_ticket.json", "bot"),
        ("page/desk.create_ticket.json", "page"),
    ]


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """It is told, so that a name that was mistyped is not taken for no consumers."""
    with pytest.raises(DefinitionError, match=r"There is no folder .*nowhere of consumer fixtures"):
        read_fixtures(tmp_path / "nowhere")


@pytest.mark.parametrize("place", ["other/desk.create_ticket.json", "bot/other.json", "desk.create_ticket.json"])
def test_a_file_in_the_wrong_place(place: str, tmp_path: Path) -> None:
    """A fixture lies where its consumer and its tool say, so that there is one for both."""
    file = Fixture("bot", CONTRACT, AgentUse()).save(tmp_path / "whole")
    wrong = tmp_path / "fixtures" / place
    wrong.parent.mkdir(parents=True)
    file.rename(wrong)
    with pytest.raises(DefinitionError, match=r"move it to .*fixtures/bot/desk\.create_ticket\.json"):
        read_fixtures(tmp_path / "fixtures")
