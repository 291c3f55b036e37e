"""A tool's promise: what its two digests see and do not see, and its way into plain data."""

from __future__ import annotations

import copy
import json
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.contract_data import KEYS
from magic_tools.contracts.execution import Execution
from magic_tools.contracts.lifecycle import Lifecycle
from magic_tools.contracts.policy import Policy, WrongExample
from magic_tools.contracts.semantics import Semantics
from magic_tools.contracts.versions import Version
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

ADDRESS: JsonObject = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
INPUT: JsonObject = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "description": "Article number", "examples": ["A-1"]},
        "count": {"type": "integer", "minimum": 1, "default": 1},
        "state": {"enum": ["new", "old"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "home": {"$ref": "#/$defs/Address"},
        "work": {"$ref": "#/$defs/Address"},
    },
    "required": ["sku", "home"],
    "additionalProperties": False,
    "$defs": {"Address": ADDRESS},
}
CONTRACT = ToolContract("order", "Orders an article.", INPUT, {"type": "integer"})


def changed(*path: str, to: Any) -> ToolContract:
    """The contract with one place of its input schema set; with `None` that place is gone."""
    schema = copy.deepcopy(INPUT)
    node = schema
    for step in path[:-1]:
        node = node[step]
    if to is None:
        del node[path[-1]]
    else:
        node[path[-1]] = to
    return replace(CONTRACT, input_schema=schema)


def renamed() -> ToolContract:
    text = json.dumps(INPUT).replace("#/$defs/Address", "#/$defs/Place").replace('"Address":', '"Place":')
    return replace(CONTRACT, input_schema=json.loads(text))


def turned(value: Any) -> Any:
    """The value with the order of all keys turned around."""
    match value:
        case dict():
            return {key: turned(held) for key, held in reversed(value.items())}
        case list():
            return [turned(item) for item in value]
        case _:
            return value


SAME = {
    "order of keys": replace(CONTRACT, input_schema=turned(INPUT)),
    "order of required": changed("required", to=["home", "sku"]),
    "order of an enum": changed("properties", "state", "enum", to=["old", "new"]),
    "order of branches": changed("properties", "note", "anyOf", to=[{"type": "null"}, {"type": "string"}]),
    "name of a definition": renamed(),
    "a definition where it is used": changed("properties", "work", to=ADDRESS),
    "a comment": changed("properties", "sku", "$comment", to="see the shop's manual"),
    "declarations that no model reads": replace(CONTRACT, policy=Policy(version="1.0.0", owner="me", risk="write")),
    "how calls go": replace(CONTRACT, execution=Execution(timeout_s=3, retries=2)),
    "rules": replace(CONTRACT, rules=("in_stock",), result_rules=("not_negative",)),
}
FOR_READERS = {
    "description of the tool": replace(CONTRACT, description="Orders one article."),
    "description": changed("properties", "sku", "description", to="The article's number"),
    "name": replace(CONTRACT, name="order_article"),
    "title": replace(CONTRACT, title="Order"),
    "life cycle": replace(CONTRACT, policy=Policy(lifecycle=Lifecycle(announced="2026-12-01"))),
    "no description": changed("properties", "sku", "description", to=None),
    "examples": changed("properties", "sku", "examples", to=["B-2"]),
    "default": changed("properties", "count", "default", to=2),
    "description in a definition": changed("$defs", "Address", "properties", "city", "description", to="The town"),
    "title of a field": changed("properties", "sku", "title", to="SKU"),
    "deprecated": changed("properties", "sku", "deprecated", to=True),
}
FOR_CALLS = {
    "id": replace(CONTRACT, id="buy"),
    "type": changed("properties", "sku", "type", to="integer"),
    "bound": changed("properties", "count", "minimum", to=0),
    "required": changed("required", to=["sku"]),
    "choice": changed("properties", "state", "enum", to=["new", "old", "lost"]),
    "branch": changed("properties", "note", "anyOf", to=[{"type": "string"}]),
    "open": changed("additionalProperties", to=True),
    "in a definition": changed("$defs", "Address", "required", to=[]),
    "new property": changed("properties", "gift", to={"type": "boolean"}),
    "a property called like a word for readers": changed("properties", "description", to={"type": "string"}),
    "renamed property": changed(
        "properties", to={"SKU" if k == "sku" else k: v for k, v in INPUT["properties"].items()}
    ),
    "unit": changed("properties", "count", "x-unit", to="kg"),
    "result": replace(CONTRACT, output_schema={"type": "number"}),
    "sides exchanged": replace(CONTRACT, input_schema=CONTRACT.output_schema, output_schema=INPUT),
}


