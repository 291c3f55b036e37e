"""What the calls of one run have in common."""

from __future__ import annotations

from functools import cached_property
from typing import Any
from uuid import uuid4

from magic_tools.messages import Language
from magic_tools.options import RunOptions
from magic_tools.tools.secrets import Redactor

__all__ = ["RunScope"]

_NO_OPTIONS = RunOptions()
_NOTHING_SECRET = Redactor()


class RunScope:
    """The context of a run and what its caller chose."""

    def __init__(self, context: Any = None, options: RunOptions | None = None) -> None:
        self.context = context
        self.options = options or _NO_OPTIONS
        self.redactor = _NOTHING_SECRET if context is None else Redactor.of(context)
        """What takes the secrets of the context out of a text, as they were at the start."""

    @property
    def language(self) -> Language:
        """What is said to the model is in this language."""
        return self.options.language

    @cached_property
    def run_id(self) -> str:
        """The name of the run, its own where the caller gave none."""
        return self.options.run_id or uuid4().hex
