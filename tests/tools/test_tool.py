"""A tool: still the function it is made of, and what a model is told of it."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from magic_tools.errors import DefinitionError, SchemaRejectedError
from magic_tools.tools.tool import Tool, tool


class Weather(BaseModel):
    celsius: float


@tool
def get_weather(city: Annotated[str, "City name, no country"], days: int = 1) -> Weather:
    """Current weather of a city.

    Not for forecasts: use get_forecast.

    Args:
        days: How many days.
    """
    return Weather(celsius=len(city) * days)


class Counter:
    """A class with tools for methods."""

    def __init__(self, start: int) -> None:
        self.start = start

    @tool
    def add(self, x: int) -> int:
        """Add to the start."""
        return self.start + x

    @tool
    async def aadd(self, x: int) -> int:
        """Add to the start, some day."""
        return self.start + x

    @staticmethod
    @tool
    def double(x: int) -> int:
        return 2 * x

    @tool
    @staticmethod
    def half(x: int) -> int:
        return x // 2


def test_it_is_still_the_function() -> None:
    """It is called like the function, unchecked, and says of itself what the function says."""
    assert get_weather("Rome", days=2) == Weather(celsius=8)
    assert get_weather(["no", "text"]).celsius == 2  # type: ignore[arg-type]  # nothing is checked
    made: Any = get_weather
    assert (made.__name__, made.__qualname__, made.__module__) == ("get_weather", "get_weather", __name__)
    assert inspect.getdoc(made) == inspect.getdoc(made.__wrapped__)
    assert list(inspect.signature(made).parameters) == ["city", "days"]
    assert repr(get_weather) == "<Tool get_weather>"


def test_what_a_model_is_told() -> None:
    """Name, prose and parameters' texts come from the function; what is told and the contract agree."""
    assert get_weather.name == "get_weather"
    assert get_weather.description == "Current weather of a city.\n\nNot for forecasts: use get_forecast."
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "City name, no country"},
            "days": {"type": "integer", "description": "How many days.", "default": 1},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    told, contract = get_weather.told(), get_weather.contract
    assert (told.name, told.description, told.input_schema) == ("get_weather", get_weather.description, schema)
    assert (contract.id, contract.description, contract.input_schema) == ("get_weather", told.description, schema)
    assert contract.output_schema["properties"] == {"celsius": {"type": "number"}}
    assert get_weather.definition("canonical") == {
        "name": "get_weather",
        "description": told.description,
        "input_schema": schema,
    }


def test_a_call_has_an_id_without_being_given_one() -> None:
    """A result is one that a transcript can hold, also where a person makes the call."""
    assert get_weather.invoke({"city": "Rome"}).call_id == "call"
    assert asyncio.run(get_weather.ainvoke({"city": "Rome"})).call_id == "call"
    assert get_weather.invoke({"city": "Rome"}, call_id="c7").call_id == "c7"


def test_name_and_description_can_be_given() -> None:
    """What the decorator is given goes before what the function says; an empty description is one."""

    @tool(name="weather", description="")
    def get(city: str) -> str:
        """Ignored."""
        return city

    assert (get.name, get.description, get.contract.id) == ("weather", "", "weather")
    assert get.invoke({"city": "Rome"}).name == "weather"
    assert get("Rome") == "Rome"


@pytest.mark.parametrize("name", ["_", "a", "A-1_b", "a" * 64])
def test_names_that_providers_take(name: str) -> None:
    """Letters, digits, _ and -, up to 64, the first a letter or _."""
    assert tool(name=name)(len_of).name == name


def len_of(text: str) -> int:
    return len(text)


@pytest.mark.parametrize("name", ["", "1a", "-a", "a b", "a.b", "calendar/list", "天気", "ａ", "a\n", "a" * 65])
def test_names_that_providers_refuse(name: str) -> None:
    """Any other name is a DefinitionError that shows it and the way out."""
    with pytest.raises(DefinitionError, match=r"cannot be a tool's name.*@tool\(name=\.\.\.\)") as caught:
        tool(name=name)(len_of)
    assert repr(name) in str(caught.value)


