"""Which types of JSON a schema leaves its values, and whether one takes a value."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from magic_tools.schema.kinds import EVERY_KIND, fits, kind_of_value, possible_kinds

TEXT = {"type": "string"}
NULL = {"type": "null"}
ROOT: dict[str, Any] = {
    "$defs": {
        "Text": TEXT,
        "Never": {"not": {}},
        "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, TEXT]},
        "Round": {"$ref": "#/$defs/Loop"},
    }
}
OF_EACH_KIND = {"array": [], "boolean": True, "null": None, "number": 1, "object": {}, "string": ""}


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({}, EVERY_KIND),
        (True, EVERY_KIND),
        (False, set()),
        ({"not": {}}, set()),
        ({"not": True}, set()),
        ({"not": TEXT}, EVERY_KIND),
        ({"type": ["integer", "null"]}, {"number", "null"}),
        ({"enum": [1, 1.5, None]}, {"number", "null"}),
        ({"const": {}}, {"object"}),
        ({"const": None, **TEXT}, set()),
        ({"enum": []}, set()),
        ({"anyOf": [TEXT, {"const": True}]}, {"string", "boolean"}),
        ({"oneOf": [TEXT, NULL], "type": ["null", "array"]}, {"null"}),
        ({"anyOf": [TEXT, {}], "oneOf": [NULL, TEXT]}, {"null", "string"}),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["null", "object"]}]}, {"null"}),
        ({"$ref": "#/$defs/Text", "type": ["string", "array"]}, {"string"}),
        ({"$ref": "#/$defs/Never"}, set()),
        ({"$ref": "#/$defs/Round"}, {"string"}),
        ({"minLength": 1}, EVERY_KIND),
    ],
)
def test_possible_kinds(schema: Any, kinds: set[str]) -> None:
    """No value of another type fits a schema, by the referee's word."""
    assert possible_kinds(schema, ROOT) == kinds
    if isinstance(schema, dict) and "Round" not in str(schema):  # which goes round in the referee too
        validator = jsonschema_rs.Draft202012Validator({**schema, **ROOT})
        assert not any(validator.is_valid(OF_EACH_KIND[kind]) for kind in EVERY_KIND - kinds)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(True, "boolean"), (1, "integer"), (1.0, "number"), ("", "string"), (None, "null"), ([], "array"), ({}, "object")],
)
def test_kind_of_value(value: Any, kind: str) -> None:
    """A value has the type that a schema would state for it; true is no number."""
    assert kind_of_value(value) == kind


@pytest.mark.parametrize(
    ("schema", "value", "does"),
    [
        (TEXT, "a", True),
        (TEXT, 1, False),
        ({"$ref": "#/$defs/Text"}, "a", True),
        ({"$ref": "#/$defs/Text"}, None, False),
        ({"type": "string", "maxLength": 1}, "long", False),
        ({"pattern": "("}, "a", False),
        ({"$ref": "https://example.com/schema"}, "a", False),
        ({"$ref": "#/$defs/Missing"}, "a", False),
    ],
)
def test_fits(schema: Any, value: Any, does: bool) -> None:
    """A value fits where the referee says so; what cannot be checked fits nothing, and no address is asked."""
    assert fits(value, schema, ROOT) is does
