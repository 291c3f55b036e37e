"""What the loop itself tells the model: of calls that were not made, of answers that will not do, of the end."""

from __future__ import annotations

from magic_tools.loose.phrases import Phrase, either, phrased, say
from magic_tools.messages import ErrorCode, Issue, Language, ToolCall, ToolResult, listed
from magic_tools.tools.trimming import cut_short

__all__ = [
    "BEFORE_IT_RAN",
    "CUT",
    "DECLINED",
    "GIVEN",
    "OVER",
    "WAITS",
    "answered_call",
    "last_word",
    "not_run",
    "nudge",
    "one_too_many",
    "refused_answer",
    "refused_by_person",
    "repeated",
    "same_again",
    "uncalled",
    "under_way",
]

DECLINED = say("the model declined to go on")
CUT = say("the reply was cut before its end")
OVER = say("the run is at its end")
GIVEN = say("the answer was given in the same reply")
WAITS = say("it waits for a person")
BEFORE_IT_RAN = say("the run was stopped before")

_NUDGE = say("Your reply was empty. Give the answer now, or call a tool.")
_NUDGE_TO_CALL = "Your reply was empty. Give the answer by calling {names}, or call another tool."
_LAST_WORD = say("This is the last reply of this run: no tool can be called any more. Answer now, from what is known.")
_LAST_CALL = "This is the last reply of this run: only {names} can be called. Answer now by that, from what is known."
_REFUSED = "Your answer was refused: {issues}. Give the whole answer again, with this mended."
_SAME = "Your reply is the one that was refused before: {issues}. Give another one, with this mended."
_UNCALLED = "Text does not end this run. Give the answer by calling {names}."
_NOT_RUN = "Not run: {why}."
_TOO_MANY = "Not run: at most {most} calls of one reply are made. Send this call again in the next reply."
_REPEATED = (
    "Not run: {name} was called with these arguments {count} times, and nothing new can come of it. "
    "Use the result that you have, or do something else. It was: {result}"
)
_ONCE = (
    "Not run: {name} was called with these arguments before (1 time), and nothing new can come of it. "
    "Use the result that you have, or do something else. It was: {result}"
)
_BY_PERSON = "Not run: a person was asked to allow {name}, and refused."
_REFUSED_BEFORE = (
    "Not run: a person was asked to allow {name} with these arguments before, and refused. Do something else."
)
_UNDER_WAY = "{name} was under way when the run was stopped; whether it had an effect is not known."
_TAKEN = say("The answer was taken.")
_MOST_OF_A_RESULT = 4_000


def last_word(answer_tools: tuple[str, ...]) -> Phrase:
    """What is said with the last request."""
    return say(_LAST_CALL, names=either(answer_tools)) if answer_tools else _LAST_WORD


def nudge(answer_tools: tuple[str, ...]) -> Phrase:
    """What is said to a reply that says nothing."""
    return say(_NUDGE_TO_CALL, names=either(answer_tools)) if answer_tools else _NUDGE


def refused_answer(issues: tuple[Issue, ...]) -> Phrase:
    """What is said of an answer that does not fit."""
    return say(_REFUSED, issues=listed(issues))


def same_again(issues: tuple[Issue, ...]) -> Phrase:
    """What is said of a reply that was refused just before."""
    return say(_SAME, issues=listed(issues))


def uncalled(answer_tools: tuple[str, ...]) -> Phrase:
    """What is said of a text where an output tool is to be called."""
    return say(_UNCALLED, names=either(answer_tools))


def not_run(call: ToolCall, why: Phrase, language: Language) -> ToolResult:
    """The result of a call that is not made."""
    return _error(call, say(_NOT_RUN, why=why), language, ErrorCode.CONFLICT)


def one_too_many(call: ToolCall, most: int, language: Language) -> ToolResult:
    """The result of a call beyond those that are made of one reply."""
    return _error(call, say(_TOO_MANY, most=most), language, ErrorCode.RATE_LIMITED)


def repeated(call: ToolCall, count: int, earlier: ToolResult | None, language: Language) -> ToolResult:
    """The result of a call that was made before, with what came of it then."""
    if earlier is not None and earlier.code is ErrorCode.REQUIRES_APPROVAL:
        return _error(call, say(_REFUSED_BEFORE, name=call.name), language, ErrorCode.CONFLICT)
    known = "" if earlier is None else cut_short(earlier.content, earlier.content, _MOST_OF_A_RESULT)
    words = say(_REPEATED, name=call.name, count=count, result=known)
    if count == 1:
        words = say(_ONCE, name=call.name, result=known)
    return _error(call, words, language, ErrorCode.CONFLICT)


def refused_by_person(call: ToolCall, language: Language) -> ToolResult:
    """The result of a call that a person did not allow."""
    return _error(call, say(_BY_PERSON, name=call.name), language, ErrorCode.REQUIRES_APPROVAL)


def under_way(call: ToolCall, language: Language) -> ToolResult:
    """What is known of a call that was begun, and of which the run did not see the end."""
    words = say(_UNDER_WAY, name=call.name)
    return _error(call, words, language, ErrorCode.UNKNOWN_EFFECT)


def answered_call(call: ToolCall, issues: tuple[Issue, ...], language: Language) -> ToolResult:
    """The result of a call by which the model gave its answer: that it was taken, or what is wrong with it."""
    if issues:
        return _error(call, refused_answer(issues), language, ErrorCode.INVALID_ARGUMENT)
    return ToolResult(call.id, call.name, phrased(_TAKEN, language))


def _error(call: ToolCall, words: Phrase, language: Language, code: ErrorCode) -> ToolResult:
    return ToolResult(
        call.id,
        call.name,
        phrased(words, language),
        is_error=True,
        code=code,
        retryable=code is ErrorCode.RATE_LIMITED,
        effect="unknown" if code is ErrorCode.UNKNOWN_EFFECT else "none",
    )
