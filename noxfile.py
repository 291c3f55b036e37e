"""The project's checks: `nox` runs those that every change has to pass, `nox -s NAME` one of them."""

from __future__ import annotations

import os

import nox

nox.options.sessions = ["lint", "types", "tests", "docs", "snapshots"]
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"

# Compiling llama.cpp takes minutes, and half of them go into parts that the Python package does not use. It is compiled
# for this machine's processor, once: pip keeps the wheel in its cache, where the next sessions find it.
LIBRARY_ALONE = " ".join(
    f"-D{part}=OFF"
    for part in (
        "LLAMA_BUILD_TESTS",
        "LLAMA_BUILD_EXAMPLES",
        "LLAMA_BUILD_TOOLS",
        "LLAMA_BUILD_SERVER",
        "MTMD_BUILD",
        "LLAVA_BUILD",
    )
)
DEV = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"]["dev"]


def install(session: nox.Session, *more: str, extras: str = "dev") -> None:
    session.install("-e", f".[{extras}]", *more, env={"CMAKE_ARGS": os.environ.get("CMAKE_ARGS", LIBRARY_ALONE)})


@nox.session
def lint(session: nox.Session) -> None:
    """Style and format, by ruff; `nox -s lint -- --fix` mends what it can."""
    session.install(*(requirement for requirement in DEV if requirement.startswith("ruff")))
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", *([] if "--fix" in session.posargs else ["--check"]))


@nox.session
def types(session: nox.Session) -> None:
    """Types, by mypy, strictly."""
    install(session)
    session.run("mypy", *session.posargs)


@nox.session
@nox.parametrize("pydantic", ["==2.12.0", ""], ids=["lowest", "highest"])
def tests(session: nox.Session, pydantic: str) -> None:
    """The tests, with the oldest and the newest pydantic allowed; the documents have a session of their own.

    The faults of a server, which know nothing of pydantic, are gone through once.
    """
    install(session, f"pydantic{pydantic}")
    once = ["--ignore=tests/chaos"] if pydantic else []
    session.run("pytest", "--ignore=tests/docs", *once, *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Every example in README and docs, run."""
    install(session)
    session.run("pytest", "tests/docs", *session.posargs)


@nox.session
def snapshots(session: nox.Session) -> None:
    """What models are told of the example tools is what `snapshots/` holds."""
    install(session)
    session.run("magic-tools", "snapshot", "--check")


@nox.session
def bench(session: nox.Session) -> None:
    """The benchmarks, against other libraries too; their numbers are for this machine."""
    install(session, extras="dev,bench")
    session.run("pytest", "tests/benchmarks", "--benchmark-enable", *session.posargs)


@nox.session
def nightly(session: nox.Session) -> None:
    """The properties with 20,000 examples each: some fifteen minutes."""
    install(session)
    targets = session.posargs or ["tests/properties/test_loop.py", "tests/properties/test_history.py"]
    session.run("pytest", *targets, env={"HYPOTHESIS_PROFILE": "nightly"})
