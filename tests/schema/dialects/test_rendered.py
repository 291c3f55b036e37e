"""What a dialect has moved, and how it comes back."""

from __future__ import annotations

import pytest

from magic_tools.schema.dialects.rendered import Move, Rendered

WRAPPED = Rendered({}, True, (), (Move("value", ()),))
FLAT = Rendered({}, False, (), (Move("at_city", ("at", "city")), Move("at_geo_lat", ("at", "geo", "lat"))))
AS_IT_IS = Rendered({}, True, ())


@pytest.mark.parametrize(
    ("rendered", "form", "canonical"),
    [
        pytest.param(WRAPPED, '{"value": [1.50, "é"]}', '[1.50, "é"]', id="wrapped"),
        pytest.param(WRAPPED, ' {\n "value" :{"a":49.90} }\n', '{"a":49.90}', id="wrapped, with blanks"),
        pytest.param(WRAPPED, '{"value": null}', "null", id="wrapped null"),
        pytest.param(WRAPPED, '{"value": {"value": 1}}', '{"value": 1}', id="the key in itself"),
        pytest.param(
            FLAT,
            '{"at_city": "Rome", "n": 1e400, "at_geo_lat": 41.90}',
            '{"n":1e400,"at":{"city":"Rome","geo":{"lat":41.90}}}',
            id="flattened",
        ),
        pytest.param(FLAT, '{"at_city": {"a": [1, 2]}}', '{"at":{"city":{"a": [1, 2]}}}', id="flattened, in part"),
        pytest.param(FLAT, '{"at_city": "Rome", "at": ""}', '{"at_city": "Rome", "at": ""}', id="the place is taken"),
        pytest.param(FLAT, "{}", "{}", id="nothing to move"),
        pytest.param(AS_IT_IS, '{"value": 1}', '{"value": 1}', id="no moves"),
    ],
)
def test_restore(rendered: Rendered, form: str, canonical: str) -> None:
    """A value comes back to where the canonical schema has it, and its text stays as it was written."""
    assert rendered.restore(form) == canonical


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "[1]",
        '"value"',
        "",
        "Here it is: {}",
        '{"value": 1',
        '{"value": 1} and more',
        '{"value": 1, "a": 2}',
        '{"value": 1, "value": 2}',
        "{'value': 1}",
        '{"value": ' + "[" * 100_000,
    ],
)
def test_what_is_not_in_the_form_stays(text: str) -> None:
    """A text that is canonical already, that is no JSON, or that says something twice is left to who reads it."""
    assert WRAPPED.restore(text) == text


@pytest.mark.parametrize(
    ("rendered", "canonical", "form"),
    [
        (WRAPPED, '{"a":49.90}', '{"value":{"a":49.90}}'),
        (WRAPPED, " [1] ", '{"value": [1] }'),
        (WRAPPED, "Sorry, no.", "Sorry, no."),
        (WRAPPED, '{"a":', '{"a":'),
        (
            FLAT,
            '{"at": {"city": "Rome", "geo": {"lat": 41.90}}, "n": 1}',
            '{"n":1,"at_city":"Rome","at_geo_lat":41.90}',
        ),
        (FLAT, '{"at": {"city": "Rome", "more": 1}}', '{"at":{"more":1},"at_city":"Rome"}'),
        (FLAT, '{"at": 7}', '{"at":7}'),
        (FLAT, "[1]", "[1]"),
        (AS_IT_IS, "{ }", "{ }"),
    ],
)
def test_moved(rendered: Rendered, canonical: str, form: str) -> None:
    """A canonical value is put where the form has it, and its text stays as it was written."""
    assert rendered.moved(canonical) == form


def test_a_number_of_any_length() -> None:
    """Digits are text here: no number is too long for it, and none is rounded."""
    digits = "9" * 10_000
    assert WRAPPED.restore(f'{{"value": {digits}}}') == digits
    assert WRAPPED.moved(digits) == f'{{"value":{digits}}}'
