"""Every kind of callable as a tool: methods, class methods, partials, callable objects; hidden parameters, scopes."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from magic_tools.contracts.policy import Policy
from magic_tools.errors import ContextError, DefinitionError
from magic_tools.messages import ErrorCode, ToolCall
from magic_tools.models.scripted import ScriptedModel
from magic_tools.running import arun, run
from magic_tools.schema.hidden import Context, Injected
from magic_tools.tools.tool import tool
from magic_tools.tools.toolset import Toolset

if TYPE_CHECKING:
    from nowhere import Frame  # type: ignore[import-not-found]  # what only a type checker would know


class Counter:
    def __init__(self, start: int) -> None:
        self.start = start

    @tool
    def add(self, x: int, y: int) -> int:
        return self.start + x + y

    @tool
    async def later(self, x: int, y: int) -> int:
        return self.start + x + y

    @tool
    @classmethod
    def above(cls, x: int, y: int) -> str:
        return f"{cls.__name__} {x + y}"

    @classmethod
    @tool
    def below(cls, x: int, y: int) -> str:
        return f"{cls.__name__} {x + y}"

    @tool
    @staticmethod
    def static_above(x: int, y: int) -> int:
        return x + y

    @staticmethod
    @tool
    def static_below(x: int, y: int) -> int:
        return x + y

    def plain(self, x: int, y: int) -> int:
        return self.start + x + y

    @classmethod
    def plain_of_class(cls, x: int, y: int) -> str:
        return f"{cls.__name__} {x + y}"


class Child(Counter): ...


one, ten = Counter(1), Child(10)
XY = {"x": 2, "y": 3}
METHODS = ["add", "later", "above", "below", "static_above", "static_below", "plain", "plain_of_class"]


@pytest.mark.parametrize("name", METHODS)
def test_no_schema_has_the_object(name: str) -> None:
    """Of every kind of method, the model sees the parameters after the object alone."""
    schema = Toolset(getattr(one, name))[name].contract.input_schema
    assert (list(schema["properties"]), schema["required"]) == (["x", "y"], ["x", "y"])


@pytest.mark.parametrize(
    ("name", "of_one", "of_ten"),
    [
        *((name, "6", "15") for name in ("add", "later", "plain")),
        *((name, "Counter 5", "Child 5") for name in ("above", "below", "plain_of_class")),
        *((name, "5", "5") for name in ("static_above", "static_below")),
    ],
)
def test_a_method_runs_on_its_own_object(name: str, of_one: str, of_ten: str) -> None:
    """Two objects share no state, and a class method gets the class that it is called on."""
    assert Toolset(getattr(one, name))[name].invoke(XY).content == of_one
    assert Toolset(getattr(ten, name))[name].invoke(XY).content == of_ten


@pytest.mark.parametrize("name", ["above", "below", "static_above", "static_below", "plain_of_class"])
def test_what_needs_no_object_is_taken_from_the_class(name: str) -> None:
    """Class and static methods are tools of the class itself."""
    assert Toolset(getattr(Child, name))[name].invoke(XY).content in ("5", "Child 5")


def test_methods_are_still_called_as_they_are_written() -> None:
    """Python's own calls of decorated methods work as without the decorator."""
    assert (one.add(1, 2), ten.add(1, y=2)) == (4, 13)
    counter: Any = one  # a type checker takes the decorated for an ordinary method
    child: Any = Child
    assert (counter.static_above(1, 2), Counter.static_below(1, 2)) == (3, 3)
    assert (counter.above(1, 2), child.above(1, 2)) == ("Counter 3", "Child 3")
    assert (child.below(1, 2), counter.below(1, 2)) == ("Child 3", "Counter 3")


@pytest.mark.parametrize("method", [Counter.add, Counter.later, Counter.plain])
def test_a_method_without_its_object(method: Callable[..., Any]) -> None:
    """A method that nothing is there to be called on is refused, and says so."""
    with pytest.raises(DefinitionError, match="is a method without its object: pass it from an instance"):
        Toolset(method)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="up to 3.12 Python binds the tool to the class")
def test_a_class_method_above_the_tool() -> None:
    """Where Python does not tell the tool its class, the error says in which order to write the two."""
    with pytest.raises(DefinitionError, match="For a class method, write @tool above @classmethod"):
        Child.below.invoke(XY)


def greet(name: str, greeting: str = "Hi") -> str:
    return f"{greeting}, {name}"


