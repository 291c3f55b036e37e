"""The imports of the package: downwards only, without a cycle, and the heavy ones where they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "magic_tools"
ROOT = Path(__file__).parents[1] / PACKAGE

# The layers, lowest first. In a tuple each may import those before it; in a set none imports another.
LAYERS: tuple[tuple[str, ...] | frozenset[str], ...] = (
    (
        "values",
        "messages",
        "transcripts",
        "outcome",
        "settings",
        "events",
        "chat",
        "options",
        "errors",
        "effects",
        "asking",
        "pricing",
    ),
    ("schema",),
    ("loose",),
    frozenset({"contracts", "sanitise", "context"}),
    frozenset({"tools", "outputs"}),
    frozenset({"loop", "models", "tracing"}),
    ("settling", "starting", "running", "streaming", "prompting", "batch", "replaying", "consumers", "interop"),
    ("snapshot_testing",),
    frozenset({"cli", "pytest_plugin"}),
    ("__init__",),
)

# Optional, or dear to import: these stand in the functions that use them. Everything else stands at the top.
HEAVY = frozenset(
    {
        "anthropic",
        "asyncio",
        "httpx",
        "httpx2",
        "importlib.metadata",
        "jsonschema_rs",
        "langchain_core",
        "llama_cpp",
        "mcp",
        "openai",
        "opentelemetry",
        "redis",
        "rich",
        "sqlite3",
        "tenacity",
        "typer",
        "yaml",
    }
)

# What a person's command needs at once, the modules of the command may import at the top.
AT_THE_TOP: Mapping[str, frozenset[str]] = {"cli": frozenset({"typer", "rich"})}


@dataclass(frozen=True)
class Import:
    """One import as it stands in a module; `names` are what it may name, the longest first."""

    names: tuple[str, ...]
    line: int
    relative: bool
    in_function: bool
    for_types: bool

    def first_of(self, known: frozenset[str]) -> str | None:
        """What of `known` it imports."""
        parents = (".".join(name.split(".")[:end]) for name in self.names for end in range(name.count(".") + 1, 0, -1))
        return next((name for name in parents if name in known), None)


def imports_of(node: ast.AST, in_function: bool = False, for_types: bool = False) -> Iterator[Import]:
    """Every import below a node, at whatever depth."""
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                yield Import((alias.name,), node.lineno, False, in_function, for_types)
        case ast.ImportFrom(module=module, names=aliases, level=level):
            for alias in aliases:
                names = (f"{module}.{alias.name}", module or "")
                yield Import(names, node.lineno, level > 0, in_function, for_types)
        case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            for statement in node.body:
                yield from imports_of(statement, in_function, True)
            for statement in node.orelse:
                yield from imports_of(statement, in_function, for_types)
        case _:
            inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from imports_of(child, inside, for_types)


def row_of(module: str) -> str:
    """The row of the table that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def may_import(importer: str, imported: str) -> bool:
    """Whether one row of the table may import another."""
    for layer in LAYERS:
        if importer in layer:
            return isinstance(layer, tuple) and imported in layer[: layer.index(importer)]
        if imported in layer:
            return True
    return False


def faults_of_import(module: str, each: Import, own: str | None) -> Iterator[str]:
    """What is wrong with one import of a module, `own` being what it imports of the package itself."""
    row, heavy = row_of(module), each.first_of(HEAVY)
    at_the_top = not each.in_function and not each.for_types
    if each.relative:
        yield "a relative import: write the full name"
    if own is not None and row_of(own) != row and not may_import(row, row_of(own)):
        yield f"{row} may not import {row_of(own)}"
    if each.in_function and heavy is None:
        yield f"{each.names[-1]} is imported in a function and is not heavy"
    if at_the_top and heavy is not None and heavy not in AT_THE_TOP.get(row, ()):
        yield f"{heavy} is heavy and is imported outside a function"


def faults_of(sources: Mapping[str, str]) -> list[str]:
    """What is wrong with the imports of a package, given as the text of each module by its full name."""
    modules = frozenset(sources)
    rows = frozenset(row for layer in LAYERS for row in layer)
    faults = [f"{module}: is in no row of the table" for module in sorted(modules) if row_of(module) not in rows]
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for module, source in sorted(sources.items()):
        for each in imports_of(ast.parse(source)):
            own = each.first_of(modules)
            if own is not None:
                graph[module].add(own)
            faults.extend(f"{module}:{each.line}: {fault}" for fault in faults_of_import(module, each, own))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        faults.append("a cycle: " + " < ".join(error.args[1]))
    return faults


