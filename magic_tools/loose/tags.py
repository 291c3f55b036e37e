"""Keys that say of which kind an object is, such as `kind` where each branch of a union has its own value for it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from magic_tools.loose.issues import NOTHING, Finding, Place, literal, one_tag_of, shown
from magic_tools.loose.leaves import Leaf, choices_in
from magic_tools.loose.phrases import Phrase
from magic_tools.loose.scalars import is_chosen
from magic_tools.loose.secrets import Secrets
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.values import JsonObject

__all__ = ["by_tags"]


class _Kind(NamedTuple):
    """A leaf, and the values that it lists for some of its keys."""

    leaf: Leaf
    choices: Mapping[str, list[Any]]


def by_tags(
    value: JsonObject, place: Place, leaves: Sequence[Leaf], root: JsonObject, secrets: Secrets
) -> list[Leaf] | Finding:
    """Those of the leaves that may be meant by what an object says of its kind, or what is wrong with that."""
    kinds = [_Kind(leaf, _choices(leaf, root)) for leaf in leaves]
    for name in _names(kinds):
        if len(kinds) == 1:
            break
        told = _by_tag(name, value, place, kinds, secrets)
        if isinstance(told, Finding):
            return told
        kinds = told
    return [kind.leaf for kind in kinds]


def _choices(leaf: Leaf, root: JsonObject) -> dict[str, list[Any]]:
    listed = {name: choices_in(held, root) for name, held in leaf.schema.get("properties", {}).items()}
    return {name: choices for name, choices in listed.items() if choices}


def _names(kinds: Sequence[_Kind]) -> list[str]:
    """The keys for which some leaf lists values, and not all that do the same."""
    listed: dict[str, list[list[Any]]] = {}
    for kind in kinds:
        for name, choices in kind.choices.items():
            listed.setdefault(name, []).append(choices)
    return [name for name, limits in listed.items() if len(limits) == 1 or any(each != limits[0] for each in limits)]


def _by_tag(
    name: str, value: JsonObject, place: Place, kinds: Sequence[_Kind], secrets: Secrets
) -> list[_Kind] | Finding:
    limited = [kind for kind in kinds if name in kind.choices]
    key = _given(name, value, kinds)
    if key is None:
        needed = all(name in kind.leaf.schema.get("required", ()) for kind in kinds)
        is_wrong = needed and len(limited) == len(kinds) and _are_apart(name, limited)
        return _wrong((*place, name), name, limited, NOTHING) if is_wrong else list(kinds)
    matching = [kind for kind in limited if is_chosen(value[key], kind.choices[name])]
    others = [kind for kind in kinds if name not in kind.choices]
    free = [kind for kind in others if name in kind.leaf.schema.get("properties", {})]
    if matching or free:
        return matching or free
    if others and (not limited or _most_declared(value, others) >= _most_declared(value, limited)):
        return others
    if not _are_apart(name, limited):
        return limited
    here = (*place, key)
    return _wrong(here, name, limited, shown(value[key], secret=secrets.cover(here)))


def _given(name: str, value: JsonObject, kinds: Sequence[_Kind]) -> str | None:
    """The key under which an object has what a property is, by whichever of its names."""
    others = (key for kind in kinds for key, meant in kind.leaf.schema.get(OTHER_KEYS, {}).items() if meant == name)
    return next((key for key in (name, *others) if key in value), None)


def _are_apart(name: str, limited: Sequence[_Kind]) -> bool:
    """Whether no choice is one of two leaves, so that it has to be one of them."""
    texts = [{json.dumps(choice) for choice in kind.choices[name]} for kind in limited]
    return sum(map(len, texts)) == len(set[str]().union(*texts))


def _most_declared(value: JsonObject, kinds: Sequence[_Kind]) -> int:
    return max(kind.leaf.declared(value) for kind in kinds)


def _wrong(place: Place, name: str, limited: Sequence[_Kind], got: Phrase) -> Finding:
    choices = [literal(choice) for kind in limited for choice in kind.choices[name]]
    return Finding(place, one_tag_of(list(dict.fromkeys(choices))), got)
