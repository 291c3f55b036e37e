"""The life of a tool: when its end is announced, and when it is hidden, warned of, rejected and retired."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from magic_tools.contracts.identifiers import checked_reference
from magic_tools.errors import DefinitionError

__all__ = ["STAGES", "Instant", "Lifecycle", "Stage", "instant_of", "instant_text"]

Stage = Literal["active", "announced", "hidden", "warned", "rejected", "retired"]

STAGES: tuple[Stage, ...] = ("announced", "hidden", "warned", "rejected", "retired")
"""The stages that have a beginning of their own, in the order in which they come."""

Instant: TypeAlias = date | datetime | str
"""A point in time as an author gives it: a date is its first instant in UTC, a text is by ISO 8601."""


@dataclass(frozen=True, slots=True, init=False)
class Lifecycle:
    """When the end of a tool is announced, and when it is hidden, warned of, rejected (its sunset) and retired.

    Each is a date, an aware datetime or ISO text, and kept as an aware datetime in UTC; they may not go backwards in
    this order. `replacement` is the identifier of the tool to use, or `id@version`; `guide` says, or links to, how
    to migrate; `contact` is where a person answers; `reason` is why. DefinitionError for what is none of these, and
    where a tool is to be rejected without a word of what to do then.
    """

    announced: datetime | None
    hidden: datetime | None
    warned: datetime | None
    rejected: datetime | None
    retired: datetime | None
    replacement: str | None
    guide: str | None
    contact: str | None
    reason: str | None

    def __init__(
        self,
        announced: Instant | None = None,
        hidden: Instant | None = None,
        warned: Instant | None = None,
        rejected: Instant | None = None,
        retired: Instant | None = None,
        *,
        replacement: str | None = None,
        guide: str | None = None,
        contact: str | None = None,
        reason: str | None = None,
    ) -> None:
        given = (announced, hidden, warned, rejected, retired)
        for stage, instant in zip(STAGES, given, strict=True):
            where = f"Lifecycle({stage}={instant!r:.80})"
            object.__setattr__(self, stage, None if instant is None else instant_of(instant, where))
        texts: dict[str, object] = {"replacement": replacement, "guide": guide, "contact": contact, "reason": reason}
        for name, text in texts.items():
            if text is not None and not (isinstance(text, str) and text.strip()):
                raise DefinitionError(f"Lifecycle({name}={text!r:.80}) is to be a text that is not blank, or None.")
            object.__setattr__(self, name, text)
        if replacement is not None:
            checked_reference(replacement, f"Lifecycle(replacement={replacement!r:.80})")
        self._check_order()

    def _check_order(self) -> None:
        begun = self.beginnings
        for (earlier, first), (later, second) in pairwise(begun):
            if second < first:
                raise DefinitionError(
                    f"Lifecycle: {later} ({instant_text(second)}) is before {earlier} ({instant_text(first)}); the "
                    f"order is {', '.join(STAGES)}. Exchange or move the dates."
                )
        ends = self.rejected or self.retired
        if ends and not (self.replacement or self.guide or self.reason):
            raise DefinitionError(
                f"Lifecycle: calls are refused from {instant_text(ends)}, and nothing says what to do then: give a "
                "replacement, a guide or a reason."
            )

    @property
    def beginnings(self) -> tuple[tuple[Stage, datetime], ...]:
        """The stages that are declared, in their order, each with its beginning."""
        stated = ((stage, getattr(self, stage)) for stage in STAGES)
        return tuple((stage, instant) for stage, instant in stated if instant is not None)

    @property
    def is_declared(self) -> bool:
        """Whether anything is declared."""
        return any(getattr(self, each.name) is not None for each in fields(self))

    def stage(self, at: datetime) -> Stage:
        """The stage at a point in time: the last that has begun; DefinitionError for a time without a zone."""
        instant = instant_of(at, f"the time {at!r:.80}")
        begun: list[Stage] = ["active"]
        begun += (stage for stage, beginning in self.beginnings if beginning <= instant)
        return begun[-1]

    @property
    def words(self) -> str:
        """What a model and a person are told of it, whatever the time is; empty where no stage is declared."""
        if not self.beginnings:
            return ""
        since, ends = self.beginnings[0][1], self.rejected or self.retired
        told = [f"Deprecated as of {instant_text(since)}"] if since != ends else []
        told += [f"{'refused' if told else 'Refused'} from {instant_text(ends)}"] if ends else []
        instead = f": use {self.replacement} instead." if self.replacement else "."
        more = (self.reason, self.guide, f"Ask {self.contact}" if self.contact else None)
        return " ".join([", ".join(told) + instead, *(_sentence(text) for text in more if text)])

    def added_to(self, description: str) -> str:
        """A tool's description as a model reads it: with these words, if there are any, as its last paragraph."""
        return "\n\n".join(text for text in (description, self.words) if text)


def instant_of(given: Any, where: str) -> datetime:
    """The aware datetime in UTC that a date, a datetime or an ISO text says; DefinitionError begins with `where`."""
    match given:
        case datetime():
            moment = given
        case date():
            moment = datetime(given.year, given.month, given.day, tzinfo=UTC)
        case str():
            moment = _read(given, where)
        case _:
            raise DefinitionError(f"{where} is to be a date, a datetime with a zone, or a text such as '2026-12-01'.")
    if moment.utcoffset() is None:
        raise DefinitionError(
            f"{where} has no zone, so that nobody knows which instant is meant: give tzinfo=UTC or write "
            f"'{moment.isoformat(timespec='seconds')}Z'."
        )
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise DefinitionError(f"{where} is beyond the years that UTC has here: give a nearer date.") from None


def instant_text(instant: datetime) -> str:
    """An instant in UTC as it is written: a date where it is the first instant of one."""
    text = instant.isoformat().removesuffix("+00:00")
    return text.removesuffix("T00:00:00") if text.endswith("T00:00:00") else f"{text}Z"


def _read(text: str, where: str) -> datetime:
    try:
        if len(text.strip()) == len("2026-12-01"):
            return instant_of(date.fromisoformat(text.strip()), where)
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise DefinitionError(
            f"{where} is no date by ISO 8601: write one such as '2026-12-01' or '2026-12-01T09:30:00Z'."
        ) from None


def _sentence(text: str) -> str:
    told = text.strip()
    return told if told[-1] in ".!?。！？" or told.split()[-1].startswith(("http://", "https://")) else f"{told}."
