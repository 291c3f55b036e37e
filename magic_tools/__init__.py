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
    from magic_tools.consumers.checking import check_fixtures
    from magic_tools.consumers.keeping import agent_use, keep_fixture
    from magic_tools.consumers.report import FixtureReport
    from magic_tools.contracts.changes import Change, Witness, required_bump
    from magic_tools.contracts.contract import ToolContract
    from magic_tools.contracts.diff import diff, diff_schemas, version_fault
    from magic_tools.contracts.fixture import Fixture
    from magic_tools.contracts.lifecycle import Lifecycle
    from magic_tools.contracts.manifest import Manifest, Pin
    from magic_tools.contracts.policy import Policy, WrongExample
    from magic_tools.contracts.receipts import Receipt, Receipts
    from magic_tools.contracts.semantics import Semantics
    from magic_tools.contracts.uses import AgentUse, DownstreamUse, GatewayUse, KeptCall, UiUse
    from magic_tools.contracts.versions import Version, VersionRange
    from magic_tools.effects.workers import abandoned_calls
    from magic_tools.errors import (
        ContextError,
        ContractViolation,
        ContractWithdrawnError,
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
        UpgradeError,
    )
    from magic_tools.events import (
        Alert,
        CallUpgraded,
        Event,
        ModelAttempted,
        ModelPassedOver,
        ModelReplied,
        ModelWaited,
        ReceiptIssued,
        ToolAttempted,
        ToolCompleted,
        ToolDeprecated,
        ToolDrifted,
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
    from magic_tools.tools.binding import bind_contract
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
    "consumers.checking": ("check_fixtures",),
    "consumers.keeping": ("agent_use", "keep_fixture"),
    "consumers.report": ("FixtureReport",),
    "contracts.changes": ("Change", "Witness", "required_bump"),
    "contracts.contract": ("ToolContract",),
    "contracts.diff": ("diff", "diff_schemas", "version_fault"),
    "contracts.fixture": ("Fixture",),
    "contracts.lifecycle": ("Lifecycle",),
    "contracts.manifest": ("Manifest", "Pin"),
    "contracts.policy": ("Policy", "WrongExample"),
    "contracts.receipts": ("Receipt", "Receipts"),
    "contracts.semantics": ("Semantics",),
    "contracts.uses": ("AgentUse", "DownstreamUse", "GatewayUse", "KeptCall", "UiUse"),
    "contracts.versions": ("Version", "VersionRange"),
    "effects.workers": ("abandoned_calls",),
    "errors": (
        "ContextError", "ContractViolation", "ContractWithdrawnError", "DefinitionError", "LimitError",
        "MagicToolsError", "ModelError", "ModelTimeoutError", "ModelUnavailableError", "OutputError", "ParseError",
        "PausedError", "RateLimitError", "RefusalError", "RepeatError", "RunError", "SchemaRejectedError", "StallError",
        "StreamCutError", "ToolFailure", "ToolFailuresError", "TruncatedError", "UnsupportedSettingError",
        "UpgradeError",
    ),
    "events": (
        "Alert", "CallUpgraded", "Event", "ModelAttempted", "ModelPassedOver", "ModelReplied", "ModelWaited",
        "ReceiptIssued", "ToolAttempted", "ToolCompleted", "ToolDeprecated", "ToolDrifted",
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
    "tools.binding": ("bind_contract",),
    "tools.lint.findings": ("Finding", "LintConfig"),
    "tools.lint.linter": ("lint",),
    "tools.tokens": ("TokenCost", "token_cost"),
    "tools.tool": ("Tool", "tool"),
    "tools.toolset": ("Toolset",),
}  # fmt: skip
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgentUse", "Alert", "BadInput", "CallPiece", "CallUpgraded", "Capabilities", "Change", "ChatModel", "Context",
    "ContextError", "ContractViolation", "ContractWithdrawnError", "CutReply", "DefinitionError", "DialectChange",
    "Done", "DownstreamUse", "ErrorCode", "Event", "FallbackModel", "Finding", "Fixture", "FixtureReport",
    "GatewayUse", "History", "IdempotencyKey", "IncrementalParser", "Injected", "Issue", "KeptCall", "Lifecycle",
    "LimitError", "Limits", "LintConfig", "LooseParameter", "MagicToolsError", "Manifest", "MaxDepth", "Message",
    "ModelAttempted", "ModelError", "ModelPassedOver", "ModelReplied", "ModelReply", "ModelRequest", "ModelSettings",
    "ModelTimeoutError", "ModelUnavailableError", "ModelWaited", "Outcome", "OutputError", "OutputFormat",
    "OutputLimits", "OutputTool", "ParseError", "Parsed", "Partial", "PartialStream", "PartialValue", "PausedError",
    "Phases", "Pin", "Policy", "Price", "Progress", "ProviderPart", "RateLimit", "RateLimitError", "Receipt",
    "ReceiptIssued", "Receipts", "RefusalError", "Repair", "RepeatError", "ReplayModel", "RequestUsage", "Resource",
    "RunError", "RunEvent", "RunOptions", "Schema", "SchemaLimits", "SchemaRejectedError", "ScriptedModel",
    "Semantics", "StallError", "StreamCutError", "StreamingModel", "TextDelta", "TextPart", "TextPiece", "Timeouts",
    "TokenCost", "Tool", "ToolAttempted", "ToolCall", "ToolCompleted", "ToolContract", "ToolDefinition",
    "ToolDeprecated", "ToolDrifted", "ToolFailure", "ToolFailuresError", "ToolFinished", "ToolResult", "ToolStarted",
    "Toolset", "TruncatedError", "UiUse", "Unit", "UnsupportedSettingError", "UpgradeError", "Usage", "Version",
    "VersionRange", "WaitingCall", "Witness", "WrongExample", "Zone", "abandoned_calls", "aextract",
    "aextract_stream", "agent_use", "aresume", "arun", "arun_stream", "ask_user", "bad_arguments", "bind_contract",
    "cached", "check_fixtures", "compile_schema", "cost", "cost_of", "diff", "diff_schemas", "extract",
    "extract_stream", "keep_fixture", "limited", "lint", "load_model", "loads", "loose_parameters", "output_tool",
    "parse", "prompt", "record", "required_bump", "resume", "run", "run_stream", "token_cost", "tool",
    "version_fault",
]  # fmt: skip


if not TYPE_CHECKING:  # a checker that saw it would let every misspelled name pass

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
