"""The changes between two contracts: each declaration with its effect, and whether the version rose enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic_core import from_json, to_json

from magic_tools.contracts.changes import BUMPS, EFFECTS, Change, required_bump, worst
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.diff import diff, diff_schemas, version_fault
from magic_tools.contracts.execution import Execution
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.contracts.normal import schema_digest
from magic_tools.contracts.policy import Policy, WrongExample
from magic_tools.contracts.semantics import Semantics
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

PROPERTIES: JsonObject = {"title": {"type": "string"}, "priority": {"enum": ["P1", "P2", "P3"], "default": "P3"}}
ARGUMENTS: JsonObject = {
    "type": "object",
    "properties": PROPERTIES,
    "required": ["title"],
    "additionalProperties": False,
}


def contract(schema: JsonObject = ARGUMENTS, execution: Execution | None = None, **said: Any) -> ToolContract:
    own = {name: said.pop(name) for name in ("name", "description", "rules", "result_rules") if name in said}
    return ToolContract(
        id=said.pop("id", "crm.ticket.create"),
        description=own.pop("description", "Make a ticket."),
        input_schema=schema,
        output_schema=said.pop("output_schema", {"type": "string"}),
        policy=Policy(**said),
        execution=execution or Execution(),
        **own,
    )


def only(changes: list[Change]) -> Change:
    (change,) = changes
    return change


V2: dict[str, Any] = {"version": "2.0.0"}
GUIDE = {"replacement": "crm.ticket.open"}
DECLARATIONS: list[tuple[dict[str, Any], dict[str, Any], str, str, str]] = [
    ({}, {"owner": "crm"}, "policy.owner", "owner_added", "compatible"),
    ({"risk": "read"}, {"risk": "write"}, "policy.risk", "risk_changed", "breaking"),
    ({"risk": "destructive"}, {"risk": "write"}, "policy.risk", "risk_changed", "behavioural"),
    ({}, {"risk": "write"}, "policy.risk", "risk_added", "behavioural"),
    ({}, {"tags": ("crm",)}, "policy.tags", "tags_changed", "compatible"),
    ({"tags": ("crm",)}, {}, "policy.tags", "tags_changed", "behavioural"),
    ({"tags": ("a", "b")}, {"tags": ("b", "a")}, "policy.tags", "tags_changed", "compatible"),
    ({}, {"phases": ("plan",)}, "policy.phases", "phases_changed", "behavioural"),
    ({"read_only": True}, {}, "policy.read_only", "read_only_changed", "breaking"),
    ({}, {"read_only": True}, "policy.read_only", "read_only_changed", "behavioural"),
    ({"idempotent": True}, {}, "policy.idempotent", "idempotent_changed", "breaking"),
    ({}, {"idempotent": True}, "policy.idempotent", "idempotent_changed", "compatible"),
    ({}, {"sequential": True}, "policy.sequential", "sequential_changed", "behavioural"),
    ({}, {"approval": True}, "policy.approval", "approval_changed", "breaking"),
    ({"approval": True}, {}, "policy.approval", "approval_changed", "behavioural"),
    ({}, {"scopes": ("crm.write",)}, "policy.scopes", "scopes_changed", "breaking"),
    ({"scopes": ("a", "b")}, {"scopes": ("a",)}, "policy.scopes", "scopes_changed", "behavioural"),
    ({"scopes": ("a",)}, {"scopes": ("b",)}, "policy.scopes", "scopes_changed", "breaking"),
    ({"masks": ("phone",)}, {}, "policy.masks", "masks_changed", "breaking"),
    ({}, {"masks": ("phone",)}, "policy.masks", "masks_changed", "behavioural"),
    ({"max_chars": 100}, {"max_chars": 50}, "policy.max_chars", "max_chars_changed", "behavioural"),
    ({"max_chars": 50}, {"max_chars": 100}, "policy.max_chars", "max_chars_changed", "compatible"),
    ({"metrics_prefix": "a"}, {}, "policy.metrics_prefix", "metrics_prefix_removed", "behavioural"),
    ({}, {"log_fields": ("title",)}, "policy.log_fields", "log_fields_changed", "compatible"),
    ({"log_fields": ("title",)}, {}, "policy.log_fields", "log_fields_changed", "behavioural"),
    ({}, {"examples": ({"title": "x"},)}, "policy.examples", "examples_changed", "compatible"),
    (
        {}, {"wrong_examples": (WrongExample({}, "no title"),)},
        "policy.wrong_examples", "wrong_examples_changed", "compatible",
    ),
    ({"data_class": "public"}, {"data_class": "secret"}, "policy.data_class", "data_class_changed", "behavioural"),
    ({**V2, "accepts": ("1.x", "2.x")}, {**V2, "accepts": ("2.x",)}, "policy.accepts", "accepts_changed", "breaking"),
    ({**V2, "accepts": ("2.x",)}, {**V2, "accepts": ("1.x", "2.x")}, "policy.accepts", "accepts_changed", "compatible"),
    (V2, {**V2, "deprecates": ("1.x",)}, "policy.deprecates", "deprecates_changed", "behavioural"),
    ({}, {"title": "Tickets"}, "title", "title_added", "behavioural"),
    ({}, {"description": "Open a ticket."}, "description", "description_changed", "behavioural"),
    ({}, {"name": "make"}, "name", "name_changed", "breaking"),
    ({}, {"id": "crm.other", "name": "crm.ticket.create"}, "id", "id_changed", "breaking"),
    ({}, {"rules": ("sane",)}, "rules", "rules_changed", "breaking"),
    ({"rules": ("sane",)}, {}, "rules", "rules_changed", "compatible"),
    ({}, {"result_rules": ("sane",)}, "result_rules", "result_rules_changed", "compatible"),
    ({"result_rules": ("sane",)}, {}, "result_rules", "result_rules_changed", "breaking"),
    ({}, {"execution": Execution(timeout_s=60)}, "execution.timeout_s", "timeout_s_changed", "behavioural"),
    ({}, {"execution": Execution(timeout_s=None)}, "execution.timeout_s", "timeout_s_removed", "behavioural"),
    ({}, {"execution": Execution(retries=2)}, "execution.retries", "retries_changed", "behavioural"),
    ({}, {"execution": Execution(fallback="value")}, "execution.fallback", "fallback_changed", "behavioural"),
    ({}, {"execution": Execution(repeatable=True)}, "execution.repeatable", "repeatable_changed", "behavioural"),
    ({}, {"execution": Execution(keep=("id",))}, "execution.keep", "keep_changed", "behavioural"),
    ({}, {"lifecycle": Lifecycle("2026-12-01")}, "policy.lifecycle.announced", "announced_added", "behavioural"),
    (
        {"lifecycle": Lifecycle(rejected="2027-06-01", **GUIDE)},
        {"lifecycle": Lifecycle(rejected="2027-05-31", **GUIDE)},
        "policy.lifecycle.rejected", "rejected_changed", "breaking",
    ),
    (
        {"lifecycle": Lifecycle(rejected="2027-06-01", **GUIDE)},
        {"lifecycle": Lifecycle(rejected="2027-06-02", **GUIDE)},
        "policy.lifecycle.rejected", "rejected_changed", "behavioural",
    ),
    (
        {"lifecycle": Lifecycle("2026-12-01", contact="#crm")}, {"lifecycle": Lifecycle("2026-12-01", contact="#help")},
        "policy.lifecycle.contact", "contact_changed", "compatible",
    ),
    (
        {**V2, "deprecates": ("1.x",), "sunset": "2027-06-01"},
        {**V2, "deprecates": ("1.x",), "sunset": "2027-05-01"},
        "policy.sunset", "sunset_changed", "breaking",
    ),
    (
        {**V2, "deprecates": ("1.x",), "sunset": "2027-06-01"},
        {**V2, "deprecates": ("1.x",), "sunset": "2027-07-01"},
        "policy.sunset", "sunset_changed", "behavioural",
    ),
]  # fmt: skip


LIVES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"announced": "2026-12-01", "rejected": "2027-06-01"}, "behavioural"),
    ({}, {"rejected": "2027-06-01"}, "breaking"),
    ({}, {"announced": "2027-06-01", "rejected": "2027-06-01"}, "breaking"),
    ({"announced": "2026-12-01"}, {"announced": "2026-12-01", "rejected": "2027-06-01"}, "behavioural"),
    ({"retired": "2099-01-01"}, {"rejected": "2027-06-01", "retired": "2099-01-01"}, "breaking"),
    ({"rejected": "2099-01-01"}, {"retired": "2027-06-01"}, "breaking"),
    ({"rejected": "2027-06-01"}, {"rejected": "2027-06-01", "retired": "2028-01-01"}, "behavioural"),
    ({"rejected": "2027-06-01"}, {}, "behavioural"),
]


@pytest.mark.parametrize(("old", "new", "effect"), LIVES)
def test_an_end_that_nobody_was_told_of_in_time(old: dict[str, Any], new: dict[str, Any], effect: str) -> None:
    """What counts is from when on calls are refused: sooner than was told, or with no announcement before, breaks."""
    changes = diff(contract(lifecycle=Lifecycle(**old, **GUIDE)), contract(lifecycle=Lifecycle(**new, **GUIDE)))
    assert worst(changes) == effect


SERVED: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    ({"accepts": ("1.x", "2.x")}, {"accepts": ("2.x",), "deprecates": ("1.x",)}, "behavioural"),
    ({"accepts": ("1.x", "2.x")}, {"accepts": ("2.x",)}, "breaking"),
    ({"accepts": (">=2.0.0 <3",)}, {"accepts": ("2.x",)}, "compatible"),
    ({}, {"accepts": ("2.x",)}, "compatible"),
    ({}, {"accepts": ("1.x", "2.x")}, "compatible"),
    ({"accepts": ("2.x",)}, {"accepts": ("2.0.0",)}, "breaking"),
    ({"accepts": ("*",)}, {"accepts": (">=1.0.0",)}, "breaking"),
    ({"accepts": ("2.x",)}, {"accepts": ("2.x",)}, None),
]


@pytest.mark.parametrize(("old", "new", "effect"), SERVED)
def test_the_versions_that_are_served(old: dict[str, Any], new: dict[str, Any], effect: str | None) -> None:
    """However ranges are written: a version that was served and is refused breaks; a warning alone does not."""
    assert worst(diff(contract(**V2, **old), contract(**V2, **new))) == effect


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({"maximum": "1000"}, {"maximum": "10"}, ("narrowed", "breaking", "compatible")),
        ({"minimum": "0.5"}, {"exclusiveMinimum": "0.50"}, ("narrowed", "breaking", "compatible")),
        ({"minimum": "0.5"}, {"minimum": "5E-1"}, ("respelled", "compatible", "compatible")),
        ({}, {"minimum": "1"}, ("narrowed", "breaking", "compatible")),
        ({"decimalPlaces": "4"}, {"decimalPlaces": "2"}, ("narrowed", "breaking", "compatible")),
        ({"multipleOf": "0.01"}, {"multipleOf": "0.05"}, ("narrowed", "breaking", "compatible")),
        ({"minimum": "2020-01-01"}, {"minimum": "2025-01-01"}, ("narrowed", "breaking", "compatible")),
        ({"maximum": "2020-01-01"}, {"maximum": "2025-01-01"}, ("widened", "compatible", "breaking")),
        ({"exclusiveMaximum": "P1D"}, {"exclusiveMaximum": "PT25H"}, ("widened", "compatible", "breaking")),
        ({}, {"now": "past"}, ("narrowed", "breaking", "compatible")),
        ({"now": "past"}, {"now": "future"}, ("changed", "breaking", "breaking")),
        ({"minimum": "08:00:00"}, {"minimum": "2025-01-01"}, ("changed", "breaking", "breaking")),
        ({"maximum": "2020-01-01T00:00:00"}, {"maximum": "2020-01-01T00:00:00Z"}, ("changed", "breaking", "breaking")),
    ],
)
def test_limits_that_json_schema_cannot_state(old: JsonObject, new: JsonObject, wanted: tuple[str, str, str]) -> None:
    """Bounds of decimals, moments and durations have a direction like those of numbers, and are of the interface."""
    schemas = [{"type": "string", **({"x-limits": limits} if limits else {})} for limits in (old, new)]
    called, arguments = only(diff_schemas(*schemas, side="input")), only(diff_schemas(*schemas, side="output"))
    assert (called.kind, called.effect, arguments.effect) == (f"limits_{wanted[0]}", *wanted[1:])
    assert schema_digest(schemas[0], texts=False) != schema_digest(schemas[1], texts=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("soon", None),
        ("soon", "later"),
        ([1], {"minimum": "1"}),
        ({"multipleOf": "0"}, {"multipleOf": "0.0"}),
        ({"multipleOf": "odd"}, {"multipleOf": "even"}),
        ({"minimum": 5}, {"minimum": [1]}),
        ({"minimum": "1/0"}, {"minimum": "2"}),
    ],
)
def test_limits_that_somebody_else_means_otherwise(old: Any, new: Any) -> None:
    """A schema from outside may state anything under these words: what cannot be compared is told as such."""
    schemas = [{"type": "string", **({} if held is None else {"x-limits": held})} for held in (old, new)]
    assert {only(diff_schemas(*schemas, side=side)).kind for side in ("input", "output")} <= {
        "limits_changed",
        "limits_widened",
    }


def test_a_side_that_there_is_not() -> None:
    """It is refused, and those that there are are named."""
    side: Any = "both"
    with pytest.raises(DefinitionError, match="one of: input, output, error"):
        diff_schemas({}, {"type": "string"}, side=side)


def test_a_definition_in_several_places() -> None:
    """What changed in a definition is told at each place where it is used."""

    def money(least: int) -> JsonObject:
        uses = {name: {"$ref": "#/$defs/Money"} for name in ("price", "fee", "tip")}
        return {"type": "object", "properties": uses, "$defs": {"Money": {"type": "integer", "minimum": least}}}

    changes = diff_schemas(money(0), money(1), side="input")
    assert [(change.path, change.kind) for change in changes] == [
        (f"input.{name}", "range_narrowed") for name in ("price", "fee", "tip")
    ]


@pytest.mark.parametrize("kinds", [["string", "null"], ["integer", "string", "null"], ["integer", "object", "array"]])
def test_a_note_of_a_choice_is_told_once(kinds: list[str]) -> None:
    """However many alternatives a field has, another default of it is one change."""
    old, new = ({"properties": {"a": {"type": kinds, "default": value}}} for value in ("x", "y"))
    assert only(diff_schemas(old, new, side="input")).kind == "default_changed"


def test_anything_is_one_word() -> None:
    """From anything to something, and back, is one change, and not one for each type."""
    stated = {"type": "object", "required": ["code"]}
    assert [change.kind for change in diff_schemas({}, stated, side="error")] == ["schema_narrowed"]
    assert [change.kind for change in diff_schemas(stated, {}, side="error")] == ["schema_widened"]


def test_a_witness_is_of_its_change() -> None:
    """A value stands under the change for which it is refused, though another would refuse it too."""
    old = {"type": "object", "properties": {"cents": {"type": "integer", "maximum": 500}}, "required": ["cents"]}
    new = {
        "type": "object",
        "properties": {"cents": {"type": "integer", "maximum": 50}, "reason": {"type": "string"}},
        "required": ["cents", "reason"],
    }
    proofs = {change.kind: change.witness.value for change in diff_schemas(old, new, side="input") if change.witness}
    assert proofs == {"range_narrowed": {"cents": 500}, "required_field_added": {"cents": 500}}


@pytest.mark.parametrize(("old", "new", "path", "kind", "effect"), DECLARATIONS)
def test_each_declaration(old: dict[str, Any], new: dict[str, Any], path: str, kind: str, effect: str) -> None:
    """A declaration that changed is one change, at its place, with the effect that is told for it, as JSON data."""
    change = only(diff(contract(**old), contract(**new)))
    assert (change.path, change.kind, change.effect) == (path, kind, effect)
    assert change.why.endswith(".")
    assert change.before != change.after
    assert change.to_data()["bump"] == {"breaking": "major", "behavioural": "minor"}.get(effect, change.bump)


SEMANTICS: list[tuple[Semantics, Semantics, str]] = [
    (Semantics(idempotency="keyed"), Semantics(), "breaking"),
    (Semantics(idempotency="keyed"), Semantics(idempotency="none"), "breaking"),
    (Semantics(), Semantics(idempotency="keyed"), "compatible"),
    (Semantics(idempotency="none"), Semantics(idempotency="keyed"), "compatible"),
    (Semantics(consistency="strong"), Semantics(consistency="read_your_writes"), "breaking"),
    (Semantics(consistency="read_your_writes"), Semantics(consistency="eventual"), "breaking"),
    (Semantics(consistency="eventual"), Semantics(consistency="read_your_writes"), "compatible"),
    (Semantics(consistency="eventual"), Semantics(consistency="strong"), "compatible"),
    (Semantics(consistency="strong"), Semantics(), "breaking"),
    (Semantics(), Semantics(consistency="eventual"), "compatible"),
    (Semantics(pagination="cursor"), Semantics(pagination="page"), "breaking"),
    (Semantics(), Semantics(pagination="cursor"), "compatible"),
    (Semantics(ordering="newest first"), Semantics(ordering="none"), "breaking"),
    (Semantics(ordering="none"), Semantics(ordering="newest first"), "compatible"),
    (Semantics(rate_limit="10/s"), Semantics(rate_limit="500/min"), "behavioural"),
    (Semantics(rate_limit="10/s"), Semantics(rate_limit="600/min"), "compatible"),
    (Semantics(), Semantics(rate_limit="10/s"), "behavioural"),
    (Semantics(rate_limit="10/s"), Semantics(), "compatible"),
    (Semantics(), Semantics(long_running=True), "breaking"),
    (Semantics(long_running=True), Semantics(long_running=False), "compatible"),
]


@pytest.mark.parametrize(("old", "new", "effect"), SEMANTICS)
def test_semantics(old: Semantics, new: Semantics, effect: str) -> None:
    """What is promised less of how calls behave breaks; what is promised more, or for the first time, does not."""
    change = only(diff(contract(semantics=old), contract(semantics=new)))
    assert change.path.startswith("policy.semantics.")
    assert change.effect == effect


def test_idempotency_by_key_alone() -> None:
    """What was safe to repeat as it was, and now is with its key alone, breaks who repeats without."""
    safe, keyed = (contract(idempotent=True, semantics=Semantics(idempotency=kind)) for kind in ("idempotent", "keyed"))
    assert only(diff(safe, keyed)).effect == "breaking"
    assert only(diff(keyed, safe)).effect == "compatible"


def test_nothing_changed() -> None:
    """Equal contracts have no changes, also where their schemas are spelt otherwise."""
    other = {**ARGUMENTS, "properties": dict(reversed(list(PROPERTIES.items())))}
    assert diff(contract(), contract()) == []
    assert diff(contract(), contract(other)) == []
    assert required_bump([]) == "none"
    assert worst([]) is None


def test_the_version_alone() -> None:
    """A version is no change of its own: it answers for the others."""
    assert diff(contract(version="1.0.0"), contract(version="2.0.0")) == []


def changed(**default: Any) -> JsonObject:
    return {**ARGUMENTS, "properties": {**PROPERTIES, "priority": default}}


@pytest.mark.parametrize(
    ("said", "effect"),
    [
        ({}, "behavioural"),
        ({"risk": "read"}, "behavioural"),
        ({"risk": "read_sensitive"}, "breaking"),
        ({"risk": "write"}, "breaking"),
        ({"approval": True}, "breaking"),
    ],
)
def test_a_default_with_an_effect(said: dict[str, Any], effect: str) -> None:
    """Another default of an argument breaks where a call does more than read, or a person is asked for leave."""
    new = changed(enum=["P1", "P2", "P3"], default="P2")
    change = only(diff(contract(**said), contract(new, **said)))
    assert (change.path, change.before, change.after) == ("input.priority", "P3", "P2")
    assert change.effect == effect
    assert change.bump == {"breaking": "major", "behavioural": "minor"}[effect]


def test_a_default_counts_where_either_acts() -> None:
    """Whether a call has an effect is asked of both contracts."""
    new = changed(enum=["P1", "P2", "P3"], default="P2")
    effects = {change.kind: change.effect for change in diff(contract(risk="write"), contract(new, risk="read"))}
    assert effects == {"risk_changed": "behavioural", "default_changed": "breaking"}


def test_a_new_default_of_an_output_or_a_field_that_was_required() -> None:
    """Only an argument's default that was there before can be relied on."""
    required = {**ARGUMENTS, "required": ["title", "priority"]}
    old = contract({**required, "properties": {**PROPERTIES, "priority": {"type": "string"}}}, risk="write")
    new = contract(changed(type="string", default="P1"), risk="write")
    assert worst(diff(old, new)) == "behavioural"


