"""Bad inputs of any types: forbidden by the schema, refused by the tool, and the body never runs."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from magic_tools.tools.bad_inputs.bad_inputs import bad_arguments, loose_parameters
from magic_tools.tools.bad_inputs.pattern_texts import pattern_texts
from magic_tools.tools.bad_inputs.referee import referee, widened
from magic_tools.tools.tool import Tool, tool
from tests.properties.test_schema import compiled, every_type, values

few = settings(max_examples=40)


def tool_of(annotation: Any, ran: list[Any]) -> Tool[..., Any]:
    def take(value: Any, other: Any = None) -> None:
        ran.append(value)

    take.__annotations__ = {"value": annotation, "other": int, "return": None}
    return tool(take)


@given(every_type)
@few
def test_every_bad_input_is_refused(annotation: Any) -> None:
    """The schema forbids it, the tool refuses it and names the parameter, and the body does not run."""
    ran: list[Any] = []
    made = tool_of(annotation, ran)
    forbids = jsonschema_rs.validator_for(made.contract.input_schema)
    for bad in bad_arguments(made):
        assert not forbids.is_valid(bad.arguments)
        refused = made.invoke(json.dumps(bad.arguments))
        assert refused.code == "INVALID_ARGUMENT"
        assert bad.parameter in refused.content
        assert bad.path.startswith(bad.parameter)
        assert bad.why
    assert ran == []


@given(every_type)
@few
def test_only_what_is_open_is_loose(annotation: Any) -> None:
    """Of types about which the schema and the validator agree nothing is loose, but where they say nothing."""
    for loose in loose_parameters(tool_of(annotation, [])):
        assert "its type says nothing" in loose.why


@given(every_type, st.lists(values, min_size=5, max_size=5))
@few
def test_a_widened_schema_takes_more(annotation: Any, tried: list[Any]) -> None:
    """What a schema allows, its widened one allows too."""
    schema = compiled(annotation, closed=True).json_schema
    allows, may_read = referee(schema), referee(widened(schema))
    assert all(may_read(value) for value in tried if allows(value))


atoms = st.sampled_from(["a", "[b-d]", r"\d", r"\.", "(e|f)", "[^a-z]", "é", "(?:gh)", r"\w", "."])
repeats = st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{2,}"])
patterns = st.lists(st.tuples(atoms, repeats).map("".join), max_size=5).map(lambda parts: f"^{''.join(parts)}$")


@given(patterns)
@few
def test_texts_of_a_pattern(pattern: str) -> None:
    """The texts made for a simple pattern are such as the pattern matches."""
    matches = referee({"pattern": pattern})
    texts = list(pattern_texts(pattern))
    assert texts
    assert all(matches(text) for text in texts)
