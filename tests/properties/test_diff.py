"""The diff of any two schemas: what it calls harmless is so, what it proves is proved, and the same is the same."""

from __future__ import annotations

import time

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from magic_tools.contracts.changes import Side, worst
from magic_tools.contracts.diff import diff_schemas
from magic_tools.contracts.normal import schema_digest
from tests.contracts.diffing.edits import pairs, provable_pairs
from tests.contracts.diffing.referee import examples, roles
from tests.contracts.diffing.respelling import respelled
from tests.contracts.diffing.sampling import allows, samples
from tests.contracts.diffing.strategies import Schema, schemas, sides

Pair = tuple[Schema, Schema]

SECONDS = 2.0
POLICY = {"field_removed", "field_excluded"}
"""What breaks on the input side alone: an argument that is ignored (R4)."""
some = settings(max_examples=examples(150))

equal_pairs = schemas.flatmap(lambda schema: st.tuples(st.just(schema), respelled(schema)))
unrolled_pairs = schemas.flatmap(lambda schema: st.tuples(st.just(schema), respelled(schema, unroll=True)))


@given(pairs, sides)
@some
def test_what_breaks_nobody_breaks_nobody(pair: Pair, side: Side) -> None:
    """Where nothing is said to break, nothing that the producer may send is refused by the consumer."""
    assume(worst(diff_schemas(*pair, side=side)) != "breaking")
    producer, consumer = roles(*pair, side)
    takes = allows(consumer)
    refused = [value for value in samples(producer, near=consumer, tries=60) if not takes.is_valid(value)]
    assert refused == []


@given(pairs, sides)
@some
def test_a_witness_is_one(pair: Pair, side: Side) -> None:
    """Each witness is a value that the producer may send and the consumer refuses, of the whole schema."""
    producer, consumer = map(allows, roles(*pair, side))
    for change in diff_schemas(*pair, side=side):
        if change.witness is not None:
            assert change.effect == "breaking"
            assert producer.is_valid(change.witness.value)
            assert not consumer.is_valid(change.witness.value)


@given(equal_pairs, sides)
@some
def test_another_spelling_is_no_change(pair: Pair, side: Side) -> None:
    """Order, names of definitions, what stands where, and spellings change nothing, and not the digest (R9)."""
    assert worst(diff_schemas(*pair, side=side)) in (None, "compatible")
    assert schema_digest(pair[0]) == schema_digest(pair[1])


@given(unrolled_pairs, sides)
@some
def test_a_level_more_of_a_recursion_is_no_change(pair: Pair, side: Side) -> None:
    """A definition that refers to itself may be written out as often as one likes (R9)."""
    assert worst(diff_schemas(*pair, side=side)) in (None, "compatible")


@given(schemas, sides)
@some
def test_the_same_is_no_change(schema: Schema, side: Side) -> None:
    """A schema does not differ from itself."""
    assert diff_schemas(schema, schema, side=side) == []


@given(st.tuples(schemas, schemas) | pairs, sides)
@some
def test_any_two_are_compared_in_time(pair: Pair, side: Side) -> None:
    """However far apart two schemas are, they are compared, and soon."""
    begun = time.perf_counter()
    changes = diff_schemas(*pair, side=side)
    assert time.perf_counter() - begun < SECONDS
    assert all(change.path and change.kind and change.why for change in changes)


@given(provable_pairs)
@some
def test_the_sides_mirror_each_other(pair: Pair) -> None:
    """What a value proves on the input side it proves on the output side of the change back."""
    there = diff_schemas(*pair, side="input")
    back = diff_schemas(*reversed(pair), side="output")
    assume(not POLICY & {change.kind for change in [*there, *back]})
    assert (worst(there) == "breaking") == (worst(back) == "breaking")
