"""What an author attaches to a tool: rules, a preview, what became of a lost call, and adapters from older versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from magic_tools.errors import DefinitionError, UpgradeError
from magic_tools.tools.behaviour import Attached, Hooks, attached
from magic_tools.tools.executable import Executable
from magic_tools.tools.upgrading import (
    Adapter,
    Part,
    adapter_for,
    adapter_of,
    upgraded_arguments,
    upgraded_result,
)
from magic_tools.values import JsonObject, JsonValue

__all__ = ["Hooked"]

Q = ParamSpec("Q")
S = TypeVar("S")


class Hooked:
    """A tool, as far as its author attaches functions to it; all objects and names of one tool share them."""

    name: str
    executable: Executable

    def rule(self, fn: Callable[Q, S]) -> Callable[Q, S]:
        """Attach a check across arguments, which names those that it wants; ValueError, or False, refuses the call.

        What the ValueError says, the model is told. Hidden parameters may be named too. Used as a decorator.
        """
        self._hooks.rules.append(self._attached(fn))
        return fn

    def result_rule(self, fn: Callable[Q, S]) -> Callable[Q, S]:
        """Attach a check of results: it takes the result, and may name arguments; ValueError, or False, refuses it."""
        self._hooks.result_rules.append(self._attached(fn, first=1))
        return fn

    def reconcile(self, fn: Callable[Q, S]) -> Callable[Q, S]:
        """Attach what finds out whether a call took effect that came to no result.

        It names the arguments and hidden parameters that it wants, such as the idempotency key, and returns
        `"applied"`, `"not_applied"` or `"unknown"`.
        """
        if self._hooks.reconcile is not None:
            raise DefinitionError(f"{self.name}(): it has a reconcile function already, {self._hooks.reconcile.name}.")
        self._hooks.reconcile = self._attached(fn)
        return fn

    def preview(self, fn: Callable[Q, S]) -> Callable[Q, S]:
        """Attach what a person is shown before a call that needs approval: text or data, made of the arguments.

        It names the arguments and hidden parameters that it wants, and changes nothing.
        """
        if self._hooks.preview is not None:
            raise DefinitionError(f"{self.name}(): it has a preview function already, {self._hooks.preview.name}.")
        self._hooks.preview = self._attached(fn)
        return fn

    def upgrade_from(self, versions: str, *, part: Part = "arguments") -> Callable[[Callable[Q, S]], Callable[Q, S]]:
        """Attach an adapter from a range of older versions, such as `1.x`, to the tool's own; used as a decorator.

        It takes the old arguments by name, as one mapping of JSON data in which the old defaults stand, and returns
        the new ones; for the part `result` it takes an old result, as JSON data, and returns the new one. It is an
        ordinary function that waits for nothing. A run that is pinned to one of these versions is served by way of one
        for arguments; those for results are for what was kept. DefinitionError where the ranges of two adapters meet,
        or one holds the tool's own version.
        """

        def attach(fn: Callable[Q, S]) -> Callable[Q, S]:
            known = self._hooks.adapters
            own = self.executable.policy.version
            known.append(adapter_of(self.name, own, known, versions, part, fn))
            return fn

        return attach

    def upgrade(self, version: str, arguments: Mapping[str, Any]) -> JsonObject:
        """The arguments of a call for an older version as the tool takes them today, as JSON data.

        UpgradeError where no adapter covers the version, where it raises, or where what it makes does not fit.
        """
        adapter, versions = self._adapter("arguments", version)
        data, _ = upgraded_arguments(self.name, adapter, versions, arguments, self.executable.arguments)
        return data

    def upgrade_result(self, version: str, result: JsonValue) -> JsonValue:
        """A result of an older version, as JSON data, as the tool gives it today.

        UpgradeError where no adapter covers the version, where it raises, or where what it makes does not fit.
        """
        adapter, versions = self._adapter("result", version)
        return upgraded_result(self.name, adapter, versions, result, self.executable.results.schema)

    def _adapter(self, part: Part, version: str) -> tuple[Adapter, tuple[str, str]]:
        """The adapter that covers a version, and the two versions between which it stands."""
        known = self._hooks.adapters
        adapter = adapter_for(known, part, version)
        if adapter is None:
            ranges = ", ".join(str(each.versions) for each in known if each.part == part) or "none"
            raise UpgradeError(
                f"{self.name} has no adapter of the {part} from version {version}; there are for: {ranges}. "
                "Declare it with @upgrade_from."
            )
        return adapter, (version, str(self.executable.policy.version))

    @property
    def _hooks(self) -> Hooks:
        return self.executable.hooks

    def _attached(self, fn: Callable[..., Any], first: int = 0) -> Attached:
        target = self.executable
        known = None if target.is_open else {parameter.name for parameter in target.signature.all}
        return attached(fn, tool=self.name, known=known, first=first)
