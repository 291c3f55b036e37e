"""What every benchmark has: it runs only when it is asked for, and prints what it measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture(autouse=True)
def _only_when_benchmarks_are_on(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("measures: run it by `nox -s bench`")


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a measurement, which is there to be read."""

    def aloud(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", end="")  # noqa: T201 - a measurement is there to be read

    return aloud
