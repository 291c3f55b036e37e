"""What the annotations of a function stand for, one by one, where names may be known to type checkers alone."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import FrameType, SimpleNamespace
from typing import Any

from typing_extensions import get_type_hints

__all__ = ["Hints", "function_of"]


class Hints:
    """Resolves the annotations of one callable, by the names that its author could use where it stands.

    These are the names of its module, its closure, its class, and the functions and class bodies that are
    being run around it.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._function = function_of(fn)
        self._globals: dict[str, Any] = getattr(self._function, "__globals__", {})
        self._near = {**_type_parameters(self._function), **_closure(self._function), **_class_names(fn)}

    def resolve(self, annotation: Any) -> Any:
        """What an annotation stands for; whatever evaluating it raises."""
        if isinstance(annotation, type):
            return annotation
        try:
            return self._evaluated(annotation, self._near)
        except NameError:
            return self._evaluated(annotation, self._around)

    def sketch(self, annotation: Any) -> Any:
        """What an annotation stands for, with something empty in place of each name that is not known."""
        return self._evaluated(annotation, _Lenient(self._around, self._globals))

    @functools.cached_property
    def _around(self) -> dict[str, Any]:
        return {**_names_around(self._function), **self._near}

    def _evaluated(self, annotation: Any, known: Mapping[str, Any]) -> Any:
        holder = SimpleNamespace(__annotations__={"it": annotation})
        return get_type_hints(holder, self._globals, known, include_extras=True)["it"]


def function_of(fn: Callable[..., Any]) -> Any:
    """The function that a callable runs in the end: below its wrappers, of a method, or of a callable object."""
    function = inspect.unwrap(fn)
    function = getattr(function, "__func__", function)
    return function if inspect.isfunction(function) else type(function).__call__


class _Unknown:
    """Stands for a name that is not known: whatever is done with it in an annotation, it stays unknown."""

    def __call__(self, *_: Any) -> _Unknown:
        return self

    def __getattr__(self, name: str) -> _Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    __getitem__ = __or__ = __ror__ = __call__


class _Lenient(dict[str, Any]):
    """Names in which none is missing: Python asks here first, then the globals, then the builtins."""

    def __init__(self, near: Mapping[str, Any], far: Mapping[str, Any]) -> None:
        builtins = far.get("__builtins__", {})
        super().__init__({**(builtins if isinstance(builtins, dict) else vars(builtins)), **far, **near})

    def __missing__(self, _: str) -> Any:
        return _Unknown()


def _type_parameters(function: Any) -> dict[str, Any]:
    return {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}


def _closure(function: Any) -> dict[str, Any]:
    """What a function has of the names around it; one that is not bound yet, such as its own, is left out."""
    cells = (
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        if inspect.isfunction(function)
        else ()
    )
    known = {}
    for name, cell in cells:
        with suppress(ValueError):  # Python's word for a cell that is empty
            known[name] = cell.cell_contents
    return known


def _class_names(fn: Callable[..., Any]) -> Mapping[str, Any]:
    if not inspect.ismethod(fn):
        return {}
    owner = fn.__self__ if isinstance(fn.__self__, type) else type(fn.__self__)
    return vars(owner)


def _names_around(function: Any) -> dict[str, Any]:
    """The local names of the functions and class bodies around a function, as far as they are being run."""
    if not inspect.isfunction(function):
        return {}
    scopes = list(_scopes(function.__qualname__))
    known: dict[str, Any] = {}
    for frame in _frames():
        code = frame.f_code
        if code.co_qualname in scopes and code.co_filename == function.__code__.co_filename:
            known = {**frame.f_locals, **known}
    return known


def _scopes(qualname: str) -> Iterator[str]:
    """The qualified names of what a name stands in: of `a.<locals>.B.c` these are `a.<locals>.B` and `a`."""
    while "." in qualname:
        qualname = qualname.rpartition(".")[0].removesuffix(".<locals>")
        yield qualname


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
