"""A contract as plain JSON data, and its parts from such data: which key is which part, in the order of the file."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NamedTuple, Protocol, TypeAlias

from magic_tools.contracts.execution import Execution
from magic_tools.contracts.lifecycle import Lifecycle, instant_text
from magic_tools.contracts.policy import Policy, WrongExample
from magic_tools.contracts.semantics import Semantics
from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["DIGESTS", "KEYS", "Where", "data_of", "fields_of", "named_place"]

Path: TypeAlias = tuple[str | int, ...]
Where: TypeAlias = Callable[[Path], str]
"""The words for a place in data, such as a line of the file that it was read from."""


class _Told(Protocol):
    """What has the parts of a contract."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> JsonObject: ...
    @property
    def output_schema(self) -> JsonObject: ...
    @property
    def error_schema(self) -> JsonObject | None: ...
    @property
    def policy(self) -> Policy: ...
    @property
    def execution(self) -> Execution: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def result_rules(self) -> tuple[str, ...]: ...


class _Kind(NamedTuple):
    """What stands under a key: in words, and whether a value is one."""

    words: str
    fits: Callable[[Any], bool]


_TEXT = _Kind("a text (put it in quotes if it looks like a number)", lambda held: isinstance(held, str))
_FLAG = _Kind("true or false", lambda held: isinstance(held, bool))
_OBJECT = _Kind("a mapping", lambda held: isinstance(held, dict))
_NUMBER = _Kind("a number, or null", lambda held: held is None or isinstance(held, int | float))
_TEXTS = _Kind(
    "a list of texts, such as [a, b]",
    lambda held: isinstance(held, list) and all(isinstance(each, str) for each in held),
)
_OBJECTS = _Kind(
    "a list of mappings", lambda held: isinstance(held, list) and all(isinstance(each, dict) for each in held)
)

DIGESTS = ("interface_digest", "surface_digest")
"""The keys that say nothing of their own: they are made of the others."""

KEYS: Mapping[str, _Kind] = {
    "id": _TEXT, "name": _TEXT, "version": _TEXT, "title": _TEXT, "owner": _TEXT, "description": _TEXT,
    **dict.fromkeys(DIGESTS, _TEXT),
    "risk": _TEXT, "data_class": _TEXT,
    "read_only": _FLAG, "idempotent": _FLAG, "sequential": _FLAG, "approval": _FLAG,
    "scopes": _TEXTS, "masks": _TEXTS, "tags": _TEXTS, "phases": _TEXTS,
    "accepts": _TEXTS, "deprecates": _TEXTS, "sunset": _TEXT,
    "semantics": _OBJECT, "lifecycle": _OBJECT, "execution": _OBJECT,
    "max_chars": _NUMBER, "metrics_prefix": _TEXT, "log_fields": _TEXTS,
    "rules": _TEXTS, "result_rules": _TEXTS,
    "input_schema": _OBJECT, "output_schema": _OBJECT, "error_schema": _OBJECT,
    "examples": _OBJECTS, "wrong_examples": _OBJECTS,
}  # fmt: skip
"""What a contract's data may hold, in its order."""

_REQUIRED = ("id", "description", "input_schema", "output_schema")
_INNER: Mapping[str, tuple[type[Any], Mapping[str, _Kind]]] = {
    "semantics": (Semantics, {each.name: _TEXT for each in fields(Semantics)} | {"long_running": _FLAG}),
    "lifecycle": (Lifecycle, {each.name: _TEXT for each in fields(Lifecycle)}),
    "execution": (
        Execution,
        {"timeout_s": _NUMBER, "retries": _NUMBER, "fallback": _TEXT, "repeatable": _FLAG, "keep": _TEXTS},
    ),
}
_WRONG: Mapping[str, _Kind] = {"arguments": _OBJECT, "why": _TEXT, "rule": _TEXT}
_PARTS = ("name", "rules", "result_rules")
_DECLARED = tuple(name for name in KEYS if name in {each.name for each in fields(Policy)})
_SPOKEN = frozenset({"sunset", "semantics", "lifecycle", "wrong_examples", "max_chars", "error_schema"})
_NAMED_IN_ERROR = re.compile(r"(?:Policy|Semantics|Lifecycle|Execution|WrongExample)\((\w+)=")


