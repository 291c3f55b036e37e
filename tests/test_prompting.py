"""Prompts: functions that a model answers, of every kind, sync and async, and what cannot be one."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest
from pydantic import BaseModel, Field, SecretStr

from magic_tools.chat import Capabilities, ModelReply, ModelRequest
from magic_tools.errors import DefinitionError, OutputError
from magic_tools.messages import Message, TextPart, ToolCall
from magic_tools.models.scripted import ScriptedModel
from magic_tools.options import Limits, RunOptions
from magic_tools.outcome import Outcome
from magic_tools.prompting import PromptFunction, prompt
from magic_tools.schema.hidden import Context, Injected
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset

if TYPE_CHECKING:
    from nowhere import Frame  # type: ignore[import-not-found]  # what only a type checker would know


class Ticket(BaseModel):
    kind: Literal["refund", "question"]


REFUND = '{"kind": "refund"}'


class Echo:
    """Answers with the last message, after a while that differs; the first waits longest."""

    name = "echo"
    capabilities = Capabilities(native_schema=True, object_root=False, tools=True)
    asked = 0

    def complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        return ModelReply(parts=(TextPart(request.messages[-1].text),), finish="stop", model=self.name)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0.02 / (1 + self.asked))
        return self.complete(request)


def text_of(messages: tuple[Message, ...]) -> str:
    (message,) = messages
    assert message.role == "user"
    return message.text


def defined(patch: pytest.MonkeyPatch, *lines: str) -> dict[str, Any]:
    """The names of a module of these lines."""
    module = ModuleType("made_for_prompts")
    patch.setitem(sys.modules, module.__name__, module)
    source = "\n".join(["from __future__ import annotations", "from magic_tools.prompting import prompt", *lines])
    exec(compile(source, "made_for_prompts.py", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


@prompt("Sort this ticket: {text}", model=(sorter := ScriptedModel([])))
def triage(text: str) -> Ticket:
    """What kind of ticket it is."""


@prompt("Sort this ticket: {text}", model=sorter)
async def atriage(text: str) -> Ticket: ...


def test_a_call_is_answered() -> None:
    """It gives the value, `run` the whole outcome, and both sent what `messages` shows."""
    model = ScriptedModel([REFUND, REFUND])

    @prompt("Sort this ticket: {text}", model=model, instructions="Be {brief}.")
    def sort(text: str) -> Ticket: ...

    assert sort("{text}") == Ticket(kind="refund")
    outcome = sort.run(text="{text}")
    assert (outcome.value, outcome.ok, outcome.stop) == (Ticket(kind="refund"), True, "final")
    shown = (Message.system("Be {brief}."), Message.user("Sort this ticket: {text}"))
    assert sort.messages("{text}") == shown
    assert [request.messages for request in model.requests] == [shown, shown]


def test_an_async_function_is_awaited() -> None:
    """The same of an async function, and `messages` needs no awaiting."""
    model = ScriptedModel([REFUND, REFUND])

    @prompt("Sort: {text}", model=model)
    async def sort(text: str) -> Ticket: ...

    async def main() -> Outcome[Ticket]:
        assert await sort("a") == Ticket(kind="refund")
        return await sort.run("b")

    assert asyncio.run(main()).value == Ticket(kind="refund")
    assert text_of(sort.messages("a")) == "Sort: a"
    assert [request.messages[-1].text for request in model.requests] == ["Sort: a", "Sort: b"]


def test_concurrent_calls_keep_their_answers() -> None:
    """Of two hundred calls at the same time each gets its own, however long they take."""

    @prompt("{number:d}", model=Echo())
    async def echo(number: int) -> int: ...

    async def main() -> list[int]:
        return await asyncio.gather(*(echo(number) for number in range(200)))

    assert asyncio.run(main()) == list(range(200))


@pytest.mark.parametrize("method", ["__call__", "run", "messages"])
@pytest.mark.parametrize("fn", [triage, atriage])
@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, r"triage\(\): missing a required argument: 'text'"),
        (("a", "b"), {}, r"triage\(\): too many positional arguments"),
        (("a",), {"text": "b"}, r"triage\(\): multiple values for argument 'text'"),
        ((), {"text": "a", "txet": "b"}, r"triage\(\): got an unexpected keyword argument 'txet'"),
        ((object(),), {}, r"triage\(\): the template cannot be filled: parameter 'text'"),
    ],
)
def test_a_wrong_call(fn: Any, method: str, args: Any, kwargs: Any, message: str) -> None:
    """It is a TypeError at the call, also of an async function, and nothing is sent."""
    with pytest.raises(TypeError, match=message):
        getattr(fn, method)(*args, **kwargs)
    assert sorter.requests == []


def test_errors_of_the_run_come_through() -> None:
    """What `run` raises, a call raises."""

    @prompt("{x}", model=ScriptedModel(["no", "no"]), limits=Limits(retries=1))
    def count(x: int) -> int: ...

    with pytest.raises(OutputError, match="in 2 tries"):
        count(1)


def test_text_is_the_answer_of_a_str() -> None:
    """Where the function returns a text, whatever the model says is it."""

    @prompt("Say hello to {name}", model=ScriptedModel(["Hello {name}!"]))
    def greet(name: str) -> str: ...

    assert greet("Ann") == "Hello {name}!"


class Query(BaseModel):
    q: str
    limit: int = 10


@prompt("{a} {b} {c} {rest} {d} {e} {more}")
def every_kind(
    a: int,
    /,
    b: str,
    c: Query = Query(q="x"),  # noqa: B008 - a default that is a model
    *rest: int,
    d: bool,
    e: None = None,
    **more: str,
) -> str: ...


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        (every_kind.messages(1, "b", d=True), '1 b {"q": "x", "limit": 10} [] true null {}'),
        (
            every_kind.messages(1, "b", Query(q="{a}"), 2, 3, d=False, f="汉", a="of more"),
            '1 b {"q": "{a}", "limit": 10} [2, 3] false null {"f": "汉", "a": "of more"}',
        ),
        (every_kind.messages(1, d=True, b="{c}"), '1 {c} {"q": "x", "limit": 10} [] true null {}'),
    ],
)
def test_parameters_of_every_kind(messages: tuple[Message, ...], text: str) -> None:
    """Positional-only and keyword-only ones, defaults, and those with stars as a list and an object."""
    assert text_of(messages) == text


def test_without_parameters() -> None:
    """A template without fields needs none."""

    @prompt("Say {{hello}}.", model=ScriptedModel(["hello"]))
    def greet() -> str:
        raise NotImplementedError("a model answers")

    assert greet() == "hello"
    assert text_of(greet.messages()) == "Say {hello}."


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    kind = "a shop"

    @prompt("{self.name} sells {sku}?", model=Echo())
    def ask(self, sku: str) -> str: ...

    @prompt("{self.name} sells {sku}?", model=Echo())
    async def later(self, sku: str) -> str: ...

    @prompt("Is {sku} sold?", model=Echo())
    def unused(self, sku: str) -> str: ...

    @prompt("{cls.kind} sells {sku}?", model=Echo())
    @classmethod
    def above(cls, sku: str) -> str: ...

    @classmethod
    @prompt("{cls.kind} sells {sku}?", model=Echo())
    def below(cls, sku: str) -> str: ...

    @prompt("{sku}?", model=Echo())
    @staticmethod
    def static_above(sku: str) -> str: ...

    @staticmethod
    @prompt("{sku}?", model=Echo())
    def static_below(sku: str) -> str: ...

    @prompt("Who is {self.name}?", model=Echo())
    def me(self) -> Shop: ...


class Stall(Shop):
    kind = "a stall"


one, two = Shop("One"), Stall("Two")


@pytest.mark.parametrize(
    ("name", "of_one", "of_two"),
    [
        ("ask", "One sells tea?", "Two sells tea?"),
        ("unused", "Is tea sold?", "Is tea sold?"),
        ("above", "a shop sells tea?", "a stall sells tea?"),
        ("below", "a shop sells tea?", "a stall sells tea?"),
        ("static_above", "tea?", "tea?"),
        ("static_below", "tea?", "tea?"),
    ],
)
def test_a_method_is_asked_of_its_object(name: str, of_one: str, of_two: str) -> None:
    """Of an object, a class or neither, as the method is; the object's attributes may stand in the template."""
    of: list[tuple[Any, str]] = [(one, of_one), (two, of_two)]
    if name not in ("ask", "unused"):
        of += [(Shop, of_one), (Stall, of_two)]
    if name == "below" and sys.version_info >= (3, 13):  # Python does not tell the prompt its class any more
        of = []
        assert one.below("tea") == of_one
    for target, text in of:
        method = getattr(target, name)
        assert method("tea") == text
        assert method.run("tea").value == text
        assert text_of(method.messages(sku="tea")) == text
        assert list(inspect.signature(method).parameters) == ["sku"]
        with pytest.raises(TypeError, match=rf"{name}\(\): too many"):
            method("tea", "more")


