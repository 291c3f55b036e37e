"""What the author of a tool declares of it beside its signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from magic_tools.contracts.declaring import json_copy, of_kind, several, texts
from magic_tools.contracts.identifiers import checked_id
from magic_tools.contracts.lifecycle import Instant, Lifecycle, instant_of
from magic_tools.contracts.semantics import Semantics
from magic_tools.contracts.versions import Version, VersionRange
from magic_tools.errors import DefinitionError
from magic_tools.schema.guard.budgets import SchemaLimits
from magic_tools.schema.guard.guard import guard
from magic_tools.values import JsonObject

__all__ = ["RISKS", "Policy", "Risk", "WrongExample"]

Risk = Literal["read", "read_sensitive", "write", "destructive"]

RISKS: tuple[Risk, ...] = get_args(Risk)
"""What a call can do at worst, the least first."""

_ACTING = ("write", "destructive")
_NAMES = ("tags", "phases", "scopes", "masks", "log_fields")
_RANGES = ("accepts", "deprecates")
_TEXTS = ("id", "version", "title", "owner", "risk", "data_class", "metrics_prefix")
_UNDECLARED = Semantics()
_ACTIVE = Lifecycle()
_OF_ERRORS = SchemaLimits(unchecked_patterns=True)  # which only tells of them
_FLAGS = ("read_only", "idempotent", "sequential", "approval")


@dataclass(frozen=True, slots=True)
class WrongExample:
    """Arguments that a tool has to refuse, and why: its schema does, or the rule of the name `rule`."""

    arguments: Mapping[str, Any] = field(hash=False)
    why: str
    rule: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", json_copy(self.arguments, _refuser("WrongExample(arguments=...)")))
        for name in ("why", "rule"):
            given = getattr(self, name)
            if not (isinstance(given, str) and given.strip()) and not (name == "rule" and given is None):
                raise DefinitionError(f"WrongExample({name}={given!r:.80}) is to be a text that is not blank.")


@dataclass(frozen=True, slots=True)
class Policy:
    """A tool's declarations: who it is, who answers for it, whom it serves, and what is known of its effect.

    `id` is the tool's name where it is None, `version` is by semver.org, `risk` one of `RISKS`. `tags` and `phases`
    choose it for a `Toolset`; a tool without phases belongs to every phase. `read_only` says that a call changes
    nothing, `idempotent` that the same call twice changes no more than one. With `approval` no call is made before
    a person has allowed that very call. `scopes` must all be among the `scopes` of the run's context, or the tool
    is not offered and refuses to run. `data_class` names how secret results are, such as confidential.

    `accepts` are the ranges of versions for which calls may have been made, such as `2.x`; those in `deprecates`
    are served with a warning, until `sunset`, if that is given. `semantics` and `lifecycle` have types of their
    own. `examples` are arguments as a model should send them, `wrong_examples` such as must be refused.
    `error_schema` is the JSON Schema of the data in the tool's failures. `lint_ignore` gives, by the name of a rule,
    or by `rule:path`, the reason why it is silenced for this tool. DefinitionError for what is none of these, or
    contradicts itself.
    """

    id: str | None = None
    version: str | None = None
    owner: str | None = None
    risk: Risk | None = None
    tags: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    read_only: bool = False
    idempotent: bool = False
    sequential: bool = False
    approval: bool = False
    scopes: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    max_chars: int = 20_000
    metrics_prefix: str | None = None
    log_fields: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    error_schema: JsonObject | None = field(default=None, hash=False)
    lint_ignore: Mapping[str, str] = field(default_factory=dict, hash=False)
    title: str | None = None
    data_class: str | None = None
    semantics: Semantics = _UNDECLARED
    lifecycle: Lifecycle = _ACTIVE
    accepts: tuple[str, ...] = ()
    deprecates: tuple[str, ...] = ()
    sunset: Instant | None = None
    wrong_examples: tuple[WrongExample, ...] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        for name in _NAMES:
            object.__setattr__(self, name, texts("Policy", name, getattr(self, name)))
        for name in _TEXTS:
            given = getattr(self, name)
            if given is not None and not (isinstance(given, str) and given.strip()):
                raise DefinitionError(f"Policy({name}={given!r}) is to be a text that is not blank, or None.")
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise DefinitionError(f"Policy({name}={getattr(self, name)!r}) is to be True or False.")
        most: object = self.max_chars  # which a caller without a type checker may give as anything
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise DefinitionError(f"Policy(max_chars={self.max_chars!r}) is to be a whole number of at least 1.")
        self._take_examples()
        self._check_identity()
        self._check_versions()
        self._check_effect()

    @property
    def ends_deprecated(self) -> datetime | None:
        """The instant from which the deprecated versions are refused, in UTC."""
        return self.sunset if isinstance(self.sunset, datetime) else None

    def _take_examples(self) -> None:
        examples = several("Policy", "examples", self.examples)
        if not all(isinstance(example, Mapping) for example in examples):
            raise DefinitionError("Policy(examples=...) is to hold arguments by name, such as ({'city': 'Rome'},).")
        own = (json_copy(each, _refuser(f"Policy(examples=...), number {n}")) for n, each in enumerate(examples, 1))
        object.__setattr__(self, "examples", tuple(own))
        wrong = several("Policy", "wrong_examples", self.wrong_examples)
        for each in wrong:
            of_kind("Policy", "wrong_examples", each, WrongExample, "(WrongExample({'limit': 0}, 'below 1'),)")
        object.__setattr__(self, "wrong_examples", wrong)
        if self.error_schema is not None:
            held = json_copy(self.error_schema, _refuser("Policy(error_schema=...)"))
            guard(held, where="Policy(error_schema=...)", limits=_OF_ERRORS)
            object.__setattr__(self, "error_schema", held)

    def _check_identity(self) -> None:
        if self.id is not None:
            checked_id(self.id, f"Policy(id={self.id!r})")
        if self.data_class is not None:
            checked_id(self.data_class, f"Policy(data_class={self.data_class!r})")
        if self.risk is not None and self.risk not in RISKS:
            raise DefinitionError(f"Policy(risk={self.risk!r}) is to be one of: {', '.join(RISKS)}.")
        of_kind("Policy", "semantics", self.semantics, Semantics, "Semantics(idempotency='keyed')")
        of_kind("Policy", "lifecycle", self.lifecycle, Lifecycle, "Lifecycle(announced='2026-12-01')")

    def _check_versions(self) -> None:
        version = None
        if self.version is not None:
            version = _named(f"Policy(version={self.version!r})", Version.parse, self.version)
        for name in _RANGES:
            held = texts("Policy", name, getattr(self, name))
            ranges = [_named(f"Policy({name}=...)", VersionRange.parse, text) for text in held]
            object.__setattr__(self, name, tuple(map(str, ranges)))
            if ranges and version is None:
                raise DefinitionError(
                    f"Policy({name}={held!r}) says which versions are served, and version is missing."
                )
            if name == "accepts" and ranges and version is not None and not any(version in each for each in ranges):
                raise DefinitionError(
                    f"Policy(accepts={self.accepts!r}) leaves out the version itself, {version}: add a range that "
                    f"has it, such as '{version.major}.x'."
                )
            if name == "deprecates" and version is not None and any(version in each for each in ranges):
                raise DefinitionError(
                    f"Policy(deprecates={self.deprecates!r}) has the version itself, {version}: to end the tool as a "
                    "whole, declare a lifecycle."
                )
        if self.sunset is not None:
            if not self.deprecates:
                raise DefinitionError(
                    f"Policy(sunset={self.sunset!r:.80}) is of the versions in deprecates, and there are none: to end "
                    "the tool as a whole, declare Lifecycle(rejected=...)."
                )
            object.__setattr__(self, "sunset", instant_of(self.sunset, f"Policy(sunset={self.sunset!r:.80})"))

    def _check_effect(self) -> None:
        if self.read_only and self.risk in _ACTING:
            raise DefinitionError(
                f"Policy(read_only=True, risk={self.risk!r}) contradicts itself: what changes nothing has the risk "
                "read or read_sensitive."
            )
        declared = self.semantics.idempotency
        if self.idempotent and declared == "none":
            raise DefinitionError(
                "Policy(idempotent=True, semantics=Semantics(idempotency='none')) contradicts itself: leave out the "
                "one that is not so."
            )
        if declared == "idempotent" and not (self.idempotent or self.read_only):
            raise DefinitionError(
                "Policy(semantics=Semantics(idempotency='idempotent')) says that calls may be repeated, and "
                "idempotent=True, by which they are, is missing: add it."
            )


def _refuser(where: str) -> Callable[[str], DefinitionError]:
    return lambda reason: DefinitionError(f"{where} is to hold plain JSON data by name: {reason}.")


def _named(where: str, parse: Callable[[str], Any], text: str) -> Any:
    """What a text is parsed to; DefinitionError begins with where it was given."""
    try:
        return parse(text)
    except DefinitionError as error:
        raise DefinitionError(f"{where}: {error}") from None
