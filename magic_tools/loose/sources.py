"""JSON values that remember how they were written, and what was written without quotation marks."""

from __future__ import annotations

__all__ = ["Bare", "SourceFloat", "SourceInt", "plain_source_of", "source_of"]


class SourceFloat(float):
    """A number that remembers its source digits."""

    source: str

    def __new__(cls, source: str, value: float | None = None) -> SourceFloat:
        """The number of a source, which is read as Python reads it where no value is given."""
        number = super().__new__(cls, source if value is None else value)
        number.source = source
        return number


class SourceInt(int):
    """A whole number that is not written as JSON writes it, such as `0xFF`, and remembers how it was."""

    source: str

    def __new__(cls, source: str, value: int) -> SourceInt:
        """The number that a source stands for."""
        number = super().__new__(cls, value)
        number.source = source
        return number


class Bare(str):
    """Text that stood without quotation marks; with `digits` it may be a number, of a kind that JSON has not."""

    __slots__ = ("digits",)

    digits: bool

    def __new__(cls, text: str, *, digits: bool = False) -> Bare:
        """The text itself."""
        bare = super().__new__(cls, text)
        bare.digits = digits
        return bare


def source_of(number: float) -> str:
    """The digits that a number was written with."""
    source: str = getattr(number, "source", None) or str(number)
    return source


def plain_source_of(number: float) -> str:
    """The digits that a number was written with, in the form of JSON, none of them lost."""
    source = source_of(number).removeprefix("+").replace("-.", "-0.").removesuffix(".")
    return f"0{source}" if source.startswith(".") else source
