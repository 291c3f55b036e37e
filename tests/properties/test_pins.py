"""Pins hold whatever the tools are: what is written comes back, and exactly what changed is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from magic_tools import (
    ErrorCode,
    Manifest,
    Policy,
    RunOptions,
    ScriptedModel,
    Tool,
    ToolCall,
    Toolset,
    resume,
    run,
    tool,
)
from magic_tools.contracts.pins import Pins
from tests.ways import results_in

AT = datetime(2026, 12, 1, tzinfo=UTC)

TYPES: tuple[Any, ...] = (int, str, bool, float, list[str], dict[str, int], int | None)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)

SHAPES = st.fixed_dictionaries(
    {
        "types": st.lists(st.sampled_from(TYPES), max_size=3),
        "returns": st.sampled_from(TYPES),
        "text": TEXTS,
        "version": st.sampled_from(["0.1.0", "1.0.0", "2.0.0-rc.1", None]),
    }
)


def made(number: int, shape: dict[str, Any], changed: bool = False) -> Tool[..., Any]:
    """A tool of a shape; a changed one has one parameter more."""

    def fn(**given_: Any) -> Any:
        return None

    types = [*shape["types"], *[int] * changed]
    parameters = ", ".join(f"p{place}: T{place}" for place in range(len(types)))
    names = {f"T{place}": kind for place, kind in enumerate(types)} | {"R": shape["returns"]}
    source = f"def t{number}({parameters}) -> R: ..."
    exec(source, names)
    return tool(names[f"t{number}"], description=shape["text"], policy=Policy(version=shape["version"]))


SETS = st.lists(SHAPES, min_size=1, max_size=4)


@given(SETS)
def test_a_manifest_comes_back(shapes: list[dict[str, Any]]) -> None:
    """Through data and JSON text, equal, and the same tools compiled anew are as pinned."""
    tools = [made(number, shape) for number, shape in enumerate(shapes)]
    manifest = Manifest.of(tools, AT)
    assert Manifest.from_data(json.loads(json.dumps(manifest.to_data()))) == manifest
    again = [made(number, shape) for number, shape in enumerate(shapes)]
    assert manifest.compare(again) == []
    pins = Pins(manifest.pins, AT)
    assert Pins.from_data(json.loads(json.dumps(pins.to_data()))) == pins
    whole = Pins.from_data(pins.to_data()).whole(manifest.pins)
    assert whole.pins == manifest.pins


@given(SETS, st.data())
def test_exactly_what_changed_is_refused(shapes: list[dict[str, Any]], data: st.DataObject) -> None:
    """Under a manifest, and in a run that goes on, each tool that is as it was is offered, and no other."""
    changed = data.draw(st.sets(st.integers(0, len(shapes) - 1)))
    before = [made(number, shape) for number, shape in enumerate(shapes)]
    after = [made(number, shape, number in changed) for number, shape in enumerate(shapes)]
    same = [f"t{number}" for number in range(len(shapes)) if number not in changed]
    manifest = Manifest.of(before, AT)
    assert {each.id for each in manifest.compare(Toolset(*after))} == {f"t{number}" for number in changed}
    calls = [ToolCall(f"c{number}", f"t{number}", "!") for number in range(len(shapes))]
    model = ScriptedModel([calls, "done"])
    outcome = run("Go", tools=after, model=model, options=RunOptions(manifest=manifest))
    assert [told.name for told in model.requests[0].tools] == same
    refused = [result.name for result in results_in(outcome.transcript) if result.code is ErrorCode.CONFLICT]
    assert refused == [f"t{number}" for number in sorted(changed)]

    kept: list[Any] = []
    run("Go", tools=before, model=ScriptedModel(["done"]), options=RunOptions(checkpoint=kept.append))
    model = ScriptedModel(["done"])
    resume(kept[0], tools=after, model=model)
    assert [told.name for told in model.requests[0].tools] == same
