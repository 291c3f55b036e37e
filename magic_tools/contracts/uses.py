"""What consumers rely on of a tool, by kind: calls, parts of results and failures, declarations, times and receipts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar, get_args

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.declaring import json_copy, of_kind, several, texts
from magic_tools.contracts.identifiers import checked_id
from magic_tools.contracts.policy import RISKS, Risk
from magic_tools.contracts.receipts import Receipt
from magic_tools.contracts.semantics import Idempotency
from magic_tools.contracts.used_parts import path_of, read_path
from magic_tools.contracts.versions import VersionRange
from magic_tools.errors import DefinitionError
from magic_tools.messages import ErrorCode
from magic_tools.values import JsonObject, JsonValue

__all__ = ["KINDS", "AgentUse", "DownstreamUse", "Flag", "GatewayUse", "KeptCall", "UiUse", "Use"]

T = TypeVar("T")

Flag = Literal["fallback", "cut", "approval"]
"""What may be said of a result: a fall-back stands in for it, it was cut, or it waits for a person."""

_RECEIPT = tuple(each.name for each in fields(Receipt))


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A call as it was made, and what came of reading it: taken, or refused with a code, at these paths.

    `arguments` are the raw text that a model sent, or an object; paths are places in the contract, such as
    `input.rows[].qty`, or `rules`.
    """

    arguments: str | JsonObject = field(hash=False)
    code: ErrorCode | None = None
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.arguments, str):
            object.__setattr__(self, "arguments", json_copy(self.arguments, _refuser("KeptCall(arguments=...)")))
        if self.code is not None:
            object.__setattr__(self, "code", _code("KeptCall", "code", self.code))
        object.__setattr__(self, "paths", _paths_of_issues("KeptCall", self.paths))

    def to_data(self) -> JsonObject:
        """Plain JSON data."""
        refusal = {} if self.code is None else {"code": self.code.value, "paths": list(self.paths)}
        return {"arguments": self.arguments, "outcome": "accepted" if self.code is None else "refused", **refusal}

    @classmethod
    def from_data(cls, data: object) -> KeptCall:
        """The call that `to_data` wrote; DefinitionError if the data is something else."""
        match data:
            case {"arguments": str() | dict() as arguments, "outcome": "accepted", **others} if not others:
                return cls(arguments)
            case {
                "arguments": str() | dict() as arguments,
                "outcome": "refused",
                "code": code,
                "paths": paths,
                **others,
            } if not others:
                return cls(arguments, code, paths)
        raise DefinitionError(
            f"a call is {{arguments, outcome: accepted}} or {{arguments, outcome: refused, code, paths}}, got "
            f"{data!r:.200}: keep it anew with keep_fixture."
        )


class _Uses:
    """What the kinds share: how they are written, and read."""

    __slots__ = ()
    kind: ClassVar[str]

    def to_data(self) -> JsonObject:
        """Plain JSON data; what is not used is left out."""
        held = {name: _plain(getattr(self, name)) for name in self._names()}
        return {name: each for name, each in held.items() if each is not None and each != []}

    @classmethod
    def from_data(cls, data: object) -> Self:
        """The use that `to_data` wrote; DefinitionError if the data is something else."""
        names = cls._names()
        if not isinstance(data, Mapping):
            raise DefinitionError(f"what is used is an object of {', '.join(names)}, got {data!r:.80}.")
        if stray := [name for name in data if name not in names]:
            raise DefinitionError(f"the key {stray[0]!r:.80} is none of: {', '.join(names)}: take it out.")
        return cls(**cls._read(data))

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        return dict(data)

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(each.name for each in fields(cls))  # type: ignore[arg-type]  # each kind is a data class


@dataclass(frozen=True, slots=True)
class AgentUse(_Uses):
    """What an agent uses: the calls that its model makes, and the parts of results that it goes on with."""

    kind: ClassVar[str] = "agent"
    calls: tuple[KeptCall, ...] = ()
    results: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        calls = several("AgentUse", "calls", self.calls)
        for each in calls:
            of_kind("AgentUse", "calls", each, KeptCall, "(KeptCall({'city': 'Rome'}),)")
        object.__setattr__(self, "calls", calls)
        object.__setattr__(self, "results", _paths("AgentUse", "results", self.results))

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        calls = data.get("calls", ())
        return {**data, "calls": tuple(map(_read_call, enumerate(calls))) if isinstance(calls, list) else calls}


@dataclass(frozen=True, slots=True)
class UiUse(_Uses):
    """What a page uses: the parts of results that it shows, the error codes that it has words for, and the flags."""

    kind: ClassVar[str] = "ui"
    fields: tuple[str, ...] = ()
    error_codes: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", _paths("UiUse", "fields", self.fields))
        object.__setattr__(self, "error_codes", texts("UiUse", "error_codes", self.error_codes))
        object.__setattr__(self, "flags", _chosen("UiUse", "flags", self.flags, get_args(Flag)))


