"""What is said of a change: whom it reaches, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping

from magic_tools.contracts.changes import Bump, Change, Effect, Side
from magic_tools.values import JsonValue

__all__ = ["change_of"]

# What has happened, by kind; the relations of `_RELATED` are made of their two halves.
_FACTS: Mapping[str, str] = {
    "field_removed": "the field is gone",
    "field_added": "there is a new field, which may be left out",
    "required_field_added": "there is a new field, which has to be there",
    "required_added": "the field has to be there now",
    "required_removed": "the field may be left out now",
    "null_added": "null is allowed now",
    "null_removed": "null is not allowed any more",
    "type_added": "another type is allowed now",
    "type_removed": "a type is not allowed any more",
    "enum_value_added": "a value is new",
    "enum_value_removed": "a value is gone",
    "schema_narrowed": "it may not be anything any more",
    "schema_widened": "it may be anything now",
    "enum_introduced": "only listed values are left of what was free",
    "enum_lifted": "listed values have become free",
    "branch_added": "there is another alternative",
    "branch_removed": "an alternative is gone",
    "schema_changed": "it cannot be shown that what is sent is still taken",
    "schema_respelled": "something is said in another way, or told otherwise",
    "default_added": "leaving it out has a meaning now that is told",
    "default_removed": "leaving it out has no meaning any more that is told",
    "default_changed": "leaving it out means something else",
    "deprecated_added": "it is told to be on its way out",
    "unit_changed": "the same number means another quantity",
    "zone_changed": "the same time means another instant",
    "resource_changed": "the same value names something else",
}
_SUBJECTS: Mapping[str, str] = {
    "type": "the type",
    "const": "the only value",
    "range": "the range",
    "multiple": "what numbers have to be multiples of",
    "length": "the length",
    "pattern": "the pattern",
    "format": "the format",
    "content": "the encoding",
    "limits": "what the value is held to",
    "item_count": "how many items there may be",
    "uniqueness": "whether items may be there twice",
    "contents": "what some items have to be",
    "property_count": "how many fields there may be",
    "names": "how fields may be called",
    "dependency": "which fields need others",
    "pattern_fields": "what fields by a pattern may be",
    "openness": "what other fields there may be",
    "unevaluated": "what else there may be",
    "exclusion": "what is excepted",
}
_RELATED: Mapping[str, str] = {
    "narrowed": "allows less than before",
    "widened": "allows more than before",
    "changed": "allows something else than before",
    "respelled": "is said in another way",
}
_BROKEN: Mapping[Side, str] = {
    "input": "calls that were right can fail, or mean something else",
    "output": "results can be what their readers do not take",
    "error": "failures can be what their handlers do not take",
}
_BEHAVES: Mapping[Side, str] = {
    "input": "every old call is taken, though a model may call differently, or the call do something else",
    "output": "every result can still be read, though it may be read or used differently",
    "error": "every failure can still be read, though it may be handled differently",
}
_SERVED: Mapping[Side, str] = {
    "input": "every call that was right still is",
    "output": "every result can still be read as before",
    "error": "every failure can still be read as before",
}
_ADVICE: Mapping[tuple[str, Side], str] = {
    ("field_removed", "input"): "Keep it for a while, marked deprecated, or declare an adapter with upgrade_from.",
    ("field_removed", "output"): "Keep it for a while, marked deprecated, and ask who reads it.",
    ("required_field_added", "input"): "Let it be left out, with a default that does what was done before.",
    ("required_added", "input"): "Let it be left out, with a default that does what was done before.",
    ("required_removed", "output"): "Go on sending it, with null where nothing is known only if null was allowed.",
    ("null_added", "output"): "Leave the field out in place of null if it may be left out, or raise a failure.",
    ("enum_value_added", "output"): "Leave room from the start: anyOf of the listed values and any text.",
    ("enum_value_added", "error"): "Leave room from the start: anyOf of the listed codes and any text.",
    ("enum_value_removed", "input"): "Go on taking it, and map it to what stands for it now.",
    ("openness_widened", "output"): "Name the new fields only once nobody reads with a closed schema.",
    (
        "field_added",
        "output",
    ): "Whoever reads with the closed schema refuses it: leave results open, or make a new major.",
    ("unit_changed", "input"): "Give the value in the new unit a field of its own.",
    ("unit_changed", "output"): "Give the value in the new unit a field of its own.",
}
_BREAKS = "Take both forms for a while, declare an adapter with upgrade_from, or release a new major version."
_TRY = "Run your evaluations of tool choice and arguments again."
_TEXT_KINDS = frozenset({"description", "title", "examples", "deprecated", "readOnly", "writeOnly"})


def change_of(kind: str, path: str, before: JsonValue, after: JsonValue, effect: Effect, side: Side) -> Change:
    """The change of a kind, with what is to be said of it."""
    outcome = {"breaking": _BROKEN, "behavioural": _BEHAVES, "compatible": _SERVED}[effect][side]
    return Change(
        path=path,
        kind=kind,
        before=before,
        after=after,
        effect=effect,
        why=f"{_fact(kind)}: {outcome}.",
        advice=_advice(kind, after, effect, side),
        bump=_bump(kind, effect),
    )


def _fact(kind: str) -> str:
    if kind in _FACTS:
        return _FACTS[kind]
    subject, _, relation = kind.rpartition("_")
    if subject in _SUBJECTS:
        return f"{_SUBJECTS[subject]} {_RELATED[relation]}"
    return f"{subject} was {relation}"


def _advice(kind: str, after: JsonValue, effect: Effect, side: Side) -> str:
    if effect == "compatible":
        return ""
    told = _ADVICE.get((kind, side), _BREAKS if effect == "breaking" else _TRY if side == "input" else "")
    if kind == "field_removed" and after is not None:
        told = f"It seems to be called {after} now: take both names for a while. {told}"
    return told


def _bump(kind: str, effect: Effect) -> Bump:
    if effect != "compatible":
        return "major" if effect == "breaking" else "minor"
    subject, _, relation = kind.rpartition("_")
    return "patch" if relation == "respelled" or subject in _TEXT_KINDS else "minor"
