"""What the data of a run's state looks like: whatever comes from outside is held to it first."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from magic_tools.chat import FinishReason
from magic_tools.messages import Language
from magic_tools.outcome import StopReason

__all__ = ["VERSION", "checked"]

VERSION = 1

_Count = Annotated[int, Field(ge=0)]
_Part = dict[str, Any]
_Text = Annotated[str, Field(min_length=1)]
_PinRow = Annotated[list[str | dict[str, Any] | None], Field(min_length=5, max_length=6)]
_STRICT = ConfigDict(strict=True, extra="forbid")


@with_config(_STRICT)
class _Facts(TypedDict):
    digest: str
    known: bool
    exempt: bool
    reusable: bool
    read_only: bool
    held: Literal["", "approval", "question"]
    contract: str
    arguments: Any
    answer: Literal["", "valid", "invalid"]
    issues: list[list[str]]
    repairs: list[list[Any]]


@with_config(_STRICT)
class _Pending(TypedDict):
    call: _Part
    facts: _Facts
    status: Literal["to_run", "started", "held", "repeat", "answered"]
    result: _Part | None
    approved: bool
    shown: bool
    preview: Any
    of: str
    times: _Count


@with_config(_STRICT)
class _Done(TypedDict):
    digest: str
    token: str
    call_id: str
    times: _Count
    turn: _Count


@with_config(_STRICT)
class _Request(TypedDict):
    model: str
    usage: dict[str, _Count]


@with_config(_STRICT)
class _Pins(TypedDict):
    since: _Text
    tools: list[_PinRow]


@with_config(_STRICT)
class _State(TypedDict):
    version: _Count
    transcript: Annotated[list[dict[str, Any]], Field(min_length=1)]
    limits: dict[str, Any]
    steps: _Count
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    usage: dict[str, _Count]
    requests: list[_Request]
    made: _Count
    repairs: list[list[Any]]
    refusals: _Count
    stalls: _Count
    failures: dict[str, _Count]
    recent: list[_Done]
    hinted: bool
    reusable: dict[str, _Part]
    unsure: list[str]
    pending: list[_Pending]
    finish: FinishReason | None
    closing: StopReason | None
    ended: StopReason | None
    model: str
    language: Language
    run_id: str
    tool_choice: Annotated[str, Field(min_length=1)]
    answer_tools: list[str]
    output: str
    asked: _Count
    phase: str
    pins: NotRequired[_Pins | None]


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(_State)


def checked(data: Any) -> dict[str, Any]:
    """The data, if it is that of a state in this version; ValueError says where it is not."""
    version = data.get("version") if isinstance(data, dict) else None
    if type(version) is not int or version != VERSION:
        raise ValueError(f"not the data of a run's state in version {VERSION}: {data!r:.200}")
    try:
        held: dict[str, Any] = _adapter().validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"not the data of a run's state: {place}: {first['msg']}, got {first['input']!r:.80}"
        ) from None
    return held
