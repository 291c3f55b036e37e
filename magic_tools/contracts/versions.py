"""Versions by Semantic Versioning 2.0.0, and the ranges of them that a tool accepts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Literal

from magic_tools.contracts.changes import Bump
from magic_tools.errors import DefinitionError

__all__ = ["Version", "VersionRange", "rise"]

_NUMBER = r"(0|[1-9][0-9]*)"
_CORE = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
_BEFORE = r"(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_WORD = r"[0-9a-zA-Z-]+"
_VERSION = re.compile(rf"{_CORE}(?:-({_BEFORE}(?:\.{_BEFORE})*))?(?:\+({_WORD}(?:\.{_WORD})*))?")
_PARTIAL = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?")
_SERIES = re.compile(rf"{_NUMBER}(?:\.{_NUMBER})?\.x")
_BOUND = re.compile(r"(>=|<=|>|<)(.*)")
_DIGITS = 16  # no version is longer, and int() of a text without end would take long
_LONGEST = 256


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A version by semver.org 2.0.0, in its order: a prerelease comes before its release, and `build` counts nothing.

    `prerelease` and `build` are the texts behind `-` and `+`, empty where there is none.
    """

    major: int
    minor: int
    patch: int
    prerelease: str = ""
    build: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> Version:
        """The version that a text says; DefinitionError says what is wrong with one that says none."""
        given: object = text  # which a caller without a type checker may give as anything
        if not isinstance(given, str):
            raise DefinitionError(
                f"A version is a text such as '2.1.0', got {given!r:.80}: put it in quotes, for 2.10 is the number 2.1."
            )
        found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
        if found is None or any(len(number) > _DIGITS for number in found.groups()[:3]):
            raise DefinitionError(f"{text!r:.80} is no version: {_fault(text)}.")
        major, minor, patch, prerelease, build = found.groups(default="")
        return cls(int(major), int(minor), int(patch), prerelease, build)

    @property
    def core(self) -> tuple[int, int, int]:
        """The three numbers."""
        return self.major, self.minor, self.patch

    def __str__(self) -> str:
        told = f"{self.major}.{self.minor}.{self.patch}"
        return told + (f"-{self.prerelease}" if self.prerelease else "") + (f"+{self.build}" if self.build else "")

    def __lt__(self, other: object) -> bool:
        return self._rank < other._rank if isinstance(other, Version) else NotImplemented

    @property
    def _rank(self) -> tuple[tuple[int, int, int], bool, tuple[tuple[bool, int, str], ...]]:
        """By which it is ordered (semver.org 2.0.0, 11): numbers come before words, fewer parts before more."""
        parts = self.prerelease.split(".") if self.prerelease else ()
        ranks = tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)
        return self.core, not self.prerelease, ranks


@dataclass(frozen=True, slots=True)
class VersionRange:
    """A set of versions: `2.x`, `2.1.x`, `2.1.0`, `*`, or bounds that all hold, such as `>=1.2.0 <3`.

    A prerelease is in a range only if a bound of the range names a prerelease of the same three numbers:
    `2.0.0-rc.1` is in `2.0.0-rc.1` and in `>=2.0.0-beta <3`, and neither in `2.x` nor in `*`.
    """

    text: str
    _bounds: tuple[tuple[str, Version], ...] = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> VersionRange:
        """The range that a text says; DefinitionError says what is wrong with one that says none."""
        given: object = text  # which a caller without a type checker may give as anything
        if not isinstance(given, str):
            raise DefinitionError(f"A range of versions is a text such as '2.x', got {given!r:.80}: put it in quotes.")
        words = text.split()
        if not words or len(text) > _LONGEST:
            raise DefinitionError(f"{text!r:.80} is no range of versions: write one such as '2.x' or '>=1.2.0 <3'.")
        if words == ["*"]:
            return cls("*", ())
        if len(words) == 1 and (series := _SERIES.fullmatch(words[0])):
            return cls(words[0], _between(series.group(1), series.group(2)))
        if len(words) == 1 and not _BOUND.match(words[0]):
            return cls(words[0], (("=", _exact(words[0])),))
        bounds = tuple(_bound(word, text) for word in words)
        if _is_empty(bounds):
            raise DefinitionError(f"No version is in {text!r}: its bounds exclude each other. Exchange or mend them.")
        return cls(" ".join(words), bounds)

    def __contains__(self, version: Version) -> bool:
        if not all(_holds(version, sign, bound) for sign, bound in self._bounds):
            return False
        return not version.prerelease or any(
            bound.prerelease and bound.core == version.core for _, bound in self._bounds
        )

    @property
    def edges(self) -> tuple[Version, ...]:
        """Versions about its bounds, in and out of it, by which two ranges can be told apart; of `*`, some."""
        bounds = [bound for _, bound in self._bounds] or [Version(0, 0, 0)]
        after = [Version(each.major, each.minor, each.patch + 1) for each in bounds]
        before = [Version(each.major - 1, _DIGITS, _DIGITS) for each in bounds if each.major]
        return (*bounds, *after, *before)

    def overlaps(self, other: VersionRange) -> bool:
        """Whether a version may be in both."""
        return not _is_empty(tuple(bound for each in (self, other) for bound in _as_ends(each._bounds)))

    def __str__(self) -> str:
        return self.text


