"""JSON read while it is being written: an incremental parser that is fed with pieces cut anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from magic_tools.loose.growing import Closed, GrowingValue, Path, copy_open
from magic_tools.loose.stream_prose import Prose, is_meant_as_json
from magic_tools.loose.stream_tokens import NO_SCALAR, blanks_end, decoded, is_cut_escape, run_end, scalar, word_end

__all__ = ["IncrementalParser", "StreamState"]

StreamState = Literal["searching", "reading", "closed", "undecided", "damaged"]

_DEEPEST = 500

# What ends a comment, and how many characters at the end of a piece may be the beginning of that.
_LINE_COMMENT = (re.compile(r"[\r\n]"), 0)
_BLOCK_COMMENT = (re.compile(r"\*/"), 1)


class IncrementalParser:
    """Reads the first object or array of a model's text while it arrives, in time linear in the text.

    Prose, code fences and blocks of reasoning around it are passed over; comments, trailing commas, odd blanks and
    raw control characters in it are taken. At anything else it stops, `damaged`: what was sure until there stays, and
    nothing is raised. A second object or array leaves it `undecided`. What the whole text says, the ladder decides.

    A value that is of none of the `kinds`, dict and list, is read and passed over.
    """

    def __init__(self, *, kinds: tuple[type, ...] = (dict, list)) -> None:
        self.state: StreamState = "searching"
        self.changed = False
        self._kinds = kinds
        self._rest = ""  # what cannot be told yet: short, whatever is fed
        self._offset = 0  # of the rest in all the text
        self._before = ""  # the character before the rest
        self._prose = Prose()
        self._closed: list[Closed] = []
        self._begin()

    @property
    def value(self) -> Any:
        """The object or array so far, the very one that goes on growing; None before there is one.

        It holds what is whole, the containers that are open, and of a string that is open the text so far. A look at
        it costs what has come since the last one, and a copy of the open string where the caller has kept that.
        """
        self._tree.grow()
        return self._tree.root if self._is_shown else None

    @property
    def open_path(self) -> Path | None:
        """The innermost place of `value` that is not whole, as is none around it; None where nothing is open."""
        return self._tree.open_path if self._is_shown else None

    def feed(self, piece: str) -> tuple[Closed, ...]:
        """Reads on, and gives the values that are whole now, an inner one before the one that holds it.

        A value is whole when what follows it is seen. `changed` tells whether there is more to see than before.
        """
        self._closed, self.changed = [], False
        buffer = self._rest + piece
        at, size = 0, len(buffer)
        while at < size:
            mode, start = self._mode, at
            at = mode(self, buffer, at)
            if at == start and self._mode is mode:
                break
        self._before = buffer[at - 1] if at else self._before
        self._rest = buffer[at:]
        self._offset += at
        return tuple(self._closed)

    def snapshot(self) -> Any:
        """The value so far, as one that does not grow; costs a copy of the containers that are open."""
        return copy_open(self.value, self.open_path)

    @property
    def _is_shown(self) -> bool:
        return self.state != "searching" and isinstance(self._tree.root, self._kinds)

    def _begin(self) -> None:
        """Looks for a value anew, as if nothing had been read."""
        self.state = "searching"
        self._closed.clear()
        self._tree = GrowingValue()
        self._key: list[str] = []  # the chunks of a key that is read
        self._start = 0  # of the string that is read, in all the text
        self._comment = _LINE_COMMENT
        self._mode: _Step = IncrementalParser._around
        self._next: Mapping[str, _Step] = {}

    # Each step below reads on from a place in the buffer and gives the place where to go on. The same place, in the
    # same mode, means that what is left of the buffer is too little to tell.

    def _around(self, buffer: str, at: int) -> int:
        """Outside of JSON."""
        sign, end = self._prose.search(buffer, at, self._before)
        if sign == "</":
            self._say_changed()
            self._begin()
        elif sign and self.state == "searching":
            self._mode = IncrementalParser._between
            return self._open(buffer, end - 1)
        elif sign and self.state == "closed":
            self.state = "undecided"
        return end

    def _within_comment(self, buffer: str, at: int) -> int:
        end, kept = self._comment
        if found := end.search(buffer, at):
            self._mode = IncrementalParser._between
            return found.end()
        return max(at, len(buffer) - kept)

    def _between(self, buffer: str, at: int) -> int:
        """Between two tokens of JSON."""
        at = blanks_end(buffer, at)
        if at == len(buffer):
            return at
        step = self._next.get(buffer[at])
        return self._damage(buffer, at) if step is None else step(self, buffer, at)

    def _open_comment(self, buffer: str, at: int) -> int:
        match buffer[at + 1 : at + 2]:
            case "":
                return at
            case "/":
                self._comment = _LINE_COMMENT
            case "*":
                self._comment = _BLOCK_COMMENT
            case _:
                return self._damage(buffer, at)
        self._mode = IncrementalParser._within_comment
        return at + 2

    def _open(self, buffer: str, at: int) -> int:
        if self._tree.depth == _DEEPEST:
            return self._damage(buffer, at)
        is_object = buffer[at] == "{"
        self._tree.open({} if is_object else [], self._offset + at)
        self._next = _KEY if is_object else _ITEM
        self._say_changed()
        return at + 1

    def _close(self, _: str, at: int) -> int:
        self._commit()
        self._say(self._tree.close(self._offset + at + 1))
        if self._tree.depth:
            self._next = self._after
        elif self._is_shown:
            self.state, self._mode = "closed", IncrementalParser._around
        else:
            self._begin()
        return at + 1

    def _comma(self, _: str, at: int) -> int:
        self._commit()
        self._next = _KEY if self._tree.in_object else _ITEM
        return at + 1

    def _colon(self, _: str, at: int) -> int:
        self._next = _VALUE
        return at + 1

    def _open_key(self, buffer: str, at: int) -> int:
        self._say_reading()
        self._mode = IncrementalParser._within_key
        return self._within_key(buffer, at + 1)

    def _within_key(self, buffer: str, at: int) -> int:
        end = run_end(buffer, at)
        self._key.append(decoded(buffer[at:end]))
        if not buffer.startswith('"', end):
            return self._cut(buffer, end)
        is_new = self._tree.enter("".join(self._key))
        self._key.clear()
        if not is_new:
            return self._damage(buffer, end)
        self._next, self._mode = _COLON, IncrementalParser._between
        return end + 1

    def _open_text(self, buffer: str, at: int) -> int:
        self._tree.open_text()
        self._say_reading()
        self._say_changed()
        self._start = self._offset + at
        self._mode = IncrementalParser._within_text
        return self._within_text(buffer, at + 1)

    def _within_text(self, buffer: str, at: int) -> int:
        end = run_end(buffer, at)
        if end > at:
            self._tree.add_text(decoded(buffer[at:end]))
            self._say_changed()
        if not buffer.startswith('"', end):
            return self._cut(buffer, end)
        self._tree.hold(self._start, self._offset + end + 1)
        self._next, self._mode = self._after, IncrementalParser._between
        return end + 1

    def _cut(self, buffer: str, at: int) -> int:
        return at if is_cut_escape(buffer, at) else self._damage(buffer, at)

    def _word(self, buffer: str, at: int) -> int:
        """A number or a literal, which ends only with the character after it."""
        end = word_end(buffer, at)
        if end is None:
            return at
        said = scalar(buffer[at:end])
        if said is NO_SCALAR:
            return self._damage(buffer, at)
        self._tree.hold(self._offset + at, self._offset + end, said)
        self._next = self._after
        return end

    def _damage(self, buffer: str, at: int) -> int:
        """Stops, unless there was no sign of JSON in the bracket yet: then it was part of the prose."""
        if self.state == "searching":
            is_meant = is_meant_as_json(buffer, at, in_object=self._tree.in_object)
            if is_meant is not None:
                self._begin()
            if not is_meant:
                return at
        self.state, self._mode = "damaged", IncrementalParser._around
        return at

    @property
    def _after(self) -> Mapping[str, _Step]:
        return _AFTER_MEMBER if self._tree.in_object else _AFTER_ITEM

    def _commit(self) -> None:
        closed = self._tree.commit()
        if closed is not None:
            self._say(closed)

    def _say(self, closed: Closed) -> None:
        self._say_reading()
        self._say_changed()
        if self._is_shown:
            self._closed.append(closed)

    def _say_reading(self) -> None:
        """There is no doubt any more that JSON is meant, so that it is shown."""
        if self.state == "searching":
            self.state = "reading"
            self._say_changed()

    def _say_changed(self) -> None:
        self.changed = self.changed or self._is_shown


_Step: TypeAlias = Callable[[IncrementalParser, str, int], int]

# What may come next, by its first character; anything else is damage.
_ANYWHERE: Mapping[str, _Step] = {"/": IncrementalParser._open_comment}
_VALUE: Mapping[str, _Step] = {
    '"': IncrementalParser._open_text,
    **dict.fromkeys("{[", IncrementalParser._open),
    **dict.fromkeys("-0123456789tfn", IncrementalParser._word),
    **_ANYWHERE,
}
# At the beginning and after a comma: a trailing one is taken.
_ITEM = {**_VALUE, "]": IncrementalParser._close}
_KEY = {'"': IncrementalParser._open_key, "}": IncrementalParser._close, **_ANYWHERE}
_COLON = {":": IncrementalParser._colon, **_ANYWHERE}
_AFTER_ITEM = {",": IncrementalParser._comma, "]": IncrementalParser._close, **_ANYWHERE}
_AFTER_MEMBER = {",": IncrementalParser._comma, "}": IncrementalParser._close, **_ANYWHERE}