def test_methods_otherwise() -> None:
    """An async method, one called on its class with the object first, and one taken from an object and decorated."""
    assert asyncio.run(two.later("tea")) == "Two sells tea?"
    assert Shop.ask(one, "tea") == "One sells tea?"
    assert list(inspect.signature(Shop.ask).parameters) == ["self", "sku"]
    with pytest.raises(TypeError, match=r"ask\(\): missing a required argument: 'sku'"):
        Shop.ask("tea")  # type: ignore[call-arg, arg-type]  # no object

    class Plain:
        name = "plain"

        def ask(self, sku: str) -> str: ...

    assert prompt("{self.name} {sku}", model=Echo())(Plain().ask)("tea") == "plain tea"


def two_words(first: str, second: str) -> str: ...


class Words:
    def two(self, first: str, second: str) -> str: ...


def kept(partial: Any) -> Any:
    """One that Python does not merge with a partial of it, since it has an attribute."""
    partial.note = "mine"
    return partial


class Caller:
    word = "own"

    def __call__(self, x: int) -> str: ...


@pytest.mark.parametrize(
    ("fn", "args", "text", "parameters"),
    [
        (functools.partial(two_words, "a"), ("b",), "a b", ["second"]),
        (functools.partial(two_words, second="b"), ("a",), "a b", ["first", "second"]),
        (functools.partial(functools.partial(two_words, "a"), second="b"), (), "a b", ["second"]),
        (functools.update_wrapper(functools.partial(two_words, "a"), two_words), ("b",), "a b", ["second"]),
        (functools.partial(kept(functools.partial(two_words, second="b")), "a"), (), "a b", ["second"]),
        (functools.partial(Words().two, "a"), ("b",), "a b", ["second"]),
    ],
)
def test_a_partial(fn: Any, args: tuple[Any, ...], text: str, parameters: list[str]) -> None:
    """What a partial has bound is in the template too, and callers give the rest."""
    made = prompt("{first} {second}", model=Echo())(fn)
    assert made(*args) == text
    assert repr(made) == f"<Prompt {made.__name__}>"
    assert list(inspect.signature(made).parameters) == parameters