def test_an_error_schema_that_was_not_declared() -> None:
    """Declaring what failures hold breaks nobody; not to say it any more does."""
    stated = contract(error_schema={"type": "object", "required": ["code"]})
    assert worst(diff(contract(), stated)) == "compatible"
    assert worst(diff(stated, contract())) == "breaking"


FAULTS: list[tuple[str | None, str | None, str, str | None]] = [
    ("1.0.0", "2.0.0", "major", None),
    ("1.0.0", "1.1.0", "major", "needs a major one: 2.0.0"),
    ("1.0.0", "1.0.1", "minor", "needs a minor one: 1.1.0"),
    ("1.0.0", "1.0.0", "patch", "stays 1.0.0, and what changed needs a patch one: 1.0.1"),
    ("1.0.0", "1.0.0", "none", None),
    ("1.0.0", "1.0.1", "none", None),
    ("1.0.0", "1.1.0", "patch", None),
    ("1.2.3", "1.2.2", "none", "fell from 1.2.3 to 1.2.2"),
    ("0.3.1", "0.4.0", "major", None),
    ("0.3.1", "0.3.2", "major", "needs a minor one: 0.4.0"),
    ("0.3.1", "0.3.2", "minor", None),
    ("0.3.1", "0.3.1", "minor", "needs a patch one: 0.3.2"),
    ("0.9.0", "1.0.0", "major", None),
    ("2.0.0-rc.1", "2.0.0", "major", None),
    (None, None, "major", None),
    (None, "1.0.0", "major", None),
    ("1.0.0", None, "none", "had the version 1.0.0 and has none now"),
]


