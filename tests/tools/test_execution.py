"""The gateway: whatever is sent and whatever the function does, one call comes to one result."""

from __future__ import annotations

import asyncio
import json
from collections import ChainMap, OrderedDict, UserDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

import pytest
from pydantic import AfterValidator, Field, SecretStr

from magic_tools.errors import ContractViolation, ModelError, ToolFailure
from magic_tools.messages import ErrorCode, ToolResult
from magic_tools.options import RunOptions
from magic_tools.tools.preparing import Arguments
from magic_tools.tools.tool import Tool, tool

Invoke: TypeAlias = Callable[..., ToolResult]

NOTHING_DONE = "before it ran, so that nothing was done."
GO_ON = "Go on without it, and say what could not be done."
"""What the model is advised to do about a failure that has no better code."""


def invoke_sync(made: Tool[..., Any], arguments: Arguments = None) -> ToolResult:
    return made.invoke(arguments, call_id="c1")


def invoke_async(made: Tool[..., Any], arguments: Arguments = None) -> ToolResult:
    return asyncio.run(made.ainvoke(arguments, call_id="c1"))


def invoke_inside_a_loop(made: Tool[..., Any], arguments: Arguments = None) -> ToolResult:
    async def main() -> ToolResult:
        return made.invoke(arguments, call_id="c1")

    return asyncio.run(main())


@pytest.fixture(params=[invoke_sync, invoke_async, invoke_inside_a_loop], ids=lambda given: given.__name__)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Each way to make a call."""
    made: Invoke = request.param
    return made


class Ran:
    """Tools that remember what their bodies were called with."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    @tool
    def now(self) -> str:
        self.calls.append(())
        return "12:00"

    @tool
    def listed(self, limit: int = 10) -> int:
        self.calls.append(limit)
        return limit

    @tool
    def echo(self, x: int) -> int:
        self.calls.append(x)
        return x

    @tool
    def clean(self, path: str | None = None) -> str:
        self.calls.append(path)
        return path or "everything"

    @tool
    def any_value(self, x: Any) -> str:
        self.calls.append(x)
        return repr(x)


@pytest.mark.parametrize("arguments", ["", "   ", " \n", "\ufeff", "{}", " {} ", "null", "\ufeffnull", None, {}])
def test_no_arguments(arguments: Arguments) -> None:
    """Absent, blank, `null` and empty arguments are no arguments: defaults are used, and a missing one is named."""
    ran = Ran()
    assert ran.now.invoke(arguments).content == "12:00"
    assert ran.listed.invoke(arguments).content == "10"
    refused = ran.echo.invoke(arguments)
    assert (refused.is_error, refused.code) == (True, ErrorCode.INVALID_ARGUMENT)
    assert "x: expected a value, since it is required, got nothing" in refused.content
    assert ran.calls == [(), 10]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ('{"path": "/data/a"}', "/data/a"),
        ('{"path": "/data/a",}', "/data/a"),
        ('```json\n{"path": "/data/a"}\n```', "/data/a"),
        ('\ufeff{"path": "/data/a"}', "/data/a"),
        ("{'path': '/data/a'}", "/data/a"),
        ('{"path": /data/a}', "/data/a"),
        ('{"path": 5}', "5"),
        ('{"PATH": "/data/a"}', "/data/a"),
        ('{"path": null}', None),
        ({"path": "/data/a"}, "/data/a"),
        ({"path": 1.5}, "1.5"),
    ],
)
def test_what_is_read(arguments: Arguments, path: str | None) -> None:
    """What is JSON, or can be mended without a guess, reaches the body with its values."""
    ran = Ran()
    assert not ran.clean.invoke(arguments).is_error
    assert ran.calls == [path]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"path": "/data/a', "a whole JSON value"),
        ('{"path": "/data/a"} and more', "expected JSON"),
        ('Calling clean with {"path": "/data/a"}', "expected JSON"),
        ("[1]", "expected an object, got an array of 1"),
        ('"x"', 'expected an object, got "x"'),
        ("5", "expected an object, got 5"),
        ("true", "expected an object, got true"),
        ("x" * 200_000, "expected JSON"),
        ('{"action": lst"}', "expected JSON, got text that is none (a text without its opening quotation mark"),
        ('{"path": /data/a"}', "expected JSON"),
        ("{'path': /data/a'}", "expected JSON"),
        ('{"path": the "a" of it}', "expected JSON"),
        ('{"path": }', "expected JSON"),
        ('{"path": ...}', "expected JSON"),
        ('{"path": true}', "path: expected a string, got true"),
        ('{"paht": "/data/a"}', "paht: expected no key of this name"),
        ('{"path": "/a", "path": "/b"}', "path: expected one value under the key, got two different values"),
        ({"paht": "/data/a"}, "paht: expected no key of this name"),
    ],
)
def test_what_is_refused(invoke: Invoke, arguments: Arguments, words: str) -> None:
    """What cannot be read as what was asked for never runs the body; the text names the tool and the fault."""
    ran = Ran()
    result = invoke(ran.clean, arguments)
    assert (result.call_id, result.name) == ("c1", "clean")
    assert (result.is_error, result.code, result.value) == (True, ErrorCode.INVALID_ARGUMENT, None)
    assert result.content.startswith("The arguments of clean were refused and it did not run: ")
    assert words in result.content
    assert len(result.content) < 1_100
    assert ran.calls == []


