"""The tools that a package defines, found by walking its modules, so that none is forgotten."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.tools.tool import Tool

__all__ = ["Found", "is_ours", "load_module", "same_tool", "tools_in", "unique", "walk"]

_OURS = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Found:
    """A tool and where it stands, as in `shop.orders:cancel`."""

    tool: Tool[..., Any]
    place: str


def load_module(name: str) -> ModuleType:
    """The module of a name; DefinitionError says what went wrong while it was imported."""
    try:
        found: object = importlib.import_module(name)
    except (Exception, SystemExit) as error:
        said = str(error).rstrip(".")
        why = said if isinstance(error, ImportError | DefinitionError) else f"{type(error).__name__}: {said}"
        raise DefinitionError(f"The module {name!r} cannot be imported: {why}.") from error
    if not isinstance(found, ModuleType):
        raise DefinitionError(f"The module {name!r} puts a value of type {type(found).__name__} in its own place.")
    return found


def walk(module: ModuleType) -> Iterator[ModuleType]:
    """A module and, if it is a package, all modules below it by name, imported one by one; no `__main__`.

    A folder without an `__init__.py` is a package, as it is for Python, if there is Python below it.
    """
    yield module
    paths = vars(module).get("__path__", ())
    names = {found.name for found in pkgutil.iter_modules(paths)}.union(*map(_bare_packages, paths))
    for name in sorted(names - {"__main__"}):
        yield from walk(load_module(f"{module.__name__}.{name}"))


def _bare_packages(path: str) -> Iterator[str]:
    """The folders of a path that pkgutil leaves out, because they have no `__init__.py`."""
    for folder in Path(path).iterdir() if Path(path).is_dir() else ():
        if folder.name.isidentifier() and folder.is_dir() and any(folder.rglob("*.py")):
            yield folder.name


def tools_in(module: ModuleType, sets: type[Iterable[Tool[..., Any]]], *, label: str | None = None) -> list[Found]:
    """The tools that a module defines, in its order; those that it only imports are left to their own modules.

    They stand there by themselves, in one of the `sets`, in a list, tuple, set or dict, also one inside another,
    in a class as class or static methods, or in an object as its methods. A method of a class waits for its
    object, and is left out.
    """
    held = list(_standing(vars(module), module.__name__, sets))
    homes = {made.__module__ for made, _ in held} - {module.__name__}
    there = {home: getattr(sys.modules.get(home), "__dict__", {}) for home in homes}
    imported = [made for home, names in there.items() for made, _ in _standing(names, home, sets)]
    return [
        Found(made, f"{label or module.__name__}:{name}")
        for made, name in held
        if _counts(made) and not any(same_tool(made, other) for other in imported)
    ]


def unique(found: Iterable[Found]) -> list[Tool[..., Any]]:
    """The tools, each once; DefinitionError with both places where two are called the same."""
    first: dict[str, Found] = {}
    for each in found:
        other = first.setdefault(each.tool.name, each)
        if not same_tool(other.tool, each.tool):
            raise DefinitionError(
                f"Two tools are called {each.tool.name!r}: {other.place} and {each.place}. "
                "Give one another with `@tool(name=...)`."
            )
    return [each.tool for each in first.values()]


def same_tool(one: Tool[..., Any], other: Tool[..., Any]) -> bool:
    """Whether two are one tool, also where each was made anew, as a method is each time it is taken."""
    return one is other or (
        (one.name, one.description, one.policy) == (other.name, other.description, other.policy)
        and bool(one.executable.fn == other.executable.fn)
    )


def is_ours(made: Tool[..., Any]) -> bool:
    """Whether a tool is of the library itself, such as the search over a large set."""
    return str(made.__module__).partition(".")[0] == _OURS


def _counts(made: Tool[..., Any]) -> bool:
    return not made.executable.signature.unbound and not is_ours(made)


_Held = Iterator[tuple[Tool[..., Any], str]]


def _standing(names: dict[str, Any], home: str, sets: type[Iterable[Tool[..., Any]]]) -> _Held:
    for name, value in list(names.items()):
        match value:
            case Tool():
                yield value, name
            case list() | tuple() | set() | frozenset() | dict() | sets():
                yield from ((made, name) for made in _held(value, sets, set()))
            case type():
                yield from _in_class(value, home)
            case _:
                yield from ((made, f"{name}.{attribute}") for made, attribute in _in_object(value))


def _held(holder: Any, sets: type[Iterable[Tool[..., Any]]], passed: set[int]) -> Iterator[Tool[..., Any]]:
    """The tools in a container and those inside it, in order; those of a set by name, as it has no order."""
    if id(holder) in passed:
        return
    passed.add(id(holder))
    match holder:
        case Tool():
            yield holder
            return
        case set() | frozenset():
            inner = sorted(holder, key=lambda each: each.name if isinstance(each, Tool) else "")
        case dict():
            inner = list(holder.values())
        case list() | tuple() | sets():
            inner = list(holder)
        case _:
            return
    for each in inner:
        yield from _held(each, sets, passed)


def _in_class(owner: type, home: str) -> _Held:
    """The tools that a class of this home, or a class within it, has without an object."""
    if owner.__module__ != home:
        return
    for name, value in list(vars(owner).items()):
        if isinstance(value, type) and value.__qualname__ == f"{owner.__qualname__}.{name}":
            yield from _in_class(value, home)
        match value:
            case Tool():
                yield value.__get__(None, owner), f"{owner.__qualname__}.{name}"
            case staticmethod(__func__=Tool() as made):
                yield made, f"{owner.__qualname__}.{name}"
            case classmethod(__func__=Tool() as made):
                yield made.__get__(owner), f"{owner.__qualname__}.{name}"


def _in_object(holder: Any) -> _Held:
    """The methods of an object that are tools, bound to it; those of its class are found there."""
    owner = type(holder)
    declared = (
        name for each in reversed(owner.__mro__) for name, value in vars(each).items() if isinstance(value, Tool)
    )
    for name in dict.fromkeys(declared):
        value = inspect.getattr_static(owner, name)
        if isinstance(value, Tool) and value.__get__(None, owner).executable.signature.unbound:
            yield value.__get__(holder, owner), name
