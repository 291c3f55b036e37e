"""What a model answered, kept in a file and answered again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from magic_tools.asking import ProgramModel, asked, pieces_of
from magic_tools.chat import Capabilities, ChatModel, ModelReply, ModelRequest, fault_of
from magic_tools.effects.program import Emit, Program
from magic_tools.errors import ModelError, ModelUnavailableError, StreamCutError
from magic_tools.models.reply_data import error_from_data, error_to_data, reply_from_data, reply_to_data
from magic_tools.models.request_data import differences, hidden_texts, request_data
from magic_tools.models.wrapping import WrappedModel
from magic_tools.tools.secrets import Redactor
from magic_tools.values import JsonObject, digest

__all__ = ["RecordingModel", "ReplayModel", "record"]

_FORMAT = "magic_tools recording"
_VERSION = 1

_MOST_TOLD = 3
"""How many of the places in which two requests differ an error's text has."""


def record(model: ChatModel, file: str | Path) -> RecordingModel:
    """The model, each of whose requests is appended to a file with its reply, which a `ReplayModel` gives again.

    The file has a line of JSON for each, written when the reply has come, and one before them that names the model. A
    ModelError is recorded as a reply is. Never written are hidden parameters, what tools returned, of which there are
    digests alone, and keys, tokens and headers among the settings' `extra`; what messages and calls say, is. A file
    of another model, or one that cannot be read, is a ModelError, and left as it is.
    """
    return RecordingModel(model, Path(file))


class RecordingModel(WrappedModel):
    """A model whose requests and replies are written to a file; `record` makes it."""

    def __init__(self, model: ChatModel, path: Path) -> None:
        super().__init__(model)
        self._path = path
        self._writing = threading.Lock()
        if path.exists() and path.stat().st_size:
            name = _Recording(path).name
            if name != model.name:
                raise ModelError(f"{path} is a recording of {name}: record {model.name} in another file.")
            return
        capabilities = {name: getattr(model.capabilities, name) for name in Capabilities.__slots__}
        self._append({"format": _FORMAT, "version": _VERSION, "model": model.name, "capabilities": capabilities})

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        try:
            reply = yield from asked(self.model, request, streamed=streamed)
        except ModelError as error:
            without_secrets = Redactor.of(self.model).with_texts(*hidden_texts(request))
            self._append({"request": request_data(request), "error": error_to_data(error, without_secrets(str(error)))})
            raise
        if not fault_of(reply):
            self._append({"request": request_data(request), "reply": reply_to_data(reply)})
        return reply

    def _append(self, entry: JsonObject) -> None:
        try:
            line = json.dumps(entry, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # of text that no file in UTF-8 holds
            line = json.dumps(entry).encode()
        with self._writing, self._path.open("ab") as file:
            file.write(line + b"\n")


class ReplayModel(ProgramModel):
    """A model that gives the recorded reply to a recorded request, and a ModelError for any other.

    The same request asked again is given its recorded replies in order, and the last of them from then on. The error
    says in which part the request differs from the nearest recorded one. Its name and what it can do are those of the
    recorded model. ModelUnavailableError where there is no such file, ModelError for one that cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self._recording = _Recording(Path(path))
        self._taking = threading.Lock()
        self._taken: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def name(self) -> str:
        """`replay:` and the name of the recorded model, such as `replay:openai:gpt-5`."""
        return f"replay:{self._recording.name}"

    @property
    def identity(self) -> str:
        """The name, and of which file it is."""
        return f"{self.name} in {self._recording.path}"

    @property
    def capabilities(self) -> Capabilities:
        """What the recorded model could do."""
        return self._recording.capabilities

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        recorded = self._next(request_data(request))
        reply = recorded.partial if isinstance(recorded, StreamCutError) else recorded
        if streamed and isinstance(reply, ModelReply):
            for piece in pieces_of(reply):
                yield Emit(piece)
        if isinstance(recorded, ModelError):
            raise recorded
        return recorded

    def _next(self, asked_for: JsonObject) -> ModelReply | ModelError:
        key = digest(asked_for)
        answers = self._recording.answers.get(key)
        if answers is None:
            raise ModelError(self._recording.unknown(asked_for))
        with self._taking:
            at = self._taken.get(key, 0)
            self._taken[key] = at + 1
        return _answer_in(answers.entries[min(at, len(answers.entries) - 1)])


@dataclass(frozen=True, slots=True)
class _Answers:
    """The lines of one request, which is first in line `number`."""

    number: int
    request: JsonObject
    entries: list[JsonObject] = field(default_factory=list)


class _Recording:
    """A file that was recorded, read whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answers: dict[str, _Answers] = {}
        lines = self._lines()
        match next(lines, (0, None)):
            case _, {"format": str(said), "version": int() as version, **rest} if said == _FORMAT:
                if version != _VERSION:
                    raise ModelError(f"{path} is a recording of version {version}, and only {_VERSION} can be read.")
            case _:
                raise ModelError(f"{path} is no recording: its first line does not say so. Make one with record().")
        match rest:
            case {"model": str(name), "capabilities": {**held}}:
                self.name = name
                able: Any = {key: value for key, value in held.items() if key in Capabilities.__slots__}
                self.capabilities = Capabilities(**able)
            case _:
                raise ModelError(f"{path}, line 1: it does not name the model and what that can do.")
        for number, entry in lines:
            self._take(number, entry)

    def unknown(self, asked_for: JsonObject) -> str:
        """What an unknown request differs in from the nearest that is recorded, in words."""
        words = f"The recording {self.path} has no reply to this request"
        told = [(list(differences(asked_for, each.request)), each.number) for each in self.answers.values()]
        if not told:
            return f"{words}: it has none at all. Record it anew."
        found, number = min(told, key=lambda each: sum(difference.values for difference in each[0]))
        places = "; ".join(difference.words for difference in found[:_MOST_TOLD])
        more = f"; and {len(found) - _MOST_TOLD} more" if len(found) > _MOST_TOLD else ""
        return f"{words}. Beside the nearest, in line {number}: {places}{more}. Record it anew where that is meant."

    def _lines(self) -> Iterator[tuple[int, Any]]:
        try:
            held = self.path.read_bytes()
        except OSError as error:
            raise ModelUnavailableError(
                f"The recording {self.path} cannot be read: {error.strerror}. Make one with record()."
            ) from error
        for number, line in enumerate(held.split(b"\n"), start=1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise self._damaged(number, f"it is not JSON, {error}") from error

    def _take(self, number: int, entry: Any) -> None:
        match entry:
            case {"request": {**request}, "reply": _} | {"request": {**request}, "error": _}:
                try:
                    _answer_in(entry)
                except ValueError as error:
                    raise self._damaged(number, str(error)) from error
                asked_for: Any = request
                self.answers.setdefault(digest(asked_for), _Answers(number, asked_for)).entries.append(entry)
            case _:
                raise self._damaged(number, "it is no request with its reply")

    def _damaged(self, number: int, why: str) -> ModelError:
        return ModelError(f"{self.path}, line {number}: {why}. Remove the line, or record anew.")


def _answer_in(entry: JsonObject) -> ModelReply | ModelError:
    return error_from_data(entry["error"]) if "error" in entry else reply_from_data(entry["reply"])