@pytest.mark.parametrize("other", SAME.values(), ids=SAME)
def test_what_no_digest_sees(other: ToolContract) -> None:
    """Order, and how definitions are named and where they stand, change neither digest."""
    assert other.interface_digest == CONTRACT.interface_digest
    assert other.surface_digest == CONTRACT.surface_digest


@pytest.mark.parametrize("other", FOR_READERS.values(), ids=FOR_READERS)
def test_what_only_the_surface_sees(other: ToolContract) -> None:
    """What a model reads and no validator heeds changes the surface and not the interface."""
    assert other.interface_digest == CONTRACT.interface_digest
    assert other.surface_digest != CONTRACT.surface_digest


@pytest.mark.parametrize("other", FOR_CALLS.values(), ids=FOR_CALLS)
def test_what_both_digests_see(other: ToolContract) -> None:
    """What changes which calls are valid, or what comes back, changes both."""
    assert other.interface_digest != CONTRACT.interface_digest
    assert other.surface_digest != CONTRACT.surface_digest


def test_the_digests_are_of_different_things() -> None:
    """Both say how they were made, and are never the same."""
    assert CONTRACT.interface_digest.startswith("sha256:")
    assert CONTRACT.surface_digest.startswith("sha256:")
    assert CONTRACT.interface_digest != CONTRACT.surface_digest


def test_equality_is_of_all_that_is_said() -> None:
    """Two contracts are equal when every part is, also when one has made its digests and the other has not."""
    twin = copy.deepcopy(CONTRACT)
    assert twin.interface_digest
    assert twin == ToolContract("order", "Orders an article.", copy.deepcopy(INPUT), {"type": "integer"})
    assert twin != replace(twin, description="Other.")


def test_a_contract_cannot_be_set() -> None:
    """Its parts are those it was made of."""
    with pytest.raises(FrozenInstanceError):
        CONTRACT.id = "other"  # type: ignore[misc]  # the fault that is tested


def test_data_is_plain_and_whole() -> None:
    """The data survives JSON, holds what is said and both digests, in one order, and is the caller's own."""
    data = CONTRACT.to_data()
    assert list(json.loads(json.dumps(data)).items()) == [
        ("id", "order"),
        ("description", "Orders an article."),
        ("interface_digest", CONTRACT.interface_digest),
        ("surface_digest", CONTRACT.surface_digest),
        ("execution", {"timeout_s": 30}),
        ("max_chars", 20000),
        ("input_schema", INPUT),
        ("output_schema", {"type": "integer"}),
    ]
    data["input_schema"]["properties"].clear()
    data["output_schema"].clear()
    assert CONTRACT.to_data()["input_schema"] == INPUT
    assert CONTRACT.output_schema == {"type": "integer"}


WHOLE = ToolContract(
    "crm.order",
    "Orders an article.\n\nNot for returns: use crm.return.",
    INPUT,
    {},
    error_schema={"type": "object"},
    name="order",
    title="Order 訂購",
    policy=Policy(
        version="2.1.0",
        owner="shop",
        risk="write",
        data_class="confidential",
        idempotent=True,
        sequential=True,
        approval=True,
        scopes=("shop.write", "shop.read"),
        masks=("phone",),
        tags=("no", "2.10"),
        phases=("buy",),
        accepts=("2.x", ">=1.5.0 <2"),
        deprecates=("1.4.x",),
        sunset="2027-06-30",
        semantics=Semantics("keyed", "eventual", "cursor", "newest first", "600/min", long_running=True),
        lifecycle=Lifecycle(
            "2027-01-01", "2027-02-01", "2027-03-01T09:30:00Z", "2027-04-01", "2027-05-01",
            replacement="crm.buy@3.0.0", guide="https://example.com", contact="shop@example.com", reason="Slow",
        ),
        max_chars=500,
        metrics_prefix="shop.order",
        log_fields=("sku",),
        examples=({"sku": "A-1", "home": {"city": "羅馬"}},),
        wrong_examples=(
            WrongExample({}, "no sku"), WrongExample({"sku": "X", "home": {"city": "a"}}, "gone", "in_stock"),
        ),
    ),
    execution=Execution(3.5, 2, "computed", repeatable=True, keep=("id",)),
    rules=("in_stock",),
    result_rules=("positive",),
)  # fmt: skip
"""A contract that says everything that one can say."""