def untyped(city) -> str:  # type: ignore[no-untyped-def]  # the fault that is tested
    return str(city)


def unresolved(city: Nowhere) -> str:  # type: ignore[name-defined]  # noqa: F821 - the fault that is tested
    return str(city)


class Opaque:
    pass


def opaque(city: Opaque) -> str:
    return str(city)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (untyped, r"untyped\(\): parameter 'city' has no annotation"),
        (unresolved, r"unresolved\(\): parameter 'city' has the annotation 'Nowhere', which cannot be resolved"),
        (opaque, r"opaque\(\): parameter 'city' has the annotation <class '.*Opaque'>, which cannot be made into"),
        (lambda x: x, "parameter 'x' has no annotation"),
        (5, "5 has no signature to read"),
        ("get_weather", "'get_weather' has no signature to read"),
    ],
)
def test_what_cannot_be_a_tool(fn: Any, words: str) -> None:
    """A function that cannot be told to a model is refused at decoration, naming parameter and annotation."""
    with pytest.raises(DefinitionError, match=words):
        tool(fn)


def test_local_names_in_annotations() -> None:
    """Annotations may name what is local to where the function is decorated, in both forms of the decorator."""

    class Local(BaseModel):
        x: int

    @tool
    def plain(it: Local) -> Local:
        return it

    @tool(name="other")
    def named(it: Local) -> Local:
        return it

    for made in (plain, named):
        assert made.invoke({"it": {"x": 1}}).content == '{"x":1}'


def test_the_function_s_own_attributes_stay_its_own() -> None:
    """Attributes on the function, set by whoever, never hide what the tool is."""

    def fn(x: int) -> int:
        return x

    for name in ("invoke", "name", "description", "contract", "_contract", "executable", "definition", "_fn"):
        setattr(fn, name, "another's")
    made = tool(fn)
    assert (made.name, made.contract.id, made.invoke({"x": 1}).content) == ("fn", "fn", "1")


def test_a_tool_of_a_tool() -> None:
    """A tool under another name is a tool of its own, whatever the first one has kept."""
    assert get_weather.contract.id == "get_weather"
    other: Tool[..., Weather] = tool(name="wetter")(get_weather)
    assert (other.contract.id, other.definition("canonical")["name"]) == ("wetter", "wetter")
    assert other.invoke({"city": "Rome"}).value == Weather(celsius=4)
    assert get_weather.contract.id == "get_weather"


@pytest.mark.parametrize(
    "hand_out",
    [
        lambda: get_weather.contract.input_schema,
        lambda: get_weather.contract.output_schema,
        lambda: get_weather.told().input_schema,
        lambda: get_weather.definition("canonical")["input_schema"],
        lambda: get_weather.definition("openai-chat")["function"]["parameters"],
        lambda: get_weather.definition("openai-chat", strict=False)["function"]["parameters"],
    ],
)
def test_what_is_handed_out_is_the_caller_s_own(hand_out: Callable[[], dict[str, Any]]) -> None:
    """A caller may change what it gets, and no other sees it."""
    before = copy.deepcopy(hand_out())
    held = hand_out()
    held["properties"].clear()
    held.clear()
    assert hand_out() == before
    assert get_weather.invoke({"city": "Rome"}).value == Weather(celsius=4)


def test_the_contract_is_kept() -> None:
    """However often it is asked for, the contract is the same, digests included."""
    assert get_weather.contract == get_weather.contract
    assert get_weather.contract.interface_digest == get_weather.contract.interface_digest


def test_strict_definitions() -> None:
    """A definition is strict where that loses nothing; where it would lose something, asking for it is refused."""

    @tool
    def exact(city: str) -> str:
        return city

    @tool
    def count(words: dict[str, int]) -> str:
        return ""

    assert exact.definition()["function"]["strict"] is True
    assert "strict" not in exact.definition(strict=False)["function"]
    assert get_weather.definition()["function"]["strict"] is True
    assert get_weather.dialect_report()[0].what == "made nullable: null counts as left out"
    assert get_weather.dialect_report("canonical") == ()
    assert "strict" not in count.definition()["function"]
    assert "sent non-strict, because its keys are open" in count.dialect_report()[0].what
    with pytest.raises(SchemaRejectedError, match=r"'count' cannot be sent strict to openai-chat: /properties/words: "):
        count.definition(strict=True)


