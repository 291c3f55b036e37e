"""Faults that a server owns up to: errors with a status, or with a good one, and redirects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests.chaos.faults import KEY, VALUE, Ends, Fault, Scene, both
from tests.chaos.server import End, Step

__all__ = ["STATUS_FAULTS"]

_SLOW_DOWN = "rate or quota limits: sorry, ***"
_NOT_JSON = "the answer is not JSON"
_PAGE = f"<html><h1>Welcome, {KEY}</h1></html>".encode()


def _limited(name: str, *, wait_s: float = 0.0, again: bool = True, says: str = _SLOW_DOWN, **headers: str) -> Fault:
    ends = Ends("RateLimitError", says, again=again, wait_s=wait_s)
    return both(name, lambda scene: [scene.failed("429 Too Many Requests", **headers)], ends)


def _in_two_seconds(scene: Scene) -> Iterable[Step]:
    moment = datetime.now(UTC) + timedelta(seconds=2)
    yield scene.failed("429 Too Many Requests", Retry_After=format_datetime(moment, usegmt=True))


def _with_status(status: str, says: str, *, again: bool) -> Fault:
    return both(status, lambda scene: [scene.failed(status)], Ends("ModelError", says, again=again))


def _to_a_page(scene: Scene) -> Iterable[Step]:
    if scene.request.method == "POST":
        yield scene.whole(b"", "302 Found", Location=f"/login?{scene.cell}")
    else:
        yield scene.whole(_PAGE, kind="text/html")


def _to_another_host(scene: Scene) -> Iterable[Step]:
    if scene.request.headers["host"].startswith("localhost"):
        yield scene.good()
    else:
        yield scene.whole(b"", "307 Temporary Redirect", Location=f"http://localhost:{scene.port}/elsewhere")


STATUS_FAULTS: Sequence[Fault] = (
    _limited("429 without Retry-After"),
    _limited("429, Retry-After: 1", wait_s=1.0, Retry_After="1"),
    _limited("429, retry-after-ms: 300", wait_s=0.3, retry_after_ms="300"),
    both("429, Retry-After: a date", _in_two_seconds, Ends("RateLimitError", _SLOW_DOWN, again=True, wait_s=0.5)),
    _limited(
        "429, Retry-After: a date in the form of C",
        again=False,
        says="it asks to wait",
        Retry_After="Sun Nov  6 08:49:37 2095",
    ),
    _limited("429, Retry-After: a date that is past", Retry_After="Mon, 02 Nov 2026 10:00:00 GMT"),
    _limited("429, Retry-After: 0", Retry_After="0"),
    _limited("429, Retry-After: -1", Retry_After="-1"),
    _limited("429, Retry-After: soon", Retry_After="soon"),
    _limited("429, Retry-After: 999999", again=False, says="it asks to wait 999999 s", Retry_After="999999"),
    both(
        "429, the quota is used up",
        lambda scene: [scene.failed("429 Too Many Requests", "insufficient_quota")],
        Ends("RateLimitError", _SLOW_DOWN),
    ),
    _with_status("400 Bad Request", "refuses the request to", again=False),
    both(
        "401 Unauthorized",
        lambda scene: [scene.failed("401 Unauthorized")],
        Ends("ModelError", "refuses the API key: set "),
    ),
    _with_status("403 Forbidden", "to this API key: sorry, ***", again=False),
    _with_status("404 Not Found", "does not know", again=False),
    _with_status("408 Request Timeout", "failed with status 408: sorry, ***", again=True),
    _with_status("409 Conflict", "failed with status 409: sorry, ***", again=True),
    _with_status("413 Content Too Large", "failed with status 413: sorry, ***", again=False),
    _with_status("422 Unprocessable Content", "failed with status 422: sorry, ***", again=False),
    _with_status("500 Internal Server Error", "failed with status 500: sorry, ***", again=True),
    both(
        "502, a page",
        lambda scene: [scene.whole(_PAGE, "502 Bad Gateway", "text/html")],
        Ends("ModelError", "failed with status 502: <html><h1>Welcome, ***", again=True),
    ),
    both(
        "503, empty",
        lambda scene: [scene.whole(b"", "503 Service Unavailable")],
        Ends("ModelError", "failed with status 503", again=True),
    ),
    _with_status("529 Overloaded", "failed with status 529: sorry, ***", again=True),
    both(
        "500, its body is cut",
        lambda scene: [scene.failed("500 Internal Server Error")[:-9], End.CLOSE],
        Ends("ModelError", again=True),
    ),
    both("204 No Content", lambda scene: [b"HTTP/1.1 204 No Content\r\n\r\n"], Ends("ModelError", "it is empty")),
    both(
        "200, an error in the body",
        lambda scene: [scene.whole(scene.voice.error("invalid_request_error", f"sorry, {KEY}"))],
        Ends("ModelError", "sorry, ***"),
    ),
    both(
        "200, an overload in the body",
        lambda scene: [scene.whole(scene.voice.error("overloaded_error", f"sorry, {KEY}"))],
        Ends("ModelError", "sorry, ***", again=True),
    ),
    both(
        "200, a rate limit in the body",
        lambda scene: [scene.whole(scene.voice.error("rate_limit_error", f"sorry, {KEY}"))],
        Ends("RateLimitError", "sorry, ***", again=True),
    ),
    both(
        "redirect in a circle",
        lambda scene: [scene.whole(b"", "307 Temporary Redirect", Location="?again")],
        Ends("ModelError", "answers with redirects alone"),
        requests=21,
    ),
    both("redirect to a page", _to_a_page, Ends("ModelError", _NOT_JSON), requests=2),
    both("redirect to another host, which is not sent the key", _to_another_host, Ends(VALUE), requests=2),
)