def rise(old: Version, new: Version) -> Bump | Literal["fallen"]:
    """By which part a version rose: `none` where both are equal, `fallen` where the new one comes first.

    From a prerelease to a later one of the same numbers, or to the release, the part is that which the release
    raises, as a prerelease promises nothing yet: `major` for `2.0.0-rc.1` to `2.0.0`.
    """
    if new < old:
        return "fallen"
    if not old < new:
        return "none"
    if new.major != old.major:
        return "major"
    if new.minor != old.minor:
        return "minor"
    if new.patch != old.patch or new.patch:
        return "patch"
    return "minor" if new.minor else "major"


def _fault(text: str) -> str:
    """What is wrong with a text that is no version."""
    wanted = "write three numbers, such as 2.1.0, and what you want behind - or +"
    if not text.strip():
        return f"it is empty; {wanted}"
    if text != text.strip():
        return "it has blanks around it; take them out"
    if text[0] in "vV" and _VERSION.fullmatch(text[1:]):
        return f"write {text[1:]!r}, without the letter"
    if _PARTIAL.fullmatch(text):
        return f"it has too few numbers; write {text + '.0' * (2 - text.count('.'))!r}"
    if re.search(r"(^|\.)0[0-9]", text.partition("-")[0].partition("+")[0]):
        return "a number in it begins with a 0; leave that out"
    if re.search(r"[-.]0[0-9]+(\.|\+|$)", text):
        return "a number behind its - begins with a 0; leave that out"
    return f"{wanted}, of letters, digits and - with dots between (semver.org 2.0.0)"


def _between(major: str, minor: str | None) -> tuple[tuple[str, Version], ...]:
    first, after = _ends(int(major), None if minor is None else int(minor))
    return (">=", first), ("<", after)


def _ends(major: int, minor: int | None) -> tuple[Version, Version]:
    """The first version of a series, and the first after it."""
    if minor is None:
        return Version(major, 0, 0), Version(major + 1, 0, 0)
    return Version(major, minor, 0), Version(major, minor + 1, 0)


def _exact(word: str) -> Version:
    if _PARTIAL.fullmatch(word):
        raise DefinitionError(f"{word!r} is no range of versions: write '{word}.x' for all that begin so.")
    try:
        return Version.parse(word)
    except DefinitionError as error:
        raise DefinitionError(
            f"{word!r:.80} is no range of versions; there are '2.x', '2.1.x', '2.1.0', '*' and '>=1.2.0 <3'. {error}"
        ) from None


def _bound(word: str, text: str) -> tuple[str, Version]:
    """One bound; of a version in part, such as `<3`, the end of what it stands for that the sign means."""
    found = _BOUND.fullmatch(word)
    if found is None:
        raise DefinitionError(
            f"{word!r:.80} in the range {text!r:.80} has no sign: several parts are bounds, each with one of "
            ">= > <= <, as in '>=1.2.0 <3'."
        )
    sign, said = found.groups()
    if not _PARTIAL.fullmatch(said):
        return sign, _exact(said)
    major, _, minor = said.partition(".")
    first, after = _ends(int(major), int(minor) if minor else None)
    return {">=": (">=", first), ">": (">=", after), "<": ("<", first), "<=": ("<", after)}[sign]


def _holds(version: Version, sign: str, bound: Version) -> bool:
    match sign:
        case ">=":
            return version >= bound
        case ">":
            return version > bound
        case "<=":
            return version <= bound
        case "<":
            return version < bound
        case _:
            return version == bound


def _as_ends(bounds: tuple[tuple[str, Version], ...]) -> Iterator[tuple[str, Version]]:
    """The bounds, one version alone being both ends of its range."""
    for sign, bound in bounds:
        yield from (((">=", bound), ("<=", bound)) if sign == "=" else ((sign, bound),))


def _is_empty(bounds: tuple[tuple[str, Version], ...]) -> bool:
    lowest = max((bound for sign, bound in bounds if sign in (">=", ">")), default=None)
    highest = min((bound for sign, bound in bounds if sign in ("<=", "<")), default=None)
    if lowest is None or highest is None or lowest < highest:
        return False
    return lowest > highest or not all(_holds(lowest, sign, bound) for sign, bound in bounds)
