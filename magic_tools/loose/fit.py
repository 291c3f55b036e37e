"""A JSON value held to its schema where strict pydantic is too lenient, and mended where it is too strict."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from magic_tools.loose.attempts import Attempt, declared_keys, is_of_other_tag, is_of_tag, overlooked, rivals
from magic_tools.loose.guide import Guide
from magic_tools.loose.issues import Finding, Place, one_tag_of, path_text
from magic_tools.loose.members import check_keys, mended_members
from magic_tools.loose.mending import Mended, chosen, decoded, scalar
from magic_tools.loose.phrases import say
from magic_tools.loose.record import Record
from magic_tools.loose.scalars import (
    LENIENT_FORMATS,
    choices_of,
    is_chosen,
    is_exact,
    is_number,
    is_of_type,
    read_form,
)
from magic_tools.loose.shapes import shape_of
from magic_tools.loose.sources import Bare, plain_source_of
from magic_tools.messages import Repair
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import DECIMAL, text_form
from magic_tools.schema.walk import resolve, types_of
from magic_tools.values import JsonObject

__all__ = ["Fitted", "fit"]

_MOST_DIGITS = 60
_MOST_DECODED = 4
_SEVERAL = re.compile(r"[,\n，、;；]|^\s*[\[{]")
"""What shows that a text may be several items."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value as its schema writes it, what was changed for that, and what cannot be so.

    `kind` is `ambiguous` if it may be one of several things, `truncated` if JSON inside a text of it was cut.
    """

    value: Any
    repairs: tuple[Repair, ...]
    findings: tuple[Finding, ...]
    kind: Literal["invalid", "ambiguous", "truncated"] = "invalid"


def fit(value: Any, guide: Guide, *, mends: bool) -> Fitted:
    """A value that was read with its sources, held to its schema.

    Numbers where a Decimal is due become text by their source digits. Refused are booleans for numbers of an
    enumeration, digits for a date, keys that a closed object does not declare, and whatever pydantic might read as
    another branch of a union than the one that is meant. With `mends`, what stands beyond doubt for a
    value of another type is taken for it, nulls go where they can only mean that something is left out, and what an
    answer leaves out that may be null becomes null.
    """
    walk = _Walk(guide, mends=mends)
    fitted = walk.visit(value, guide.schema, ())
    return Fitted(fitted, tuple(walk.repairs), tuple(walk.findings), walk.kind)


@dataclass(slots=True)
class _Walk(Record):
    """One way through a value, or through a part of it.

    In a branch of a union all is looked at, since that tells which branch is meant.
    """

    mends: bool = False
    in_union: bool = False
    memo: dict[tuple[int, int, bool, bool], Attempt] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    wrapped: set[int] = field(default_factory=set)

    def visit(self, value: Any, schema: JsonObject, place: Place) -> Any:
        if not (self.mends or self.in_union) and id(schema) not in self.guide.guards:
            return value
        schema = resolve(schema, self.guide.schema)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._union(value, branches, place)
        if self.mends:
            value = self._mended(value, schema, place)
        choices = choices_of(schema)
        if choices and not is_chosen(value, choices):
            self._not_chosen(value, choices, place)
            return value
        if not isinstance(value, dict | list):
            return self._scalar(value, schema, place)
        if isinstance(value, dict) and "prefixItems" in schema:  # of which pydantic makes a NamedTuple too
            self.refuse(place, say("an array"), value, misplaced=True)
            return value
        self.misfit = self.misfit or not is_of_type(value, schema)
        if isinstance(value, list):
            return [self._item(index, held, schema, place) for index, held in enumerate(value)]
        if self.mends:
            value = mended_members(self, value, schema, place)
        check_keys(self, value, schema, place)
        return {key: self._member(key, held, schema, place) for key, held in value.items()}

    # What is taken for something of another type.

    def _mended(self, value: Any, schema: JsonObject, place: Place) -> Any:
        """The value in the schema's type, where it stands for one of that type."""
        if (
            isinstance(value, Bare)
            and value.digits
            and ("string" not in types_of(schema) or text_form(schema) is DECIMAL)
        ):
            self.refuse(place, say("a number, or a text in quotation marks"), value)
            return value
        choices = choices_of(schema)
        if choices:
            near = () if is_chosen(value, choices) else chosen(value, schema)
            if len(near) > 1:
                listed = ", ".join(json.dumps(each.value, ensure_ascii=False) for each in near)
                self.kind = "ambiguous"
                self.refuse(place, say("one of these alone: {choices}", choices=listed), value)
            return self._taken(near[0], place) if len(near) == 1 else value
        kinds = types_of(schema)
        if not kinds or is_of_type(value, schema):
            return value
        if isinstance(value, str) and ("object" in kinds or "array" in kinds):
            value = self._decoded(value, schema, place)
        if isinstance(value, dict | list) or value is None:
            return self._as_list(value, schema, place) if isinstance(value, dict) and "array" in kinds else value
        made = scalar(value, schema)
        if made is not None:
            return self._taken(made, place)
        return self._as_list(value, schema, place) if "array" in kinds else value

    def _taken(self, made: Mended, place: Place) -> Any:
        self.note(place, made.kind, made.note)
        return made.value

    def _decoded(self, text: str, schema: JsonObject, place: Place) -> Any:
        """The object or array that a text holds, however often it was encoded, or the text."""
        value: Any = text
        for _ in range(_MOST_DECODED):
            reading = decoded(value, shape_of(schema, self.guide.schema))
            if reading is None:
                return text
            if reading.cut or reading.missing:
                self.kind = "truncated"
                self.refuse(place, say("a whole JSON value"), text, misplaced=True)
                return text
            value = reading.value
            if not isinstance(value, str):
                wanted = "object" if isinstance(value, dict) else "array"
                if wanted not in types_of(schema) and "array" not in types_of(schema):
                    return text
                self.note(place, "decoded", "read the JSON that a text holds")
                return value
        return text

    def _as_list(self, value: Any, schema: JsonObject, place: Place) -> Any:
        """One item in an array, where an array of such items is due."""
        items = schema.get("items")
        if not isinstance(items, dict) or "prefixItems" in schema or id(value) in self.wrapped or value in ("", {}):
            return value  # what is empty may be meant as no item at all
        self.wrapped.add(id(value))  # for an array of arrays of itself is no end
        try:
            return self._as_item(value, items, place)
        finally:
            self.wrapped.discard(id(value))

    def _as_item(self, value: Any, items: JsonObject, place: Place) -> Any:
        if isinstance(value, str) and _SEVERAL.search(value):
            if self._try(value, items, (*place, 0), mends=True).walk.fits:
                self.kind = "ambiguous"
                self.refuse(place, say("an array, since this text may be one item or several"), value)
            return value
        if not self._try(value, items, (*place, 0), mends=True).walk.fits:
            return value
        self.note(place, "one_as_list", "took one item for an array of one")
        return [value]

    # What stands inside a value.

    def _member(self, key: str, value: Any, schema: JsonObject, place: Place) -> Any:
        here = (*place, key)
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        name = schema.get(OTHER_KEYS, {}).get(key, key)
        if name in properties:
            return self.visit(value, properties[name], here)
        if isinstance(others, dict):
            return self.visit(value, others, here)
        if others is False:
            self.refuse(here, say("no key of this name"), value, misplaced=True)
        return value

    def _item(self, index: int, value: Any, schema: JsonObject, place: Place) -> Any:
        first = schema.get("prefixItems", ())
        of_item = first[index] if index < len(first) else schema.get("items")
        return self.visit(value, of_item, (*place, index)) if isinstance(of_item, dict) else value

    def _scalar(self, value: Any, schema: JsonObject, place: Place) -> Any:
        form = text_form(schema)
        if form is DECIMAL and is_number(value):
            return self._decimal(value, place)
        if schema.get("format") in LENIENT_FORMATS and not isinstance(value, str):
            self.refuse(place, say("a string"), value)
        elif not choices_of(schema) and not is_of_type(value, schema):
            self.misfit = True
        elif form is not None and isinstance(value, str) and not form.shape.fullmatch(value):
            self.refuse(place, say(form.wanted), value)
            self.misfit = self.misfit or read_form(form, value) is value
        return value

    def _not_chosen(self, value: Any, choices: list[Any], place: Place) -> None:
        """Refuse what is not listed, where pydantic might not: true for 1, 1 for true, in 2.12 all beside a None."""
        if self.kind == "ambiguous":
            return
        if (None in choices and not self.in_union) or (isinstance(value, int | float) and value in choices):
            listed = [json.dumps(choice, ensure_ascii=False) for choice in choices]
            self.refuse(place, one_tag_of(listed), value)
        else:
            self.misfit = True

    def _decimal(self, number: Any, place: Place) -> Any:
        source = plain_source_of(number)
        if not DECIMAL.shape.fullmatch(source):
            self.misfit = True
            return number
        self.note(place, "number_as_decimal", "read the number by its source digits", mended=False)
        written = say(source[:_MOST_DIGITS])
        self.converted.append(Finding(place, say("a string"), written))
        if isinstance(number, float) and (number.is_integer() or str(float(number)) != source):
            self.lossy.append(Finding(place, say(DECIMAL.wanted), written))
        return source

    # Unions.

    def _union(self, value: Any, branches: list[JsonObject], place: Place) -> Any:
        """What the branch that is meant makes of the value, or findings where pydantic may take another.

        A branch of the exact JSON type comes first, then the order of the branches. Only where none fits as
        the value stands is it mended: for the one branch that it then fits.
        """
        tries = [self._try(value, branch, place, mends=False) for branch in branches]
        if self.mends and not any(made.walk.fits for made in tries):
            mended = self._mended_for_one(value, branches, place)
            if mended is not None:
                value = mended
                tries = [self._try(value, branch, place, mends=False) for branch in branches]
        return self._read_as(value, tries, place)

    def _mended_for_one(self, value: Any, branches: list[JsonObject], place: Place) -> Any:
        """The value as the only branch that it can be mended for has it; None where there is none, or are several."""
        tries = [self._try(value, branch, place, mends=True) for branch in branches]
        fitting = [made for made in tries if made.walk.fits]
        fitting = [made for made in fitting if not _is_wrapped(made, place)] or fitting
        best = [made for made in fitting if not overlooked(made, fitting)]
        distinct = {json.dumps(made.fitted, default=str): made for made in best or fitting}
        if len(distinct) != 1:
            self.kind = "ambiguous" if distinct else self.kind
            return None if distinct else self._of_one_tag(value, tries)
        (made,) = distinct.values()
        self.repairs += made.walk.repairs
        self.mended += made.walk.mended
        return made.fitted

    def _of_one_tag(self, value: Any, tries: list[Attempt]) -> Any:
        """The value as the branch has it whose tag alone it has once that is mended, so that its faults are told."""
        schemas = [resolve(made.branch, self.guide.schema) for made in tries]
        if any(is_of_tag(value, schema, self.guide.schema) for schema in schemas):
            return None
        pairs = zip(tries, schemas, strict=True)
        tagged = [made for made, schema in pairs if is_of_tag(made.fitted, schema, self.guide.schema)]
        if len(tagged) != 1:
            return None
        self.repairs += tagged[0].walk.repairs
        return tagged[0].fitted

    def _read_as(self, value: Any, tries: list[Attempt], place: Place) -> Any:
        fitting = [made for made in tries if made.walk.fits]
        scalar = not isinstance(value, dict | list)
        if scalar:
            fitting.sort(key=lambda made: made.fitted is not value)
        chosen_one = fitting[0] if fitting else None
        if chosen_one is not None and overlooked(chosen_one, tries):
            better = [made for made in fitting if not overlooked(made, tries)]
            chosen_one = better[0] if better else None
            if chosen_one is None:
                self.refuse(place, say("an object whose keys are those of one of the alternatives"), value)
                return value
        exact = (
            None
            if not scalar
            else chosen_one is not None and is_exact(value, resolve(chosen_one.branch, self.guide.schema))
        )
        others = rivals(tries, chosen_one, exact=exact)
        if others or chosen_one is None:
            self.misfit = self.misfit or not others
            self.findings += [finding for made in others for finding in made.walk.findings]
            return value
        left = [
            made
            for made in tries
            if made is not chosen_one and not (made.walk.fits and made.fitted == chosen_one.fitted)
        ]
        if not scalar:
            self.findings += [finding for made in left if made.walk.fits for finding in made.walk.lossy]
        if chosen_one.walk.repairs and any(self._takes(chosen_one.fitted, made.branch, place) for made in left):
            self.findings += chosen_one.walk.converted
        self.repairs += chosen_one.walk.repairs
        self.converted += chosen_one.walk.converted
        self.lossy += chosen_one.walk.lossy
        return chosen_one.fitted

    def _takes(self, fitted: Any, branch: JsonObject, place: Place) -> bool:
        """Whether pydantic may read another branch out of what was made for one."""
        return not self._try(fitted, branch, place, mends=False).walk.misfit

    def _try(self, value: Any, branch: JsonObject, place: Place, *, mends: bool) -> Attempt:
        key = (id(value), id(branch), mends, id(value) in self.wrapped)
        known = self.memo.get(key)
        if known is None:
            walk = _Walk(self.guide, mends=mends, in_union=True, memo=self.memo, kept=self.kept, wrapped=self.wrapped)
            schema = resolve(branch, self.guide.schema)
            known = Attempt(
                branch,
                walk,
                walk.visit(value, branch, place),
                declared_keys(value, schema),
                is_open=schema.get("additionalProperties") not in (None, False),
                is_other=is_of_other_tag(value, schema, self.guide.schema),
            )
            if isinstance(value, dict | list):  # once for each pair, however the branches are nested
                self.memo[key] = known
                self.kept.append(value)  # for its id is the key
        return known


def _is_wrapped(made: Attempt, place: Place) -> bool:
    """Whether a branch takes the value for the one item of an array."""
    here = f"{path_text(place) or 'the value'}: "
    return any(repair.kind == "one_as_list" and repair.note.startswith(here) for repair in made.walk.repairs)
