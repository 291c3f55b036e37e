"""What the author of a tool declares of it beside its signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.errors import DefinitionError
from magic_tools.values import JsonObject

__all__ = ["Policy"]


@dataclass(frozen=True, slots=True)
class Policy:
    """A tool's declarations: who it is, who answers for it, whom it serves, and what is known of its effect.

    `id` is the tool's name where it is None. `tags` and `phases` choose it for a `Toolset`; a tool without
    phases belongs to every phase. `read_only` says that a call changes nothing, `idempotent` that the same
    call twice changes no more than one. With `approval` no call is made before a person has allowed that very call.
    `scopes` must all be among the `scopes` of the run's context, or the
    tool is not offered and refuses to run. `examples` are arguments as a model should send them. `error_schema`
    is of the data in the tool's failures. `lint_ignore` gives, by the name of a rule, or by `rule:path`, the reason
    why it is silenced for this tool. DefinitionError for a bare text in place of several.
    """

    id: str | None = None
    version: str | None = None
    owner: str | None = None
    risk: str | None = None
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

    def __post_init__(self) -> None:
        for name in ("tags", "phases", "scopes", "masks", "log_fields", "examples"):
            given = getattr(self, name)
            if isinstance(given, Mapping) or not isinstance(given, Iterable):
                raise DefinitionError(f"Policy({name}={given!r}) is to hold several: write {name}=(..., ...).")
            if isinstance(given, str):
                raise DefinitionError(
                    f"Policy({name}={given!r}) is a bare text, which would be taken letter by letter: "
                    f"write {name}=({given!r},)."
                )
            object.__setattr__(self, name, tuple(given))  # its own, whatever becomes of what was given
            if name == "examples":
                continue
            if not all(isinstance(each, str) and each.strip() for each in getattr(self, name)):
                raise DefinitionError(f"Policy({name}={getattr(self, name)!r}) is to hold texts, none of them blank.")
        if not all(isinstance(example, Mapping) for example in self.examples):
            raise DefinitionError("Policy(examples=...) is to hold arguments by name, such as ({'city': 'Rome'},).")
        for name in ("id", "version", "owner", "risk", "metrics_prefix"):
            given = getattr(self, name)
            if given is not None and not (isinstance(given, str) and given.strip()):
                raise DefinitionError(f"Policy({name}={given!r}) is to be a text that is not blank, or None.")
        for name in ("read_only", "idempotent", "sequential", "approval"):
            if not isinstance(getattr(self, name), bool):
                raise DefinitionError(f"Policy({name}={getattr(self, name)!r}) is to be True or False.")
        most: object = self.max_chars  # which a caller without a type checker may give as anything
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise DefinitionError(f"Policy(max_chars={self.max_chars!r}) is to be a whole number of at least 1.")
