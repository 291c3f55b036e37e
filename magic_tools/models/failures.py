"""What may go wrong on the way to a model and back, told as errors of ours, and whether it may pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from magic_tools.effects.program import CallTimeoutError
from magic_tools.errors import ModelError, ModelTimeoutError, RateLimitError, StreamCutError, UnsupportedSettingError
from magic_tools.models.headers import keys_in
from magic_tools.models.payloads import AnsweredError, shortened

__all__ = ["LONGEST_WAIT_S", "Asked", "answered", "explained", "may_pass", "read_json", "status_of", "told_wait_s"]

LONGEST_WAIT_S = 60.0
"""A server that asks for a longer wait is not asked again."""

# What may be otherwise a moment later (RFC 9110; 529 is what Anthropic says when it is overloaded).
_PASSING = frozenset({408, 409, 429, *range(500, 600)})
_LOST = frozenset({"APIConnectionError", "APITimeoutError", "TransportError", "CallTimeoutError"})
"""The classes of the SDKs, of their HTTP library and of ours, of requests that were not answered in whole."""
_UNUSABLE = frozenset({"DecodingError", "TooManyRedirects"})
"""The classes of the HTTP library of answers that would be the same another time."""

# What may go wrong, by the name of its class or of the nearest base: what we raise, and what it says.
_FAILURES: Mapping[str, tuple[type[ModelError], str]] = {
    "APITimeoutError": (ModelTimeoutError, "{name} at {host} did not answer within {time}"),
    "TimeoutException": (ModelTimeoutError, "{name} at {host} did not go on answering within {time}"),
    "CallTimeoutError": (ModelTimeoutError, "{name} at {host} did not answer within {time}"),
    "APIConnectionError": (ModelError, "no answer from {host}: {said}; is the base URL right and the server up?"),
    "TransportError": (ModelError, "no whole answer from {host}: {said}"),
    "DecodingError": (ModelError, "the answer of {host} cannot be unpacked: {said}"),
    "TooManyRedirects": (ModelError, "{host} answers with redirects alone: {said} Is the base URL right?"),
    "RateLimitError": (RateLimitError, "{host} refuses the request because of its rate or quota limits: {said}"),
    # No word of the server's here: it likes to repeat a part of the key.
    "AuthenticationError": (ModelError, "{host} refuses the API key: set {variable}, or pass api_key=..."),
    "PermissionDeniedError": (ModelError, "{host} refuses {name} to this API key: {said}"),
    "NotFoundError": (ModelError, "{host} does not know {name}, or its base URL is not right: {said}"),
    "BadRequestError": (ModelError, "{host} refuses the request to {name}: {said}"),
    "APIStatusError": (ModelError, "{host} failed with status {status}: {said}"),
    "APIError": (ModelError, "{name} at {host} failed: {said}"),
    "OpenAIError": (ModelError, "{name} cannot be asked: {said}"),
    "AnthropicError": (ModelError, "{name} cannot be asked: {said}"),
    "UnicodeEncodeError": (ModelError, "the request to {name} holds text that cannot be sent: {said}"),
    "UnicodeDecodeError": (ModelError, "{name} at {host}: the answer is not text in UTF-8: {said}"),
    "JSONDecodeError": (ModelError, "{name} at {host}: an event of the answer is not JSON: {said}"),
    "RecursionError": (ModelError, "{name} at {host}: JSON that is nested too deep: {said}"),
    "ModelError": (ModelError, "{name} at {host}: {said}"),
}


class Asked(NamedTuple):
    """Who was asked, for an error's text: the model, its host, the variable of its key, its keys, the time in all."""

    name: str
    host: str
    variable: str
    keys: Callable[[], tuple[str, ...]]
    total_s: float | None


@contextmanager
def explained(asked: Asked) -> Iterator[None]:
    """Whatever fails inside on the way to a model becomes a ModelError in words of ours, which never hold the key."""
    try:
        yield
    except UnsupportedSettingError:
        raise
    except Exception as error:
        failure = _told(error, asked)
        if failure is None:
            raise
        raise failure from None  # the SDK's own text may hold the key