@dataclass(frozen=True, slots=True)
class GatewayUse(_Uses):
    """What a gateway decides by: the masks that it counts on, the scopes that it grants, and declarations.

    What is None, or empty, is nothing that it decides by.
    """

    kind: ClassVar[str] = "gateway"
    masks: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    risk: Risk | None = None
    approval: bool | None = None
    data_class: str | None = None
    idempotency: Idempotency | None = None

    def __post_init__(self) -> None:
        for name in ("masks", "scopes"):
            object.__setattr__(self, name, texts("GatewayUse", name, getattr(self, name)))
        for name, known in (("risk", RISKS), ("idempotency", get_args(Idempotency)), ("approval", (True, False))):
            given = getattr(self, name)
            if given is not None and given not in known:
                raise DefinitionError(
                    f"GatewayUse({name}={given!r:.80}) is to be one of: {', '.join(map(str, known))}, or None."
                )
        if self.data_class is not None:
            checked_id(self.data_class, f"GatewayUse(data_class={self.data_class!r:.80})")

    @classmethod
    def of(cls, contract: ToolContract) -> GatewayUse:
        """The one that decides by all that a contract declares."""
        policy = contract.policy
        return cls(
            policy.masks, policy.scopes, policy.risk, policy.approval, policy.data_class, policy.semantics.idempotency
        )


@dataclass(frozen=True, slots=True)
class DownstreamUse(_Uses):
    """What a program behind the calls uses: fields of receipts, the versions that it takes, its time, its repeats.

    `versions` are ranges such as `1.x`. `wait_s` are the seconds that it waits for a call, retries included.
    `retry_on` are the error codes at which it makes the same call again.
    """

    kind: ClassVar[str] = "downstream"
    receipts: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    wait_s: float | None = None
    retry_on: tuple[ErrorCode, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "receipts", _chosen("DownstreamUse", "receipts", self.receipts, _RECEIPT))
        ranges = texts("DownstreamUse", "versions", self.versions)
        object.__setattr__(self, "versions", tuple(str(VersionRange.parse(each)) for each in ranges))
        seconds: object = self.wait_s  # which a file may give as anything
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (is_number and self.wait_s and 0 < self.wait_s < float("inf")):
            raise DefinitionError(f"DownstreamUse(wait_s={seconds!r:.80}) is to be seconds, more than none, or None.")
        codes = several("DownstreamUse", "retry_on", self.retry_on)
        object.__setattr__(self, "retry_on", tuple(_code("DownstreamUse", "retry_on", each) for each in codes))


Use: TypeAlias = AgentUse | UiUse | GatewayUse | DownstreamUse

KINDS: Mapping[str, type[Use]] = {each.kind: each for each in (AgentUse, UiUse, GatewayUse, DownstreamUse)}
"""The four kinds of consumers, by their names in files."""


def _read_call(placed: tuple[int, object]) -> KeptCall:
    place, data = placed
    try:
        return KeptCall.from_data(data)
    except DefinitionError as error:
        raise DefinitionError(f"calls[{place}]: {error}") from None


def _plain(held: Any) -> JsonValue:
    match held:
        case tuple():
            return [_plain(each) for each in held]
        case KeptCall():
            return held.to_data()
        case ErrorCode():
            return held.value
    plain: JsonValue = held
    return plain


def _refuser(where: str) -> Any:
    return lambda reason: DefinitionError(f"{where} is to be the text that a model sent, or plain JSON data: {reason}.")


def _code(where: str, name: str, given: Any) -> ErrorCode:
    if given not in tuple(ErrorCode):
        raise DefinitionError(f"{where}({name}={given!r:.80}) is no code; there are: {', '.join(ErrorCode)}.")
    return ErrorCode(given)


def _paths(where: str, name: str, given: Any) -> tuple[str, ...]:
    return tuple(path_of(read_path(each)) for each in texts(where, name, given))


def _paths_of_issues(where: str, given: Any) -> tuple[str, ...]:
    """The paths of issues, of which the empty one is the whole."""
    held = several(where, "paths", given)
    if not all(isinstance(each, str) for each in held):
        raise DefinitionError(f"{where}(paths={held!r:.80}) is to hold texts, such as ('input.rows[].qty',).")
    return held


def _chosen(where: str, name: str, given: Any, known: Iterable[T]) -> tuple[T, ...]:
    held = texts(where, name, given)
    listed = list(known)
    if strange := [each for each in held if each not in listed]:
        raise DefinitionError(
            f"{where}({name}=...) has {strange[0]!r:.80}, which is none of: {', '.join(map(str, listed))}."
        )
    return held  # type: ignore[return-value]  # each is one of those that are known