def test_a_callable_object() -> None:
    """It is called by its class's name, and its call is the function."""
    made = prompt("{self.word} {x}", model=Echo())(Caller())
    assert (made(5), repr(made), made.__name__) == ("own 5", "<Prompt Caller>", "Caller")


@tool
def stock(sku: str, tenant: Injected[str], ctx: Context = None) -> str:
    """How many there are."""
    return f"{sku} of {tenant}"


CALL = ToolCall("c1", "stock", '{"sku": "tea"}')


def test_hidden_parameters_are_the_context() -> None:
    """Injected ones by name, a Context as it is; the model reads neither, and the tools are filled by them."""
    model = ScriptedModel([CALL, "3", CALL, "3"])

    @prompt("Is there {sku}?", model=model, tools=[stock])
    def injected(sku: str, tenant: Injected[str], *, more: Injected[int] = 5) -> int: ...

    @prompt("Is there {sku}?", model=model, tools=[stock])
    def whole(ctx: Context, sku: str) -> int: ...

    assert injected("tea", "t1") == 3
    assert whole({"tenant": "t2"}, sku="tea") == 3
    results = [request.messages[-1].parts[0].content for request in model.requests[1::2]]  # type: ignore[union-attr]
    assert results == ["tea of t1", "tea of t2"]
    assert "t1" not in str(model.requests[0])
    with pytest.raises(TypeError, match="missing a required argument: 'tenant'"):
        injected("tea")  # type: ignore[call-arg]  # what a checker sees too