def _told(error: Exception, asked: Asked) -> ModelError | None:
    """The error as one of ours; None where it is no failure of a request."""
    if isinstance(error, StreamCutError):
        return StreamCutError(_without_keys(f"{asked.name} at {asked.host}: {error}", asked.keys()), error.partial)
    error = _as_read(error)
    kind, sentence = next((_FAILURES[name] for name in _names(error) if name in _FAILURES), (None, ""))
    if kind is None:
        return None
    if isinstance(error, AnsweredError) and error.is_rate_limit:
        kind, sentence = _FAILURES["RateLimitError"]
    seconds = asked.total_s if isinstance(error, CallTimeoutError) else _time_in_force(error)
    said: Any = getattr(error, "body", None) or error.__cause__ or error
    if isinstance(error, AnsweredError):
        said = error
    text = sentence.format(
        name=asked.name,
        host=asked.host,
        variable=asked.variable,
        said=shortened(_inner(said)),
        status=status_of(error),
        time="the time allowed" if seconds is None else f"{seconds:g} s",
    )
    wait_s = told_wait_s(error, datetime.now(UTC))
    if wait_s is not None and wait_s > LONGEST_WAIT_S:
        text += f"; it asks to wait {wait_s:.0f} s, and no request waits longer than {LONGEST_WAIT_S:.0f} s"
    return kind(_without_keys(text, (*asked.keys(), *_keys_sent(error))))


def _names(error: BaseException | None) -> list[str]:
    return [base.__name__ for base in type(error).__mro__]


def _as_read(error: Exception) -> Exception:
    """An error of an answer that came and cannot be used, where an SDK tells it as one of the connection."""
    cause = error.__cause__
    return cause if isinstance(cause, Exception) and not _UNUSABLE.isdisjoint(_names(cause)) else error


def _inner(said: Any) -> Any:
    """What an error's body says, without what it is wrapped in."""
    match said:
        case {"error": Mapping() as inner}:
            return inner
        case _:
            return said


def _without_keys(text: str, keys: Iterable[str]) -> str:
    for key in sorted({each.strip() for each in keys}, key=len, reverse=True):
        if len(key) >= 8:  # a shorter one is made up, where none is wanted
            text = text.replace(key, "***")
    return text


def _keys_sent(error: Exception) -> tuple[str, ...]:
    """The keys of the request that failed, where it can be seen."""
    with suppress(Exception):  # what has no request says so by raising
        return keys_in(error.request.headers)  # type: ignore[attr-defined]  # of both SDKs and their HTTP library
    return ()


def _time_in_force(error: Exception) -> float | None:
    """The time that was spent, as the request on which it was spent has it."""
    cause = error.__cause__ if error.__cause__ is not None else error
    with suppress(Exception):  # what has no request says so by raising
        held = error.request.extensions["timeout"]  # type: ignore[attr-defined]  # of both SDKs and their HTTP library
        seconds = held["connect" if "Connect" in type(cause).__name__ or "Pool" in type(cause).__name__ else "read"]
        return float(seconds)
    return None


def answered(error: Exception) -> Exception:
    """An error that a server has told in the midst of a good answer, as what it is."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping | str) and body and status_of(error) in (None, 200):
        return AnsweredError(_inner(body))
    return error


def status_of(error: Exception | None) -> int | None:
    """The status that a server gave with an error."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def may_pass(error: Exception, now: datetime) -> bool:
    """Whether the same request may be answered a moment later; of a stream that broke off, whoever reads it decides."""
    if (told_wait_s(error, now) or 0) > LONGEST_WAIT_S:
        return False
    if isinstance(error, AnsweredError):
        return error.may_pass
    body = _inner(getattr(error, "body", None))
    if isinstance(body, Mapping) and "insufficient_quota" in (body.get("code"), body.get("type")):
        return False
    wish = _headers(error).get("x-should-retry")
    if wish in ("true", "false"):
        return wish == "true"
    return status_of(error) in _PASSING or not _LOST.isdisjoint(_names(_as_read(error)))


def told_wait_s(error: Exception | None, now: datetime) -> float | None:
    """How many seconds a server wants to be left alone; None where it does not say, or says nothing that is one."""
    headers = _headers(error)
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return _above_none(float(headers[name]) * factor)
    with suppress(KeyError, ValueError):
        moment = parsedate_to_datetime(headers["retry-after"])
        if moment.tzinfo is None:  # as in the older forms of a date in HTTP
            moment = moment.replace(tzinfo=UTC)
        return _above_none((moment - now).total_seconds())
    return None


def _headers(error: Exception | None) -> Mapping[str, str]:
    held: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    return held


def _above_none(seconds: float) -> float | None:
    return seconds if seconds > 0 else None


def read_json(body: bytes) -> Any:
    """The value in the body of an answer; ModelError if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        text = shortened(body.decode(errors="replace")) or "it is empty"
        raise ModelError(f"the answer is not JSON, so the base URL may not be that of an API: {text}") from None
