"""What the calls of one run have in common."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from uuid import uuid4

from magic_tools.contracts.pins import Pins
from magic_tools.messages import Language
from magic_tools.options import RunOptions
from magic_tools.tools.secrets import Redactor

__all__ = ["RunScope"]

_NO_OPTIONS = RunOptions()
_NOTHING_SECRET = Redactor()


class RunScope:
    """The context of a run, what its caller chose, and what it is pinned to.

    `pins` are those of a saved state; without them those of the manifest that the caller chose, if there is one.
    """

    def __init__(self, context: Any = None, options: RunOptions | None = None, pins: Pins | None = None) -> None:
        self.context = context
        self.options = options or _NO_OPTIONS
        manifest = self.options.manifest
        self.pins = pins if pins is not None or manifest is None else Pins(manifest.pins, manifest.created)
        self.gone: dict[str, str] = {}
        """The names to which the run is pinned and of which there is no tool now, each with its identifier."""
        self.warned: set[str] = set()
        """The identifiers of the tools of whose end somebody was told in this run."""
        self.redactor = _NOTHING_SECRET if context is None else Redactor.of(context)
        """What takes the secrets of the context out of a text, as they were at the start."""

    @property
    def language(self) -> Language:
        """What is said to the model is in this language."""
        return self.options.language

    @cached_property
    def at(self) -> datetime:
        """When the run, or the call, begins: the clock is read once for all that depends on it."""
        return self.now()

    def now(self) -> datetime:
        """The time by the clock that the caller chose; ValueError if that gives none with a zone."""
        if self.options.clock is None:
            return datetime.now(UTC)
        told: object = self.options.clock()
        if not isinstance(told, datetime) or told.utcoffset() is None:
            raise ValueError(
                f"RunOptions.clock gives a datetime with a zone, such as datetime.now(UTC), got {told!r:.80}"
            )
        return told.astimezone(UTC)

    @cached_property
    def run_id(self) -> str:
        """The name of the run, its own where the caller gave none."""
        return self.options.run_id or uuid4().hex
