"""The tool by which a model asks the person for whom it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, ParamSpec, TypeVar

from pydantic import Field

from magic_tools.contracts.policy import Policy
from magic_tools.errors import ToolFailure
from magic_tools.messages import ErrorCode
from magic_tools.tools.behaviour import Behaviour
from magic_tools.tools.compiling import of_function
from magic_tools.tools.tool import Tool

__all__ = ["ask_user"]

P = ParamSpec("P")
R = TypeVar("R")


def _answered_by_person(fn: Callable[P, R]) -> Tool[P, R]:
    behaviour = Behaviour(timeout_s=None, asks_person=True)
    return Tool(fn, of_function(fn, None, None, Policy(), behaviour, flat=False), None)


@_answered_by_person
def ask_user(
    question: Annotated[str, "One question, to be answered in a sentence", Field(max_length=500)],  # noqa: ARG001
) -> str:
    """Ask the person for whom you work, where what they want is not known and cannot be looked up.

    The answer comes as the result.
    """
    raise ToolFailure("Nobody can be asked here.", ErrorCode.CONFLICT)