@pytest.mark.parametrize(
    "fn",
    [
        functools.partial(greet, greeting="Hello"),
        functools.update_wrapper(functools.partial(greet, greeting="Hello"), greet),
    ],
)
def test_a_partial_keeps_what_it_has_bound(fn: Callable[..., Any]) -> None:
    """A bound argument is in no schema, is used, and cannot be sent."""
    made = tool(fn)
    assert made.name == "greet"
    assert made.contract.input_schema["properties"] == {"name": {"type": "string"}}
    assert made.invoke({"name": "Ann"}).content == "Hello, Ann"
    refused = made.invoke({"name": "Ann", "greeting": "X"})
    assert (refused.is_error, "greeting" in refused.content) == (True, True)


def add(a: int, /, b: int) -> int:
    return a + b


def test_positional_only_parameters() -> None:
    """They are sent by name, like any others, and passed as Python wants them."""
    made = tool(add)
    assert list(made.contract.input_schema["properties"]) == ["a", "b"]
    assert made.invoke({"a": 1, "b": 2}).content == "3"


class Caller:
    def __call__(self, x: int) -> int:
        """Call it."""
        return x


def test_a_callable_object() -> None:
    """It is called by its class's name and described by its call."""
    made = tool(Caller())
    assert (made.name, made.description, made.invoke({"x": 2}).content) == ("Caller", "Call it.", "2")


def frame(sql: str) -> Frame:
    return sql


def test_a_result_of_unknown_type_is_open() -> None:
    """A return annotation that only a type checker can resolve leaves the result open."""
    made = tool(frame)
    assert made.contract.output_schema == {}
    assert made.invoke({"sql": "x"}).content == "x"


class Query(BaseModel):
    """What to look for."""

    keyword: str = Field(alias="q")
    limit: int = 10


class Other(TypedDict):
    name: str


def find(query: Query) -> str:
    return repr(query)


def either(query: Query | Other) -> str:
    return repr(query)


def both(query: Query, limit: int) -> str:
    return repr((query, limit))


def scoped(query: Query, tenant: Injected[str]) -> str:
    return repr((query, tenant))


def test_a_flat_tool_offers_the_fields() -> None:
    """With `flat`, the fields of the only parameter are the tool's own; the function still gets the model."""
    made = tool(flat=True)(find)
    schema = made.contract.input_schema
    assert (list(schema["properties"]), schema["required"]) == (["q", "limit"], ["q"])
    assert schema["additionalProperties"] is False
    assert made.invoke('{"q": "x"}').content == "Query(keyword='x', limit=10)"
    assert made.invoke('{"query": {"q": "x"}}').code is ErrorCode.INVALID_ARGUMENT
    assert made.invoke('{"q": "x", "w": 1}').code is ErrorCode.INVALID_ARGUMENT
    with_hidden = tool(flat=True)(scoped)
    assert with_hidden.invoke({"q": "x"}, context={"tenant": "t1"}).content.endswith("'t1')")


def test_a_flat_union_keeps_its_name() -> None:
    """A union has no fields of its own: its root stays an object, with the parameter in it."""
    made = tool(flat=True)(either)
    assert list(made.contract.input_schema["properties"]) == ["query"]
    assert made.invoke({"query": {"name": "Ann"}}).content == "{'name': 'Ann'}"
    assert made.invoke({"query": {"q": "x"}}).content == "Query(keyword='x', limit=10)"


def test_flat_wants_one_parameter() -> None:
    """What has several parameters, or none, has no fields to offer as its own."""
    with pytest.raises(
        DefinitionError, match=r"both\(\): flat=True wants one parameter .* there are 2. Leave flat out"
    ):
        tool(flat=True)(both)
    with pytest.raises(DefinitionError, match="there are 0"):
        tool(flat=True, name="none")(lambda: None)


@tool
def rows(sql: str, tenant_id: Injected[str], ctx: Context = None) -> str:
    """Rows of the caller's data."""
    return f"{sql} {tenant_id} {ctx}"


@pytest.mark.parametrize(
    "sent",
    [
        {"sql": "x", "tenant_id": "t2"},
        {"sql": "x", "kwargs": {"tenant_id": "t2"}},
        {"sql": "x", "args": ["t2"]},
        {"sql": "x", "ctx": {"tenant_id": "t2"}},
        {"sql": "x", "tenant_id": None},
    ],
)
def test_a_model_cannot_set_a_hidden_parameter(sent: dict[str, Any]) -> None:
    """Whatever a model sends for one is refused like any unknown key, and the caller's own data stays as it was."""
    before = {**sent}
    refused = rows.invoke(sent, context={"tenant_id": "t1"})
    assert refused.code is ErrorCode.INVALID_ARGUMENT
    assert next(key for key in sent if key != "sql") in refused.content
    assert sent == before


def test_a_call_is_filled_from_its_context() -> None:
    """Hidden parameters come from the context of the call, sync and async; without it the call is an error."""
    context = {"tenant_id": "t1"}
    assert rows.invoke({"sql": "x"}, context=context).content == f"x t1 {context}"
    assert asyncio.run(rows.ainvoke({"sql": "x"}, context=context)).content == f"x t1 {context}"
    with pytest.raises(ContextError, match=r"rows\(\): the hidden parameter 'tenant_id'"):
        rows.invoke({"sql": "x"})