@pytest.mark.parametrize(("old", "new", "bump", "fault"), FAULTS)
def test_whether_the_version_rose_enough(old: str | None, new: str | None, bump: Any, fault: str | None) -> None:
    """The sentence names both versions, the part that has to rise, and the next version; before 1.0.0 less will do."""
    change = Change("input.a", "field_removed", "a", None, EFFECTS[-1], "why", bump=bump)
    changes = [] if bump == "none" else [change]
    told = version_fault(contract(version=old), contract(version=new), changes)
    assert told is None if fault is None else told is not None and fault in told


def test_the_bump_is_that_of_the_worst() -> None:
    """A set of changes asks for what the largest of them asks for, and has the worst effect."""
    changes = [
        Change("a", "k", None, None, effect, "w", bump=bump) for effect, bump in zip(EFFECTS, BUMPS[1:], strict=True)
    ]
    assert required_bump(changes) == "major"
    assert required_bump(changes[:2]) == "minor"
    assert required_bump(changes[:1]) == "patch"
    assert worst(changes) == "breaking"
    assert worst(changes[:2]) == "behavioural"


def test_a_field_that_seems_to_be_called_otherwise() -> None:
    """Of a field that is gone beside one that is like it, the advice names the new name."""
    old = {"type": "object", "properties": {"timeout_s": {"type": "integer"}, "q": {"type": "string"}}}
    new = {"type": "object", "properties": {"timeout_ms": {"type": "integer"}, "q": {"type": "string"}}}
    gone = next(change for change in diff_schemas(old, new, side="input") if change.kind == "field_removed")
    assert gone.effect == "breaking"
    assert gone.advice.startswith("It seems to be called timeout_ms now")
    unlike = {"type": "object", "properties": {"colour": {"type": "string"}, "q": {"type": "string"}}}
    gone = next(change for change in diff_schemas(old, unlike, side="input") if change.kind == "field_removed")
    assert "seems to be called" not in gone.advice


