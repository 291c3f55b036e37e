"""Annotated Python functions as the single source of truth for what a language model may call and must answer.

The names below are imported when they are first used, so that `import magic_tools` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from magic_tools.chat import (
        CallPiece,
        Capabilities,
        ChatModel,
        ModelReply,
        ModelRequest,
        OutputFormat,
        StreamingModel,
        TextPiece,
        ToolDefinition,
    )
    from magic_tools.contracts.contract import ToolContract
    from magic_tools.contracts.policy import Policy
    from magic_tools.effects.workers import abandoned_calls
    from magic_tools.errors import (
        ContextError,
        ContractViolation,
        DefinitionError,
        LimitError,
        MagicToolsError,
        ModelError,
        ModelTimeoutError,
        ModelUnavailableError,
        OutputError,
        ParseError,
        PausedError,
        RateLimitError,
        RefusalError,
        RepeatError,
        RunError,
        SchemaRejectedError,
        StallError,
        StreamCutError,
        ToolFailure,
        ToolFailuresError,
        TruncatedError,
        UnsupportedSettingError,
    )
    from magic_tools.events import (
        Alert,
        Event,
        ModelAttempted,
        ModelPassedOver,
        ModelReplied,
        ModelWaited,
        ToolAttempted,
        ToolCompleted,
    )
    from magic_tools.loop.phases import Phases, Progress
    from magic_tools.loop.streamed import Done, PartialValue, RunEvent, TextDelta, ToolFinished, ToolStarted
    from magic_tools.loose.decode import Schema, compile_schema, loads, parse
    from magic_tools.loose.partial import Partial, PartialStream
    from magic_tools.loose.stream import IncrementalParser
    from magic_tools.loose.taker import Parsed
    from magic_tools.messages import (
        ErrorCode,
        Issue,
        Message,
        ProviderPart,
        Repair,
        TextPart,
        ToolCall,
        ToolResult,
        Usage,
    )
    from magic_tools.models.caching import cached
    from magic_tools.models.fallback import FallbackModel
    from magic_tools.models.limiting import RateLimit, limited
    from magic_tools.models.recording import ReplayModel, record
    from magic_tools.models.registry import load_model
    from magic_tools.models.scripted import CutReply, ScriptedModel
    from magic_tools.options import History, Limits, RunOptions
    from magic_tools.outcome import Outcome, RequestUsage, WaitingCall
    from magic_tools.outputs.output_limits import OutputLimits
    from magic_tools.outputs.output_tool import OutputTool, output_tool
    from magic_tools.pricing import Price, cost, cost_of
    from magic_tools.prompting import prompt
    from magic_tools.running import aextract, aresume, arun, extract, resume, run
    from magic_tools.schema.dialects.rendered import DialectChange
    from magic_tools.schema.guard.budgets import SchemaLimits
    from magic_tools.schema.hidden import Context, IdempotencyKey, Injected
    from magic_tools.schema.marks import MaxDepth, Resource, Unit, Zone
    from magic_tools.settings import ModelSettings, Timeouts
    from magic_tools.streaming import aextract_stream, arun_stream, extract_stream, run_stream
    from magic_tools.tools.asking import ask_user
    from magic_tools.tools.bad_inputs.bad_inputs import BadInput, LooseParameter, bad_arguments, loose_parameters
    from magic_tools.tools.lint.findings import Finding, LintConfig
    from magic_tools.tools.lint.linter import lint
    from magic_tools.tools.tokens import TokenCost, token_cost
    from magic_tools.tools.tool import Tool, tool
    from magic_tools.tools.toolset import Toolset

_HOMES = {
    "chat": (
        "CallPiece", "Capabilities", "ChatModel", "ModelReply", "ModelRequest", "OutputFormat", "StreamingModel",
        "TextPiece", "ToolDefinition",
    ),
    "contracts.contract": ("ToolContract",),
    "contracts.policy": ("Policy",),
    "effects.workers": ("abandoned_calls",),
    "errors": (
        "ContextError", "ContractViolation", "DefinitionError", "LimitError", "MagicToolsError", "ModelError",
        "ModelTimeoutError", "ModelUnavailableError", "OutputError", "ParseError", "PausedError", "RateLimitError",
        "RefusalError", "RepeatError", "RunError", "SchemaRejectedError", "StallError", "StreamCutError",
        "ToolFailure", "ToolFailuresError", "TruncatedError", "UnsupportedSettingError",
    ),
    "events": (
        "Alert", "Event", "ModelAttempted", "ModelPassedOver", "ModelReplied", "ModelWaited", "ToolAttempted",
        "ToolCompleted",
    ),
    "loop.phases": ("Phases", "Progress"),
    "loop.streamed": ("Done", "PartialValue", "RunEvent", "TextDelta", "ToolFinished", "ToolStarted"),
    "loose.decode": ("Schema", "compile_schema", "loads", "parse"),
    "loose.partial": ("Partial", "PartialStream"),
    "loose.stream": ("IncrementalParser",),
    "loose.taker": ("Parsed",),
    "messages": (
        "ErrorCode", "Issue", "Message", "ProviderPart", "Repair", "TextPart", "ToolCall", "ToolResult", "Usage",
    ),
    "models.caching": ("cached",),
    "models.fallback": ("FallbackModel",),
    "models.limiting": ("RateLimit", "limited"),
    "models.recording": ("ReplayModel", "record"),
    "models.registry": ("load_model",),
    "models.scripted": ("CutReply", "ScriptedModel"),
    "options": ("History", "Limits", "RunOptions"),
    "outcome": ("Outcome", "RequestUsage", "WaitingCall"),
    "outputs.output_limits": ("OutputLimits",),
    "outputs.output_tool": ("OutputTool", "output_tool"),
    "pricing": ("Price", "cost", "cost_of"),
    "prompting": ("prompt",),
    "running": ("aextract", "aresume", "arun", "extract", "resume", "run"),
    "settings": ("ModelSettings", "Timeouts"),
    "streaming": ("aextract_stream", "arun_stream", "extract_stream", "run_stream"),
    "schema.dialects.rendered": ("DialectChange",),
    "schema.guard.budgets": ("SchemaLimits",),
    "schema.hidden": ("Context", "IdempotencyKey", "Injected"),
    "schema.marks": ("MaxDepth", "Resource", "Unit", "Zone"),
    "tools.asking": ("ask_user",),
    "tools.bad_inputs.bad_inputs": ("BadInput", "LooseParameter", "bad_arguments", "loose_parameters"),
    "tools.lint.findings": ("Finding", "LintConfig"),
    "tools.lint.linter": ("lint",),
    "tools.tokens": ("TokenCost", "token_cost"),
    "tools.tool": ("Tool", "tool"),
    "tools.toolset": ("Toolset",),
}  # fmt: skip
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "Alert",
    "BadInput",
    "CallPiece",
    "Capabilities",
    "ChatModel",
    "Context",
    "ContextError",
    "ContractViolation",
    "CutReply",
    "DefinitionError",
    "DialectChange",
    "Done",
    "ErrorCode",
    "Event",
    "FallbackModel",
    "Finding",
    "History",
    "IdempotencyKey",
    "IncrementalParser",
    "Injected",
    "Issue",
    "LimitError",
    "Limits",
    "LintConfig",
    "LooseParameter",
    "MagicToolsError",
    "MaxDepth",
    "Message",
    "ModelAttempted",
    "ModelError",
    "ModelPassedOver",
    "ModelReplied",
    "ModelReply",
    "ModelRequest",
    "ModelSettings",
    "ModelTimeoutError",
    "ModelUnavailableError",
    "ModelWaited",
    "Outcome",
    "OutputError",
    "OutputFormat",
    "OutputLimits",
    "OutputTool",
    "ParseError",
    "Parsed",
    "Partial",
    "PartialStream",
    "PartialValue",
    "PausedError",
    "Phases",
    "Policy",
    "Price",
    "Progress",
    "ProviderPart",
    "RateLimit",
    "RateLimitError",
    "RefusalError",
    "Repair",
    "RepeatError",
    "ReplayModel",
    "RequestUsage",
    "Resource",
    "RunError",
    "RunEvent",
    "RunOptions",
    "Schema",
    "SchemaLimits",
    "SchemaRejectedError",
    "ScriptedModel",
    "StallError",
    "StreamCutError",
    "StreamingModel",
    "TextDelta",
    "TextPart",
    "TextPiece",
    "Timeouts",
    "TokenCost",
    "Tool",
    "ToolAttempted",
    "ToolCall",
    "ToolCompleted",
    "ToolContract",
    "ToolDefinition",
    "ToolFailure",
    "ToolFailuresError",
    "ToolFinished",
    "ToolResult",
    "ToolStarted",
    "Toolset",
    "TruncatedError",
    "Unit",
    "UnsupportedSettingError",
    "Usage",
    "WaitingCall",
    "Zone",
    "abandoned_calls",
    "aextract",
    "aextract_stream",
    "aresume",
    "arun",
    "arun_stream",
    "ask_user",
    "bad_arguments",
    "cached",
    "compile_schema",
    "cost",
    "cost_of",
    "extract",
    "extract_stream",
    "limited",
    "lint",
    "load_model",
    "loads",
    "loose_parameters",
    "output_tool",
    "parse",
    "prompt",
    "record",
    "resume",
    "run",
    "run_stream",
    "token_cost",
    "tool",
]


if not TYPE_CHECKING:  # a checker that saw it would let every misspelled name pass

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
