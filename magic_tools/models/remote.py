"""A model behind a server: a wire format on an SDK's clients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from magic_tools.asking import ProgramModel, pieces_of
from magic_tools.chat import Capabilities, ModelReply, ModelRequest, Piece, TextPiece, settings_of
from magic_tools.effects.program import Call, Draw, Emit, Program
from magic_tools.errors import ModelError, StreamCutError
from magic_tools.events import tell
from magic_tools.models.failures import Asked, answered, explained, read_json
from magic_tools.models.forms import Form, Forms
from magic_tools.models.payloads import joined, shortened
from magic_tools.models.reading import Hold
from magic_tools.models.sdks import Service, Whole
from magic_tools.models.transport import TRIES, sent
from magic_tools.models.wire import DEFAULTS, Flavour, Wire
from magic_tools.settings import ModelSettings, Timeouts
from magic_tools.values import JsonObject

__all__ = ["RemoteModel"]


class RemoteModel(ProgramModel):
    """A `StreamingModel` behind a provider's API, or behind any server that speaks its wire format.

    Each try is bounded by `settings.timeouts`; two more are made, or as many as `settings.tries` or a ready client's
    `max_retries` says, after a timeout, a lost connection, and status 408, 409, 429 and 5xx, if nothing of the answer
    was handed on by then; a Retry-After is kept. A streamed answer that breaks is a StreamCutError.
    """

    def __init__(
        self,
        wire: Wire,
        model: str,
        service: Service,
        settings: ModelSettings = DEFAULTS,
        flavour: Flavour | None = None,
    ) -> None:
        self.settings = settings
        self._wire = wire
        self._model = model
        self._service = service
        self._flavour = flavour or wire.flavour
        self._forms = Forms(wire.dialect)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} at {self._service.host}>"

    @property
    def name(self) -> str:
        """The wire format's prefix and the model's name, such as `openai:gpt-5`."""
        return f"{self._wire.prefix}:{self._model}"

    @property
    def identity(self) -> str:
        """Who answers, and how it is set, so that equal requests to equal identities may get equal replies."""
        return f"{self.name} at {self._service.host} with {self.settings!r}"

    @cached_property
    def capabilities(self) -> Capabilities:
        """What it can do; the same for its whole life."""
        return self._wire.capabilities(self._model, self._flavour)

    def answering(self, request: ModelRequest, *, streamed: bool) -> Program[ModelReply]:
        """The program that comes to the reply, and emits its pieces on the way where it is `streamed`."""
        settings = settings_of(request, self.settings)
        timeouts = settings.timeouts or Timeouts()
        service, wire = self._service, self._wire
        asked = Asked(self.name, service.host, service.sdk.key_variable, lambda: service.keys, timeouts.total_s)
        with explained(asked):
            omitted = wire.omitted(request, self.settings, self._flavour)
            form = self._forms.of(request)
            payload = wire.encode(
                request, self._model, self.settings, flavour=self._flavour, streamed=streamed, form=form
            )
            once = self._streamed if streamed else self._whole
            reply: ModelReply = yield from sent(
                partial(once, payload, form, timeouts),
                name=self.name,
                tries=settings.tries or self._tries,
                note=partial(tell, request.note),
            )
        most = payload.get(self._flavour.fields.get("max_tokens") or wire.fields["max_tokens"])
        return replace(reply, max_tokens=most if isinstance(most, int) else None, omitted=omitted)

    @property
    def _tries(self) -> int:
        given = self._service.given
        return TRIES if given is None else int(given.max_retries) + 1

    def _whole(self, payload: JsonObject, form: Form, timeouts: Timeouts) -> Program[ModelReply]:
        service, wire = self._service, self._wire
        arguments = (wire.path, payload, timeouts)
        with Hold() as hold:
            fetch = partial(service.fetch, hold=hold)
            body: bytes = yield Call(fetch, arguments, afn=service.afetch, timeout_s=timeouts.total_s)
        return wire.reply(read_json(body), form)

    def _streamed(self, payload: JsonObject, form: Form, timeouts: Timeouts) -> Program[ModelReply]:
        service, wire = self._service, self._wire
        arguments = (wire.path, payload, timeouts)
        reading = _Reading(wire, form)
        try:
            with Hold() as hold:
                yield Draw(
                    lambda: service.events(*arguments, hold),
                    reading.take,
                    lambda: service.aevents(*arguments),
                    timeouts.total_s,
                )
        except Exception as error:
            if reading.has_delivered:
                raise reading.cut(shortened(answered(error))) from None
            raise
        reply = reading.reply()
        for piece in reading.held_back(reply):
            yield Emit(piece)
        return reply


class _Reading:
    """One streamed answer as far as it has come.

    What the provider has in another form than the canonical one is held back until it is whole.
    """

    def __init__(self, wire: Wire, form: Form) -> None:
        self.has_delivered = False
        self._wire = wire
        self._form = form
        self._may_move = form.has_moves
        self._reader = wire.reader()
        self._at_once: ModelReply | None = None
        self._halves: dict[int, str] = {}  # the first halves of characters, by call, and under -1 of the text

    def take(self, event: Mapping[str, Any] | Whole) -> Iterator[Piece]:
        """The pieces that an event brings."""
        if isinstance(event, Whole):
            self._at_once = self._wire.reply(read_json(event.content), self._form)
            pieces: Any = pieces_of(self._at_once)
        elif isinstance(event, Mapping):
            pieces = self._reader.feed(event)
        else:
            raise ModelError(f"an event of the answer is not a JSON object: {shortened(event)}")
        if self._at_once is None and self._may_move:
            pieces = [piece for piece in pieces if not self._is_moved(piece)]
        for piece in pieces:
            self.has_delivered = True
            yield from self._whole_characters(piece)

    def _whole_characters(self, piece: Piece) -> Iterator[Piece]:
        """The piece with the half of a character before it, and without one at its end, which waits for the next."""
        key, text = (-1, piece.text) if isinstance(piece, TextPiece) else (piece.index, piece.arguments)
        if key not in self._halves and (text.isascii() or not "\ud800" <= text[-1:] <= "\udbff"):
            yield piece
            return
        text = joined(self._halves.pop(key, "") + text)
        if "\ud800" <= text[-1:] <= "\udbff":
            self._halves[key], text = text[-1], text[:-1]
        yield TextPiece(text) if isinstance(piece, TextPiece) else replace(piece, arguments=text)

    def reply(self) -> ModelReply:
        """The whole reply; StreamCutError if it did not come to its end, ModelError if it cannot be read."""
        if self._at_once is not None:
            return self._at_once
        if not self._reader.is_whole:
            raise self.cut("it ended before its end was told")
        try:
            return self._wire.reply(self._reader.payload(), self._form)
        except ModelError as error:
            if self.has_delivered:
                raise ModelError(str(error)) from None  # which is not asked for again
            raise

    def cut(self, why: str) -> StreamCutError:
        """The error of an answer that broke off."""
        partial_reply = ModelReply(())
        if self.has_delivered:
            try:
                partial_reply = replace(self._wire.decode(self._reader.payload()), finish=None)
            except ModelError:  # of a call, say, that has no name yet
                partial_reply = ModelReply(())
        return StreamCutError(f"the answer broke off: {why}", partial_reply)

    def held_back(self, reply: ModelReply) -> Iterator[Piece]:
        """The pieces of a whole reply that were held back."""
        if self._at_once is None and self._may_move:
            yield from (piece for piece in pieces_of(reply) if self._is_moved(piece))

    def _is_moved(self, piece: Piece) -> bool:
        rendered = self._form.rendering(None if isinstance(piece, TextPiece) else piece.name)
        return rendered is not None and bool(rendered.moves)