@pytest.mark.parametrize(
    ("inside", "path"),
    [
        (lambda leaf: {"properties": {"a": leaf}}, "input.a"),
        (lambda leaf: {"properties": {"a b": leaf}}, 'input["a b"]'),
        (lambda leaf: {"properties": {"größe": leaf}}, 'input["größe"]'),
        (lambda leaf: {"properties": {"a": {"type": "array", "items": leaf}}}, "input.a[]"),
        (lambda leaf: {"properties": {"a": {"type": "array", "prefixItems": [{}, leaf]}}}, "input.a[1]"),
        (lambda leaf: {"properties": {"a": {"type": "array", "prefixItems": [{}], "items": leaf}}}, "input.a[1:]"),
        (lambda leaf: {"additionalProperties": leaf}, "input{}"),
        (lambda leaf: {"properties": {"a": {"anyOf": [{"type": "null"}, leaf]}}}, "input.a"),
        (lambda leaf: {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": leaf}}}}, "input.a"),
    ],
)
def test_paths(inside: Any, path: str) -> None:
    """A path says where the change is as a person would write it, whatever references lead there."""
    old, new = ({"type": "object", **inside({"type": "string", "maxLength": most})} for most in (9, 5))
    change = only(diff_schemas(old, new, side="input"))
    assert (change.path, change.kind, change.before, change.after) == (path, "length_narrowed", "[0, 9]", "[0, 5]")


def test_a_witness_is_of_the_whole() -> None:
    """What proves that a change breaks is a value of the whole schema, which can be tried."""
    rows = {"type": "array", "items": {"type": "object", "properties": {"n": {"maximum": 9}}, "required": ["n"]}}
    old = {"type": "object", "properties": {"id": {"type": "string"}, "rows": rows}, "required": ["id"]}
    new = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "rows": {**rows, "maxItems": 2}},
        "required": ["id"],
    }
    change = only(diff_schemas(old, new, side="input"))
    assert change.witness is not None
    assert isinstance(change.witness.value, dict)
    assert change.witness.value["id"] == ""
    assert len(from_json(to_json(change.witness.value["rows"]))) == 3


