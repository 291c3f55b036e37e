"""The public face: one list of names, held to the table that finds them and to what type checkers see."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import magic_tools

SOURCE = Path(magic_tools.__file__)
TABLE: dict[str, tuple[str, ...]] = magic_tools._HOMES

# What the public face has in this form of the library. A name that is added or taken away is a change for users.
NAMES = {
    "AgentUse", "Alert", "BadInput", "CallPiece", "CallUpgraded", "Capabilities", "Change", "ChatModel", "Context",
    "ContextError", "ContractViolation", "ContractWithdrawnError", "CutReply", "DefinitionError", "DialectChange",
    "Done", "DownstreamUse", "ErrorCode", "Event", "FallbackModel", "Finding", "Fixture", "FixtureReport", "GatewayUse",
    "History", "IdempotencyKey", "IncrementalParser", "Injected", "Issue", "KeptCall", "Lifecycle", "LimitError",
    "Limits", "LintConfig", "LooseParameter", "MagicToolsError", "Manifest", "MaxDepth", "Message", "ModelAttempted",
    "ModelError", "ModelPassedOver", "ModelReplied", "ModelReply", "ModelRequest", "ModelSettings", "ModelTimeoutError",
    "ModelUnavailableError", "ModelWaited", "Outcome", "OutputError", "OutputFormat", "OutputLimits", "OutputTool",
    "ParseError", "Parsed", "Partial", "PartialStream", "PartialValue", "PausedError", "Phases", "Pin", "Policy",
    "Price", "Progress", "ProviderPart", "RateLimit", "RateLimitError", "Receipt", "ReceiptIssued", "Receipts",
    "RefusalError", "Repair", "RepeatError", "ReplayModel", "RequestUsage", "Resource", "RunError", "RunEvent",
    "RunOptions", "Schema", "SchemaLimits", "SchemaRejectedError", "ScriptedModel", "Semantics", "StallError",
    "StreamCutError", "StreamingModel", "TextDelta", "TextPart", "TextPiece", "Timeouts", "TokenCost", "Tool",
    "ToolAttempted", "ToolCall", "ToolCompleted", "ToolContract", "ToolDefinition", "ToolDeprecated", "ToolDrifted",
    "ToolFailure", "ToolFailuresError", "ToolFinished", "ToolResult", "ToolStarted", "Toolset", "TruncatedError",
    "UiUse", "Unit", "UnsupportedSettingError", "UpgradeError", "Usage", "Version", "VersionRange", "WaitingCall",
    "Witness", "WrongExample", "Zone", "abandoned_calls", "aextract", "aextract_stream", "agent_use", "aresume", "arun",
    "arun_stream", "ask_user", "bad_arguments", "bind_contract", "cached", "check_fixtures", "compile_schema", "cost",
    "cost_of", "diff", "diff_schemas", "extract", "extract_stream", "keep_fixture", "limited", "lint", "load_model",
    "loads", "loose_parameters", "output_tool", "parse", "prompt", "record", "required_bump", "resume", "run",
    "run_stream", "token_cost", "tool", "version_fault",
}  # fmt: skip

ALIASES = {"Context", "Event", "Injected", "RunEvent"}
"""Names of annotations, which have no docstring of their own that Python could see."""


def typed_face() -> dict[str, tuple[str, ...]]:
    """The names that type checkers see, by the module they are imported from, as the source has them."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {
        node.module.removeprefix("magic_tools."): tuple(alias.name for alias in node.names if alias.asname is None)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and node.module
    }


def test_the_names_are_these() -> None:
    """`__all__` has the public names, each once, in order."""
    assert magic_tools.__all__ == sorted(NAMES)


def test_the_table_has_every_name() -> None:
    """Each public name has one home, and the table no other name."""
    assert sorted(name for names in TABLE.values() for name in names) == magic_tools.__all__


def test_the_typed_face_is_the_table() -> None:
    """What a type checker sees is what a program gets, from the same modules."""
    assert {home: tuple(sorted(names)) for home, names in typed_face().items()} == {
        home: tuple(sorted(names)) for home, names in TABLE.items()
    }


@pytest.mark.parametrize("name", magic_tools.__all__)
def test_each_name_is_what_its_home_has(name: str) -> None:
    """A name gives the very object of its home, which exports it, and its own docstring promises something."""
    (home,) = [home for home, names in TABLE.items() if name in names]
    module = import_module(f"magic_tools.{home}")
    held: Any = getattr(magic_tools, name)
    assert held is getattr(module, name)
    assert name in module.__all__
    if name in ALIASES:
        return
    assert held.__module__ == module.__name__
    own = vars(held).get("__doc__") if isinstance(held, type) else held.__doc__
    assert own
    first = inspect.cleandoc(own).partition("\n\n")[0]
    assert first.endswith(".") or ". " in first, f"{name} promises nothing: {first}"
    assert not first.startswith(f"{name}("), f"{name} has the docstring that a dataclass makes of its fields"


def public_members() -> list[Any]:
    """What a public class offers: its own public methods and properties."""
    members = []
    for name in magic_tools.__all__:
        held = getattr(magic_tools, name)
        if isinstance(held, type):
            for member, value in vars(held).items():
                function = (
                    getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
                )
                if not member.startswith("_") and inspect.isfunction(function):
                    members.append(pytest.param(function, id=f"{name}.{member}"))
    return members


@pytest.mark.parametrize("member", public_members())
def test_each_member_says_what_it_promises(member: Any) -> None:
    """Every public method and property has a docstring that is a sentence."""
    assert inspect.getdoc(member), "no docstring"
    assert "." in (inspect.getdoc(member) or "") or ";" in (inspect.getdoc(member) or "")


def test_dir_has_every_name() -> None:
    """Completion offers the public names before they are used."""
    assert set(magic_tools.__all__) <= set(dir(magic_tools))
    assert dir(magic_tools) == sorted(dir(magic_tools))


def test_an_unknown_name() -> None:
    """A name that there is not is an AttributeError, and an ImportError where it is imported."""
    with pytest.raises(AttributeError, match="module 'magic_tools' has no attribute 'extrakt'"):
        magic_tools.extrakt  # type: ignore[attr-defined]  # noqa: B018 - the fault that is tested
    with pytest.raises(ImportError, match="cannot import name 'extrakt' from 'magic_tools'"):
        from magic_tools import extrakt  # type: ignore[attr-defined]  # noqa: F401 - the fault that is tested
    assert not hasattr(magic_tools, "_HOME")


PROGRAM = """
import sys
import magic_tools
before = set(sys.modules)
assert "tool" not in vars(magic_tools)
assert set(magic_tools.__all__) <= set(dir(magic_tools))
assert set(sys.modules) == before
from magic_tools import *
missing = [name for name in magic_tools.__all__ if name not in globals()]
assert not missing, missing
assert "tool" in vars(magic_tools)
"""


def test_names_are_imported_when_they_are_used() -> None:
    """In a fresh process none is there before it is used, looking around imports nothing, and * brings all."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
