"""What a request asks of a model beside its messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

__all__ = ["ModelSettings", "Timeouts", "Unsupported"]

Unsupported = Literal["refuse", "omit"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each try of a request may take, in seconds; None is for ever. ValueError for what is no such time.

    - `connect_s`: until there is a connection;
    - `first_byte_s`: from then until the server begins to answer;
    - `between_s`: from one piece of the answer to the next;
    - `total_s`: in all.
    """

    connect_s: float | None = 10.0
    first_byte_s: float | None = 600.0
    between_s: float | None = 120.0
    total_s: float | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            seconds: Any = getattr(self, name)  # which a caller without a type checker may give as anything
            is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
            if seconds is not None and not (is_number and seconds >= 0 and math.isfinite(seconds)):
                raise ValueError(f"Timeouts.{name} must be seconds, or None for ever, got {seconds!r:.80}")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What a request asks of a model beside its messages; None leaves it to the model's default.

    `stop` are texts at which the model is to end. `tries` is how often a request is sent at most, where a try fails in
    a way that may pass. `unsupported` is what becomes of a setting that a model's wire does
    not have: `refuse`, the default, is an UnsupportedSettingError before anything is sent, `omit` leaves it out and
    lists it in `ModelReply.omitted`. `extra` goes into the provider's payload as it is. ValueError for what is none of
    these.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None
    timeouts: Timeouts | None = None
    tries: int | None = None
    unsupported: Unsupported | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    NAMES: ClassVar[tuple[str, ...]] = (
        "temperature", "top_p", "max_tokens", "seed", "stop", "timeouts", "tries", "unsupported",
    )  # fmt: skip
    """The settings that have one value each: all but `extra`."""

    def __post_init__(self) -> None:
        stop: object = self.stop  # which a caller without a type checker may give as anything
        if stop is not None and not (
            isinstance(stop, tuple) and stop and all(isinstance(each, str) and each for each in stop)
        ):
            raise ValueError(f"ModelSettings.stop is a tuple of texts, such as ('END',), got {stop!r:.80}")
        for name, kinds, what in (
            ("temperature", (int, float), "a number"),
            ("top_p", (int, float), "a number"),
            ("max_tokens", (int,), "a whole number"),
            ("seed", (int,), "a whole number"),
            ("tries", (int,), "a whole number"),
            ("timeouts", (Timeouts,), "Timeouts, such as Timeouts(total_s=30)"),
            ("extra", (Mapping,), "a mapping"),
        ):
            value: object = getattr(self, name)
            if (value is not None or name == "extra") and (not isinstance(value, kinds) or isinstance(value, bool)):
                raise ValueError(f"ModelSettings.{name} is {what}, got {value!r:.80}")
        for name in ("temperature", "top_p"):
            if (number := getattr(self, name)) is not None and not (math.isfinite(number) and number >= 0):
                raise ValueError(f"ModelSettings.{name} is a number of at least 0, got {number!r}")
        for name in ("max_tokens", "tries"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ValueError(f"ModelSettings.{name} is 1 or more, got {getattr(self, name)}")
        if self.unsupported not in (None, "refuse", "omit"):
            raise ValueError(f"ModelSettings.unsupported is 'refuse' or 'omit', got {self.unsupported!r:.80}")