def test_a_hidden_parameter_of_unknown_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is hidden all the same where only type checkers know its type; other types need not be known."""

    @prompt("{table}", model=Echo())
    def read(table: Frame, key: Injected[Frame]) -> str: ...

    assert read(["a"], key=1) == '["a"]'
    with pytest.raises(
        DefinitionError, match=r"veiled\(\): parameter 'key' has the annotation 'Injected\[str\]', which"
    ):
        defined(
            monkeypatch,
            "from typing import TYPE_CHECKING",
            "if TYPE_CHECKING: from magic_tools import Injected",
            "@prompt('{key}')",
            "def veiled(key: Injected[str]) -> str: ...",
        )


def test_tools_are_compiled_once() -> None:
    """Functions are made into tools at the definition; what is no function goes to the run as it is."""

    def bare(sku) -> str:  # type: ignore[no-untyped-def]  # what is tested
        return str(sku)

    for tools in ([bare], (bare,), {bare}, iter([bare])):
        with pytest.raises(DefinitionError, match=r"bare\(\): parameter 'sku' has no annotation"):
            prompt("{x}", tools=tools)(two_words)
    model = ScriptedModel([CALL, "ok", "ok"])

    @prompt("{x}", model=model, tools=iter([stock]))
    def twice(x: int, tenant: Injected[str]) -> str: ...

    assert [twice(1, "t1"), twice(2, "t1")] == ["ok", "ok"]
    assert [[told.name for told in request.tools] for request in model.requests] == [["stock"]] * 3
    ready = Toolset(stock)
    assert prompt("{x}", tools=ready)(lambda_of_x)._plan.settings["tools"] is ready
    phases: Any = object()
    assert prompt("{x}", tools=phases)(lambda_of_x)._plan.settings["tools"] is phases
    assert prompt("{x}", tools=[phases])(lambda_of_x)._plan.settings["tools"] == (phases,)


def lambda_of_x(x: int) -> str: ...


def test_it_looks_like_its_function() -> None:
    """Name, docstring, module and signature are the function's."""
    assert (triage.__name__, triage.__module__) == ("triage", __name__)
    assert triage.__doc__ == "What kind of ticket it is."
    assert inspect.isfunction(triage.__wrapped__)  # type: ignore[attr-defined]  # as of any wrapper
    assert str(inspect.signature(triage)) == "(text: 'str') -> 'Ticket'"
    assert repr(triage) == "<Prompt triage>"
    assert isinstance(triage, PromptFunction)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_is_pickled_by_its_name(protocol: int) -> None:
    """It comes back as itself; a method with its object, a class method with its class."""
    for own in (triage, atriage, Shop.ask, one.static_above, one.static_below):
        assert pickle.loads(pickle.dumps(own, protocol)) is own
        assert copy.copy(own) is copy.deepcopy(own) is own
    again = pickle.loads(pickle.dumps(two.ask, protocol))
    assert text_of(again.messages("tea")) == "Two sells tea?"
    again = pickle.loads(pickle.dumps(Stall.above, protocol))
    assert text_of(again.messages("tea")) == "a stall sells tea?"
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(prompt("{first} {second}")(two_words), protocol)


