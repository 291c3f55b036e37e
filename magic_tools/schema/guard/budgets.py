"""How large a schema from outside may be, and how one that is refused is told."""

from __future__ import annotations

from dataclasses import dataclass

from magic_tools.errors import DefinitionError

__all__ = ["FOREIGN_TOOL", "OUTPUT_TOOL", "SchemaLimits", "over", "refusal"]


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    """What a schema from outside may come to before it is refused.

    `characters` counts the keys and scalars of the whole, `nodes` its JSON values of every kind, `refs` its
    references, `patterns` the bytes that its regular expressions compile to. `texts` and `names` are the
    lengths of one text and of one key. `depth` is how many objects and arrays stand inside each other,
    through unions and references; a recursion counts once, or is refused where `recursive` is false.
    `properties` is for one object, what its `allOf` and `$ref` add included. `checks` is how many schemas
    one place of a value may be held to. With `object_root` the whole has to be an object. With
    `unchecked_patterns` a pattern that cannot be checked safely becomes part of the description, and
    checks nothing, where it would else be refused: one with lookaround or back-references, say.
    """

    characters: int = 200_000
    nodes: int = 20_000
    refs: int = 2_000
    patterns: int = 2**19
    texts: int = 10_000
    names: int = 256
    depth: int = 32
    properties: int = 1_000
    checks: int = 10_000
    recursive: bool = True
    object_root: bool = False
    unchecked_patterns: bool = False


OUTPUT_TOOL = SchemaLimits(nodes=5_000, texts=200, depth=5, properties=50, recursive=False, object_root=True)
"""For what a model fills in at the end of a run: flat enough to be filled in right."""

FOREIGN_TOOL = SchemaLimits(
    characters=100_000, nodes=5_000, refs=500, patterns=2**18, texts=1_024, checks=2_000, object_root=True
)
"""For the arguments of a tool that others wrote."""

_MOST_CHARACTERS = 200


def refusal(where: str, pointer: str, what: str, way_out: str) -> DefinitionError:
    """The error for a schema: whose it is, the JSON Pointer (RFC 6901) to the place, what is wrong, what to do."""
    place = pointer if len(pointer) <= _MOST_CHARACTERS else f"{pointer[:_MOST_CHARACTERS]}..."
    return DefinitionError(f"{where}: at {place or 'the root'}, {what}. {way_out}")


def over(where: str, pointer: str, what: str, limit: str, most: int) -> DefinitionError:
    """The error for a schema that is over a limit."""
    return refusal(where, pointer, f"{what}; the limit is {most:,}", f"Cut it down, or raise SchemaLimits.{limit}.")