def test_a_circle_is_told_of_once() -> None:
    """What changed in a recursive schema is told where that stands, and not at every depth."""

    def tree(leaf: JsonObject) -> JsonObject:
        node = {"type": "object", "properties": {"v": leaf, "kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}
        return {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/T"}, "b": {"$ref": "#/$defs/T"}},
            "$defs": {"T": node},
        }

    changes = diff_schemas(tree({"type": "number"}), tree({"type": "integer"}), side="input")
    assert [(change.path, change.kind) for change in changes] == [
        ("input.a.v", "type_narrowed"),
        ("input.b.v", "type_narrowed"),
    ]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "strin"}, "The new schema is no JSON Schema"),
        ({"properties": []}, "The new schema is no JSON Schema"),
        ({"pattern": "("}, "The new schema is no JSON Schema"),
        ({"items": [{}]}, "The new schema is no JSON Schema"),
        ({"$ref": "#/$defs/A"}, "The new schema is no JSON Schema"),
        ({"$ref": "https://example.com/a"}, "The new schema is no JSON Schema"),
        ([], "The new schema is a list"),
        (None, "The new schema is a NoneType"),
    ],
)
def test_what_is_no_schema(schema: Any, told: str) -> None:
    """It is refused by which of the two it is, and why; nothing is fetched."""
    with pytest.raises(DefinitionError, match=told):
        diff_schemas({"type": "string"}, schema, side="input")


def test_schemas_that_nest_too_deep() -> None:
    """They are refused, and not compared in part."""
    deep: list[JsonObject] = [{"type": "string"}, {"type": "integer"}]
    for _ in range(2_000):
        deep = [{"type": "array", "items": inner} for inner in deep]
    with pytest.raises(DefinitionError, match="nest too deep"):
        diff_schemas(*deep, side="input")


def test_changes_do_not_hang_on_the_way_there() -> None:
    """The same two contracts have the same changes, in the same order, at every time."""
    old, new = contract(risk="write", scopes=("a",)), replace(contract(changed(type="string")), description="Other.")
    assert [change.to_data() for change in diff(old, new)] == [change.to_data() for change in diff(old, new)]
