"""How a run goes, as its caller chooses: how far, and in what way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from inspect import iscoroutinefunction
from sys import float_info
from typing import Any, Literal, Protocol, get_args

from magic_tools.chat import ToolChoice
from magic_tools.events import Alert, Trace
from magic_tools.messages import Language
from magic_tools.settings import ModelSettings
from magic_tools.values import JsonObject

__all__ = ["NO_FALLBACK", "History", "Limits", "OutputMode", "Pinning", "RunOptions"]

OutputMode = Literal["native", "tool", "prompt"]
"""How a typed answer is asked for: by the provider's own means, by an output tool, or by instructions alone."""


class _Nothing(Enum):
    NO_FALLBACK = "no fall-back"


NO_FALLBACK: Any = _Nothing.NO_FALLBACK
"""What stands in the place of a fall-back where there is none, as None may be one."""


def _check_count(name: str, value: object, least: int, *, optional: bool = False) -> None:
    if optional and value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        or_none = " or None" if optional else ""
        raise ValueError(f"{name} must be a whole number of at least {least}{or_none}, got {value!r:.80}")


def _check_one_of(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        spoken = " or ".join(map(repr, known))
        raise ValueError(f"RunOptions.{name} is {spoken}, got {value!r:.40}")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run may go; about 5 steps suit a simple question, 15 an analysis.

    - `steps`: requests to the model, but for the last one that asks for an answer from what is known. 10: an
      analysis of usual size ends before, and what has not ended by then seldom does.
    - `repeats`: how often the same call may run with nothing else done in between. 1: the second time nothing
      new can come of it; a tool that is polled says `repeatable`.
    - `stalls`: how often in a row an empty reply, or the one that was just refused, gets a nudge. 1: a model
      that is still silent then stays silent.
    - `retries`: how often in a row a failing answer, or one failing tool, is let go on. 2: what is not mended by
      the third try is seldom mended by the tenth.
    - `calls_per_step`: how many calls of one reply are made. 16: more is nearly always a model that is lost.
    - `deadline_s`: seconds for the whole run, without the time in which it is paused; None: no end, as tools
      have times of their own.
    - `tokens`: tokens for the whole run, sent and received; None: no end, as steps bound it.

    Of the last two, a tenth is kept back for that last request.
    """

    steps: int = 10
    repeats: int = 1
    stalls: int = 1
    retries: int = 2
    calls_per_step: int = 16
    deadline_s: float | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("steps", 1), ("repeats", 1), ("stalls", 0), ("retries", 0), ("calls_per_step", 1)):
            _check_count(f"Limits.{name}", getattr(self, name), least)
        _check_count("Limits.tokens", self.tokens, 1, optional=True)
        seconds: Any = self.deadline_s
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and 0 < seconds <= float_info.max):
            raise ValueError(f"Limits.deadline_s must be seconds, more than none, or None, got {seconds!r:.80}")


@dataclass(frozen=True, slots=True)
class History:
    """What of the earlier conversation each request of a run carries; the transcript itself stays whole.

    `messages` is the most messages of a request: the latest, in which each call stands with its results behind
    it, after the system messages; None is all. `result_chars` is the most characters of a result that is older
    than the latest `recent` groups of calls; None leaves them whole. With `reuse`, a call of an idempotent tool
    that was made in this run, with nothing changed since, gets its earlier result without being made again.
    """

    messages: int | None = None
    result_chars: int | None = None
    recent: int = 2
    reuse: bool = True

    def __post_init__(self) -> None:
        for name, least in (("messages", 1), ("result_chars", 0)):
            _check_count(f"History.{name}", getattr(self, name), least, optional=True)
        _check_count("History.recent", self.recent, 0)
        given: object = self.reuse  # which a caller without a type checker may give as anything
        if not isinstance(given, bool):
            raise ValueError(f"History.reuse must be True or False, got {given!r:.80}")


class Pinning(Protocol):
    """What a run can be pinned to: a Manifest."""

    @property
    def pins(self) -> Sequence[Any]:
        """The tools, as they were."""

    @property
    def created(self) -> datetime:
        """Since when."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run, or a call by hand, may be told beside its limits.

    - `language`: of all that the library itself says to the model, what is wrong and what is to be done.
    - `output_mode`: how a typed answer is asked for; None: as the model can.
    - `fallback`: what to take where no valid answer comes, in place of the error: a value, `"text"` for the last
      text that the model gave, or a function of the last `ModelReply` and its issues. Marked in the outcome.
    - `tool_choice`: what the first request forces: `required`, `none`, or a tool's name. It is lifted after it.
    - `settings`: of every request, before those of the model.
    - `history`: what of the earlier conversation is sent.
    - `checkpoint`: called with the state, as JSON data, before each effect and after each call of several; what
      it raises ends the run. An ordinary function; in an async run it is called in a worker thread.
    - `trace`: called with each event; `on_alert`: with each result that broke its tool's promise.
    - `run_id`: names the run in events and in idempotency keys; without one, each run gets its own.
    - `manifest`: what the run is pinned to. A tool that has changed since is served by way of a declared adapter, or
      not offered, and a call of it refused; one that the manifest does not hold is not offered either.
    - `clock`: gives the time by which tools are hidden, warned of and rejected, read once at the run's begin and when
      it goes on, and for each receipt; the present in UTC without one.

    ValueError for what is none of these.
    """

    language: Language = "en"
    trace: Trace | None = None
    on_alert: Callable[[Alert], Any] | None = None
    run_id: str | None = None
    output_mode: OutputMode | None = None
    fallback: Any = NO_FALLBACK
    tool_choice: ToolChoice = "auto"
    settings: ModelSettings | None = None
    history: History = History()
    checkpoint: Callable[[JsonObject], Any] | None = None
    manifest: Pinning | None = None
    clock: Callable[[], datetime] | None = None

    def __post_init__(self) -> None:
        for name, takes in (
            ("trace", "one event"),
            ("on_alert", "one event"),
            ("checkpoint", "one state"),
            ("clock", "nothing"),
        ):
            hook = getattr(self, name)
            is_async = iscoroutinefunction(hook) or iscoroutinefunction(getattr(hook, "__call__", None))  # noqa: B004
            if hook is not None and (not callable(hook) or is_async):
                raise ValueError(f"RunOptions.{name} is an ordinary function of {takes}, got {hook!r:.80}")
        if self.manifest is not None and not all(hasattr(self.manifest, name) for name in ("pins", "created")):
            raise ValueError(
                f"RunOptions.manifest is such as Manifest.load('tools.lock.json'), got {self.manifest!r:.80}"
            )
        for name, wanted, example in (
            ("settings", ModelSettings | None, "ModelSettings(max_tokens=500)"),
            ("history", History, "History(messages=40)"),
        ):
            if not isinstance(getattr(self, name), wanted):
                raise ValueError(f"RunOptions.{name} is such as {example}, got {getattr(self, name)!r:.80}")
        for name, may_be_none in (("run_id", True), ("tool_choice", False)):
            text = getattr(self, name)
            if not (isinstance(text, str) and text) and not (may_be_none and text is None):
                raise ValueError(f"RunOptions.{name} is a text that is not empty, got {text!r:.80}")
        _check_one_of("language", self.language, get_args(Language))
        if self.output_mode is not None:
            _check_one_of("output_mode", self.output_mode, get_args(OutputMode))
