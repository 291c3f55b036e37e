"""Why a text, or a candidate in it, is not the answer: told at the end, weighed until then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from magic_tools.errors import ParseErrorKind
from magic_tools.loose.issues import Finding, Place
from magic_tools.loose.phrases import Phrase, say
from magic_tools.loose.readings import Damage, Reading

__all__ = ["Refusal", "RefusedError", "cut_short", "partial_of", "refusal_of", "refuse"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is not the answer."""

    kind: ParseErrorKind
    findings: tuple[Finding, ...]
    partial: Any = None


class RefusedError(Exception):
    """Leaves the ladder with a refusal, and never gets further."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__()
        self.refusal = refusal


def refuse(kind: ParseErrorKind, place: Place, expected: Phrase, got: Phrase, *, partial: Any = None) -> NoReturn:
    """Leave the ladder with a refusal of one finding."""
    raise RefusedError(Refusal(kind, (Finding(place, expected, got),), partial))


def cut_short(text: str) -> tuple[Place, Phrase, Phrase]:
    """What is found where a text stops before its end."""
    return (
        (),
        say("a whole JSON value"),
        say("text that stops after {count} characters, before its end", count=len(text)),
    )


def refusal_of(damage: Damage, text: str) -> Refusal:
    """The refusal of a text, or of a place in it, that cannot be read."""
    if damage.kind == "ambiguous":
        finding = Finding(damage.place, say("one value under the key"), say("two different values"))
    elif damage.kind == "truncated":
        finding = Finding(*cut_short(text))
    else:
        where = "{why}, at character {offset}" if damage.offset else "{why}"
        why = say(where, why=say(damage.why), offset=damage.offset)
        finding = Finding((), say("JSON"), say("text that is none ({why})", why=why))
    partial = None if damage.partial is None else json.loads(json.dumps(damage.partial))
    return Refusal(damage.kind, (finding,), partial)


def partial_of(reading: Reading) -> Any:
    """What was read, as plain JSON data."""
    return json.loads(json.dumps(reading.value))
