"""What is kept of a call that changed something, or may have."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from magic_tools.events import ReceiptIssued, tell
from magic_tools.messages import ErrorCode, ToolEffect
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure
from magic_tools.tools.preparing import Prepared
from magic_tools.tools.scope import RunScope
from magic_tools.tools.secrets import secrets_in
from magic_tools.tools.sending import sent
from magic_tools.values import digest

__all__ = ["Draft", "drafted", "tell_receipt"]


class Draft(NamedTuple):
    """What a receipt of a call would say of its arguments, whatever its function makes of them; and its key."""

    arguments: str
    key: str


def drafted(target: Executable, prepared: Prepared | Failure, scope: RunScope, call_id: str) -> Draft | None:
    """The draft of a receipt, if anybody wants one, and the tool changes something.

    A call that has no idempotency key gets one here, by which to know it again in this run.
    """
    if scope.options.trace is None or target.guards.read_only or isinstance(prepared, Failure):
        return None
    try:
        name, interface, data, secrets = sent(target, prepared.values, prepared.old)
        arguments = digest(data)
    except (ValueError, TypeError, RecursionError):  # a value has no JSON form by which to know the call again
        name, interface, arguments = target.name, target.contract.interface_digest, digest([scope.run_id, call_id])
        secrets = secrets_in(prepared.values)
    if prepared.key is not None:
        return Draft(arguments, prepared.key)
    told = [scope.run_id, name, interface, arguments, *secrets]
    return Draft(arguments, "sha256:" + hashlib.sha256(json.dumps(told).encode()).hexdigest())


def tell_receipt(
    target: Executable, draft: Draft | None, scope: RunScope, call_id: str, code: ErrorCode | None, effect: ToolEffect
) -> None:
    """Tell of a call that had an effect, or may have had."""
    if draft is None or effect == "none":
        return
    contract = target.contract
    tell(
        scope.options.trace,
        ReceiptIssued(
            run_id=scope.run_id,
            call_id=call_id,
            tool=target.name,
            id=contract.id,
            version=contract.version,
            contract=contract.interface_digest,
            arguments=draft.arguments,
            outcome="ok" if code is None else code.value,
            effect=effect,
            at=scope.now().isoformat().replace("+00:00", "Z"),
            key=draft.key,
        ),
    )
