"""What an import may load: nothing that a program might not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATE = ("openai", "anthropic", "llama_cpp", "typer", "rich", "yaml")


@pytest.mark.parametrize("statement", ["import magic_tools", "from magic_tools import tool, extract, run"])
def test_an_import_loads_nothing_heavy(statement: str) -> None:
    """In a fresh process neither the package nor its main names bring in a provider, the model or the command."""
    program = f"{statement}\nimport sys\nprint(*(name for name in {LATE} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == []
