"""Whether what came of a cell is what is to come of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.chaos.all_faults import FAULTS
from tests.chaos.cells import Cell, Found, cells_of
from tests.chaos.faults import KEY, TEXT, VALUE, Ends
from tests.chaos.playing import Report, played
from tests.chaos.voices import Voice

__all__ = ["expected_kind", "report_of", "wrong_with"]

_LEAST_WAIT_S, _JITTER_S = 0.1, 1.8  # the usual wait, or what is between two seconds of a date
_SLACK_S = 20.0
"""For a busy machine: what hangs does so for ever."""


@cache
def report_of(voice: Voice) -> Report:
    """What came of each cell of a provider.

    Where times are small, what went wrong is played once more by itself, as the machine may have been busy.
    """
    report = played(voice, [*cells_of(voice, (fault for faults in FAULTS.values() for fault in faults))])
    wrong = [cell for cell, found in report.found.items() if cell.fault.pace == "impatient" and wrong_with(cell, found)]
    again = played(voice, wrong)
    return Report(report.found | again.found, [*report.leaks, *again.leaks], [*report.left, *again.left])


def expected_kind(cell: Cell, ends: Ends) -> str:
    """What a cell is to come to."""
    return VALUE if cell.mode == "once" and ends.again else ends.kind


def wrong_with(cell: Cell, found: Found) -> str:
    """What is wrong with what came of a cell."""
    ends = cell.ends
    assert ends is not None, "a cell of a way that its fault does not concern"
    return "; ".join(_faults(cell, ends, found))


def _faults(cell: Cell, ends: Ends, found: Found) -> Iterator[str]:
    kind = expected_kind(cell, ends)
    if found.kind != kind:
        yield f"it came to {found.kind}, and not to {kind}"
        return
    yield from _faults_of_value(cell, found) if kind == VALUE else _faults_of_error(ends, found)
    effects = 0 if cell.mode == "asked" else cell.fault.effects
    if found.effects != effects:
        yield f"the tool ran {found.effects} times, and not {effects}"
    yield from _faults_of_requests(cell, ends, found)
    yield from _faults_of_time(cell, ends, found)


def _faults_of_value(cell: Cell, found: Found) -> Iterator[str]:
    text = "" if cell.fault.first and cell.mode == "asked" else TEXT
    if found.text != text:
        yield f"the value is {found.text!r:.80}"
    if cell.streamed and found.told != text:
        yield f"the stream told {found.told!r:.80}"


def _faults_of_error(ends: Ends, found: Found) -> Iterator[str]:
    if KEY in found.shown:
        yield "the error shows the key"
    if ends.says not in found.text:
        yield f"the error does not say {ends.says!r}, but {found.text!r:.200}"
    if "\n" in found.text or len(found.text) > 700:
        yield f"the error is not one line, or too long: {found.text!r:.900}"


def _faults_of_requests(cell: Cell, ends: Ends, found: Found) -> Iterator[str]:
    """The number of requests, and that each was sent the key, if it stayed where it was to go."""
    fault = cell.fault
    before = 0 if fault.first or cell.mode == "asked" else 1
    tries = 2 if ends.again and cell.mode == "always" else 1
    after = int(expected_kind(cell, ends) == VALUE and cell.mode != "asked" and (ends.again or fault.first))
    requests = before + tries * fault.requests + (after if fault.is_answered else 0)
    if len(found.requests) != requests and not cell.fault.is_apart:
        yield f"there were {len(found.requests)} requests, and not {requests}"
    for request in found.requests:
        is_elsewhere = request.headers["host"].startswith("localhost")
        has_key = any(KEY in value for value in request.headers.values())
        if has_key == is_elsewhere:
            yield f"the key was{'' if has_key else ' not'} sent to {request.headers['host']}"
        elif request.body is not None:
            yield from cell.voice.faults_of_calls(request.body)


def _faults_of_time(cell: Cell, ends: Ends, found: Found) -> Iterator[str]:
    waits = len(found.waits)
    is_repeated = ends.again and cell.mode != "asked" and ends.kind != "StreamCutError"  # which the run asks for anew
    if waits != int(is_repeated) and not cell.fault.is_apart:
        yield f"it waited {waits} times between tries"
    least = max(_LEAST_WAIT_S, ends.wait_s)
    if strange := [seconds for seconds in found.waits if not least <= seconds <= ends.wait_s + _JITTER_S]:
        yield f"it waited {strange} s between tries"
    times = cell.fault.timeouts
    each = min(seconds for seconds in (times.first_byte_s, times.total_s) if seconds is not None)
    longest = sum(found.waits) + _SLACK_S + (2 * each if cell.fault.pace == "impatient" else 0)
    if found.seconds > longest:
        yield f"it took {found.seconds:.1f} s, and not {longest:.1f} s at most"