def calls(*replies: Any) -> ScriptedModel:
    return ScriptedModel([*replies, "done"])


def test_a_run_is_filled_from_its_context() -> None:
    """A run's context fills the hidden parameters of every call; what it lacks is an error before any request."""
    model = calls(ToolCall("c1", "rows", '{"sql": "x"}'))
    outcome = run("Go", tools=[rows], model=model, context={"tenant_id": "t1"})
    assert outcome.transcript[2].parts[0].content == "x t1 {'tenant_id': 't1'}"  # type: ignore[union-attr]
    assert "tenant" not in str(model.requests[0])
    silent = calls()
    with pytest.raises(ContextError, match="tenant_id"):
        run("Go", tools=[rows], model=silent)
    with pytest.raises(ContextError, match="tenant_id"):
        asyncio.run(arun("Go", tools=[rows], model=silent, context={"tenant": "t1"}))
    assert silent.requests == []


@tool(policy=Policy(scopes=("crm.read", "crm.admin")))
def drop(name: str) -> str:
    """Drop a customer."""
    return name


@pytest.mark.parametrize("context", [None, {}, {"scopes": ["crm.read"]}, {"scopes": ()}])
def test_a_tool_whose_scopes_are_missing(context: Any) -> None:
    """It refuses to run, naming the scope, and is not offered to a model."""
    refused = drop.invoke({"name": "x"}, context=context)
    assert (refused.code, refused.value) == (ErrorCode.REQUIRES_APPROVAL, None)
    assert "crm.admin" in refused.content
    model = calls(ToolCall("c1", "drop", '{"name": "x"}'))
    outcome = run("Go", tools=[drop], model=model, context=context)
    assert model.requests[0].tools == ()
    assert outcome.transcript[2].parts[0].is_error  # type: ignore[union-attr]


def test_a_tool_whose_scopes_are_granted() -> None:
    """With all of its scopes in the context it runs, and a model is offered it."""
    context = {"scopes": {"crm.admin", "crm.read", "more"}}
    assert drop.invoke({"name": "x"}, context=context).content == "x"
    model = calls(ToolCall("c1", "drop", '{"name": "x"}'))
    outcome = run("Go", tools=[drop], model=model, context=context)
    assert [told.name for told in model.requests[0].tools] == ["drop"]
    assert outcome.transcript[2].parts[0].content == "x"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"scopes": "crm.read crm.admin"}, "the context's scopes are a str: give a set of texts"),
        ({"scopes": 3}, "the context's scopes are a int"),
        ({"scopes": {"crm.read": False}}, "the context's scopes are a dict"),
        ({"scopes": iter(["crm.read"])}, "the context's scopes are a list_iterator"),
        ({"scopes": [["crm.read"]]}, "the context's scopes hold a list"),
        ({"scopes": [1, "crm.read"]}, "the context's scopes hold a int"),
    ],
)
def test_scopes_of_the_wrong_shape(context: Any, message: str) -> None:
    """What could be taken for other scopes than are meant is refused."""
    with pytest.raises(ContextError, match=message):
        drop.invoke({"name": "x"}, context=context)
    with pytest.raises(ContextError, match=message):
        run("Go", tools=[drop], model=calls(), context=context)


class Failing:
    scopes = None

    @property
    def tenant_id(self) -> str:
        raise AttributeError("the property's own fault")


def test_what_a_context_raises_is_not_hidden() -> None:
    """An attribute whose own code fails is not taken for one that is missing."""
    with pytest.raises(
        ContextError, match="the context's 'tenant_id' cannot be read: its own code raised Attr"
    ) as told:
        rows.invoke({"sql": "x"}, context=Failing())
    assert str(told.value.__cause__) == "the property's own fault"


def flat_default(m: Query = Query(q="x")) -> None: ...  # noqa: B008 - what is tested


def flat_number(m: int) -> None: ...


def flat_map(m: dict[str, int]) -> None: ...


def flat_stars(**m: int) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (flat_default, r"flat_default\(\): parameter 'm' is offered field by field .* has a default or a star"),
        (flat_stars, r"flat_stars\(\): parameter 'm' .* has a default or a star"),
        (flat_number, r"flat_number\(\): parameter 'm' has no fields of its own"),
        (flat_map, r"flat_map\(\): parameter 'm' has no fields of its own"),
    ],
)
def test_what_cannot_be_flat(fn: Callable[..., Any], message: str) -> None:
    """What has no fields, or could be left out as a whole, is not made flat in silence."""
    with pytest.raises(DefinitionError, match=message):
        tool(flat=True)(fn)
