"""One call on its way to its one result, and what is told of it to those who want to know."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_core import from_json, to_json

from magic_tools.effects.retrying import Try
from magic_tools.events import Alert, CallUpgraded, ToolAttempted, ToolCompleted, ToolDeprecated, tell
from magic_tools.loose.phrases import phrased, say
from magic_tools.messages import ErrorCode, ToolEffect, ToolResult
from magic_tools.tools.executable import Executable
from magic_tools.tools.failures import Failure, error_result
from magic_tools.tools.plain import plain_form
from magic_tools.tools.preparing import Prepared, secrets_of
from magic_tools.tools.receipting import Draft, drafted, tell_receipt
from magic_tools.tools.results import Written
from magic_tools.tools.scope import RunScope
from magic_tools.tools.secrets import Redactor, secrets_in
from magic_tools.tools.trimming import cut_short, masked, selected
from magic_tools.tools.trying import Broken, Note, Success, Tried
from magic_tools.values import JsonObject, JsonValue

__all__ = ["STANDS_IN", "Passage", "without_secrets_in"]

STANDS_IN: Mapping[ToolEffect, str] = {
    "none": "{name} failed. This was declared to stand in for its result: do not present it as its own.",
    "unknown": "{name} failed, and whether it had an effect is not known. This was declared to stand in for its "
    "result: do not present it as its own.",
    "applied": "{name} did what it does, and gave no good result. This was declared to stand in for it: do not present "
    "it as its own, and do not send the call again.",
}
"""What a model is told of a result that is none, by what is known of the effect."""


class Passage:
    """One call of a tool, the `nth` of its run, from its begin to its one result."""

    __slots__ = ("_alarmed", "_call_id", "_draft", "_nth", "_scope", "_started", "_target", "_traced")

    def __init__(self, target: Executable, call_id: str, scope: RunScope, nth: int) -> None:
        self._target = target
        self._call_id = call_id
        self._scope = scope
        self._nth = nth
        self._traced = scope.options.trace is not None
        self._started = time.monotonic() if self._traced else 0.0
        self._alarmed = False
        self._draft: Draft | None = None

    @property
    def note(self) -> Note | None:
        """Who is told of each try of the call, if anybody wants to know."""
        return self._note if self._traced or self._scope.options.on_alert is not None else None

    def begun(self, prepared: Prepared) -> None:
        """The call is made: what its receipt would say is kept, and told is whether it was for an older version."""
        if not self._traced:
            return
        self._draft = drafted(self._target, prepared, self._scope, self._call_id)
        upgrade = self._target.standing.upgrade
        if upgrade is not None:
            versions = upgrade.from_version, upgrade.to_version
            event = CallUpgraded(self._scope.run_id, self._call_id, self._target.name, *versions)
            tell(self._scope.options.trace, event)

    def broken_off(self) -> None:
        """The call is given up from outside, and nobody knows whether it had an effect."""
        tell_receipt(self._target, self._draft, self._scope, self._call_id, ErrorCode.UNKNOWN_EFFECT, "unknown")

    def succeeded(self, success: Success, prepared: Prepared) -> ToolResult:
        """The result of a call that came to one."""
        text, is_text = success.written
        content = self._warned(self._sendable(success.written, prepared), is_text=is_text)
        result = ToolResult(self._call_id, self._target.name, content, False, None, success.value, prepared.repairs)
        if self._traced:
            self._finished(result, prepared, None, len(text), None if is_text else from_json(text))
        return result

    def failed(self, failure: Failure, prepared: Prepared | None) -> ToolResult:
        """The result of a call that came to none."""
        secrets = self._secrets(prepared)
        result = error_result(self._call_id, self._target.name, failure, self._scope.language, secrets)
        if self._target.standing.warned is not None:
            result = replace(result, content=self._warned(result.content, is_text=True))
        if self._traced:
            self._finished(result, prepared, failure, len(result.content), None)
        return result

    def replaced(self, stand_in: Success, failure: Failure, prepared: Prepared) -> ToolResult:
        """The result of a call that came to none of its own, but has one that stands in for it, marked as such."""
        target = self._target
        note = phrased(say(STANDS_IN[failure.effect], name=target.name), self._scope.language)
        note = self._warned(note, is_text=True)
        text, is_text = stand_in.written
        inner: JsonValue = text if is_text else masked(from_json(text), target.guards.masks)
        content = self._sized(_compact({"fallback": True, "note": note, "result": inner}), prepared)
        result = ToolResult(
            self._call_id,
            target.name,
            content,
            code=failure.code,
            value=stand_in.value,
            repairs=prepared.repairs,
            fallback=True,
            effect=failure.effect,
            issues=failure.issues,
            exception=failure.exception,
        )
        if self._traced:
            self._finished(result, prepared, failure, len(text), inner)
        return result

    def alert(self, broken: Failure) -> None:
        """Tell of a stand-in that is not what the tool promises either."""
        self._alarmed = False
        self._alert(broken)

    def _secrets(self, prepared: Prepared | None) -> Redactor:
        return secrets_of(self._target, prepared, self._scope)

    def _sendable(self, written: Written, prepared: Prepared) -> str:
        """The text as a model reads it: without what is masked and without secrets, and not beyond its size."""
        text, masks = written.text, self._target.guards.masks
        if masks and not written.is_text:
            text = _compact(masked(from_json(text), masks))
        return self._sized(text, prepared, is_text=written.is_text)

    def _sized(self, text: str, prepared: Prepared, *, is_text: bool = False) -> str:
        policy = self._target.policy
        if self._scope.context is not None or self._target.takes_secrets:
            text = _redacted(text, is_text, self._scope.redactor.with_secrets(*secrets_in(prepared.values)))
        if len(text) <= policy.max_chars:
            return text
        data = text if is_text else from_json(text)
        return cut_short(text, data, policy.max_chars, self._target.behaviour.keep)

    def _warned(self, content: str, *, is_text: bool) -> str:
        """What a model reads, with a word of the end of its tool where that is near, which is told once a run."""
        warned, scope, target = self._target.standing.warned, self._scope, self._target
        if warned is None:
            return content
        if target.contract.id not in scope.warned:
            scope.warned.add(target.contract.id)
            tell(
                scope.options.trace,
                ToolDeprecated(
                    run_id=scope.run_id,
                    call_id=self._call_id,
                    tool=target.name,
                    id=target.contract.id,
                    version=target.policy.version,
                    pinned=warned.pinned,
                    ends=warned.ends,
                    replacement=warned.lifecycle.replacement,
                    guide=warned.lifecycle.guide,
                    contact=warned.lifecycle.contact,
                ),
            )
        words = phrased(warned.words, scope.language)
        if is_text:
            return f"{content}\n{words}"
        return f'{{"deprecated":true,"note":{json.dumps(words, ensure_ascii=False)},"result":{content}}}'

    def _note(self, each: Try[Tried]) -> None:
        failed = each.outcome if isinstance(each.outcome, Failure) else None
        raised = None if failed is None else failed.exception
        event = ToolAttempted(
            run_id=self._scope.run_id,
            call_id=self._call_id,
            tool=self._target.name,
            attempt=each.number,
            outcome="ok" if failed is None else failed.outcome,
            seconds=each.seconds,
            error=None if raised is None else self._scope.redactor(type(raised).__name__),
            wait_s=each.wait_s,
        )
        tell(self._scope.options.trace, event)
        if failed is not None:
            self._alert(failed)

    def _alert(self, failure: Failure) -> None:
        """Tell of the first result of a call that is not what the tool promises, nothing shown that is hidden."""
        if self._alarmed or not isinstance(failure, Broken):
            return
        self._alarmed = True
        alert = Alert(
            run_id=self._scope.run_id,
            call_id=self._call_id,
            tool=self._target.name,
            nth=self._nth,
            stage=failure.stage,
            path=failure.first.path,
            expected=failure.first.expected,
            got=failure.first.got,
        )
        tell(self._scope.options.trace, alert)
        tell(self._scope.options.on_alert, alert)

    def _finished(
        self, result: ToolResult, prepared: Prepared | None, failure: Failure | None, chars: int, data: JsonValue
    ) -> None:
        tell_receipt(self._target, self._draft, self._scope, self._call_id, result.code, result.effect)
        secrets, policy = self._secrets(prepared), self._target.policy
        error = None if failure is None else failure.exception
        detail = None if error is None else secrets(_traceback(error))
        status = "fallback" if result.fallback else result.code.value if result.code else "ok"
        fields: JsonObject = {"status": status}
        if policy.log_fields and prepared is not None:
            held = {**selected(masked(data, self._target.guards.masks), policy.log_fields), **self._named(prepared)}
            fields = {**from_json(secrets(_compact(held))), **fields}
        tell(
            self._scope.options.trace,
            ToolCompleted(
                run_id=self._scope.run_id,
                call_id=self._call_id,
                tool=self._target.name,
                nth=self._nth,
                is_error=result.is_error,
                code=result.code,
                effect=result.effect,
                fallback=result.fallback,
                seconds=time.monotonic() - self._started,
                chars=chars,
                issues=result.issues,
                metrics_prefix=policy.metrics_prefix,
                fields=fields,
                detail=detail,
            ),
        )

    def _named(self, prepared: Prepared) -> JsonObject:
        """The arguments that the policy wants in the events, as JSON data."""
        told_ = self._target.told(prepared.values)
        wanted = {name: told_[name] for name in self._target.policy.log_fields if name in told_}
        plain: JsonObject = from_json(
            to_json(wanted, by_alias=True, bytes_mode="base64", fallback=plain_form, serialize_unknown=True)
        )
        return plain


def _traceback(error: Exception) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - an exception's own code may fail; then there is its class to tell
        return f"{type(error).__name__}, whose traceback cannot be told\n"


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _redacted(text: str, is_text: bool, secrets: Redactor) -> str:
    """A result without secrets, JSON as JSON."""
    told = secrets(text)
    return told if is_text or told == text else _compact(without_secrets_in(from_json(text), secrets))


def without_secrets_in(data: JsonValue, secrets: Redactor) -> JsonValue:
    """A copy of JSON data with nothing secret in it."""
    match data:
        case dict():
            return {secrets(key): without_secrets_in(held, secrets) for key, held in data.items()}
        case list():
            return [without_secrets_in(held, secrets) for held in data]
        case str():
            return secrets(data)
        case int() | float() if not isinstance(data, bool):
            told = secrets(str(data))
            return data if told == str(data) else told
        case _:
            return data