PLAIN = ToolContract("order", "", {}, {})
"""One that says next to nothing."""


def test_the_whole_contract_says_everything() -> None:
    """No key of a contract's data could be lost without a test here noticing."""
    assert set(WHOLE.to_data()) == set(KEYS) - {"read_only"}
    assert replace(PLAIN, policy=Policy(read_only=True)).to_data()["read_only"] is True


@pytest.mark.parametrize("contract", [WHOLE, PLAIN, CONTRACT], ids=["whole", "plain", "usual"])
def test_data_read_back_is_the_same(contract: ToolContract) -> None:
    """What was written is read to an equal contract, with its digests, and writes the same again."""
    data = contract.to_data()
    read = ToolContract.from_data(json.loads(json.dumps(data)))
    assert read == contract
    assert json.dumps(read.to_data()) == json.dumps(data)
    assert (read.interface_digest, read.surface_digest) == (contract.interface_digest, contract.surface_digest)


CHANGES: dict[str, Any] = {
    "id": "crm.buy", "name": "buy", "version": "2.2.0", "title": "Buy", "owner": "crm", "description": "Buys.",
    "risk": "destructive", "data_class": "public", "read_only": True, "idempotent": True, "sequential": False,
    "approval": False, "scopes": ["shop.write"], "masks": [], "tags": ["yes"], "phases": ["sell"], "accepts": ["2.x"],
    "deprecates": ["1.3.x"], "sunset": "2027-07-01", "semantics": {"pagination": "none"}, "lifecycle": {},
    "execution": {"timeout_s": 3}, "max_chars": 501, "metrics_prefix": "x", "log_fields": ["note"], "rules": [],
    "result_rules": ["negative"], "input_schema": {"type": "object"}, "output_schema": {"type": "null"},
    "error_schema": {}, "examples": [], "wrong_examples": [{"arguments": {}, "why": "nothing"}],
}  # fmt: skip


@pytest.mark.parametrize("key", sorted(CHANGES))
def test_every_part_counts_for_equality(key: str) -> None:
    """Of two contracts that differ in one thing that they say, neither is the other."""
    told = PLAIN if key in ("read_only", "idempotent") else WHOLE
    data = {name: held for name, held in told.to_data().items() if not name.endswith("_digest")}
    assert ToolContract.from_data(data) == told
    assert ToolContract.from_data(data | {key: CHANGES[key]}) != told


def test_an_open_schema_of_failures_is_one() -> None:
    """`{}` says that failures hold data, which may be anything; no schema says nothing of them."""
    opened = replace(PLAIN, error_schema={})
    assert opened != PLAIN
    assert ToolContract.from_data(opened.to_data()) == opened


