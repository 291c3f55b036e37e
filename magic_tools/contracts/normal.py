"""The normal form of a schema, and its digest: what two schemas that say the same have in common.

In the normal form

- every inner schema stands as its own digest, so that a definition counts the same wherever it stands and whatever
  it is called, and one that nothing refers to does not count;
- arrays that stand for sets (`required`, `enum`, `anyOf`, `oneOf`, `allOf`) are sorted, and hold nothing twice but for
  `oneOf`;
- of several spellings there is one: `const` is an `enum` of one value, a list of types a choice between them, a choice
  of one is that one, a type's values that are listed need no type, keywords that belong to another type or ask for
  nothing (`additionalProperties: true`, `minLength: 0`, `required: []`) are not there;
- `$comment`, `$schema` and `discriminator` say nothing.

The digest is `sha256:` over the canonical text of that (RFC 8785). Schemas that refer to each other in a circle are
digested in rounds, each reference being what it was in the round before: twice as many rounds as there are different
ones in the circle tell any two apart (the circle is then known like a finite automaton).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from magic_tools.contracts.spelling import MANY, NAMED, ONE, Raw, Speller, inner
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject, digest

__all__ = ["Colour", "colours", "label", "schema_digest"]

C = TypeVar("C", bound=Hashable)

Colour: TypeAlias = Callable[[JsonObject, Mapping[int, C]], C]
"""Makes what stands for a schema, of what it says and of what stands for its inner schemas by their identity."""

_SETS = frozenset({"anyOf", "allOf"})


def schema_digest(schema: Raw, *, texts: bool = True) -> str:
    """`sha256:` and the digest of a schema's normal form; DefinitionError for a reference that leads nowhere.

    Without `texts` it is of what the schema validates, and of the units, zones and resources that it declares.
    """
    speller = Speller(schema, texts=texts)
    try:
        return colours(speller, schema, lambda top, found: digest(label(top, found)), {}, "")[id(schema)]
    except RecursionError:
        raise DefinitionError("The schema nests too deep to have a digest: give its inner parts less depth.") from None


def colours(speller: Speller, root: Raw, colour: Colour[C], known: dict[C, C], start: C) -> Mapping[int, C]:
    """What stands for each schema of a document in its normal form, by identity: equal where they say the same.

    `start` stands for the schemas of a circle before its first round; `known` is kept between documents that are to
    be compared.
    """
    found: dict[int, C] = {}
    for circle in _circles(speller, root):
        if len(circle) == 1 and not _refers_to_itself(speller, circle[0]):
            made = colour(speller.top(circle[0]), found)
            found[id(circle[0])] = known.get(made, made)
            continue
        tops = {id(each): speller.top(each) for each in circle}
        found |= _rounds(tops, found, colour, start)
        known |= {colour(top, found): found[key] for key, top in tops.items()}
    return found


def _rounds(tops: Mapping[int, JsonObject], outside: Mapping[int, C], colour: Colour[C], start: C) -> Mapping[int, C]:
    """What stands for each schema of a circle, after twice as many rounds as there are different ones in it."""
    now = dict.fromkeys(tops, start)
    rounds, kinds = 0, 1
    while rounds < 2 * kinds:
        before = {**outside, **now}
        now = {key: colour(top, before) for key, top in tops.items()}
        rounds, kinds = rounds + 1, len(set(now.values()))
    return now


def label(top: JsonObject, found: Mapping[int, Any]) -> JsonObject:
    """One schema in which the inner ones are what stands for them, and sets are in one order."""
    told: JsonObject = {}
    for word, held in top.items():
        if word in ONE:
            told[word] = found[id(held)]
        elif word in NAMED:
            told[word] = {name: found[id(each)] for name, each in held.items()}
        elif word in MANY:
            stand = [found[id(each)] for each in held]
            told[word] = sorted(set(stand)) if word in _SETS else sorted(stand) if word == "oneOf" else stand
        elif word == "required" or (word == "type" and isinstance(held, list)):
            told[word] = sorted(set(held))
        elif word == "dependentRequired":
            told[word] = {name: sorted(set(names)) for name, names in held.items()}
        else:
            told[word] = held
    return told


def _refers_to_itself(speller: Speller, schema: Raw) -> bool:
    return any(each is schema for each in inner(speller.top(schema)))


def _circles(speller: Speller, root: Raw) -> Iterator[list[Raw]]:
    """The schemas that lead to each other, and each other one by itself, what is led to first (Tarjan, 1972)."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    waiting: list[Raw] = []
    path: list[tuple[Raw, Iterator[Raw]]] = []

    def enter(schema: Raw) -> None:
        order[id(schema)] = lowest[id(schema)] = len(order)
        waiting.append(schema)
        path.append((schema, inner(speller.top(schema))))

    done: set[int] = set()
    enter(root)
    while path:
        here, ahead = path[-1]
        for each in ahead:
            if id(each) not in order:
                if not any(True for _ in inner(speller.top(each))):  # which leads nowhere
                    order[id(each)] = len(order)
                    done.add(id(each))
                    yield [each]
                    continue
                enter(each)
                break
            if id(each) not in done:
                lowest[id(here)] = min(lowest[id(here)], order[id(each)])
        else:
            path.pop()
            if path:
                above = id(path[-1][0])
                lowest[above] = min(lowest[above], lowest[id(here)])
            if lowest[id(here)] == order[id(here)]:
                circle = [waiting.pop()]
                while circle[-1] is not here:
                    circle.append(waiting.pop())
                done |= {id(each) for each in circle}
                yield circle
