"""How long an import takes, as a multiple of importing pydantic."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROUNDS = 25
LARGEST_RATIO = 1.5

BARE = "pass"
PYDANTIC = "import pydantic; pydantic.BaseModel"
PACKAGE = "import magic_tools"
NAME = "from magic_tools import tool"


def test_importing_costs_little_more_than_pydantic(tmp_path: Path, say: Callable[[str], None]) -> None:
    """`import magic_tools` takes at most 1.5 times what pydantic's models take, both less the interpreter's start."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(tmp_path)

    def seconds(program: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
        return time.perf_counter() - start

    programs = (BARE, PYDANTIC, PACKAGE, NAME)
    for program in programs:  # the first run writes the bytecode
        seconds(program)
    rounds = [[seconds(program) for program in programs] for _ in range(ROUNDS)]
    bare, *rest = (median(column) for column in zip(*rounds, strict=True))
    pydantic, package, name = (each - bare for each in rest)
    lines = [f"bare interpreter: {bare * 1000:.0f} ms; beyond it:"]
    for program, spent in ((PYDANTIC, pydantic), (PACKAGE, package), (NAME, name)):
        lines.append(f"{program:40} {spent * 1000:5.0f} ms, {spent / pydantic:.2f} of pydantic")
    say("\n".join(lines))
    assert package <= LARGEST_RATIO * pydantic
