"""The exceptions: the tree that is drawn is the tree that is, and each carries what it promises."""

from __future__ import annotations

import inspect
import pickle

import pytest

from magic_tools import errors
from magic_tools.errors import (
    DefinitionError,
    MagicToolsError,
    ModelError,
    OutputError,
    ParseError,
    RateLimitError,
    RunError,
    StallError,
    ToolFailure,
    TruncatedError,
)
from magic_tools.messages import ErrorCode, Issue, Usage
from magic_tools.outcome import Outcome

OUTCOME = Outcome(None, "truncated", False, (), Usage(), 1, (), "scripted")
ISSUES = (Issue("amount", "a number", '"free"'), Issue("", "an object", "a list"))


def drawn_tree(drawing: str) -> dict[str, str | None]:
    """Each class of a drawing with its parent; a class stands under the last one that is drawn further left."""
    parents: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for line in drawing.splitlines():
        name = line.lstrip(" │├└─").split(" ")[0]
        if not name.endswith(("Error", "ToolFailure", "Violation")):
            continue
        column = line.index(name)
        above = [(left, ancestor) for left, ancestor in above if left < column]
        parents[name] = above[-1][1] if above else None
        above.append((column, name))
    return parents


def real_tree(root: type[Exception]) -> dict[str, str | None]:
    """Each class of the module below `root` with its base."""
    parents: dict[str, str | None] = {root.__name__: None}
    waiting = [root]
    while waiting:
        base = waiting.pop()
        for child in base.__subclasses__():
            if child.__module__ == errors.__name__:
                parents[child.__name__] = base.__name__
                waiting.append(child)
    return parents


def test_the_drawn_tree_is_the_real_one() -> None:
    """The drawing at the module's top shows every class below the one it is derived from."""
    assert drawn_tree(errors.__doc__ or "") == real_tree(MagicToolsError)


def test_every_class_is_exported_and_described() -> None:
    """`__all__` names every exception of the module, and each says when it is raised."""
    names = real_tree(MagicToolsError).keys()
    assert names <= set(errors.__all__)
    assert all(inspect.cleandoc(getattr(errors, name).__doc__).endswith(".") for name in names)


def test_a_parse_error_says_kind_and_issues() -> None:
    """Its text holds the kind and every issue; the parts are there to be read too."""
    error = ParseError("invalid", ISSUES, '{"amount": "free"}', {"amount": "free"})
    assert str(error) == 'invalid: amount: expected a number, got "free"; expected an object, got a list'
    assert (error.kind, error.issues, error.text) == ("invalid", ISSUES, '{"amount": "free"}')
    assert error.partial == {"amount": "free"}


@pytest.mark.parametrize("code", [ErrorCode.NOT_FOUND, "NOT_FOUND"])
def test_a_tool_failure_carries_words_and_code(code: ErrorCode) -> None:
    """The author's words and code arrive; a code may be written as its name."""
    failure = ToolFailure("no such order", code)
    assert (str(failure), failure.code) == ("no such order", ErrorCode.NOT_FOUND)


def test_a_tool_failure_is_internal_unless_said_otherwise() -> None:
    """Without a code it is the tool's own fault."""
    assert ToolFailure("broke").code is ErrorCode.INTERNAL


def test_a_tool_failure_refuses_an_unknown_code() -> None:
    """A misspelled code is found where it is raised."""
    with pytest.raises(ValueError, match="'NOT_THERE' is not a valid ErrorCode"):
        ToolFailure("no such order", "NOT_THERE")  # type: ignore[arg-type]  # the fault that is tested


def test_run_errors_carry_the_outcome() -> None:
    """Whatever ends a run holds what the run came to; an OutputError the last issues as well."""
    assert TruncatedError("cut", OUTCOME).outcome is OUTCOME
    error = OutputError("no answer fitted", OUTCOME, ISSUES)
    assert isinstance(error, RunError)
    assert (str(error), error.outcome, error.issues) == ("no answer fitted", OUTCOME, ISSUES)


def test_a_model_error_may_come_without_a_run() -> None:
    """Outside a run there is no outcome; one that is set stays with that error alone."""
    error = RateLimitError("slow down")
    assert error.outcome is None
    error.outcome = OUTCOME
    assert ModelError("other").outcome is None


@pytest.mark.parametrize(
    "error",
    [
        ParseError("invalid", (Issue("a", "an integer", '"x"'),), '{"a": "x"}', {"a": "x"}),
        ToolFailure("sold out", ErrorCode.CONFLICT),
        StallError("nothing", OUTCOME),
        OutputError("nothing fits", OUTCOME, (Issue("a", "an integer", '"x"'),)),
        DefinitionError("f(): no"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_a_process_border(error: MagicToolsError) -> None:
    """An error is the same after pickling, so that a pool of processes can raise it."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
