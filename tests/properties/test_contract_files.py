"""Contracts as files, for whatever may stand in one: what is written is read again, and nothing is guessed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.lifecycle import STAGES, Lifecycle
from magic_tools.contracts.policy import Policy, WrongExample
from magic_tools.contracts.versions import Version, VersionRange, rise
from magic_tools.contracts.yaml_core import read_yaml, write_yaml
from magic_tools.errors import DefinitionError

texts = (
    st.text()
    | st.text(st.sampled_from("-: #'\"\n\t01.exno~{}[]&*!|>%@`\\"))
    | st.sampled_from(["no", "1e3", "0o7", ""])
)
floats = st.floats(allow_nan=False, allow_infinity=False)
leaves = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | floats | texts
values: st.SearchStrategy[Any] = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=12
)
objects = st.dictionaries(texts, values, max_size=4)
versions = st.builds(
    Version, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.sampled_from(["", "", "a", "a.1", "1", "b"])
)


@given(values)
def test_any_value_is_written_so_that_it_is_read(value: Any) -> None:
    """By the core schema the same comes back, to the type; a reader of YAML 1.1 sees no other texts and keys."""
    written = write_yaml({"a": value})
    assert json.dumps(read_yaml(written, "f")[0]) == json.dumps({"a": value})
    assert write_yaml(read_yaml(written, "f")[0]) == written
    assert yaml.safe_load(written) == {"a": value}


@given(st.text(st.sampled_from("ab:-[]{}#'\"\n \t01.,&*!|>%~?x")) | st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever stands in a file, either there is a JSON value in it, or the error says where it stops."""
    try:
        value, lines = read_yaml(text, "f.yaml")
    except DefinitionError as error:
        if not str(error).startswith("f.yaml"):
            raise
        return
    json.dumps(value, allow_nan=False)
    assert all(1 <= line <= text.count("\n") + text.count("\r") + 5 for line in lines.values())


@given(texts, objects, objects, st.lists(objects, max_size=2), objects, texts.filter(str.strip))
def test_any_contract_is_read_again(
    description: str, first: Any, second: Any, examples: list[Any], wrong: Any, why: str
) -> None:
    """Equal, by both forms, and the same bytes are written again."""
    policy = Policy(examples=tuple(examples), wrong_examples=(WrongExample(wrong, why),))
    sides = ({"examples": [first]}, {"default": second})
    contract = ToolContract("a.b", description, *sides, policy=policy)
    assert ToolContract.from_yaml(contract.to_yaml()) == contract
    assert ToolContract.from_json(contract.to_json()).to_json() == contract.to_json()


@given(versions, versions, versions)
def test_versions_are_in_one_order(first: Version, second: Version, third: Version) -> None:
    """The order is total, agrees with equality, and a version is what its text says."""
    assert Version.parse(str(first)) == first
    assert (first < second) + (first == second) + (first > second) == 1
    assert not (first < second < third) or first < third
    assert (rise(first, second) == "fallen") == (second < first)
    assert (rise(first, second) == "none") == (first == second)


@given(versions, versions)
def test_a_range_is_what_its_bounds_say(version: Version, bound: Version) -> None:
    """Of released versions each is on one side of a bound, and in the series that it begins with."""
    if version.prerelease:
        assert version not in VersionRange.parse(f"{version.major}.x")
        assert version in VersionRange.parse(str(version))
        return
    assert version in VersionRange.parse(f"{version.major}.{version.minor}.x")
    assert (version in VersionRange.parse(f">={bound}")) != (version in VersionRange.parse(f"<{bound}"))
    assert (version in VersionRange.parse(f">{bound}")) != (version in VersionRange.parse(f"<={bound}"))


moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


@given(st.dictionaries(st.sampled_from(STAGES), moments), moments)
def test_a_life_goes_one_way(told: dict[str, Any], at: datetime) -> None:
    """It is taken if and only if it does not go backwards, and then its stage never goes back either."""
    begun = [told[stage] for stage in STAGES if stage in told]
    if begun != sorted(begun):
        with pytest.raises(DefinitionError, match="is before"):
            Lifecycle(**told, reason="r")
        return
    life = Lifecycle(**told, reason="r")
    order = ("active", *STAGES)
    for earlier, later in ((at, max(at, moment)) for moment in begun):
        assert order.index(life.stage(earlier)) <= order.index(life.stage(later))