def name_of(path: Path) -> str:
    """The full name of the module in a file."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_package_keeps_its_layers() -> None:
    """Every module imports lower layers only, or what the table puts before it, and nothing heavy at its top."""
    sources = {name_of(path): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    assert f"{PACKAGE}.values" in sources
    assert faults_of(sources) == []


SOUND = {
    "magic_tools": "from magic_tools.cli.app import main",
    "magic_tools.values": "import hashlib, json",
    "magic_tools.messages": "from typing import TYPE_CHECKING\nfrom magic_tools.values import JsonObject",
    "magic_tools.effects.program": "",
    "magic_tools.effects.runners": "if TYPE_CHECKING:\n    import asyncio\ndef run():\n    import asyncio",
    "magic_tools.schema": "from magic_tools.schema.emit import emit",
    "magic_tools.schema.emit": "import magic_tools.schema.dialects",
    "magic_tools.schema.dialects": "from magic_tools import values",
    "magic_tools.tools.tool": "from magic_tools.contracts import contract\nfrom magic_tools.schema import emit",
    "magic_tools.contracts.contract": "class A:\n    def b(self):\n        from importlib import metadata",
    "magic_tools.models.local": "async def load():\n    import llama_cpp.llama",
    "magic_tools.loop.driver": "from magic_tools.effects.program import Call",
    "magic_tools.outputs.plain": "",
    "magic_tools.running": "from magic_tools.loop import driver",
    "magic_tools.prompting": "from magic_tools.running import run",
    "magic_tools.cli.app": "import typer\nfrom rich.console import Console",
}


def test_sound_imports_have_no_fault() -> None:
    """Lower layers, earlier rows, modules of the same package and lazy heavy imports are all allowed."""
    assert faults_of(SOUND) == []


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("values", "from magic_tools.schema import emit", "magic_tools.values:1: values may not import schema"),
        ("values", "import magic_tools.messages", "magic_tools.values:1: values may not import messages"),
        ("messages", "from magic_tools.effects.program import Call", "messages:1: messages may not import effects"),
        ("values", "from magic_tools import run", "magic_tools.values:1: values may not import __init__"),
        ("running", "import magic_tools", "magic_tools.running:1: running may not import __init__"),
        ("running", "\nfrom magic_tools import prompting", "magic_tools.running:2: running may not import prompting"),
        ("loop.driver", "from magic_tools.models import local", "loop.driver:1: loop may not import models"),
        ("models.local", "from magic_tools.loop.driver import drive", "models.local:1: models may not import loop"),
        ("tools.tool", "import magic_tools.outputs.plain as plain", "tools.tool:1: tools may not import outputs"),
        ("outputs.plain", "from magic_tools.tools.tool import tool", "outputs.plain:1: outputs may not import tools"),
        (
            "values",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from magic_tools.messages import Usage",
            "magic_tools.values:3: values may not import messages",
        ),
        (
            "values",
            "import typing\nif typing.TYPE_CHECKING:\n    from magic_tools.messages import Usage",
            "magic_tools.values:3: values may not import messages",
        ),
        (
            "values",
            "def late():\n    from magic_tools.messages import Usage",
            "magic_tools.values:2: values may not import messages",
        ),
        (
            "values",
            "def late():\n    from magic_tools.messages import Usage",
            "magic_tools.values:2: magic_tools.messages is imported in a function and is not heavy",
        ),
        ("values", "def late():\n    import json", "values:2: json is imported in a function and is not heavy"),
        (
            "values",
            "class A:\n    async def late(self):\n        import json",
            "values:3: json is imported in a function",
        ),
        ("models.local", "import openai", "models.local:1: openai is heavy and is imported outside a function"),
        ("models.local", "import openai.types.chat", "models.local:1: openai is heavy"),
        ("models.local", "from openai.types import chat", "models.local:1: openai is heavy"),
        ("models.local", "from importlib import metadata", "models.local:1: importlib.metadata is heavy"),
        ("models.local", "class A:\n    import asyncio", "models.local:2: asyncio is heavy"),
        (
            "models.local",
            "try:\n    import llama_cpp\nexcept ImportError:\n    pass",
            "models.local:2: llama_cpp is heavy",
        ),
        ("models.local", "if TYPE_CHECKING:\n    x = 1\nelse:\n    import redis", "models.local:4: redis is heavy"),
        ("models.local", "import typer", "models.local:1: typer is heavy"),
        ("cli.app", "import openai", "cli.app:1: openai is heavy"),
        ("schema.emit", "from . import dialects", "schema.emit:1: a relative import: write the full name"),
        ("schema.emit", "from .dialects import Rendered", "schema.emit:1: a relative import: write the full name"),
        ("schema.dialects", "from magic_tools.schema.emit import emit", "a cycle: magic_tools.schema"),
        ("schema.dialects", "from magic_tools.schema import emit", "a cycle: magic_tools.schema"),
        ("schema.emit", "from magic_tools.schema import render", "a cycle: magic_tools.schema"),
        (
            "schema.dialects",
            "if TYPE_CHECKING:\n    from magic_tools.schema.emit import emit",
            "a cycle: magic_tools.schema",
        ),
        ("extras", "", "magic_tools.extras: is in no row of the table"),
    ],
)
def test_each_fault_is_found(module: str, source: str, fault: str) -> None:
    """The check fails for each thing that it forbids: with one module made unsound, that fault is reported."""
    faults = faults_of(SOUND | {f"{PACKAGE}.{module}": source})
    assert any(fault in found for found in faults), faults


def test_each_row_stands_in_the_table_once() -> None:
    """No row could be of two ranks."""
    rows = [row for layer in LAYERS for row in layer]
    assert len(rows) == len(set(rows))
