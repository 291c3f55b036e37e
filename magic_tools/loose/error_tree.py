"""pydantic's errors as a tree over the value, in which those of one union stand together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Finding, Place
from magic_tools.loose.leaves import branches_of, held_schema, leaves_of
from magic_tools.loose.unions import Branch, branch_meant, tag_fault, union_findings
from magic_tools.schema.walk import resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["Entry", "Step", "findings_in"]


class Step(NamedTuple):
    """One step to where an error stands: a key or index of the value, or a branch of the union that it is held to."""

    name: str | int
    is_branch: bool


class Entry(NamedTuple):
    """An error, with all steps to it; `lacks_tag` is whether it is that nothing says of which kind an object is."""

    steps: Sequence[Step]
    finding: Finding
    lacks_tag: bool = False


def findings_in(entries: Iterable[Entry], value: Any, guide: Guide) -> list[Finding]:
    """The findings of a refused value, of unions only by the branches that were meant."""
    return _findings(entries, _Node(value, guide.schema, (), 0), guide)


class _Node(NamedTuple):
    """A part of a value and its schema, None where that is not known, and how many steps lead there."""

    value: Any
    schema: Any
    place: Place
    depth: int


def _findings(entries: Iterable[Entry], node: _Node, guide: Guide) -> list[Finding]:
    findings: list[Finding] = []
    inner: dict[Step, list[Entry]] = {}
    for entry in entries:
        if len(entry.steps) > node.depth:
            inner.setdefault(entry.steps[node.depth], []).append(entry)
        else:
            fault = tag_fault(node.value, node.place, node.schema, guide) if entry.lacks_tag else None
            findings.append(fault or entry.finding)
    branches = {step.name: held for step, held in inner.items() if step.is_branch}
    if len(branches) > 1:
        findings += _of_union(branches, node, guide)
    elif branches:
        schema = None if node.schema is None else branch_meant(node.value, node.schema, guide)
        for held in branches.values():
            findings += _findings(held, node._replace(schema=schema, depth=node.depth + 1), guide)
    within = {step.name: held for step, held in inner.items() if not step.is_branch}
    schema = branch_meant(node.value, node.schema, guide) if within else None
    for name, held in within.items():
        findings += _findings(held, _below(node, name, schema), guide)
    return findings


def _below(node: _Node, name: str | int, schema: JsonObject | None) -> _Node:
    try:
        value = node.value[name]
    except (LookupError, TypeError):  # it is missing, or of an array that an older pydantic names by fields
        value = None
    return _Node(value, held_schema(schema, name), (*node.place, name), node.depth + 1)


def _of_union(entries: Mapping[str | int, Sequence[Entry]], node: _Node, guide: Guide) -> list[Finding]:
    schemas = _schemas_of(list(entries.values()), node, guide.schema)
    branches = [
        Branch(schema, _findings(held, node._replace(schema=schema, depth=node.depth + 1), guide))
        for held, schema in zip(entries.values(), schemas, strict=True)
    ]
    return union_findings(node.value, node.place, branches, guide)


def _schemas_of(branches: Sequence[Sequence[Entry]], node: _Node, root: JsonObject) -> Sequence[Any]:
    """The schemas of a union's branches, which come in the same order; None for each where they are others.

    pydantic names no branch for null, and the schema may have flat what it has nested.
    """
    stated = [branch for branch in branches_of(node.schema, root) if not _is_null(branch, root)]
    if len(stated) == len(branches):
        return stated
    flat = [leaf.schema for leaf in leaves_of([(0, node.schema)], root) if not _is_null(leaf.schema, root)]
    widths = [_width(held, node.depth + 1) for held in branches]
    if sum(widths) == len(flat):
        return [{"anyOf": flat[start:end]} for start, end in pairwise(accumulate(widths, initial=0))]
    return [None] * len(branches)


def _is_null(schema: Any, root: JsonObject) -> bool:
    return isinstance(schema, dict) and types_of(resolve(schema, root)) == ("null",)


def _width(entries: Sequence[Entry], depth: int) -> int:
    """How many branches without branches of their own a branch has."""
    inner: dict[str | int, list[Entry]] = {}
    for entry in entries:
        if len(entry.steps) > depth and entry.steps[depth].is_branch:
            inner.setdefault(entry.steps[depth].name, []).append(entry)
    return sum(_width(held, depth + 1) for held in inner.values()) if len(inner) > 1 else 1
