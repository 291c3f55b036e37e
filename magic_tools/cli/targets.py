"""What a person names on the command line, found: an object in a module or file, a text, a folder's tools."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from magic_tools.errors import DefinitionError, MagicToolsError
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["InputError", "find_target", "find_tools", "read_text"]

_MOST_NAMES = 12


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
            raise InputError(f"There is no {name!r} in {place}. It has: {_names_in(module)}.")
        found = getattr(found, step)
    return found


def find_tools(places: list[str]) -> Toolset:
    """The tools that modules, files and folders of files define, in order of file and line."""
    tools: list[Tool[..., Any]] = []
    for place in places:
        files = sorted(Path(place).rglob("*.py")) if Path(place).is_dir() else [place]
        for file in files:
            module = _module(str(file))
            held = vars(module).values()
            tools += [made for made in held if isinstance(made, Tool) and made.__module__ == module.__name__]
    return Toolset(*dict.fromkeys(tools))


def read_text(file: str) -> str:
    """The text of a file, or of the standard input for `-`; InputError if it is not there, no text or empty."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    name = "the standard input" if file == "-" else file
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start + 1} is 0x{raw[error.start]:02x}).") from None
    if not text.strip():
        raise InputError(f"{name} is empty: there is nothing to read an answer from.")
    if "\0" in text:
        raise InputError(f"{name} is not text: it holds NUL bytes.")
    return text


def _module(place: str) -> ModuleType:
    if place.endswith(".py") or "/" in place:
        return _imported(place, lambda: _load_file(Path(place)))
    sys.path.insert(0, str(Path.cwd()))  # as `python -m` does; a command's own path has no such entry
    try:
        return _imported(place, lambda: importlib.import_module(place))
    finally:
        sys.path.pop(0)


def _load_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    file = file.resolve()
    name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file.name} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: annotations are looked up by the module's name
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(file.parent))
    return module


def _imported(place: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        return load()
    except (InputError, DefinitionError):
        raise
    except ModuleNotFoundError as error:
        raise InputError(
            f"{place} cannot be imported: {error}. Is the package installed, and the name right?"
        ) from error
    except (Exception, SystemExit) as error:  # whatever another's module does when it is imported
        raise InputError(f"{place} cannot be imported: {type(error).__name__}: {error}") from error


def _names_in(module: ModuleType) -> str:
    own = [
        name
        for name, held in vars(module).items()
        if not name.startswith("_")
        and getattr(held, "__module__", module.__name__) == module.__name__
        and not isinstance(held, ModuleType)
    ]
    more = f" and {len(own) - _MOST_NAMES} more" if len(own) > _MOST_NAMES else ""
    return ", ".join(own[:_MOST_NAMES]) + more if own else "nothing of its own"
