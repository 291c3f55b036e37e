"""What annotations stand for, by the names that are known where a function stands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from magic_tools.schema.hints import Hints
from magic_tools.schema.reading import read_signature


class Model(BaseModel):
    a: int


class Holder:
    class Mode(BaseModel):
        m: int

    def of_class(self, mode: Mode) -> Mode:
        return mode

    signature = read_signature(of_class)


def annotations_of(fn: Callable[..., Any]) -> list[Any]:
    return [parameter.annotation for parameter in read_signature(fn).all]


def test_names_of_a_class_body() -> None:
    """A method finds the names of its class, while that is being made and after."""
    assert [parameter.annotation for parameter in Holder.signature.parameters] == [Holder.Mode]
    assert annotations_of(Holder().of_class) == [Holder.Mode]


def types(*expected: Any) -> list[Any]:
    return list(expected)


def wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return wrapper


def test_names_of_the_functions_around() -> None:
    """A function finds the local names around it, the nearest first, through wrappers and from further down."""

    class Local(BaseModel):
        a: int

    def plain(x: Local) -> list[Local]:
        return [x]

    def nested() -> Callable[..., Any]:
        class Local(BaseModel):
            b: int

        def inner(x: Local, y: Model) -> None: ...

        assert annotations_of(inner) == types(Local, Model)
        return inner

    class Inside:
        class Mode(BaseModel):
            m: int

        def method(self, x: Local, mode: Mode) -> None: ...

    assert annotations_of(plain) == [Local]
    assert read_signature(plain).returns == list[Local]
    assert annotations_of(wrapped(plain)) == [Local]
    assert annotations_of(Inside().method) == types(Local, Inside.Mode)
    nested()


def test_names_of_functions_that_have_ended_are_not_guessed() -> None:
    """A local name that cannot be found any more is not taken from another function of the same module."""

    def maker() -> Callable[..., Any]:
        class Gone(BaseModel):
            a: int

        def made(x: Gone) -> None: ...

        return made

    made = maker()

    def other() -> None:
        Gone = int  # noqa: F841 - the name that must not be taken
        with pytest.raises(NameError, match="Gone"):
            Hints(made).resolve("Gone")

    other()


@pytest.mark.parametrize("written", ["Nowhere", "Nowhere[int]", "Nowhere.Deep | None", "dict[str, 'Nowhere']"])
def test_a_sketch_misses_nothing(written: str) -> None:
    """An annotation with unknown names can be looked at as far as it is known."""
    hints = Hints(annotations_of)
    with pytest.raises(NameError, match="Nowhere"):
        hints.resolve(written)
    assert hints.sketch(written) is not None
    assert hints.sketch("list[int]") == list[int]


@pytest.mark.skipif("sys.version_info < (3, 12)", reason="type parameters in brackets are of Python 3.12")
def test_type_parameters() -> None:
    """A function's own type parameters are known in its annotations."""
    space: dict[str, Any] = {}
    source = "from __future__ import annotations\ndef same[T: int](x: T) -> list[T]: return [x]"
    exec(source, space)
    (annotation,) = annotations_of(space["same"])
    assert annotation.__bound__ is int