@pytest.mark.parametrize("word", ["truncated", "length", "before its end"])
@pytest.mark.parametrize("arguments", ['{"action": lst"}', '{"path": }', '{"path": [1,,2]}'])
def test_broken_arguments_are_not_called_cut(arguments: str, word: str) -> None:
    """A text that is no JSON is told so, and not that it was too long."""
    assert word not in Ran().clean.invoke(arguments).content


def test_many_faults_are_told_briefly() -> None:
    """The text of a refusal is bounded, and says how long it would have been."""
    keys = json.dumps({f"{'long' * 50}_{number}": number for number in range(50)})
    content = Ran().clean.invoke(keys).content
    assert len(content) < 1_100
    assert content.endswith("characters in all) Send the call again with this mended.")


def test_a_refusal_is_a_sentence_for_the_model() -> None:
    """It names the tool, lists what is wrong, and says what to do."""
    assert Ran().echo.invoke('{"y": 1}').content == (
        "The arguments of echo were refused and it did not run: "
        "x: expected a value, since it is required, got nothing; y: expected no key of this name, got 1. "
        "Send the call again with this mended."
    )


def test_repairs_are_listed() -> None:
    """What had to be mended in the arguments stands in the result; what had not, does not."""
    result = Ran().echo.invoke('```json\n{"x": 1,}\n```')
    assert [repair.kind for repair in result.repairs] == ["fence", "trailing_comma"]
    assert Ran().echo.invoke('{"x": 1}').repairs == ()


class OwnMapping(Mapping[str, Any]):
    def __init__(self, held: dict[str, Any]) -> None:
        self.held = held

    def __getitem__(self, key: str) -> Any:
        return self.held[key]

    def __iter__(self) -> Any:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, ChainMap, MappingProxyType, OwnMapping])
def test_a_mapping_of_any_class(kind: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Any mapping will do, at any depth, and it is not changed."""
    inner = kind({"a": 1})
    given = kind({"x": inner})
    assert Ran().any_value.invoke(given).content == "{'a': 1}"
    assert given["x"] is inner


@pytest.mark.parametrize("held", [object(), b"\xff", "\ud800", {"deep": [object()]}, print], ids=repr)
def test_a_mapping_that_json_cannot_hold(held: Any) -> None:
    """What no JSON can say is refused in a sentence, not raised."""
    ran = Ran()
    result = ran.any_value.invoke({"x": held})
    assert (result.is_error, result.code) == (True, ErrorCode.INVALID_ARGUMENT)
    assert "expected values that JSON can hold" in result.content
    assert ran.calls == []


def test_a_mapping_within_itself() -> None:
    """A mapping without end is refused."""
    endless: dict[str, Any] = {}
    endless["x"] = endless
    assert "expected values that JSON can hold" in Ran().any_value.invoke(endless).content


def test_text_and_mapping_are_one() -> None:
    """The same arguments come to the same, as text or as a mapping."""
    assert Ran().echo.invoke({"x": 2}) == Ran().echo.invoke('{"x": 2}')
    assert Ran().echo.invoke({"x": "2"}) == Ran().echo.invoke('{"x": "2"}')
    assert Ran().echo.invoke({"x": True}).is_error


def key_error(value: int) -> int:
    return {"secret": 1}[f"no {value}"]


def failure(value: int) -> int:
    raise ToolFailure(f"there is no {value}", ErrorCode.NOT_FOUND)


def endless(value: int) -> int:
    return endless(value)


@pytest.mark.parametrize(
    ("check", "code", "content"),
    [
        (
            key_error,
            ErrorCode.INTERNAL,
            f"checked failed with KeyError before it ran, so that nothing was done. {GO_ON}",
        ),
        (
            endless,
            ErrorCode.INTERNAL,
            f"checked failed with RecursionError before it ran, so that nothing was done. {GO_ON}",
        ),
        (failure, ErrorCode.NOT_FOUND, "there is no 5. Check the name or the id: the same call would fail again."),
    ],
)
def test_a_check_that_fails(invoke: Invoke, check: Callable[[int], int], code: ErrorCode, content: str) -> None:
    """What a validator of the author's raises is an error result too, told like what a function raises."""

    @tool
    def checked(x: Annotated[int, AfterValidator(check)]) -> int:
        raise AssertionError("the body ran")

    result = invoke(checked, '{"x": 5}')
    assert (result.is_error, result.code, result.content) == (True, code, content)
    assert result.exception is not None


def test_a_check_that_refuses() -> None:
    """A validator's ValueError is a refusal in the author's words."""

    def even(value: int) -> int:
        if value % 2:
            raise ValueError("an even number")
        return value

    @tool
    def halve(x: Annotated[int, AfterValidator(even)]) -> int:
        return x // 2

    assert halve.invoke({"x": 4}).content == "2"
    refused = halve.invoke({"x": 3})
    assert refused.code is ErrorCode.INVALID_ARGUMENT
    assert "x: expected a value that passes its check (an even number), got 3" in refused.content


class Coded(Exception):
    code = ErrorCode.CONFLICT


class OddText(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


@pytest.mark.parametrize(
    "error",
    [ValueError(), KeyError("secret"), StopIteration(3), StopAsyncIteration(), OddText(), Coded("secret"),
     ModelError("secret"), ExceptionGroup("secret", [ValueError("secret")]), RecursionError(), MemoryError(),
     AssertionError("secret")],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_a_function_that_raises(invoke: Invoke, error: Exception) -> None:
    """Whatever Exception a function raises, the model is told its class and nothing of its text; the caller gets it."""

    def broken() -> int:
        raise error

    result = invoke(tool(broken))
    name = type(error).__name__
    assert result.content == f"broken failed with {name}; whether it had an effect is not known. {GO_ON}"
    assert (result.call_id, result.is_error, result.code, result.value) == ("c1", True, ErrorCode.INTERNAL, None)
    assert result.exception is error
    assert "secret" not in repr(result)


def test_an_async_function_that_raises(invoke: Invoke) -> None:
    """Of an async function likewise."""

    async def broken() -> int:
        raise KeyError("secret")

    result = invoke(tool(broken))
    assert result.content == f"broken failed with KeyError; whether it had an effect is not known. {GO_ON}"
    assert isinstance(result.exception, KeyError)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()], ids=lambda error: type(error).__name__
)
def test_what_ends_a_program_ends_the_call(invoke: Invoke, error: BaseException) -> None:
    """An interrupt or an exit is no failure of the tool: it reaches the caller."""

    def leave() -> int:
        raise error

    with pytest.raises(type(error)):
        invoke(tool(leave))


class Wordless(ToolFailure):
    def __init__(self) -> None:
        pass  # as a careless author writes it: without code and words


class OddFailure(ToolFailure):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "code", "content"),
    [
        (ToolFailure("No order A-7."), ErrorCode.INTERNAL, "No order A-7."),
        (ToolFailure("No order A-7.", ErrorCode.NOT_FOUND), ErrorCode.NOT_FOUND, "No order A-7."),
        (ToolFailure("注文が見つかりません", ErrorCode.NOT_FOUND), ErrorCode.NOT_FOUND, "注文が見つかりません"),
        (ToolFailure("half \ud800"), ErrorCode.INTERNAL, "half \\ud800"),
        (ToolFailure("", ErrorCode.CONFLICT), ErrorCode.CONFLICT, "fails failed with ToolFailure; whether it"),
        (Wordless(), ErrorCode.INTERNAL, "fails failed with Wordless; whether it had an effect is not known."),
        (OddFailure("x"), ErrorCode.INTERNAL, "fails failed with OddFailure; whether it had an effect is not known."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_failure_in_the_author_s_words(invoke: Invoke, error: Exception, code: ErrorCode, content: str) -> None:
    """A ToolFailure is told as it was written, under its code; one without words by its class."""

    def fails() -> int:
        raise error

    result = invoke(tool(fails))
    assert result.content.startswith(content)
    assert (result.is_error, result.code, result.exception) == (True, code, error)


@pytest.mark.parametrize(
    ("length", "told"),
    [(1_000, "é" * 1_000 + "."), (1_001, "é" * 1_000 + "... (cut; 1001 characters in all)"),
     (1_000_000, "é" * 1_000 + "... (cut; 1000000 characters in all)")],
)  # fmt: skip
def test_a_long_failure_is_cut(length: int, told: str) -> None:
    """An error text is at most about a thousand characters, and says how many there were."""

    def fails() -> int:
        raise ToolFailure("é" * length)

    assert tool(fails).invoke().content == f"{told} {GO_ON}"


def test_a_result_that_was_not_promised(invoke: Invoke) -> None:
    """The model is told that the tool ran and what class came, and the caller why it was withheld."""

    def count() -> int:
        return "secret"  # type: ignore[return-value]  # the fault that is tested

    result = invoke(tool(count))
    assert result.content == (
        "count ran, and its result was withheld: this str is not what the tool promises to send. "
        "What it does was done: do not send it again."
    )
    assert (result.is_error, result.code, result.value) == (True, ErrorCode.INTERNAL, None)
    assert isinstance(result.exception, ContractViolation)
    assert str(result.exception) == 'result: expected an integer, got "secret"'


def test_a_good_call(invoke: Invoke) -> None:
    """The result carries the call's id and the tool's name, the text for the model and the value for the program."""
    result = invoke(Ran().echo, '{"x": 7}')
    assert result == ToolResult("c1", "echo", "7")
    assert (result.value, result.is_error, result.code, result.exception) == (7, False, None, None)


def every_kind(a: int, /, b: int = 2, *rest: int, c: int = 3, **named: int) -> str:
    return f"{a} {b} {rest} {c} {named}"


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        ({"a": 1}, "1 2 () 3 {}"),
        ({"a": 1, "b": 5, "c": 6}, "1 5 () 6 {}"),
        ({"a": 1, "rest": [5, 6]}, "1 2 (5, 6) 3 {}"),
        ({"a": 1, "named": {"a": 9, "self": 8, "call_id": 7}}, "1 2 () 3 {'a': 9, 'self': 8, 'call_id': 7}"),
        ({"a": 1, "named": {"rest": 9, "named": 8}}, "1 2 () 3 {'rest': 9, 'named': 8}"),
    ],
)
def test_every_kind_of_parameter(arguments: Mapping[str, Any], called: str) -> None:
    """Each kind of parameter gets what was sent under its name, and its default where nothing was."""
    assert tool(every_kind).invoke(arguments).content == called