def test_an_unknown_dialect() -> None:
    """A dialect that there is not is refused with those that there are."""
    with pytest.raises(ValueError, match=r"no dialect 'openai'; there are: canonical, openai-chat"):
        get_weather.definition("openai")  # type: ignore[arg-type]  # the fault that is tested


def test_methods() -> None:
    """A tool of a method runs on the object it is taken from, and each object has its own."""
    one, ten = Counter(1), Counter(10)
    assert (one.add(1), ten.add(1)) == (2, 11)
    assert (one.add.invoke({"x": 1}).content, ten.add.invoke({"x": 1}).content) == ("2", "11")
    assert (one.add.name, one.add.description) == ("add", "Add to the start.")
    assert list(one.add.contract.input_schema["properties"]) == ["x"]
    assert one.add.invoke({"self": 5, "x": 1}).is_error


def test_async_methods() -> None:
    """An async method is awaited, by whoever calls it."""
    ten = Counter(10)
    assert asyncio.run(ten.aadd(1)) == 11
    assert ten.aadd.invoke({"x": 1}).content == "11"
    assert asyncio.run(ten.aadd.ainvoke({"x": 1})).content == "11"


def test_a_method_without_its_object() -> None:
    """Taken from the class, a method can be called with its object, and is refused as a tool."""
    assert Counter.add(Counter(1), 1) == 2
    with pytest.raises(DefinitionError, match=r"Counter\.add is a method without its object.*`obj\.add`"):
        Counter.add.invoke({"x": 1})
    with pytest.raises(DefinitionError, match="without its object"):
        asyncio.run(Counter.aadd.ainvoke({"x": 1}))
    assert Counter.add.contract == Counter(1).add.contract


@pytest.mark.parametrize("holder", [Counter, Counter(1)])
def test_static_methods(holder: Any) -> None:
    """A static method is a function, whichever decorator stands first."""
    assert holder.double.invoke({"x": 4}).content == "8"
    assert holder.half.invoke({"x": 4}).content == "2"
    assert (holder.double(4), holder.half(4)) == (8, 2)


def test_a_tool_in_a_class_body_that_is_no_method() -> None:
    """A tool that a class only holds is not bound to its objects."""

    class Holder:
        weather = get_weather

    assert Holder().weather.invoke({"city": "Rome"}).value == Weather(celsius=4)
    assert Holder.weather is get_weather


def test_a_field_as_a_default() -> None:
    """A parameter whose default is a `Field` has its constraints, and its default where it has one."""

    @tool
    def some(count: int = Field(ge=1), size: int = Field(default=3, le=5)) -> int:
        return count * size

    assert some.contract.input_schema["required"] == ["count"]
    assert some.invoke({"count": 2}).content == "6"
    assert "count: expected a number of at least 1, got 0" in some.invoke({"count": 0}).content


@tool
def double(number: int) -> int:
    """Twice a number."""
    return 2 * number


def test_a_tool_is_pickled_by_its_name() -> None:
    """As a function is, so that a pool of processes can be given it."""
    assert pickle.loads(pickle.dumps(double)) is double


def test_a_tool_that_names_itself() -> None:
    """A local tool may call itself, or its base class: what is not bound yet at decoration is no obstacle."""

    @tool
    def factorial(number: int) -> int:
        return 1 if number < 2 else number * factorial(number - 1)

    class Base:
        def twice(self, number: int) -> int:
            return 2 * number

    class Child(Base):
        @tool
        def twice(self, number: int) -> int:
            return super().twice(number)

    assert factorial.invoke({"number": 5}).content == "120"
    assert Child().twice.invoke({"number": 5}).content == "10"