def data_of(contract: _Told, digests: Mapping[str, str] | None = None) -> JsonObject:
    """All that a contract says as plain data of its own, the keys in their order; what is at its default is left out.

    The time and the size that a call may take are always said, as no value of theirs says nothing.
    """
    policy = contract.policy
    held: dict[str, Any] = {name: getattr(contract, name) for name in (*_REQUIRED, *_PARTS)}
    held |= {name: getattr(policy, name) for name in _DECLARED if name not in _SPOKEN and name not in held}
    held["name"] = None if contract.name == contract.id else contract.name
    held["sunset"] = policy.ends_deprecated and instant_text(policy.ends_deprecated)
    held["semantics"] = _differing(policy.semantics, Semantics())
    instants = {stage: instant_text(beginning) for stage, beginning in policy.lifecycle.beginnings}
    held["lifecycle"] = _differing(policy.lifecycle, Lifecycle()) | instants
    kept = Execution(contract.execution.timeout_s)
    seconds = kept.timeout_s
    whole = int(seconds) if seconds is not None and seconds == int(seconds) else seconds  # 3 and 3.0 are written alike
    held["execution"] = {"timeout_s": whole, **_differing(contract.execution, kept)}
    held["wrong_examples"] = [
        {"arguments": each.arguments, "why": each.why, **({} if each.rule is None else {"rule": each.rule})}
        for each in policy.wrong_examples
    ]
    said = {name: value for name, value in held.items() if name in _REQUIRED or value}
    said |= {"max_chars": policy.max_chars, **(digests or {})}
    said |= {} if contract.error_schema is None else {"error_schema": contract.error_schema}
    return {name: _plain(said[name]) for name in KEYS if name in said}


def fields_of(data: Any, where: Where) -> tuple[dict[str, Any], dict[str, str]]:
    """The parts of the contract that data says, by name, and the digests that it states.

    DefinitionError names the place that is unknown, missing or of the wrong kind, in the words of `where`.
    """
    if not isinstance(data, Mapping):
        raise DefinitionError(f"{where(())}: a contract is a mapping with the keys {', '.join(_REQUIRED)}, ...")
    held = _checked(data, KEYS, (), where)
    if missing := [name for name in _REQUIRED if name not in held]:
        raise DefinitionError(f"{where(())}: the key {missing[0]} is missing; a contract says {', '.join(_REQUIRED)}.")
    digests = {name: held.pop(name) for name in DIGESTS if name in held}
    inner = {name: _inner(name, held[name], where) for name in _INNER if name in held}
    wrong = [_wrong(each, ("wrong_examples", at), where) for at, each in enumerate(held.get("wrong_examples", ()))]
    parts = {name: held[name] for name in (*_REQUIRED, *_PARTS) if name in held}
    parts |= {"execution": inner.pop("execution")} if "execution" in inner else {}
    parts |= {name: tuple(parts[name]) for name in ("rules", "result_rules") if name in parts}
    declared = {name: held[name] for name in _DECLARED if name in held} | inner
    declared |= {"wrong_examples": tuple(wrong)} if wrong else {}
    return parts | {"policy": _made(Policy, declared, (), where)}, digests


def named_place(error: DefinitionError, path: Path) -> Path:
    """The place below a path that an error of the declarations is about, which begins with the name of it."""
    named = _NAMED_IN_ERROR.match(str(error))
    return path if named is None else (*path, named.group(1))


def _inner(name: str, given: Any, where: Where) -> Any:
    kind, keys = _INNER[name]
    return _made(kind, _checked(given, keys, (name,), where), (name,), where)


def _wrong(given: Any, path: Path, where: Where) -> WrongExample:
    held = _checked(given, _WRONG, path, where)
    if missing := [name for name in ("arguments", "why") if name not in held]:
        raise DefinitionError(
            f"{where(path)}: the key {missing[0]} is missing; a wrong example says arguments and why."
        )
    made: WrongExample = _made(WrongExample, held, path, where)
    return made


def _checked(given: Any, keys: Mapping[str, _Kind], path: Path, where: Where) -> dict[str, Any]:
    """A mapping's own copy; DefinitionError for a key that there is not, or a value that is not its kind."""
    for name, held in given.items():
        if name not in keys:
            near = get_close_matches(str(name), keys, 1)
            known = f"did you mean {near[0]}?" if near else f"there are: {', '.join(keys)}."
            raise DefinitionError(f"{where((*path, name))}: there is no key {name!r:.80} here; {known}")
        if not keys[name].fits(held):
            raise DefinitionError(f"{where((*path, name))}: {name} is to be {keys[name].words}, got {_shown(held)}.")
    return copy.deepcopy(dict(given))


def _shown(held: Any) -> str:
    """A value in a message, where nothing is null, as in the file."""
    return "null" if held is None else f"{held!r:.80}"


def _made(kind: Callable[..., Any], held: Mapping[str, Any], path: Path, where: Where) -> Any:
    """What is made of declarations; DefinitionError says where they stand."""
    try:
        return kind(**held)
    except DefinitionError as error:
        raise DefinitionError(f"{where(named_place(error, path))}: {error}") from None


def _differing(held: Any, plain: Any) -> JsonObject:
    """The fields of a declaration that are not as they are of one that says nothing."""
    said = {each.name: getattr(held, each.name) for each in fields(held)}
    return {name: value for name, value in said.items() if value != getattr(plain, name)}


def _plain(held: Any) -> Any:
    """JSON data of its own."""
    if isinstance(held, tuple | list):
        return [_plain(each) for each in held]
    if isinstance(held, dict):
        return {name: _plain(each) for name, each in held.items()}
    return held