def test_equality_knows_true_from_one() -> None:
    """What Python takes for equal and JSON does not are two contracts; the same number in two spellings is one."""
    one, true, point = (replace(PLAIN, input_schema={"const": each}) for each in (1, True, 1.0))
    assert one != true
    assert one == point
    assert replace(PLAIN, execution=Execution(3)) == replace(PLAIN, execution=Execution(3.0))
    assert replace(PLAIN, execution=Execution(3)).to_yaml() == replace(PLAIN, execution=Execution(3.0)).to_yaml()
    assert PLAIN.to_data() != PLAIN


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "the contract: a contract is a mapping with the keys id, description"),
        ({"id": "a"}, "the contract: the key description is missing"),
        ({"idd": "a"}, "idd: there is no key 'idd' here; did you mean id?"),
        ({"zzz": 1}, "zzz: there is no key 'zzz' here; there are: id, name, version"),
        ({1: 1}, "1: there is no key 1 here"),
        ({"version": 2.1}, r"version: version is to be a text \(put it in quotes"),
        ({"read_only": "yes"}, "read_only is to be true or false, got 'yes'"),
        ({"read_only": 1}, "read_only is to be true or false"),
        ({"scopes": "a"}, "scopes is to be a list of texts"),
        ({"scopes": [1]}, "scopes is to be a list of texts"),
        ({"input_schema": True}, "input_schema is to be a mapping"),
        ({"examples": ["x"]}, "examples is to be a list of mappings"),
        ({"semantics": []}, "semantics is to be a mapping"),
        ({"semantics": {"order": "x"}}, "semantics.order: there is no key 'order' here; did you mean ordering?"),
        ({"semantics": {"pagination": "x"}}, "^semantics.pagination: .* is to be one of: none, cursor"),
        ({"lifecycle": {"announced": 2026}}, "lifecycle.announced: announced is to be a text"),
        ({"lifecycle": {"announced": "x"}}, "^lifecycle.announced: .*is no date"),
        ({"lifecycle": {"warned": "2026-02-01", "rejected": "2026-01-01", "reason": "r"}}, "^lifecycle: .*is before"),
        ({"execution": {"timeout": 3}}, "execution.timeout: there is no key"),
        ({"execution": {"timeout_s": 0}}, r"^execution.timeout_s: Execution\(timeout_s=0\) is to be seconds"),
        ({"execution": {"timeout_s": True}}, "execution.timeout_s: .* is to be seconds"),
        ({"execution": {"retries": -1}}, "execution.retries: .* a whole number of at least 0"),
        ({"execution": {"retries": 1.5}}, "execution.retries: .* a whole number of at least 0"),
        ({"execution": {"fallback": "x"}}, "execution.fallback: .* one of: none, value, computed"),
        ({"execution": {"keep": [" "]}}, "execution.keep: .* texts, none of them blank"),
        ({"max_chars": 1.5}, "^max_chars: .*a whole number"),
        ({"max_chars": None}, "^max_chars: .*a whole number"),
        ({"version": "2"}, "^version: .*is no version"),
        ({"id": "a b"}, "^id: .* is no identifier"),
        ({"risk": "low"}, "^risk: .* is to be one of"),
        ({"version": "2.0.0", "accepts": ["1.x"]}, "^accepts: .*leaves out the version itself"),
        ({"wrong_examples": [{"arguments": {}}]}, "^wrong_examples.0: the key why is missing"),
        ({"wrong_examples": [{"arguments": {}, "why": "w", "x": 1}]}, "^wrong_examples.0.x: there is no key"),
        ({"wrong_examples": [{"arguments": {}, "why": " "}]}, "^wrong_examples.0.why: .*not blank"),
        ({"interface_digest": "sha256:00"}, "^interface_digest: .*what the contract says has sha256:"),
        ({"surface_digest": "sha256:00"}, "^surface_digest: .* leave the digests out"),
        ({"input_schema": {"$ref": "#/$defs/A"}, "surface_digest": ""}, "^the contract: "),
    ],
)
def test_data_that_is_no_contract(data: Any, words: str) -> None:
    """The error begins with the key that is unknown, missing or wrong, and says what is meant."""
    base = {"id": "a", "description": "", "input_schema": {}, "output_schema": {}}
    whole = data if not isinstance(data, dict) or data == {"id": "a"} else base | data
    with pytest.raises(DefinitionError, match=words):
        ToolContract.from_data(whole)


def test_a_text_changed_after_it_was_written() -> None:
    """A digest that the file's own schemas do not have is refused: somebody has changed the one and not the other."""
    data = WHOLE.to_data()
    data["description"] += " Quickly."
    with pytest.raises(DefinitionError, match=r"^surface_digest: .*it was changed after it was written"):
        ToolContract.from_data(data)
    del data["surface_digest"]
    assert ToolContract.from_data(data).interface_digest == WHOLE.interface_digest