def test_a_call_cannot_change_the_next_one_s_default() -> None:
    """A mutable default is each call's own, as the schema says it is; a sentinel stays the one object it is."""
    sentinel = object()

    @tool
    def gather(held: list[int] = [1], mark: Any = sentinel) -> list[int]:  # noqa: B006 - the case
        assert mark is sentinel
        held.append(2)
        return held

    assert [gather.invoke({}).content for _ in range(2)] == ["[1,2]", "[1,2]"]


def test_contracts_are_hashable() -> None:
    """Equal contracts have equal hashes."""
    assert {double.contract, double.contract} == {double.contract}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": {"tags": ["a"]}}, r"tool\(policy=...\) wants a Policy, such as .*, got \{'tags'"),
        ({"policy": None}, r"tool\(policy=...\) wants a Policy"),
        ({"name": 3}, r"tool\(name=...\) wants a text, got 3"),
        ({"description": 3}, r"tool\(description=...\) wants a text"),
        ({"strict": "yes"}, r"tool\(strict=...\) wants True, False or None, got 'yes'"),
    ],
)
def test_options_of_the_wrong_kind(options: Any, message: str) -> None:
    """An option of the wrong kind is refused where it is given, and the error says what is wanted."""
    with pytest.raises(DefinitionError, match=message):
        tool(**options)
    with pytest.raises(DefinitionError, match=message):
        Tool.from_schema(len_of, **{"name": "x", "description": "", "input_schema": {}, **options})


def partly(a: int, b: int) -> int:
    return a + b


@pytest.mark.parametrize(
    "made",
    [
        get_weather,
        Counter(1).add,
        tool(functools.partial(partly, b=2)),
        Tool.from_schema(lambda **_: 1, name="x", description="", input_schema={}),
        get_weather.renamed("other"),
    ],
)
def test_a_copy_is_the_tool_itself(made: Tool[..., Any]) -> None:
    """A tool does not change, so that a copy of whatever holds it keeps it as it is."""
    assert copy.copy(made) is made
    assert copy.deepcopy({"tools": [made]})["tools"][0] is made


def test_what_can_be_pickled() -> None:
    """A tool is found again by its name, a bound one by its object; one without a name says so."""
    loaded = pickle.loads(pickle.dumps(Counter(5).add))
    assert loaded.invoke({"x": 2}).content == "7"
    with pytest.raises(pickle.PicklingError, match="has no name in a module: make it anew"):
        pickle.dumps(tool(functools.partial(partly, b=2)))


def test_a_bound_tool_is_rendered_once() -> None:
    """What a provider is sent of a method is made once, whatever the object."""
    one, two = Counter(1).add, Counter(2).add
    assert one.definition() == two.definition()
    assert one._renderings is two._renderings


def test_the_way_back() -> None:
    """Where a provider's form wraps the arguments, what a model sent by it is restored; else it stays as it is."""
    either = Tool.from_schema(
        lambda **arguments: arguments,
        name="either",
        description="",
        input_schema={"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]},
    )
    (key,) = either.definition("anthropic")["input_schema"]["properties"]
    sent = either.restore(f'{{"{key}": {{"a": 1.10}}}}', "anthropic")
    assert sent == '{"a": 1.10}'
    assert either.invoke(sent).value == {"a": 1.1}
    fenced = either.restore(f'```json\n{{"{key}": {{"b": 2,}}}}\n```', "anthropic")
    assert either.invoke(fenced).value == {"b": 2}
    assert either.restore({key: {"a": 1}}, "anthropic") == {"a": 1}
    assert get_weather.restore('{"city": "Rome",}') == '{"city": "Rome",}'
    assert get_weather.restore({"city": "Rome"}) == {"city": "Rome"}


def test_a_definition_error_is_read_at_a_glance() -> None:
    """Its traceback has no other error before it, which would say the same in fewer words."""

    def drive(points: dict[tuple[int, int], int]) -> None:
        """Drive."""

    with pytest.raises(
        DefinitionError, match=r"drive\(\): parameter 'points' .* keys of an object are text"
    ) as refused:
        tool(drive)
    assert "".join(traceback.format_exception(refused.value)).count("Traceback") == 1
