"""How a check of this library's own refuses a value."""

from __future__ import annotations

from pydantic_core import PydanticCustomError

__all__ = ["unwanted"]


def unwanted(wanted: str) -> PydanticCustomError:
    """The error of a check of this library's own, told as what was wanted in place of what came."""
    return PydanticCustomError("unwanted", "wanted: {wanted}", {"wanted": wanted})
