"""Every fault, by its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.chaos.call_faults import CALL_FAULTS
from tests.chaos.connection_faults import CONNECTION_FAULTS
from tests.chaos.content_faults import CONTENT_FAULTS
from tests.chaos.faults import Fault
from tests.chaos.status_faults import STATUS_FAULTS

__all__ = ["FAULTS"]

FAULTS: Mapping[str, Sequence[Fault]] = {
    "What a server says with a status": STATUS_FAULTS,
    "Connections": CONNECTION_FAULTS,
    "What an answer holds": CONTENT_FAULTS,
    "Calls": CALL_FAULTS,
}
