"""What a fault is, and the scene in which it plays: one reply of one provider to one cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from magic_tools.settings import Timeouts
from tests.chaos.server import Request, Step
from tests.chaos.voices import Said, SentCall, Streamed, Voice

__all__ = [
    "IMPATIENT",
    "KEY",
    "PATIENT",
    "PIECES",
    "TEXT",
    "VALUE",
    "Ends",
    "Fault",
    "Pace",
    "Plays",
    "Scene",
    "both",
    "chunk",
]

KEY = "sk-CHAOS-1234567890"
"""The key of each request, which the server likes to say back."""

PIECES = ("It is ", "done.")
TEXT = "".join(PIECES)

VALUE = "value"

PATIENT = Timeouts(10, 20, 20, None)
IMPATIENT = Timeouts(10, 0.8, 0.8, None)
"""For what never comes."""


class Ends(NamedTuple):
    """What a run is to come to: the value or the class of an error, `says` being a part of its text.

    `again` is whether the request is sent once more, after at least `wait_s`.
    """

    kind: str
    says: str = ""
    again: bool = False
    wait_s: float = 0.0


@dataclass(frozen=True)
class Scene:
    """One reply of a provider to one cell, in which its server goes wrong."""

    voice: Voice
    cell: str
    request: Request
    port: int

    @property
    def streamed(self) -> bool:
        """Whether a stream is asked for."""
        return bool(self.request.body and self.request.body.get("stream"))

    def head(self, status: str = "200 OK", kind: str | None = None, **headers: str | int) -> bytes:
        """The head of an answer; without a length of its body, that is sent in chunks."""
        usual = "text/event-stream; charset=utf-8" if self.streamed else "application/json"
        told: dict[str, Any] = {"Content-Type": usual if kind is None else kind}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        if not {"Content-Length", "Connection"} & told.keys():
            told["Transfer-Encoding"] = "chunked"
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in told.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def whole(self, body: bytes | Said, status: str = "200 OK", kind: str = "application/json", **more: Any) -> bytes:
        """An answer that comes at once."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.head(status, kind, Content_Length=len(sent), **more) + sent

    def failed(self, status: str, kind: str = "some_error", **headers: str) -> bytes:
        """An error with a status, which says the key."""
        return self.whole(self.voice.error(kind, f"sorry, {KEY}"), status, **headers)

    def stream(self, *events: Said | str, whole: bool = True, head: bytes | None = None) -> bytes:
        """A streamed answer of these events; where it is `whole`, with its end."""
        lines = b"".join(map(self.voice.line, events)) + (self.voice.done if whole else b"")
        sent = (self.head() if head is None else head) + chunk(lines)
        return sent + chunk(b"") if whole else sent

    def told(self, reply: Streamed, body: Said) -> bytes:
        """A reply, as it was asked for."""
        return self.stream(*reply.before, *reply.said, *reply.after) if self.streamed else self.whole(body)

    def good(self) -> bytes:
        """The text that is the value of each run."""
        return self.told(self.voice.text_events(*PIECES), self.voice.text(*PIECES))

    def call(self, call_id: str | None, index: int | None = 0, **more: Any) -> SentCall:
        """A call of the tool that counts, with its arguments in two pieces."""
        whole = json.dumps({"cell": self.cell, "place": index})
        return SentCall(**{"arguments": (whole[:9], whole[9:]), "id": call_id, "index": index, **more})

    def called(self, *calls: SentCall) -> bytes:
        """Good calls; of the tool that counts, if none are told."""
        sent = calls or (self.call("call-1"),)
        return self.told(self.voice.call_events(*sent), self.voice.calls(*sent))

    def begun(self, *, told: bool) -> bytes:
        """The beginning of the text: where something is `told`, its first half, else what comes before."""
        if self.streamed:
            reply = self.voice.text_events(*PIECES)
            return self.stream(*reply.before, *reply.said[: int(told)], whole=False)
        whole = self.good()
        head = whole.index(b"\r\n\r\n") + 4
        return whole[: head + (len(whole) - head) // 2] if told else whole[: head + 1]


def chunk(data: bytes) -> bytes:
    """A chunk of a body that is sent in chunks; the last one, of nothing."""
    return b"%x\r\n%b\r\n" % (len(data), data)


Plays: TypeAlias = Callable[[Scene], Iterable[Step]]


Pace: TypeAlias = Literal["patient", "impatient", "heavy"]


@dataclass(frozen=True, eq=False)
class Fault:
    """What a server does wrong, and what is to come of it: of a run that is not streamed, and of one that is.

    None is a way that it does not concern, `but` what is otherwise with one provider. It befalls the reply after a call
    of the tool; where it is the `first`, the first one. The tool is to run `effects` times in all. Each try of it is so
    many `requests`. Where nothing `is_answered`, nobody listens at the address. What leaves a connection that only
    seems to be good `is_apart` from the rest, and what is then sent again is not counted.
    """

    name: str
    plays: Plays
    whole: Ends | None
    streamed: Ends | None
    but: Mapping[str, tuple[Ends | None, Ends | None]] = field(default_factory=dict)
    first: bool = False
    effects: int = 1
    timeouts: Timeouts = PATIENT
    is_heavy: bool = False
    requests: int = 1
    is_answered: bool = True
    is_apart: bool = False

    @property
    def pace(self) -> Pace:
        """How many others can be played at the same time."""
        if self.is_heavy:
            return "heavy"
        return "patient" if self.timeouts is PATIENT else "impatient"

    def ends(self, voice: Voice, *, streamed: bool) -> Ends | None:
        """What is to come of it."""
        whole, in_stream = self.but.get(voice.prefix, (self.whole, self.streamed))
        return in_stream if streamed else whole


def both(name: str, plays: Plays, ends: Ends, **more: Any) -> Fault:
    """A fault of which the same is to come, streamed or not."""
    return Fault(name, plays, ends, ends, **more)
