"""A tool that says how much of something there is, calls of it, and a report to answer with."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from magic_tools import Outcome, ToolCall, ToolResult, output_tool, tool

__all__ = ["REPORT", "STOCK", "Report", "call", "results_of", "stock"]


class Report(BaseModel):
    n: int
    note: str | None = None


REPORT = output_tool("report", "The report", Report)


@tool
def stock(sku: str) -> int:
    """How many there are."""
    if sku.startswith("none"):
        raise KeyError(sku)
    return len(sku)


def call(call_id: str, name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, json.dumps(arguments))


STOCK = call("s", "stock", sku="ab")


def results_of(outcome: Outcome[Any]) -> list[ToolResult]:
    return [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
