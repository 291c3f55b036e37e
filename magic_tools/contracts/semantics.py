"""What calls of a tool mean beside their schemas: repeats, reads after writes, pages, order, rates."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal, get_args

from magic_tools.errors import DefinitionError

__all__ = ["Consistency", "Idempotency", "Pagination", "Semantics"]

Idempotency = Literal["not_applicable", "idempotent", "keyed", "none"]
"""What the same call twice does: nothing to ask of a read, no more than one, no more with the same key, or more."""

Consistency = Literal["read_your_writes", "not_read_your_writes", "strong", "eventual"]
Pagination = Literal["none", "cursor", "offset", "page"]

_RATE = re.compile(r"[1-9][0-9]{0,8}/(s|min|h|d)")
_CHOICES: dict[str, tuple[str, ...]] = {
    "idempotency": get_args(Idempotency),
    "consistency": get_args(Consistency),
    "pagination": get_args(Pagination),
}


@dataclass(frozen=True, slots=True)
class Semantics:
    """What an author declares of how calls behave; what is None is not declared.

    `ordering` is `none`, `stable`, or words such as `newest first`. `rate_limit` is how many calls are let through
    in a time: `10/s`, `600/min`, `1000/h` or `5000/d`. With `long_running` a call may go on after its time.
    DefinitionError for a value that is none of these.
    """

    idempotency: Idempotency | None = None
    consistency: Consistency | None = None
    pagination: Pagination | None = None
    ordering: str | None = None
    rate_limit: str | None = None
    long_running: bool | None = None

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            given = getattr(self, name)
            if given is not None and given not in known:
                raise DefinitionError(f"Semantics({name}={given!r:.80}) is to be one of: {', '.join(known)}.")
        ordering: object = self.ordering  # which a caller without a type checker may give as anything
        if ordering is not None and not (isinstance(ordering, str) and ordering.strip()):
            raise DefinitionError(
                f"Semantics(ordering={ordering!r:.80}) is to be none, stable, or words such as 'newest first'."
            )
        rate: object = self.rate_limit
        if rate is not None and not (isinstance(rate, str) and _RATE.fullmatch(rate)):
            raise DefinitionError(
                f"Semantics(rate_limit={rate!r:.80}) is to be a number of calls in a time: '10/s', '600/min', "
                "'1000/h' or '5000/d'."
            )
        long: object = self.long_running
        if long is not None and not isinstance(long, bool):
            raise DefinitionError(f"Semantics(long_running={long!r:.80}) is to be True, False or None.")

    @property
    def is_declared(self) -> bool:
        """Whether anything is declared."""
        return any(getattr(self, each.name) is not None for each in fields(self))
