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
    "hyphens": WELL_FORMED.replace("city: The", "city - The").replace("): C", ") – C"),
    "a blank before the colon": WELL_FORMED.replace("Args:", "Args :").replace("city:", "city :"),
    "wide colons": WELL_FORMED.replace("Args:", "参数：")
    .replace("city: ", "city：")
    .replace("): ", "）：")
    .replace("(s", "（s"),
    "Chinese titles": WELL_FORMED.replace("Args:", "参数:").replace("Returns:", "返回："),
    "nothing indented": WELL_FORMED.replace("    ", ""),
    "only the text indented": WELL_FORMED.replace("    city", "city")
    .replace("    units", "units")
    .replace("        w", "    w"),
    "all indented": WELL_FORMED.replace("\n", "\n  ") + "\n:raises ValueError: if there is none\n",
    "headings": WELL_FORMED.replace("Args:", "## Args\n").replace("Returns:", "## Returns\n"),
    "headings and nothing indented": WELL_FORMED.replace("Args:", "## Args\n")
    .replace("    units", "\n- units")
    .replace("    city", "- city")
    .replace("    The w", "The w")
    .replace("Returns:", "## Returns\n"),
    "bold titles": WELL_FORMED.replace("Args:", "**Args:**").replace("Returns:", "**Returns**"),
    "numbers": WELL_FORMED.replace("    city:", "    1. city:").replace("    units", "    2. units"),
    "Sphinx with wide colons": """Get the weather for a city.

:param city：The city's name,
    without country.
:param str units： Celsius or Fahrenheit.
""",
    "tags without colons": """Get the weather for a city.

@param city The city's name,
    without country.
@param {string} units - Celsius or Fahrenheit.
@return The weather.
@throws ValueError if there is none.
""",
    "NumPy with short lines": """Get the weather for a city.

Parameters
---
city: str
    The city's name,
    without country.

units
    Celsius or Fahrenheit.

Returns
=====
str
    The weather.

Raises
------
ValueError
""",
    "NumPy with its entries indented": """Get the weather for a city.

Parameters
----------
    city : str
        The city's name,
        without country.
    units : str
        Celsius or Fahrenheit.
""",
    "NumPy all indented": """Get the weather for a city.

  Parameters
  ----------
  city : str
      The city's name, without country.
  units : Celsius or Fahrenheit.

:returns: The weather.
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
        (
            "Returns:\n    This.\n\n    That.\n\n    Args:\n        x: Any.\n\n    Note:\n        More.",
            "Note:\n    More.",
        ),
        ("S.\n\nAttributes:\n    x: A field.", "S."),
        ("S.\n\nMembers:\n    all of them", "S.\n\nMembers:\n    all of them"),
        ("S.\n\nAttributes: x and y.", "S.\n\nAttributes: x and y."),
        (":ivar x: A field.", ""),
        ("查询天气。\n\nArgs:\n    city: 城市名。", "查询天气。"),
        (
            "查询天气。\n\n参数：\n    city：城市名。\n\n返回：\n    天气。\n\n注意：不含预报。",
            "查询天气。\n\n注意：不含预报。",
        ),
        ("S.\n\nNotes\n-----\nIt may rain: often.", "S.\n\nNotes\n-----\nIt may rain: often."),
        (
            "S.\n\nParameters\n---\nx\n    X.\n\nSee Also\n--------\no : It.\n\nReturns\n---\nT\n\nWarnings\n---\nNo.",
            "S.\n\nSee Also\n--------\no : It.\n\nWarnings\n---\nNo.",
        ),
        (
            "S.\n\nParameters\n---\nx : int\n    X.\n\nNot for that.\n\nNote: this.",
            "S.\n\nNot for that.\n\nNote: this.",
        ),
        ("S.\n\nParameters\n---\nx : int\n    X.\n\nNote: this.", "S.\n\nNote: this."),
        ("S.\n\nArgs:\nx: X.\n\nNote: this.", "S.\n\nNote: this."),
        ("S.\n\nArgs:\nx: X.\nNote: this.", "S.\n\nNote: this."),
        ("S.\n\nArgs:\nx: X.\n注意：这。", "S.\n\n注意：这。"),
        ("S.\n\nArgs:\nx: X.\nNote:\n    this", "S.\n\nNote:\n    this"),
        ("S.\n\nArgs:\nx: X.\nReturns:\n    this", "S."),
        ("S.\n\nArgs:\nx: X.\n:returns: this", "S."),
        ("S.\n\nArgs:\nNote: this.", "S.\n\nArgs:\nNote: this."),
        ("S.\n\nArgs:\nas in the manual", "S.\n\nArgs:\nas in the manual"),
        ("S.\n\nReturns:\n\nNot for that.", "S.\n\nReturns:\n\nNot for that."),
        ("S.\n\n# Args\n- x: X.\n\nNot for: that.", "S.\n\nNot for: that."),
        ("S.\n\n# Returns\n\nThis.\n\nThat.\n\n## Notes\n\nMore.", "S.\n\n## Notes\n\nMore."),
        ("S.\n\n```\nArgs:\n    x: X.\n# Returns\n```\nT.", "S.\n\n```\nArgs:\n    x: X.\n# Returns\n```\nT."),
        ("S.\n\n```\nArgs:\n    x: X.", "S.\n\n```"),
        ("S.\n\nCall:\n\n    Args:\n        x: X.", "S.\n\nCall:\n\n    Args:\n        x: X."),
        ("S.\n\nCall\n\n    args:\n        x: X.", "S.\n\nCall\n\n    args:\n        x: X."),
        ("S.\n\nCall\n\n    Args:\n        more of it", "S.\n\nCall\n\n    Args:\n        more of it"),
        ("S.\n\n    Args:\n        x: X.\n\n    Returns:\n        this\nT.", "S.\n\nT."),
        ("Mail @ home: no.\n@decorated functions\n@param", "Mail @ home: no.\n@decorated functions\n@param"),
        ("Modes:\nfast - now\nslow: later", "Modes:\nfast - now\nslow: later"),
        ("*args:\n    as they are\nargs\n\nparameters", "*args:\n    as they are\nargs\n\nparameters"),
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
        ("Returns:\n    This.\n\n    Args:\n        x: Any.\n\n        y: Too.", {"x": "Any.", "y": "Too."}),
        ("Args:\n    x: Any.\n\n    y: Too.", {"x": "Any.", "y": "Too."}),
        ("S.\n\nAttributes:\n    x (int): A field.\n    y: Another.", {"x": "A field.", "y": "Another."}),
        ("S.\n\nMembers:\n    RED: Stop.", {}),
        ("S.\n\nAttributes\n----------\nx : int\n    A field.", {"x": "A field."}),
        (
            "S.\n\n:ivar x: A field.\n:vartype x: int\n:cvar y: Another.\n:var int z: A third.",
            {"x": "A field.", "y": "Another.", "z": "A third."},
        ),
        (
            "S.\n\nArgs:\n    x: X.\n    \\*\\*kw: More.\n    `*rest`: Rest.",
            {"x": "X.", "kw": "More.", "rest": "Rest."},
        ),
        (":param \\*\\*kw: More.\n@param *rest Rest.", {"kw": "More.", "rest": "Rest."}),
        ("S.\n\nParameters\n---\n\\*\\*kw\n    More.", {"kw": "More."}),
        ("@param x The mode: a or b.\n@param int y: A number.", {"x": "The mode: a or b.", "y": "A number."}),
        ("S.\n\nArgs:\n    x、y：两者。\n    z （整数）: 第三", {"x": "两者。", "y": "两者。", "z": "第三"}),
        (
            "S.\n\nArgs:\n    x: well-known\n    or low-cost - as it is\n    y -1 or more",
            {"x": "well-known or low-cost - as it is y -1 or more"},
        ),
        ("S.\n\nArgs:\n- x: X,\n  and more.\n\n- y: Y.\n\nz: no", {"x": "X, and more.", "y": "Y."}),
        ("S.\n\nParameters\n---\nx : int\ny : int\n    Y.", {"y": "Y."}),
        ("S.\n\nArgs:\n    city: 城市名，不含国家：如罗马", {"city": "城市名，不含国家：如罗马"}),
    ],
)
def test_the_texts_of_parameters(docstring: str, parameters: dict[str, str]) -> None:
    """A text is one line; several names may share one, stars are no part of a name, and an empty text is none."""
    assert read_docstring(docstring).parameters == parameters
