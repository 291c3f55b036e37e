"""A JSON value held to its schema where strict pydantic is too lenient, and Decimals read to the last digit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from magic_tools.loose.guide import Guide, droppable_nulls, omissible_nulls
from magic_tools.loose.issues import merged, path_text, shown
from magic_tools.loose.scalars import (
    LENIENT_FORMATS,
    choices_of,
    is_chosen,
    is_exact,
    is_number,
    is_of_type,
    read_form,
    read_key,
)
from magic_tools.messages import Issue, Repair
from magic_tools.schema.emit import OTHER_KEYS
from magic_tools.schema.forms import DECIMAL, text_form
from magic_tools.schema.walk import resolve
from magic_tools.values import JsonObject

__all__ = ["Fitted", "fit"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A value as its schema writes it, what was changed for that, and what cannot be so."""

    value: Any
    repairs: tuple[Repair, ...]
    issues: tuple[Issue, ...]


def fit(value: Any, guide: Guide) -> Fitted:
    """A value that `load_with_sources` gave, held to its schema.

    Numbers where a Decimal is due become text by their source digits. Nulls go where they can only mean
    that something is left out, and what an answer leaves out that may be null becomes null. Refused are
    booleans for numbers of an enumeration, digits for a date, keys that a closed object does not declare,
    and whatever pydantic might read as another branch of a union than the one that is meant.
    """
    walk = _Walk(guide)
    fitted = walk.visit(value, guide.schema, ())
    return Fitted(fitted, tuple(walk.repairs), merged(walk.issues))


_Place = tuple[str | int, ...]
_MOST_DIGITS = 60


