"""The snapshots of tools: what each promises, and what each provider is sent of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from magic_tools.contracts.retired import RETIRED
from magic_tools.contracts.snapshot import Snapshot
from magic_tools.errors import DefinitionError, SchemaRejectedError
from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.examples import checked_contract
from magic_tools.tools.tool import Tool
from magic_tools.values import JsonObject

__all__ = ["PICTURED", "Pictures", "snapshot_of"]

PICTURED: tuple[Dialect, ...] = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "mcp",
    "langchain",
    "simple",
)
"""The dialects in which models are told of a tool: `canonical` is the contract, `grammar` is not read by a model."""


class Pictures(Mapping[str, Snapshot]):
    """The snapshots of tools by id, each made when it is asked for and not kept, since there may be thousands.

    DefinitionError where two tools would have one file.
    """

    def __init__(self, tools: Iterable[Tool[..., Any]]) -> None:
        self._tools: dict[str, Tool[..., Any]] = {}
        files: dict[str, Tool[..., Any]] = {}
        for each in tools:
            id_ = each.executable.contract.id
            if f"{id_.casefold()}.json" == RETIRED:
                raise DefinitionError(
                    f"The id {id_!r} of the tool {each.name!r} has the file of the reserved ids, {RETIRED}: give it "
                    "another with Policy(id=...)."
                )
            if (other := files.setdefault(id_.casefold(), each)) is not each:
                raise DefinitionError(
                    f"The tools {_named(other)} and {_named(each)} would have one snapshot, for their ids are "
                    f"{other.executable.contract.id!r} and {id_!r}: give one another with Policy(id=...)."
                )
            self._tools[id_] = each

    def __getitem__(self, id_: str) -> Snapshot:
        return snapshot_of(self._tools[id_])

    def __contains__(self, id_: object) -> bool:
        return id_ in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def snapshot_of(tool: Tool[..., Any]) -> Snapshot:
    """The snapshot of a tool."""
    once = tool.served_as(tool.executable)  # which keeps what it renders no longer than this
    return Snapshot(checked_contract(tool.executable), {dialect: _definition(once, dialect) for dialect in PICTURED})


def _definition(tool: Tool[..., Any], dialect: Dialect) -> JsonObject:
    try:
        return tool.definition(dialect)
    except SchemaRejectedError as error:  # which is as much a part of the picture
        return {"refused": str(error)}


def _named(tool: Tool[..., Any]) -> str:
    version = tool.executable.contract.version
    return repr(tool.name) if version is None else f"{tool.name!r} ({version})"