def test_a_prompt_may_be_a_tool() -> None:
    """A model may call what another answers."""
    asked = tool(prompt("Sort: {text}", model=Echo())(lambda_of_text))
    assert list(asked.contract.input_schema["properties"]) == ["text"]
    assert asked.invoke({"text": "a"}).content == "Sort: a"
    later = tool(prompt("Sort: {text}", model=Echo())(later_of_text))
    assert later.invoke({"text": "a"}).content == "Sort: a"
    assert asyncio.run(later.ainvoke({"text": "a"})).content == "Sort: a"


def lambda_of_text(text: str) -> str:
    """Sort a text."""
    raise NotImplementedError


async def later_of_text(text: str) -> str:
    """Sort a text."""
    raise NotImplementedError


NODE = ["class Node(BaseModel):", "    next: Node | None"]
ASK = ["@prompt('{x}', model=model)", "def ask(x: int) -> Node: ..."]


@pytest.mark.parametrize(
    "lines",
    [
        [*ASK, *NODE],
        [ASK[0], "def ask(x: int) -> Node | list[Node]: ...", *NODE],
        [ASK[0], "def ask(x: int) -> 'Node': ...", *NODE],
        ["class Node(BaseModel):", "    next: Late | None", *ASK, "Late = Node"],
        [*NODE, *ASK],
    ],
)
def test_a_type_that_is_known_later(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The type of the answer may be defined, or be completed, below the function."""
    module = defined(
        monkeypatch,
        "from pydantic import BaseModel",
        "from magic_tools.models.scripted import ScriptedModel",
        'model = ScriptedModel([\'{"next": {"next": null}}\'] * 2)',
        *lines,
    )
    for _ in range(2):
        answer = module["ask"](1)
        assert isinstance(answer, module["Node"])
        assert isinstance(answer.next, module["Node"])


def test_a_local_type_that_is_known_later() -> None:
    """Also one of the function around it, while that runs."""

    @prompt("{x}", model=ScriptedModel([REFUND]))
    def ask(x: int) -> Late: ...

    class Late(Ticket): ...

    assert ask(1) == Late(kind="refund")


def test_a_type_that_is_never_known() -> None:
    """The first use says so, before anything is sent; `messages` does not need it."""
    model = ScriptedModel([])

    @prompt("{x}", model=model)
    def ask(x: int) -> Frame: ...

    @prompt("{x}", model=model)
    async def later(x: int) -> list[Frame]: ...

    for _ in range(2):
        with pytest.raises(
            DefinitionError, match=r"ask\(\): the result has the annotation 'Frame', which cannot be res"
        ):
            ask(1)
        with pytest.raises(DefinitionError, match=r"later\(\): the result has the annotation 'list\[Frame\]'"):
            later(1)  # type: ignore[unused-coroutine]  # there is none
    assert text_of(ask.messages(1)) == "1"


def no_returns(x: int):  # type: ignore[no-untyped-def]
    ...


def none(x: int) -> None: ...


def quoted_none(x: int) -> "None": ...  # noqa: UP037 - what is tested


def no_type(x: int) -> 5: ...  # type: ignore[valid-type]  # what is tested


def division(x: int) -> 1 / 0: ...  # type: ignore[valid-type]  # what is tested


def hidden_result(x: int) -> Injected[int]: ...


def opaque(x: int) -> list[Echo]: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (no_returns, r"no_returns\(\): the result has no annotation, and it says what a model answers: write its type"),
        (none, r"none\(\): the result is None, and a model's answer is the result: write its type, such as `-> str`"),
        (quoted_none, r"quoted_none\(\): the result is None"),
        (no_type, r"no_type\(\): the result has the annotation 5, which"),
        (
            division,
            r"division\(\): the result has the annotation '1 / 0', which cannot be resolved \(ZeroDivisionError",
        ),
        (hidden_result, r"hidden_result\(\): the result .* Injected or Context"),
        (opaque, r"opaque\(\): the result has the annotation list\[.*Echo\], which cannot be made into a schema"),
    ],
)
def test_a_result_that_cannot_be(fn: Callable[[int], Any], message: str) -> None:
    """The definition says what is wrong with the type of the answer, and what to write."""
    with pytest.raises(DefinitionError, match=message):
        prompt("{x}")(fn)


def one_or_none(x: int) -> int | None: ...


def test_an_answer_may_be_none() -> None:
    """Where it may be something else too."""
    assert prompt("{x}", model=ScriptedModel(["null"]))(one_or_none)(1) is None


def returns(x: int) -> int:
    return x


def returns_none(x: int) -> int:
    """It does."""
    return None  # type: ignore[return-value]  # what is tested


def says(x: int) -> int:
    raise NotImplementedError("not", "here")


def raises(x: int) -> int:
    raise ValueError


async def works(x: int) -> int:
    await asyncio.sleep(0)
    return x


def generates(x: int) -> Iterator[int]:
    yield x


async def generates_later(x: int) -> AsyncIterator[int]:
    yield x


@functools.wraps(two_words)
def wrapped(*args: Any, **kwargs: Any) -> str:
    return two_words(*args, **kwargs)


class Working:
    def __call__(self, x: int) -> int:
        return x


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (returns, r"returns\(\) has a body, which would never run: .* `\.\.\.`, a docstring or `raise NotImpl"),
        (says, r"says\(\) has a body"),
        (raises, r"raises\(\) has a body"),
        (works, r"works\(\) has a body"),
        (lambda x: x, r"<lambda>\(\) has a body"),
        (Working(), r"Working\(\) has a body"),
        (functools.partial(returns, 1), r"returns\(\) has a body"),
        (classmethod(cast(Any, returns)), r"returns\(\) has a body"),
        (generates, r"generates\(\) is a generator, and a model gives one answer: drop the yield"),
        (generates_later, r"generates_later\(\) is a generator"),
        (wrapped, r"two_words\(\) has a decorator below that would never run: write @prompt directly above `def`"),
        (functools.lru_cache(two_words), "is no function in Python"),
        (stock, "<Tool stock> is no plain function: write @prompt directly above `def`"),
        (triage, "<Prompt triage> is no plain function"),
        (len, "<built-in function len> is no function in Python"),
        (Ticket, "is no function in Python"),
        (functools.partial(Ticket, kind="refund"), "is no function in Python"),
        ("x", "'x' is no function in Python"),
        (None, "None is no function in Python"),
    ],
)
def test_a_function_that_no_model_answers(fn: Any, message: str) -> None:
    """One that does something itself, or is no function, is refused with what to write."""
    with pytest.raises(DefinitionError, match=message):
        prompt("{x}")(fn)


def documented(x: int) -> int:
    """Documentation alone."""


def passes(x: int) -> int:  # type: ignore[return]  # mypy takes two statements for a body
    """Documentation."""
    ...  # noqa: PIE790 - what is tested
    pass  # noqa: PIE790


def raising(x: int) -> int:
    raise NotImplementedError


def raising_more(x: int) -> int:
    """Documentation."""
    raise NotImplementedError("a model answers in place of this")


async def later(x: int) -> int:
    """Documentation."""


async def later_raising(x: int) -> int:
    raise NotImplementedError("later")


class Empty:
    def __call__(self, x: int) -> int:
        raise NotImplementedError()


@pytest.mark.parametrize("fn", [documented, passes, raising, raising_more, returns_none, later, later_raising, Empty()])
def test_a_body_that_does_nothing(fn: Callable[[int], Any]) -> None:
    """A docstring, `...`, `pass` and `raise NotImplementedError` only stand where a body has to."""
    assert text_of(prompt("{x}")(fn).messages(1)) == "1"


def unused(text: str, n: int) -> str: ...


def stars(text: str, *n: int) -> str: ...


def both(text: str, tenant: Injected[str], ctx: Context) -> str: ...


def contexts(text: str, one: Context, other: Context) -> str: ...


def starred(text: str, *n: Injected[int]) -> str: ...


def inside(text: list[Injected[str]]) -> str: ...


def with_field(text: str = Field("x")) -> str: ...


@pytest.mark.parametrize(
    ("fn", "template", "message"),
    [
        (unused, "{text}", r"unused\(\): parameter 'n' is not in the template.* Write {n} where .* Injected\[\.\.\.\]"),
        (stars, "{text}", r"stars\(\): parameter 'n' is not in the template"),
        (stars, "{txt} {n}", r"stars\(\): the template has the field {txt}, .* none of the parameters: text, n"),
        (both, "{text}", r"both\(\): of the hidden parameters tenant, ctx one is a Context, which is all"),
        (contexts, "{text}", r"contexts\(\): of the hidden parameters one, other"),
        (both, "{text} {tenant}", r"both\(\): of the hidden"),
        (starred, "{text}", r"starred\(\): parameter 'n' is hidden, and a context has one value of a name: drop the"),
        (inside, "{text}", r"inside\(\): parameter 'text' has the annotation .* has Injected or Context inside"),
        (with_field, "{text}", r"with_field\(\): parameter 'text' has a Field for its default, .* write the value"),
        (lambda_of_text, "", r"lambda_of_text\(\): the template has to be a text that says something"),
        (lambda_of_text, "{text", r"lambda_of_text\(\): the template cannot be read"),
    ],
)
def test_a_template_that_does_not_fit(fn: Callable[..., Any], template: str, message: str) -> None:
    """Every parameter stands in the template, and every field is a parameter that a model may see."""
    with pytest.raises(DefinitionError, match=message):
        prompt(template)(fn)


def test_a_hidden_parameter_in_the_template() -> None:
    """It would show the model what is hidden."""
    with pytest.raises(
        DefinitionError, match=r"ask\(\): the template has the field {key.name}, and the parameter 'key'"
    ):

        @prompt("{text} {key.name}")
        def ask(text: str, key: Injected[str]) -> str: ...


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limits": 5}, r"prompt\(limits=...\) wants a Limits, got 5"),
        ({"options": {"language": "zh"}}, r"prompt\(options=...\) wants a RunOptions, got {'language'"),
        ({"instructions": 5}, r"prompt\(instructions=...\) wants a str, got 5"),
    ],
)
def test_options_of_the_wrong_kind(options: Any, message: str) -> None:
    """They are refused at the definition."""
    with pytest.raises(DefinitionError, match=message):
        prompt("{x}", **options)


def test_the_decorator_without_its_template() -> None:
    """The error says how it is written."""
    with pytest.raises(DefinitionError, match=r'prompt takes a template first: write @prompt\("..."\)'):
        prompt(triage)  # type: ignore[arg-type]  # what is tested


def test_options_reach_the_run() -> None:
    """Limits and options are those of the run."""
    model = ScriptedModel(["no", '{"kind": "refund"}'])
    made = prompt("{text}", model=model, limits=Limits(retries=1), options=RunOptions(language="zh"))
    assert made(ticket_of)("x").kind == "refund"
    assert "应为" in model.requests[1].messages[-1].text


def ticket_of(text: str) -> Ticket: ...


def test_a_secret_argument_is_masked() -> None:
    """No message has it in clear."""
    made = prompt("{key}")(of_secret)
    assert text_of(made.messages(SecretStr("hunter2"))) == "**********"


def of_secret(key: SecretStr) -> str: ...
