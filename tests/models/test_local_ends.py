"""A process that ends while the embedded model still writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
from magic_tools import LimitError, Limits, run
try:
    run("Tell a very long story about a cat and a dog.", model="local", limits=Limits(deadline_s=1.5))
except LimitError as error:
    print(error.outcome.stop)
"""


@pytest.mark.parametrize("_", range(3))
def test_a_process_ends_after_a_deadline(_: int) -> None:
    """It ends as it should, though a thread that was given up may be in the midst of a token."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "deadline\n"), done.stderr
