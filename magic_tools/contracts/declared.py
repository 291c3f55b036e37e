"""What a change of a contract's declarations does, one row for each declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from magic_tools.contracts.changes import Bump, Change, Effect
from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.lifecycle import Lifecycle, instant_text
from magic_tools.contracts.policy import RISKS
from magic_tools.contracts.versions import VersionRange
from magic_tools.values import JsonValue

__all__ = ["declared_changes"]


class _Verdict(NamedTuple):
    """What a change does, and how it is told."""

    effect: Effect
    why: str
    advice: str = ""
    bump: Bump | None = None


_Judge: TypeAlias = Callable[[Any, Any], _Verdict]

_BUMPS: Mapping[Effect, Bump] = {"breaking": "major", "behavioural": "minor", "compatible": "minor"}
_REVIEW = "Let whoever answers for its safety see it."


def _flag(granted: _Verdict, withdrawn: _Verdict) -> _Judge:
    return lambda *values: granted if values[-1] else withdrawn


def _always(verdict: _Verdict) -> _Judge:
    return lambda *_: verdict


def _stated(first: _Verdict, later: _Verdict, none: tuple[object, ...] = (None,)) -> _Judge:
    """Of what is stated for the first time, and of what is stated otherwise than before."""
    return lambda *values: first if values[0] in none else later


def _set(added: _Verdict, removed: _Verdict) -> _Judge:
    """Of two sets of names; where some were added and some taken away, the worse of both counts."""

    def judge(before: Any, after: Any) -> _Verdict:
        met = [*([added] if set(after) - set(before) else []), *([removed] if set(before) - set(after) else [])]
        return max(met, key=lambda each: ("compatible", "behavioural", "breaking").index(each.effect), default=_ORDER)

    return judge


def _ordered(rose: _Verdict, fell: _Verdict, stated: _Verdict, withdrawn: _Verdict) -> _Judge:
    """Of two numbers or ranks, None being none that is stated."""

    def judge(before: Any, after: Any) -> _Verdict:
        if before is None or after is None:
            return stated if before is None else withdrawn
        return rose if after > before else fell

    return judge


_ORDER = _Verdict("compatible", "the order is another, which says nothing", bump="patch")
_NOTED = _Verdict("compatible", "nothing that a caller relies on changes", bump="patch")
_OTHER_WORDS = _Verdict(
    "behavioural", "a model reads it, and may choose otherwise", "Run your evaluations of tool choice again."
)
_LONGER = _Verdict("behavioural", "a caller may wait longer", "Look at the deadlines of those who call it.")
_SHORTER = _Verdict("behavioural", "calls that came to a result may be given up", "Look at how long calls take.")
_RATE = {"s": 86_400, "min": 1_440, "h": 24, "d": 1}


def _risk(before: Any, after: Any) -> _Verdict:
    if before is None or after is None:
        return _Verdict("behavioural", "what goes by the risk treats it otherwise", _REVIEW)
    if RISKS.index(after) > RISKS.index(before):
        return _Verdict("breaking", "who may only make calls of the old risk may not make it any more", _REVIEW)
    return _Verdict("behavioural", "what goes by the risk lets more through", _REVIEW)


def _consistency(before: Any, after: Any) -> _Verdict:
    if before is None:
        return _Verdict("compatible", "what holds after a write is told now")
    if after == "strong" or (before, after) in (
        ("eventual", "read_your_writes"),
        ("not_read_your_writes", "read_your_writes"),
    ):
        return _Verdict("compatible", "it promises more than before")
    return _Verdict("breaking", "a read after a write may not see it any more", "Read back, or wait, after a write.")


def _idempotency(before: Any, after: Any) -> _Verdict:
    if before is None:
        return _Verdict("compatible", "what a repeated call does is told now")
    if before in ("idempotent", "keyed", "not_applicable") and after in (None, "none"):
        return _Verdict("breaking", "calls that were safe to repeat are not any more", "Do not repeat them.")
    if (before, after) == ("idempotent", "keyed"):
        return _Verdict("breaking", "a repeated call is safe with its key alone", "Send the key again.")
    return _Verdict("compatible", "repeated calls are as safe as before, or safer")


def _rate_limit(before: Any, after: Any) -> _Verdict:
    if before is None or (after is not None and _a_day(after) < _a_day(before)):
        return _Verdict("behavioural", "calls that were let through may have to wait", "Slow down, or spread them.")
    return _Verdict("compatible", "at least as many calls are let through")


def _a_day(rate: str) -> int:
    count, _, unit = rate.partition("/")
    return int(count) * _RATE[unit]


# By the place of a declaration: what a change of it does.
_POLICY: Mapping[str, _Judge] = {
    "owner": _always(_NOTED),
    "risk": _risk,
    "tags": _set(_NOTED, _Verdict("behavioural", "who chooses tools by the tag gets it no more")),
    "phases": _always(_Verdict("behavioural", "it is offered in other phases")),
    "read_only": _flag(
        _Verdict("behavioural", "it is told to change nothing, and is called more freely", _REVIEW),
        _Verdict("breaking", "it was told to change nothing, and was called freely", _REVIEW),
    ),
    "idempotent": _flag(
        _Verdict("compatible", "calls may be repeated now"),
        _Verdict("breaking", "calls that were safe to repeat are not any more", "Do not repeat them."),
    ),
    "sequential": _always(_Verdict("behavioural", "calls of one reply are made in another way")),
    "approval": _flag(
        _Verdict("breaking", "a call waits for a person now, and fails where there is none", "Give runs one to ask."),
        _Verdict("behavioural", "nobody is asked before a call any more", _REVIEW),
    ),
    "scopes": _set(
        _Verdict("breaking", "who has not got the new scope cannot call it any more", "Grant the scope first."),
        _Verdict("behavioural", "who has not got the scope can call it now", _REVIEW),
    ),
    "masks": _set(
        _Verdict("behavioural", "a field is not shown to the model any more"),
        _Verdict("breaking", "a field that was kept from the model is shown to it", _REVIEW),
    ),
    "max_chars": _ordered(
        _Verdict("compatible", "longer results are sent whole"),
        _Verdict("behavioural", "results are cut that were sent whole", "Name in keep what has to survive."),
        _NOTED,
        _NOTED,
    ),
    "metrics_prefix": _always(_Verdict("behavioural", "what is measured has another name", "Tell who watches it.")),
    "log_fields": _set(
        _Verdict("compatible", "more is logged of a call", _REVIEW, "patch"),
        _Verdict("behavioural", "a field is not logged any more", "Tell who watches it."),
    ),
    "examples": _always(_NOTED),
    "wrong_examples": _always(_NOTED),
    "data_class": _always(_Verdict("behavioural", "what goes by the class of data treats it otherwise", _REVIEW)),
    "deprecates": _set(
        _Verdict("behavioural", "calls made for a version are served with a warning"),
        _Verdict("behavioural", "calls made for a version are not warned of any more"),
    ),
    "sunset": _ordered(
        _Verdict("behavioural", "old versions are served longer"),
        _Verdict("breaking", "old versions end sooner than was told", "Keep to the date that was told."),
        _Verdict("behavioural", "old versions have an end now", "Tell those who call them."),
        _Verdict("behavioural", "old versions have no end any more"),
    ),
}
_EXECUTION: Mapping[str, _Judge] = {
    "timeout_s": _ordered(_LONGER, _SHORTER, _SHORTER, _LONGER),
    "retries": _ordered(
        _LONGER, _Verdict("behavioural", "calls fail that came to a result by another try"), _NOTED, _NOTED
    ),
    "fallback": _always(
        _Verdict("behavioural", "what stands in where no result comes is another", "Look at who tells them apart.")
    ),
    "repeatable": _always(_Verdict("behavioural", "whether a run may poll it is another")),
    "keep": _always(_Verdict("behavioural", "what survives of a long result is another")),
}
_SEMANTICS: Mapping[str, _Judge] = {
    "idempotency": _idempotency,
    "consistency": _consistency,
    "pagination": _stated(
        _Verdict("compatible", "how to go on to more results is told now"),
        _Verdict("breaking", "who goes through the pages as before misses results", "Go through them anew."),
    ),
    "ordering": _stated(
        _Verdict("compatible", "the order is told now"),
        _Verdict("breaking", "who relies on the order reads another one", "Sort the results where it matters."),
        (None, "none"),
    ),
    "rate_limit": _rate_limit,
    "long_running": _flag(
        _Verdict("breaking", "a call may not be done when its result comes", "Ask how it stands afterwards."),
        _Verdict("compatible", "a call is done when its result comes"),
    ),
}
_IDENTITY: Mapping[str, _Judge] = {
    "id": _always(
        _Verdict("breaking", "whoever knows it by the old identifier does not find it", "Keep the identifier.")
    ),
    "name": _always(
        _Verdict("breaking", "calls by the old name find no tool", "Keep the name, or serve both for a while.")
    ),
    "title": _always(_OTHER_WORDS),
    "description": _always(_OTHER_WORDS),
    "rules": _set(
        _Verdict("breaking", "calls that were right can be refused", "Say it in the schema, or release a new major."),
        _Verdict("compatible", "a call is refused for less"),
    ),
    "result_rules": _set(
        _Verdict("compatible", "it promises more of a result"),
        _Verdict("breaking", "results can be what a rule kept back", "Keep the rule."),
    ),
}


def declared_changes(old: ToolContract, new: ToolContract) -> Iterator[Change]:
    """The changes of all that two contracts declare beside their schemas."""
    yield from _changes("", _IDENTITY, old, new)
    yield from _changes("policy.", _POLICY, old.policy, new.policy)
    yield from _changes("policy.semantics.", _SEMANTICS, old.policy.semantics, new.policy.semantics)
    yield from _service(old, new)
    yield from _ends(old.policy.lifecycle, new.policy.lifecycle)
    yield from _changes("execution.", _EXECUTION, old.execution, new.execution)


def _changes(place: str, judges: Mapping[str, _Judge], old: object, new: object) -> Iterator[Change]:
    for name, judge in judges.items():
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield _change(f"{place}{name}", name, before, after, judge(before, after))


def _ends(old: Lifecycle, new: Lifecycle) -> Iterator[Change]:
    """The changes of a life cycle: what was announced may come later, and not sooner."""
    for each in fields(Lifecycle):
        before, after = getattr(old, each.name), getattr(new, each.name)
        if before == after:
            continue
        verdict = _Verdict("behavioural", "a model reads of its end, and may choose otherwise")
        sooner = each.name in ("hidden", "warned") and None not in (before, after) and after < before
        if sooner or (each.name in ("rejected", "retired") and after == _end_of(new) and _is_abrupt(old, new)):
            verdict = _Verdict("breaking", "it ends sooner than was told", "Keep to the date that was told.")
        elif each.name == "contact":
            verdict = _NOTED
        yield _change(f"policy.lifecycle.{each.name}", each.name, before, after, verdict)


def _end_of(lifecycle: Lifecycle) -> datetime | None:
    """The instant from which calls are refused."""
    return min((end for end in (lifecycle.rejected, lifecycle.retired) if end is not None), default=None)


def _is_abrupt(old: Lifecycle, new: Lifecycle) -> bool:
    """Whether an end comes before the one that was told, or is told of by no announcement before it."""
    before, after = _end_of(old), _end_of(new)
    if after is None:
        return False
    if before is not None:
        return after < before
    told = new.announced or old.announced
    return told is None or told >= after


def _service(old: ToolContract, new: ToolContract) -> Iterator[Change]:
    """The change of the versions for which calls are served, however their ranges are written."""
    if new.version is None or old.version is None or not (old.policy.accepts or new.policy.accepts):
        return
    ranges = [*old.accepts, *new.accepts, *old.policy.deprecates, *new.policy.deprecates]
    edges = sorted({edge for text in ranges for edge in VersionRange.parse(text).edges})
    served = [edge for edge in edges if old.serves(edge) != "refused"]
    now = [edge for edge in edges if new.serves(edge) != "refused"]
    verdict = _NOTED
    if lost := [edge for edge in served if edge not in now]:
        verdict = _Verdict(
            "breaking", f"calls made for {lost[0]} and the like are refused", "Declare an adapter with upgrade_from."
        )
    elif now != served:
        verdict = _Verdict("compatible", "calls made for more versions are served")
    elif old.policy.accepts == new.policy.accepts:
        return
    yield _change("policy.accepts", "accepts", list(old.accepts), list(new.accepts), verdict)


def _change(path: str, name: str, before: Any, after: Any, verdict: _Verdict) -> Change:
    return Change(
        path,
        f"{name}_{'added' if before is None else 'removed' if after is None else 'changed'}",
        _plain(before),
        _plain(after),
        verdict.effect,
        f"{verdict.why}.",
        verdict.advice,
        verdict.bump or _BUMPS[verdict.effect],
    )


def _plain(value: Any) -> JsonValue:
    """A declaration as JSON data."""
    if hasattr(value, "arguments"):
        return {"arguments": dict(value.arguments), "why": value.why, "rule": value.rule}
    if hasattr(value, "isoformat"):
        return instant_text(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value