def test_what_contract_and_policy_both_say() -> None:
    """Version, title and error schema may be given to either, and stand in both; they may not contradict."""
    made = ToolContract("a", "", {}, {}, policy=Policy(version="1.0.0", title="A", error_schema={}))
    assert (made.version, made.title, made.error_schema) == ("1.0.0", "A", {})
    other = ToolContract("a", "", {}, {}, error_schema={}, version="1.0.0", title="A")
    assert (other, other.policy) == (made, made.policy)
    with pytest.raises(DefinitionError, match=r"has the version '1\.0\.0', and its policy '2\.0\.0': give it"):
        ToolContract("a", "", {}, {}, version="1.0.0", policy=Policy(version="2.0.0"))
    with pytest.raises(DefinitionError, match="has the id 'a', and its policy 'b'"):
        ToolContract("a", "", {}, {}, policy=Policy(id="b"))


def test_silences_of_the_linter_are_no_promise() -> None:
    """Two tools that differ in what the linter is told promise the same."""
    assert replace(PLAIN, policy=Policy(lint_ignore={"open-result": "why"})) == PLAIN


@pytest.mark.parametrize(
    ("policy", "accepts"),
    [
        ({}, ()),
        ({"version": "2.1.0"}, ("2.x",)),
        ({"version": "0.3.1"}, ("0.3.x",)),
        ({"version": "2.0.0-rc.1"}, ("2.0.0-rc.1",)),
        ({"version": "2.0.0+b"}, ("2.x",)),
        ({"version": "2.1.0", "accepts": ("2.x", "1.x")}, ("2.x", "1.x")),
    ],
)
def test_what_a_contract_accepts_by_itself(policy: dict[str, Any], accepts: tuple[str, ...]) -> None:
    """Where nothing is declared: its own major, before 1.0.0 its own minor, of a prerelease that alone."""
    assert replace(PLAIN, policy=Policy(**policy)).accepts == accepts


@pytest.mark.parametrize(
    ("policy", "version", "service"),
    [
        ({}, "1.0.0", "served"),
        ({"version": "2.1.0"}, None, "served"),
        ({"version": "2.1.0"}, "2.0.0", "served"),
        ({"version": "2.1.0"}, "2.9.0", "served"),
        ({"version": "2.1.0"}, "1.9.0", "refused"),
        ({"version": "2.1.0"}, "3.0.0", "refused"),
        ({"version": "2.1.0"}, "2.2.0-rc.1", "refused"),
        ({"version": "0.3.1"}, "0.3.0", "served"),
        ({"version": "0.3.1"}, "0.2.9", "refused"),
        ({"version": "2.1.0", "deprecates": ("1.x",)}, "1.9.0", "deprecated"),
        ({"version": "2.1.0", "deprecates": ("1.x",)}, "0.9.0", "refused"),
        ({"version": "2.1.0", "deprecates": ("2.0.x",)}, "2.0.3", "deprecated"),
        ({"version": "2.1.0", "deprecates": ("2.0.x",)}, "2.1.0", "served"),
        ({"version": "2.1.0", "accepts": ("2.x", "1.x"), "deprecates": ("1.x",)}, "1.0.0", "deprecated"),
        ({"version": "2.1.0", "accepts": (">=2.1.0 <3",)}, "2.0.0", "refused"),
    ],
)
def test_which_versions_are_served(policy: dict[str, Any], version: str | None, service: str) -> None:
    """A call is served by what the contract accepts, with a warning by what it deprecates, and by nothing else."""
    contract = replace(PLAIN, policy=Policy(**policy))
    assert contract.serves(version) == service
    if version is not None:
        assert contract.serves(Version.parse(version)) == service


def test_versions_after_their_sunset_are_refused() -> None:
    """From the sunset's own instant on, and where the time of the call is known; the others are served on."""
    contract = replace(PLAIN, policy=Policy(version="2.1.0", deprecates=("1.x",), sunset="2027-06-30"))
    sunset = datetime(2027, 6, 30, tzinfo=UTC)
    assert contract.serves("1.0.0") == "deprecated"
    assert contract.serves("1.0.0", sunset - timedelta(microseconds=1)) == "deprecated"
    assert contract.serves("1.0.0", sunset) == "refused"
    assert contract.serves("2.0.0", sunset) == "served"


def test_the_description_as_a_model_reads_it() -> None:
    """What is said of the tool's end stands below its own words, and counts in the surface."""
    assert PLAIN.told_description == ""
    assert WHOLE.told_description.startswith(
        "Orders an article.\n\nNot for returns: use crm.return.\n\nDeprecated as of"
    )
    assert WHOLE.description.endswith("use crm.return.")