@pytest.mark.parametrize("key", ["b", "c"])
def test_a_key_may_not_be_another_parameter(key: str) -> None:
    """A `**kwargs` object cannot set a parameter that has its own place in the schema."""
    result = tool(every_kind).invoke({"a": 1, "named": {key: 9}})
    assert result.code is ErrorCode.INVALID_ARGUMENT
    assert f"named.{key}: expected no key of this name" in result.content


def test_a_default_is_made_for_each_call() -> None:
    """What a call does to the value of a default factory, the next call does not see."""

    @tool
    def collect(item: str, into: list[str] = Field(default_factory=list)) -> list[str]:  # noqa: B008
        into.append(item)
        return into

    assert [collect.invoke({"item": item}).content for item in "ab"] == ['["a"]', '["b"]']


def test_a_default_that_cannot_be_made() -> None:
    """What a default factory raises is told like what a function raises."""

    def secret() -> int:
        raise ValueError("secret")

    @tool
    def later(x: int = Field(default_factory=secret)) -> int:
        return x

    result = later.invoke()
    assert (result.code, result.content) == (
        ErrorCode.INTERNAL,
        f"later failed with ValueError {NOTHING_DONE} {GO_ON}",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"limit": "x"}', 'listed 的参数未被接受，未执行：limit：应为整数，收到 "x"。请改正后，重新发送此调用。'),
        (
            '{"limt": 3}',
            "listed 的参数未被接受，未执行：limt：应为空缺（没有这个名称的键），收到 3。请改正后，重新发送此调用。",
        ),
    ],
)  # fmt: skip
def test_a_refusal_in_chinese(arguments: str, said: str) -> None:
    """A call by hand is answered in the language that is asked for, sync and async alike."""
    made = Ran().listed
    assert made.invoke(arguments, options=RunOptions(language="zh")).content == said
    assert asyncio.run(made.ainvoke(arguments, options=RunOptions(language="zh"))).content == said


def test_a_key_of_another_parameter() -> None:
    """A key of `**kwargs` that names another parameter is refused as any unknown key is, a secret not shown."""

    @tool
    def added(first: int, **others: int) -> int:
        return first + sum(others.values())

    @tool
    def secret(first: int, **others: SecretStr) -> int:
        return first + len(others)

    result = added.invoke('{"first": 1, "others": {"first": 2}}')
    assert "others.first: expected no key of this name, got 2. Send" in result.content, result.content
    hidden = secret.invoke('{"first": 1, "others": {"first": "hunter2"}}')
    assert hidden.is_error
    assert "hunter2" not in hidden.content
