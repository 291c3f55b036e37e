"""Versions by semver.org, and ranges of them: what is one, what comes first, what is in it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from magic_tools.contracts.versions import Version, VersionRange, rise
from magic_tools.errors import DefinitionError


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.0", Version(2, 1, 0)),
        ("0.0.0", Version(0, 0, 0)),
        ("10.20.30", Version(10, 20, 30)),
        ("1.0.0-alpha", Version(1, 0, 0, "alpha")),
        ("1.0.0-alpha.1", Version(1, 0, 0, "alpha.1")),
        ("1.0.0-0.3.7", Version(1, 0, 0, "0.3.7")),
        ("1.0.0--", Version(1, 0, 0, "-")),
        ("1.0.0-0a", Version(1, 0, 0, "0a")),
        ("2.1.0-rc.1+build", Version(2, 1, 0, "rc.1", "build")),
        ("1.0.0+001.sha", Version(1, 0, 0, "", "001.sha")),
        ("9999999999999999.0.0", Version(9999999999999999, 0, 0)),
    ],
)
def test_a_version_is_read_and_written(text: str, version: Version) -> None:
    """A text by SemVer 2.0.0 gives its parts, and they give the text again."""
    read = Version.parse(text)
    assert (read, read.build, str(read)) == (version, version.build, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("1", "too few numbers; write '1.0.0'"),
        ("2.1", "too few numbers; write '2.1.0'"),
        ("v2.1.0", "write '2.1.0', without the letter"),
        (" 2.1.0", "blanks around it"),
        ("2.1.0\n", "blanks around it"),
        ("02.1.0", "begins with a 0"),
        ("2.01.0", "begins with a 0"),
        ("1.0.0-01", "behind its - begins with a 0"),
        ("1.0.0-a.01", "behind its - begins with a 0"),
        ("1.0.0-", "write three numbers"),
        ("1.0.0-a..b", "write three numbers"),
        ("1.0.0+", "write three numbers"),
        ("1.0.0+a+b", "write three numbers"),
        ("1.0.0.0", "write three numbers"),
        ("2.x", "write three numbers"),
        ("-1.0.0", "write three numbers"),
        ("１.0.0", "write three numbers"),
        ("latest", "write three numbers"),
        ("1" * 17 + ".0.0", "is no version"),
        ("1.0.0-" + "a" * 300, "is no version"),
        (2.1, "A version is a text such as '2.1.0', got 2.1: put it in quotes"),
        (None, "A version is a text"),
    ],
)
def test_what_is_no_version(text: Any, words: str) -> None:
    """The error shows what was given and says what is wrong with it, or how to write it."""
    with pytest.raises(DefinitionError, match=words.replace(".", r"\.").replace("+", r"\+")):
        Version.parse(text)


ORDERED = [
    "0.0.1", "0.1.0-x", "0.1.0", "0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-11", "1.0.0-alpha", "1.0.0-alpha.1",
    "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0",
    "1.10.0", "2.0.0",
]  # fmt: skip


def test_versions_are_in_the_order_of_semver() -> None:
    """The order is that of semver.org 11: numbers by value, prereleases before the release, numbers before words."""
    versions = [Version.parse(text) for text in ORDERED]
    for earlier, later in itertools.combinations(versions, 2):
        assert earlier < later
        assert later > earlier
        assert earlier != later
        assert not later <= earlier
    assert sorted([*versions[7:], *versions[:7]]) == versions


def test_build_metadata_is_kept_and_orders_nothing() -> None:
    """Versions that differ in build alone are equal, hash alike and neither comes first."""
    one, other = Version.parse("1.0.0+a"), Version.parse("1.0.0+b")
    assert one == other
    assert hash(one) == hash(other)
    assert not one < other
    assert not other < one
    assert (str(one), str(other)) == ("1.0.0+a", "1.0.0+b")


def test_a_version_is_not_compared_with_a_text() -> None:
    """A text is no version, so that 2.10.0 cannot come before 2.9.0 by accident."""
    with pytest.raises(TypeError):
        Version(1, 0, 0) < "1.0.1"  # noqa: B015 - the fault that is tested


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("2.x", "2.0.0 2.1.0 2.99.1 2.0.0+b", "1.9.9 3.0.0 2.0.0-rc.1 3.0.0-rc.1"),
        ("0.x", "0.0.0 0.9.0", "1.0.0"),
        ("2.1.x", "2.1.0 2.1.7", "2.0.9 2.2.0 2.2.0-a 2.1.0-a"),
        ("2.1.0", "2.1.0 2.1.0+b", "2.1.1 2.1.0-a"),
        ("2.1.0-rc.1", "2.1.0-rc.1", "2.1.0 2.1.0-rc.2"),
        ("*", "0.0.0 1.0.0 99.0.0", "1.0.0-a"),
        (">=1.2.0 <3", "1.2.0 2.99.0", "1.1.9 3.0.0 3.0.0-a 2.0.0-a"),
        (">1.2.0 <=3", "1.2.1 3.9.9", "1.2.0 4.0.0"),
        (">1", "2.0.0", "1.0.0 1.9.9"),
        (">1.2", "1.3.0", "1.2.9"),
        (">=1.2", "1.2.0", "1.1.9"),
        ("<=1.2", "1.2.9 0.0.0", "1.3.0"),
        ("<1.2", "1.1.9", "1.2.0"),
        (">=2.0.0-beta <3", "2.0.0-beta 2.0.0-rc.1 2.0.0 2.5.0", "2.0.0-alpha 2.1.0-rc.1 3.0.0"),
        ("<=2.0.0-beta", "2.0.0-beta 2.0.0-alpha 1.9.9", "2.0.0-rc 2.0.0 1.0.0-a"),
        (">=1.0.0 <=1.0.0", "1.0.0", "1.0.1"),
    ],
)
def test_what_is_in_a_range(text: str, inside: str, outside: str) -> None:
    """A range holds the versions between its bounds, and prereleases only of numbers that it names as one."""
    held = VersionRange.parse(text)
    assert [version for version in inside.split() if Version.parse(version) not in held] == []
    assert [version for version in outside.split() if Version.parse(version) in held] == []
    assert str(held) == text


def test_ranges_are_equal_by_what_they_say() -> None:
    """Blanks between bounds count nothing, and a range is written with one between two."""
    assert VersionRange.parse("  >=1.0.0   <2 ") == VersionRange.parse(">=1.0.0 <2")
    assert str(VersionRange.parse(" >=1.0.0\t<2")) == ">=1.0.0 <2"
    assert VersionRange.parse("2.x") != VersionRange.parse("2.1.x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is no range of versions: write one such as '2.x'"),
        ("2", r"'2' is no range of versions: write '2\.x'"),
        ("2.1", r"write '2\.1\.x'"),
        ("x", "is no range of versions; there are '2.x'"),
        ("2.x.1", "is no range of versions"),
        ("^2.0.0", "is no range of versions"),
        ("~2.0", "is no range of versions"),
        ("=2.0.0", "is no range of versions"),
        ("2.x 3.x", r"'2\.x' in the range '2\.x 3\.x' has no sign: several parts are bounds"),
        (">=2.x", "is no range of versions"),
        (">=", "is no range of versions"),
        (">=3 <2", "No version is in '>=3 <2'"),
        (">1.0.0 <1.0.0", "No version is in"),
        (">1.0.0 <=1.0.0", "No version is in"),
        ("a" * 300, "is no range of versions"),
        (2.1, "A range of versions is a text such as '2.x', got 2.1"),
    ],
)
def test_what_is_no_range(text: Any, words: str) -> None:
    """The error shows what was given and says how to write it; a range that nothing is in is none."""
    with pytest.raises(DefinitionError, match=words):
        VersionRange.parse(text)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("1.2.3", "1.2.3", "none"),
        ("1.2.3", "1.2.3+b", "none"),
        ("1.2.3", "1.2.4", "patch"),
        ("1.2.3", "1.3.0", "minor"),
        ("1.2.3", "2.0.0", "major"),
        ("1.2.3", "2.0.0-rc.1", "major"),
        ("1.2.3", "1.2.2", "fallen"),
        ("1.2.3", "1.2.3-rc.1", "fallen"),
        ("0.3.0", "0.4.0", "minor"),
        ("0.3.0", "1.0.0", "major"),
        ("2.0.0-rc.1", "2.0.0-rc.2", "major"),
        ("2.0.0-rc.1", "2.0.0", "major"),
        ("2.1.0-rc.1", "2.1.0", "minor"),
        ("2.1.1-rc.1", "2.1.1", "patch"),
        ("2.0.0-rc.1", "2.0.1", "patch"),
        ("2.0.0-rc.1", "2.1.0", "minor"),
    ],
)
def test_by_which_part_a_version_rose(old: str, new: str, part: str) -> None:
    """The first of the three numbers that rose; of a prerelease, that which its release raises."""
    assert rise(Version.parse(old), Version.parse(new)) == part
