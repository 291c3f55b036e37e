"""Docstrings: prose for the tool and texts for its parameters, also where the style is not quite kept."""

from __future__ import annotations

import pytest

from magic_tools.schema.docstrings import read_docstring

SUMMARY = "Get the weather for a city."
CITY = "The city's name, without country."
UNITS = "Celsius or Fahrenheit."

WELL_FORMED = """Get the weather for a city.

Args:
    city: The city's name,
        without country.
    units (str, optional): Celsius or Fahrenheit.

Returns:
    The weather: as text.
"""

SPELLINGS = {
    "well formed": WELL_FORMED,
    "no blank line before the section": WELL_FORMED.replace("city.\n\nArgs", "city.\nArgs"),
    "a blank line after the title": WELL_FORMED.replace("Args:\n", "Args:\n\n"),
    "after an indented note": WELL_FORMED.replace("city.\n\n", "city.\n\nNote:\n    It may rain.\n"),
    "another title": WELL_FORMED.replace("Args:", "Parameters:"),
    "a shouted title": WELL_FORMED.replace("Args:", "ARGS:"),
    "a section that is off the style": WELL_FORMED + "\nRaises:\n    ValueError if there is none\n",
    "an entry that is off the style": WELL_FORMED.replace("    units", "    city of course\n    units"),
    "a list": WELL_FORMED.replace("    city:", "    - city:").replace("    units", "    - `units`"),
    "dashes": WELL_FORMED.replace("city: The", "city -- The"),
    "tabs": WELL_FORMED.replace("    ", "\t"),
    "keyword arguments apart": WELL_FORMED.replace("    units", "\nKeyword Args:\n    units"),
    "nested parentheses": WELL_FORMED.replace("(str, optional)", "(Annotated[str, Len(1, 2)], optional)"),
    "Sphinx": """Get the weather for a city.

:param city: The city's name,
    without country.
:param units: Celsius or Fahrenheit.
:type units: str
:returns: The weather.
""",
    "Sphinx with types": """Get the weather for a city.

:param str city: The city's name, without country.
:param Mapping[str, int] units: Celsius or Fahrenheit.
:raises a lot of errors: always
""",
    "NumPy": """Get the weather for a city.

Parameters
----------
city : str
    The city's name,
    without country.
units : str, optional
    Celsius or Fahrenheit.

Returns
-------
str
    The weather.
""",
    "Epydoc": """Get the weather for a city.

@param city: The city's name, without country.
@param units: Celsius or Fahrenheit.
@return: The weather.
""",
}


@pytest.mark.parametrize("docstring", SPELLINGS.values(), ids=SPELLINGS)
def test_each_spelling_says_the_same(docstring: str) -> None:
    """However the parameters are documented, their texts are found, and the prose has none of it."""
    read = read_docstring(docstring)
    city = read.parameters["city"].removesuffix(" city of course")
    assert (city, read.parameters["units"]) == (CITY, UNITS)
    assert read.prose.startswith(SUMMARY)
    assert read.prose in (SUMMARY, f"{SUMMARY}\n\nNote:\n    It may rain.")


@pytest.mark.parametrize(
    ("docstring", "prose"),
    [
        (None, ""),
        ("", ""),
        ("   \n  One line.  \n", "One line."),
        ("One.\nTwo.\n\n    code\n\nThree.", "One.\nTwo.\n\n    code\n\nThree."),
        ("What for.\n\nArgs:\n    x: Any.\n\nNot for this: use that.", "What for.\n\nNot for this: use that."),
        ("What for.\n\nExample:\n    call(1)\n\nThe end.", "What for.\n\nThe end."),
        (
            "Returns: stuff, at times.\n:smile: and @you\n: :\nArgs:",
            "Returns: stuff, at times.\n:smile: and @you\n: :\nArgs:",
        ),
        ("Ratio 16:9.\nurl: http://x/y:z\n@ home:", "Ratio 16:9.\nurl: http://x/y:z\n@ home:"),
        ("Args:\n    x: Any.", ""),
        ("S.\n\nAttributes:\n    x: A field.", "S."),
        ("S.\n\nMembers:\n    all of them", "S.\n\nMembers:\n    all of them"),
        ("S.\n\nAttributes: x and y.", "S.\n\nAttributes: x and y."),
        (":ivar x: A field.", ""),
        ("查询天气。\n\nArgs:\n    city: 城市名。", "查询天气。"),
    ],
)
def test_the_prose(docstring: str | None, prose: str) -> None:
    """Prose is all that is in no section, as it was written; what only looks like a section stays."""
    assert read_docstring(docstring).prose == prose


@pytest.mark.parametrize(
    ("docstring", "parameters"),
    [
        (
            "S.\n\nArgs:\n    x, y: Both.\n    *rest: More.\n    **named (int): Yet more.",
            {"x": "Both.", "y": "Both.", "rest": "More.", "named": "Yet more."},
        ),
        (
            "S.\n\nParameters\n----------\nx, y : int\n    Both.\n*rest\n    More.",
            {"x": "Both.", "y": "Both.", "rest": "More."},
        ),
        (
            "S.\n\nArgs:\n    mode: One of\n\n        * a: first\n        * b: second\n    x: 5: not 6",
            {"mode": "One of * a: first * b: second", "x": "5: not 6"},
        ),
        ("S.\n\nArgs:\n    x:\n    y: Said.", {"y": "Said."}),
        ("Args:\n    x: First of all.", {"x": "First of all."}),
        ("Parameters\n----------\nx : int\n    First of all.", {"x": "First of all."}),
        (":param x: First of all.", {"x": "First of all."}),
        ("S.\n\nAttributes:\n    x (int): A field.\n    y: Another.", {"x": "A field.", "y": "Another."}),
        ("S.\n\nMembers:\n    RED: Stop.", {}),
        ("S.\n\nAttributes\n----------\nx : int\n    A field.", {"x": "A field."}),
        (
            "S.\n\n:ivar x: A field.\n:vartype x: int\n:cvar y: Another.\n:var int z: A third.",
            {"x": "A field.", "y": "Another.", "z": "A third."},
        ),
        ("S.\n\nArgs:\n    city: 城市名，不含国家：如罗马", {"city": "城市名，不含国家：如罗马"}),
    ],
)
def test_the_texts_of_parameters(docstring: str, parameters: dict[str, str]) -> None:
    """A text is one line; several names may share one, stars are no part of a name, and an empty text is none."""
    assert read_docstring(docstring).parameters == parameters
