"""A typed value while its text is being written: what is whole is validated, and what is not is marked."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

from magic_tools.chat import FinishReason
from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_schema
from magic_tools.loose.growing import Closed, Path, copy_open
from magic_tools.loose.issues import path_text
from magic_tools.loose.parts import Part
from magic_tools.loose.stream import IncrementalParser
from magic_tools.messages import Issue, Language, Repair
from magic_tools.schema.kinds import possible_kinds

__all__ = ["Partial", "PartialStream"]

T = TypeVar("T")

_DEEPEST = 8  # what lies deeper is validated with what holds it, since each level around a value reads it again
_MOST_ERRORS = 12


@dataclass(frozen=True, slots=True)
class Partial(Generic[T]):
    """A value as far as it has been read, or at last, `complete`, the validated value itself.

    Until then `value` is what JSON has: an object is a dict by the keys of the text, a list a list. What is whole in
    it has its Python type; what is not lies on the one way that `open_path` leads, a string at its end with the text
    so far, and a number, literal or key is not there before it is whole. `errors` are the whole parts that do not
    fit, which stay as plain data: the end decides. Where not `validated`, all of it is plain data until the end.

    `value` is None before there is one, and grows as the stream is fed: `snapshot` is for those who keep it.
    """

    value: T | Any
    open_path: Path | None = None
    errors: tuple[Issue, ...] = ()
    validated: bool = True
    complete: bool = False
    repairs: tuple[Repair, ...] = ()

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The places in `value` that are not whole, from the outside in, like `items[2]` and `items[2].title`."""
        path = self.open_path or ()
        return tuple(path_text(path[:length]) for length in range(1, len(path) + 1))

    def snapshot(self) -> Partial[T]:
        """The same, with a value that does not grow; to be taken before the stream is fed again.

        Costs a copy of the containers that are open; what is whole in them is shared.
        """
        return replace(self, value=copy_open(self.value, self.open_path))


class PartialStream(Generic[T]):
    """Reads a typed value from a model's text while it arrives, each part validated once, when it is whole.

    Parts are the fields of models, dataclasses and TypedDicts and the items of lists, by their own annotations: what
    their class checks beside that it says when the object is whole. Of any other target there are no parts.
    """

    @overload
    def __init__(self: PartialStream[T], target: type[T], *, schema: Schema[T] | None = ...) -> None: ...
    @overload
    def __init__(self: PartialStream[Any], target: Any, *, schema: Schema[Any] | None = ...) -> None: ...
    def __init__(self, target: Any, *, schema: Schema[Any] | None = None) -> None:
        self._schema: Schema[T] = compile_schema(target) if schema is None else schema
        self._part = Part(target)
        self._parser = IncrementalParser(kinds=_kinds(self._schema))
        self._text = _Pieces()
        self._root: Any = None
        self._errors: dict[Path, tuple[Issue, ...]] = {}

    def feed(self, piece: str) -> Partial[T] | None:
        """Reads a piece on; None where there is no more to see than before.

        Time is linear in all that is fed, a look at each partial value included.
        """
        self._text.add(piece)
        closed = self._parser.feed(piece)
        if self._parser.value is not self._root:
            self._root = self._parser.value
            self._errors.clear()
        for each in closed:
            self._settle(each)
        return self.partial if self._parser.changed else None

    @property
    def partial(self) -> Partial[T]:
        """What there is to see."""
        errors = tuple(issue for issues in self._errors.values() for issue in issues)
        return Partial(self._parser.value, self._parser.open_path, errors, self._part.has_parts)

    def finish(self, reason: FinishReason | None = None, *, language: Language = "en") -> Partial[T]:
        """The complete value, which is what `parse` reads from the whole text; ParseError where it reads none.

        `reason` is why the model stopped, where that is known.
        """
        parsed = self._schema.parse(self._text.whole(), finish=reason, language=language)
        return Partial(parsed.value, complete=True, repairs=parsed.repairs)

    def _settle(self, closed: Closed) -> None:
        """Puts in the place of a part that is whole what it is in Python; or says what is wrong with it."""
        path, value = closed.path, closed.value
        part, holder = self._place(path)
        if part is None or part.schema is None:
            return
        if part.is_sum_of_items and isinstance(value, list) and len(path) < _DEEPEST:
            return  # its items were validated one by one
        if isinstance(value, dict | list):
            self._errors = {at: issues for at, issues in self._errors.items() if at[: len(path)] != path}
        text = json.dumps(value) if isinstance(value, str) else self._text.cut(closed.start, closed.end)
        try:
            holder[path[-1]] = part.schema.parse(text).value
        except ParseError as error:
            if value is None and not part.required:
                del holder[path[-1]]  # null for what may be absent counts as absent
            elif len(self._errors) < _MOST_ERRORS:
                self._errors[path] = tuple(_moved(issue, path) for issue in error.issues)

    def _place(self, path: Path) -> tuple[Part | None, Any]:
        """The part at a place, and what holds the value there; no part where nothing is validated alone."""
        part: Part | None = self._part if 0 < len(path) <= _DEEPEST else None
        holder = self._root
        for step in path[:-1]:
            part = part and part.inside(step)
            if part is None:
                return None, None
            holder = holder[step]
        return part and part.inside(path[-1]), holder


class _Pieces:
    """A text in the pieces in which it came."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._size = 0

    def add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._starts.append(self._size)
        self._size += len(piece)

    def cut(self, start: int, end: int) -> str:
        """The text between two offsets."""
        first, after = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end)
        around = "".join(self._pieces[first:after])
        return around[start - self._starts[first] : end - self._starts[first]]

    def whole(self) -> str:
        return "".join(self._pieces)


def _moved(issue: Issue, path: Path) -> Issue:
    """The issue of a part as one of the whole value."""
    between = "." if issue.path and not issue.path.startswith("[") else ""
    return replace(issue, path=f"{path_text(path)}{between}{issue.path}")


def _kinds(schema: Schema[Any]) -> tuple[type, ...]:
    """Whether the values of a schema are objects or arrays, or may be both or neither."""
    document = schema.json_schema
    kinds = possible_kinds(document, document)
    return tuple(kind for name, kind in (("object", dict), ("array", list)) if name in kinds)