@dataclass(slots=True)
class _Walk:
    """One way through a value, or through a part of it.

    In a branch of a union all is looked at, since that tells which branch is meant. `issues` are what
    this layer objects to; where `misfit` is true, pydantic refuses something too. `converted` are the
    issues that there are if another reader takes the text of a Decimal for text, `lossy` those if it
    takes the number as it was.
    """

    guide: Guide
    in_union: bool = False
    memo: dict[tuple[int, int], _Attempt] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    converted: list[Issue] = field(default_factory=list)
    lossy: list[Issue] = field(default_factory=list)
    misfit: bool = False

    @property
    def fits(self) -> bool:
        return not self.issues and not self.misfit

    def visit(self, value: Any, schema: JsonObject, place: _Place) -> Any:
        if not self.in_union and id(schema) not in self.guide.guards and id(schema) not in self.guide.mends:
            return value
        schema = resolve(schema, self.guide.schema)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._union(value, branches, place)
        choices = choices_of(schema)
        if choices and not is_chosen(value, choices):
            self._not_chosen(value, choices, place)
            return value
        if not isinstance(value, dict | list):
            return self._scalar(value, schema, place)
        if isinstance(value, dict) and "prefixItems" in schema:  # of which pydantic makes a NamedTuple too
            self._refuse(place, "an array", value, misplaced=True)
            return value
        self.misfit = self.misfit or not is_of_type(value, schema)
        if isinstance(value, list):
            return [self._item(index, held, schema, place) for index, held in enumerate(value)]
        value = self._without_nulls(value, schema, place)
        if self.guide.fills:
            value = self._with_nulls(value, schema, place)
        self._check_keys(value, schema, place)
        return {key: self._member(key, held, schema, place) for key, held in value.items()}

    def _refuse(self, place: _Place, expected: str, got: Any, *, misplaced: bool = False) -> None:
        secret = self.guide.secrets.cover(place, misplaced=misplaced)
        self.issues.append(Issue(path_text(place), expected, shown(got, secret=secret)))

    def _check_keys(self, value: dict[str, Any], schema: JsonObject, place: _Place) -> None:
        """Refuse keys that are not what keys are to be, and two of which pydantic would drop one."""
        others = schema.get(OTHER_KEYS, {})
        names = resolve(schema.get("propertyNames", {}), self.guide.schema)
        form = text_form(names)
        first: dict[object, str] = {}
        for key, held in value.items():
            if form is not None and not form.shape.fullmatch(key):
                self._refuse((*place, key), f"as its key {form.wanted}", key)
            meant = others.get(key, read_key(names, key)) if form is None else read_form(form, key)
            if first.setdefault(meant, key) != key:
                beside = json.dumps(first[meant], ensure_ascii=False)
                self._refuse((*place, key), f"nothing, since {beside} says it already", held)
        self.misfit = self.misfit or not first.keys() >= set(schema.get("required", ()))

    def _without_nulls(self, value: dict[str, Any], schema: JsonObject, place: _Place) -> dict[str, Any]:
        """The object without its nulls for what may be absent and may not be null: they mean the same."""
        if None not in value.values():
            return value
        names, others = droppable_nulls(schema, self.guide.schema), schema.get(OTHER_KEYS, {})
        dropped = [key for key, held in value.items() if held is None and others.get(key, key) in names]
        for key in dropped:
            note = f"{path_text((*place, key))}: took null for left out"
            self.repairs.append(Repair("null_as_absent", None, None, note))
        return {key: held for key, held in value.items() if key not in dropped}

    def _with_nulls(self, value: dict[str, Any], schema: JsonObject, place: _Place) -> dict[str, Any]:
        """The object with null for what it leaves out of what is required and may be null, if it is such an object."""
        others = schema.get(OTHER_KEYS, {})
        given = {others.get(key, key) for key in value}
        if given.isdisjoint(schema.get("properties", ())):
            return value
        absent = [name for name in omissible_nulls(schema, self.guide.schema) if name not in given]
        for name in absent:
            note = f"{path_text((*place, name))}: took what is left out for null"
            self.repairs.append(Repair("absent_as_null", None, None, note))
        return {**value, **dict.fromkeys(absent)}

    def _member(self, key: str, value: Any, schema: JsonObject, place: _Place) -> Any:
        here = (*place, key)
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        name = schema.get(OTHER_KEYS, {}).get(key, key)
        if name in properties:
            return self.visit(value, properties[name], here)
        if isinstance(others, dict):
            return self.visit(value, others, here)
        if others is False:
            self._refuse(here, "no key of this name", value, misplaced=True)
        return value

    def _item(self, index: int, value: Any, schema: JsonObject, place: _Place) -> Any:
        first = schema.get("prefixItems", ())
        of_item = first[index] if index < len(first) else schema.get("items")
        return self.visit(value, of_item, (*place, index)) if isinstance(of_item, dict) else value

    def _scalar(self, value: Any, schema: JsonObject, place: _Place) -> Any:
        form = text_form(schema)
        if form is DECIMAL and is_number(value):
            return self._decimal(value, place)
        if schema.get("format") in LENIENT_FORMATS and not isinstance(value, str):
            self._refuse(place, "a string", value)
        elif not choices_of(schema) and not is_of_type(value, schema):
            self.misfit = True
        elif form is not None and isinstance(value, str) and not form.shape.fullmatch(value):
            self._refuse(place, form.wanted, value)
            self.misfit = self.misfit or read_form(form, value) is value
        return value

    def _not_chosen(self, value: Any, choices: list[Any], place: _Place) -> None:
        """Refuse what is not listed, where pydantic might not: true for 1, 1 for true, in 2.12 all beside a None."""
        if (None in choices and not self.in_union) or (isinstance(value, int | float) and value in choices):
            listed = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
            self._refuse(place, f"one of {listed}" if len(choices) > 1 else listed, value)
        else:
            self.misfit = True

    def _decimal(self, number: Any, place: _Place) -> Any:
        source = getattr(number, "source", None) or str(number)
        if not DECIMAL.shape.fullmatch(source):
            self.misfit = True
            return number
        note = f"{path_text(place) or 'the value'}: read the number by its source digits"
        self.repairs.append(Repair("number_as_decimal", None, None, note))
        self.converted.append(Issue(path_text(place), "a string", source[:_MOST_DIGITS]))
        if isinstance(number, float) and (number.is_integer() or str(number) != source):
            self.lossy.append(Issue(path_text(place), DECIMAL.wanted, source[:_MOST_DIGITS]))
        return source

    def _union(self, value: Any, branches: list[JsonObject], place: _Place) -> Any:
        """What the branch that is meant makes of the value, or issues where pydantic may take another.

        A branch of the exact JSON type comes first, then the order of the branches.
        """
        tries = [self._try(value, branch, place) for branch in branches]
        fitting = [made for made in tries if made.walk.fits]
        scalar = not isinstance(value, dict | list)
        if scalar:
            fitting.sort(key=lambda made: made.fitted is not value)
        chosen = fitting[0] if fitting else None
        exact = (
            None if not scalar else chosen is not None and is_exact(value, resolve(chosen.branch, self.guide.schema))
        )
        rivals = _rivals(tries, chosen, exact=exact)
        if rivals or chosen is None:
            self.misfit = self.misfit or not rivals
            self.issues += [issue for made in rivals for issue in made.walk.issues]
            return value
        others = [
            made for made in tries if made is not chosen and not (made.walk.fits and made.fitted == chosen.fitted)
        ]
        if not scalar:
            self.issues += [issue for made in others if made.walk.fits for issue in made.walk.lossy]
        if chosen.walk.repairs and any(self._takes(chosen.fitted, made.branch, place) for made in others):
            self.issues += chosen.walk.converted
        self.repairs += chosen.walk.repairs
        self.converted += chosen.walk.converted
        self.lossy += chosen.walk.lossy
        return chosen.fitted

    def _takes(self, fitted: Any, branch: JsonObject, place: _Place) -> bool:
        """Whether pydantic may read another branch out of what was made for one."""
        return not self._try(fitted, branch, place).walk.misfit

    def _try(self, value: Any, branch: JsonObject, place: _Place) -> _Attempt:
        key = (id(value), id(branch))
        known = self.memo.get(key)
        if known is None:
            walk = _Walk(self.guide, in_union=True, memo=self.memo)
            schema = resolve(branch, self.guide.schema)
            properties = {**schema.get("properties", {}), **schema.get(OTHER_KEYS, {})}
            declared = sum(name in properties for name in value) if isinstance(value, dict) else 0
            known = _Attempt(branch, walk, walk.visit(value, branch, place), declared)
            if isinstance(value, dict | list):  # once for each pair, however the branches are nested
                self.memo[key] = known
        return known


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """A branch of a union tried: the way through it, what it made of the value, how many of its keys it declares."""

    branch: JsonObject
    walk: _Walk
    fitted: Any
    declared: int


def _rivals(tries: list[_Attempt], chosen: _Attempt | None, *, exact: bool | None) -> list[_Attempt]:
    """The branches that pydantic may take, in spite of their issues, in place of the chosen one.

    Of scalars it takes the first that is exact; of objects, where `exact` is None, the one that
    declares most of the keys.
    """
    taken = [made for made in tries if made.walk.issues and not made.walk.misfit]
    if chosen is None:
        return taken if exact is not None else taken[:1]
    if exact is None:
        return [made for made in taken if made.declared >= chosen.declared][:1]
    return [made for made in taken if not exact or tries.index(made) < tries.index(chosen)]
