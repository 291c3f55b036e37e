"""The same schema in other words (R9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from tests.contracts.diffing.strategies import Schema, fresh, places, within

__all__ = ["respelled"]

SETS = ("required", "enum", "type", "anyOf", "oneOf", "allOf")


@st.composite
def respelled(draw: Callable[[st.SearchStrategy[Any]], Any], schema: Schema, *, unroll: bool = False) -> Schema:
    """The schema with its sets and members in another order, its definitions renamed, moved, and inlined.

    With `unroll` a definition that refers to itself is inlined, too, which is a level of it more.
    """
    whole = fresh(schema)
    for _ in range(draw(st.integers(0, 2))):
        _extract(draw, whole)
    for _ in range(draw(st.integers(0, 2))):
        _inline(draw, whole, unroll=unroll)
    _rename(draw, whole)
    for holder, key in reversed([([whole], 0), *places(whole)]):
        if isinstance(holder[key], dict):
            _reword(draw, holder[key])
    return _shuffled(draw, whole)


def _extract(draw: Any, whole: Schema) -> None:
    """A schema somewhere within becomes a definition."""
    if not (found := list(places(whole))):
        return
    holder, key = found[draw(st.integers(0, len(found) - 1))]
    name = f"extracted/{len(whole.get('$defs', {}))}~"
    body, holder[key] = holder[key], {"$ref": f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}
    whole.setdefault("$defs", {})[name] = body


def _inline(draw: Any, whole: Schema, *, unroll: bool) -> None:
    """What a reference leads to takes its place."""
    found = [
        (holder, key, name)
        for holder, key in places(whole)
        if isinstance(holder[key], dict) and set(holder[key]) == {"$ref"}
        for name in [_name(holder[key]["$ref"])]
        if unroll or name not in _reached(whole, name, set())
    ]
    if found:
        holder, key, name = found[draw(st.integers(0, len(found) - 1))]
        holder[key] = fresh(whole["$defs"][name])


def _name(ref: str) -> str:
    return ref.rsplit("/", 1)[1].replace("~1", "/").replace("~0", "~")


def _reached(whole: Schema, name: str, seen: set[str]) -> set[str]:
    """The definitions to which one leads."""
    for node in within([whole["$defs"][name]]):
        if "$ref" in node and (next_ := _name(node["$ref"])) not in seen:
            seen.add(next_)
            _reached(whole, next_, seen)
    return seen


def _rename(draw: Any, whole: Schema) -> None:
    """Other names of the definitions, or those of each other."""
    if "$defs" not in whole:
        return
    old = list(whole["$defs"])
    new = draw(st.permutations(old)) if draw(st.booleans()) else [f"Other {place}" for place in range(len(old))]
    names = dict(zip(old, new, strict=True))
    for holder, key in [([whole], 0), *places(whole)]:
        if isinstance(node := holder[key], dict) and "$ref" in node:
            node["$ref"] = "#/$defs/" + names[_name(node["$ref"])].replace("~", "~0").replace("/", "~1").replace(
                " ", "%20"
            )
    whole["$defs"] = {names[name]: body for name, body in whole["$defs"].items()}
    if draw(st.booleans()):
        whole["$defs"]["Spare"] = {"type": "object", "required": ["nobody"]}


def _reword(draw: Any, node: dict[str, Any]) -> None:
    """Spellings of one schema that say the same."""
    match draw(st.integers(0, 6)):
        case 1:
            node["$comment"] = "for who keeps it"
        case 2 if isinstance(node.get("type"), str):
            node["type"] = [node["type"]]
        case 3 if isinstance(node.get("type"), list) and not set(node) - {"type"} and "integer" not in node["type"]:
            node["anyOf"] = [{"type": kind} for kind in node.pop("type")]
        case 4 if node.get("type") == "object" and "additionalProperties" not in node:
            node["additionalProperties"] = draw(st.sampled_from([True, {}]))
        case 5 if isinstance(node.get("enum"), list) and len(node["enum"]) == 1:
            node["const"] = node.pop("enum")[0]
        case 6 if isinstance(node.get("additionalProperties"), bool) and node["additionalProperties"]:
            del node["additionalProperties"]


def _shuffled(draw: Any, held: Any, word: str = "") -> Any:
    if isinstance(held, Mapping):
        if word in ("const", "default"):
            return held
        return {name: _shuffled(draw, held[name], name) for name in draw(st.permutations(list(held)))}
    if isinstance(held, list) and word not in ("const", "default"):
        inner = held if word in ("enum", "required", "type") else [_shuffled(draw, each) for each in held]
        return draw(st.permutations(inner)) if word in SETS else inner
    return held
