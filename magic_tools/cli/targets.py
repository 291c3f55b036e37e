"""What a person names on the command line, found: an object in a module or file, a text, a folder's tools."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic_core import to_jsonable_python

from magic_tools.errors import DefinitionError, MagicToolsError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.tools.discovery import Found, tools_in, unique, walk
from magic_tools.tools.listing import listed
from magic_tools.tools.toolset import Toolset

__all__ = ["InputError", "compiled", "find_target", "find_tools", "read_text"]


class InputError(MagicToolsError):
    """Something that was named on the command line is not there, or is not what it must be."""


def find_target(spec: str) -> Any:
    """The object of `module:Name` or `path.py:Name`; InputError says what is missing."""
    place, _, name = spec.rpartition(":")
    if not place or not name:
        raise InputError(f"{spec!r} names no object: write module:Name or path.py:Name, such as tickets.py:TicketInfo.")
    module = _module(place)
    found: Any = module
    for step in name.split("."):
        if not hasattr(found, step):
            raise InputError(f"There is no {name!r} in {place}. It has: {_names_in(module, name)}.")
        found = getattr(found, step)
    return found


def compiled(target: str, found: Any) -> Schema[Any]:
    """The schema of a type, or JSON Schema, that was named so; InputError if it is none."""
    kind = type(found)
    if isinstance(found, Mapping):  # a JSON Schema
        return compile_schema(found)
    if kind.__module__ == "builtins" and not isinstance(found, type):
        what = "a function" if isfunction(found) else f"a value of {kind.__name__}"
        raise InputError(f"{target} is no type, such as a pydantic model, but {what}.")
    return compile_schema(found)


def written(target: str, schema: Schema[Any], value: Any) -> Any:
    """The JSON value of a value of a type; MagicToolsError if it cannot be written as JSON."""
    try:
        json.dumps(to_jsonable_python(value, inf_nan_mode="constants", fallback=repr), allow_nan=False)
        return json.loads(schema.dump(value))
    except ValueError as error:
        raise MagicToolsError(f"The value fits {target}, and cannot be written as JSON: {error}") from error


def find_tools(places: list[str]) -> Toolset:
    """The tools that modules and what is below them, files, and folders of files define, in that order."""
    return Toolset(*unique(found for place in places for found in _found(place)))


def _found(place: str) -> Iterator[Found]:
    if not place.strip():
        raise InputError(f"{place!r} names no place: write a module, a file or a folder, such as shop.tools or tools/.")
    if Path(place).is_dir() or _is_file(place):
        for file in _files(Path(place)) if Path(place).is_dir() else [place]:
            yield from tools_in(_module(file), Toolset, label=file)
    else:
        yield from (found for module in _modules(place) for found in tools_in(module, Toolset))


def _modules(name: str) -> list[ModuleType]:
    root = _module(name)
    with redirect_stdout(sys.stderr), _on_path(Path.cwd()):
        return list(walk(root))


def _files(folder: Path) -> list[str]:
    """The Python files of a folder and those below it, but for `__main__` and hidden ones, such as an environment's."""
    found = [file for file in sorted(folder.rglob("*.py")) if file.name != "__main__.py"]
    return [str(file) for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)]


def read_text(file: str) -> str:
    """The text of a file, or of the standard input for `-`; InputError if it is not there, no text or empty."""
    name = "the standard input" if file == "-" else file
    if file == "-" and sys.stdin is None:
        raise InputError(f"{name} is closed: there is nothing to read an answer from.")
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:  # a name with a NUL byte is a ValueError
        raise InputError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "; it looks like UTF-16: save it as UTF-8" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
        byte = f"byte {error.start + 1} is 0x{raw[error.start]:02x}"
        raise InputError(f"{name} is not text in UTF-8 ({byte}){hint}.") from None
    if not text.strip():
        raise InputError(f"{name} is empty: there is nothing to read an answer from.")
    if "\0" in text:
        raise InputError(f"{name} is not text: it holds NUL bytes.")
    return text


def _module(place: str) -> ModuleType:
    """The module of a name or a file; what it prints while it is imported goes to the standard error."""
    try:
        with redirect_stdout(sys.stderr):
            return _load_file(Path(place)) if _is_file(place) else _import_by_name(place)
    except (InputError, KeyboardInterrupt):
        raise
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from error
    except ModuleNotFoundError as error:
        raise InputError(
            f"{place} cannot be imported: {error}. Is the package installed, and the name right?"
        ) from error
    except BaseException as error:  # whatever another's module does when it is imported, sys.exit included
        hint = " Name it by its package, as in package.module:Name." if "relative import" in str(error) else ""
        raise InputError(f"{place} cannot be imported: {type(error).__name__}: {error}.{hint}") from error


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place


def _import_by_name(name: str) -> ModuleType:
    with _on_path(Path.cwd()):  # as `python -m` does; a command's own path has no such entry
        return importlib.import_module(name)


def _load_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise InputError(f"{file} is a folder: name a file in it." if file.is_dir() else f"There is no file {file}.")
    file = file.resolve()
    return _load_of_package(file) or _load_by_itself(file)


def _load_of_package(file: Path) -> ModuleType | None:
    """The module of a file by its name in its package; None if it is in none, or another has the name."""
    names, folder = [] if file.stem == "__init__" else [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        names, folder = [folder.name, *names], folder.parent
    if folder == file.parent or any("." in name for name in names):
        return None
    with _on_path(folder):
        module = importlib.import_module(".".join(names))
    return module if Path(module.__file__ or "").resolve() == file else None


def _load_by_itself(file: Path) -> ModuleType:
    name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file.name} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: annotations are looked up by the module's name
    try:
        with _on_path(file.parent):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


@contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    """A folder first on the import path for a while; what the imported code does to the path stays."""
    entry = str(folder)
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        if entry in sys.path:
            sys.path.remove(entry)


def _names_in(module: ModuleType, meant: str) -> str:
    public = [name for name in vars(module) if not name.startswith("_")]
    own = [name for name in public if not _is_imported(name, getattr(module, name), module.__name__)]
    return listed(own, like=meant) if own else "nothing of its own"


def _is_imported(name: str, held: Any, by: str) -> bool:
    home = getattr(held, "__module__", by)
    return isinstance(held, ModuleType) or (home != by and getattr(sys.modules.get(home), name, None) is held)
