"""A JSON value that grows in place while it is read, and which of its places are whole."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

__all__ = ["Closed", "GrowingValue", "Path", "copy_open"]

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a place in a value; `()` is the whole of it."""

_NOTHING: Any = object()


class Closed(NamedTuple):
    """A value that is whole: where it stands in the value around it, itself, and its extent in all the text."""

    path: Path
    value: Any
    start: int
    end: int


class GrowingValue:
    """A value whose open places are one chain: containers, and perhaps a string at the end of it.

    A string, number or literal is held back until `commit`: only what follows it shows that it is whole. Of a string
    the text so far is in the value, of a number or literal nothing. Offsets are those of all the text.
    """

    def __init__(self) -> None:
        self.root: Any = None
        self._open: list[Any] = []  # the open containers, and of each where it starts and the key or index being read
        self._starts: list[int] = []
        self._keys: list[str | int] = []
        self._in_text = False
        self._chunks: list[str] = []  # of the open string, what is not joined yet
        self._scalar = _NOTHING
        self._extent = (0, 0)

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._open)

    @property
    def in_object(self) -> bool:
        """Whether the innermost of them is an object."""
        return isinstance(self._open[-1], dict)

    @property
    def open_path(self) -> Path | None:
        """The innermost place in the value that is open; None where it is whole."""
        if not self._open:
            return None
        return tuple(self._keys) if self._in_text else tuple(self._keys[:-1])

    def open(self, container: dict[str, Any] | list[Any], start: int) -> None:
        """Begins an object or array, which then is the innermost one."""
        if self._open:
            self._put(container)
        else:
            self.root = container
        self._open.append(container)
        self._starts.append(start)
        self._keys.append("")

    def close(self, end: int) -> Closed:
        """Ends the innermost object or array."""
        container = self._open.pop()
        self._keys.pop()
        return Closed(tuple(self._keys), container, self._starts.pop(), end)

    def enter(self, key: str) -> bool:
        """Says under which key of the object the next value stands; False where something stands there."""
        self._keys[-1] = key
        return key not in self._open[-1]

    def open_text(self) -> None:
        """Begins a string."""
        self._put("")
        self._in_text = True

    def add_text(self, chunk: str) -> None:
        """Goes on with the string."""
        self._chunks.append(chunk)

    def hold(self, start: int, end: int, scalar: Any = _NOTHING) -> None:
        """Ends a number or literal, or else the string, which is whole if what follows agrees."""
        self._scalar, self._extent = scalar, (start, end)

    def commit(self) -> Closed | None:
        """Takes for whole what was held back, if anything was."""
        if self._in_text:
            self.grow()
            self._in_text = False
            value = self._open[-1][self._keys[-1]]
        elif self._scalar is not _NOTHING:
            value, self._scalar = self._scalar, _NOTHING
            self._put(value)
        else:
            return None
        return Closed(tuple(self._keys), value, *self._extent)

    def grow(self) -> None:
        """Joins what came of the open string to it, in time linear in that unless somebody holds on to the string."""
        if self._chunks:
            holder, key = self._open[-1], self._keys[-1]
            text = holder[key]
            holder[key] = ""  # a string with no other holder grows in its place
            text += "".join(self._chunks)
            holder[key] = text
            self._chunks.clear()

    def _put(self, value: Any) -> None:
        holder = self._open[-1]
        if isinstance(holder, list):
            self._keys[-1] = len(holder)
            holder.append(value)
        else:
            holder[self._keys[-1]] = value


def copy_open(value: Any, open_path: Path | None) -> Any:
    """The value with containers of its own where it is open; what is whole in them is shared."""
    if open_path is None or not isinstance(value, dict | list):
        return value
    place: Any = value.copy()
    copied = place
    for step in open_path:
        if isinstance(place[step], dict | list):
            place[step] = place[step].copy()
            place = place[step]
    return copied
