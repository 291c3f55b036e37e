"""Tools by name: none that a caller, a snapshot or a manifest could take for another."""

from __future__ import annotations

import pytest

from magic_tools import DefinitionError, Policy, Tool, Toolset, tool


def made(name: str, id_: str | None = None, version: str | None = None) -> Tool[[], int]:
    @tool(name=name, policy=Policy(id=id_, version=version))
    def number() -> int:
        return 1

    return number


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (made("a"), made("a"), "Two tools are called 'a'"),
        (
            made("a", "x", "1.0.0"),
            made("b", "x", "2.0.0"),
            r"The tools 'a' \(version 1.0.0\) and 'b' \(version 2.0.0\) have one id, 'x': leave one out",
        ),
        (made("a", "x"), made("b", "x"), r"The tools 'a' and 'b' have one id, 'x'"),
        (made("a", "b"), made("b"), r"The tools 'a' and 'b' have one id, 'b'"),
    ],
)
def test_two_that_are_one_are_refused(one: Tool[[], int], other: Tool[[], int], words: str) -> None:
    """Two of a name, or of an id, in whichever order, are refused with both names and versions."""
    with pytest.raises(DefinitionError, match=words):
        Toolset(one, other)
    with pytest.raises(DefinitionError, match=r"Two tools are called|have one id"):
        Toolset(other) | Toolset(one) if one.name != other.name else Toolset(other, one)


def test_a_tool_under_two_names_has_two_ids_if_it_declares_none() -> None:
    """An id that is the name changes with it; one that is declared does not."""
    plain = made("a")
    assert Toolset(plain, plain.renamed("b")).names == ("a", "b")
    declared = made("a", "x")
    with pytest.raises(DefinitionError, match="have one id, 'x'"):
        Toolset(declared, declared.renamed("b"))
