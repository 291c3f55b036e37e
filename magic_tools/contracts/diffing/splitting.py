"""Objects taken apart by a field, so that each part may be allowed by another of several branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from magic_tools.contracts.diffing.branches import Objects, Values
from magic_tools.contracts.diffing.fitting import Fitting, Form
from magic_tools.contracts.diffing.parts import Document, Node, key_of, listing_of, nothing_of
from magic_tools.values import JsonValue

__all__ = ["splits"]

_MOST = 32


def splits(space: Fitting, branch: Objects, taken: Form) -> Iterator[list[Objects]]:
    """The ways to take objects apart by one field: without it, and with each of the values that tell branches apart."""
    others = [other for other in taken if isinstance(other, Objects)]
    document = next((part.document for part in branch.sources), None)
    if document is None:
        return
    for name in sorted({*branch.fields, *branch.required, *branch.needs}):
        pieces = [*_absent(branch, name, document), *_present(space, branch, name, others, document)]
        if len(pieces) > 1:
            yield pieces


def _absent(branch: Objects, name: str, document: Document) -> list[Objects]:
    if name in branch.required:
        return []
    return [replace(branch, fields={**branch.fields, name: nothing_of(document)})]


def _present(space: Fitting, branch: Objects, name: str, others: list[Objects], document: Document) -> list[Objects]:
    node = branch.at(name)
    nodes = _values_apart(space, node, name, others, document)
    if not nodes:
        forbidden = any(name in other.fields and space.is_nothing(other.at(name)) for other in others)
        nodes = [node] if (name in branch.needs or forbidden) and not space.is_nothing(node) else []
    required = branch.required | {name} | branch.needs.get(name, frozenset())
    return [replace(branch, fields={**branch.fields, name: each}, required=required) for each in nodes]


def _values_apart(space: Fitting, node: Node, name: str, others: list[Objects], document: Document) -> list[Node]:
    """The values of a field one by one, where they are listed, or where the others list some of them."""
    form = space.form(node)
    if len(form) == 1 and isinstance(form[0], Values):
        listed = list(form[0].listed.values())
        return [listing_of(document, value) for value in listed] if len(listed) <= _MOST else []
    told: dict[bytes, JsonValue] = {}
    for other in others:
        for each in space.form(other.at(name)) if name in other.fields else ():
            told |= each.listed if isinstance(each, Values) else {}
    own = [value for value in told.values() if space.accepts(node, value)]
    if not own or len(own) > _MOST:
        return []
    rest = document.made({"not": {"enum": own}})
    if rest.key in key_of(node):  # it was taken apart by these already
        return []
    return [*(listing_of(document, value) for value in own), (*node, rest)]
