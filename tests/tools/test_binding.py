"""A function and its contract file: equal when the one was written from the other, and refused where they disagree."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from magic_tools import (
    DefinitionError,
    Policy,
    RunOptions,
    Tool,
    ToolContract,
    WrongExample,
    bind_contract,
    tool,
)


class Customer(BaseModel):
    """A customer."""

    name: str
    phone: str


POLICY = Policy(
    id="crm.customer.lookup",
    version="2.1.0",
    owner="crm",
    risk="read_sensitive",
    read_only=True,
    masks=("phone",),
    examples=({"query": "Ann"},),
    wrong_examples=(WrongExample({"query": ""}, "nothing to look for"),),
)


def lookup(query: Annotated[str, Field(min_length=1, max_length=30)], limit: int = 10) -> list[Customer]:
    """Look customers up."""
    return [Customer(name=query, phone="123")] * limit


def decorated(**options: Any) -> Tool[..., Any]:
    """The function as a tool with its policy."""
    return tool(lookup, timeout=3, retries=2, **{"policy": POLICY, **options})


FILE = decorated().contract.to_yaml()


def test_a_file_written_from_a_function_binds_it() -> None:
    """Read back it is equal, and the tool that it is bound to comes back as it is."""
    made = decorated()
    assert ToolContract.from_yaml(FILE) == made.contract
    for source in (FILE, made.contract.to_json(), made.contract):
        assert bind_contract(source, made) is made


def test_a_file_is_found_by_its_path(tmp_path: Path) -> None:
    """A path is read, in either form."""
    made = decorated()
    for name, text in (("c.yaml", FILE), ("c.json", made.contract.to_json())):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert bind_contract(tmp_path / name, made) is made


@pytest.mark.parametrize(
    "function", [lookup, tool(lookup), tool(policy=Policy(lint_ignore={"open-result": "w"}))(lookup)]
)
def test_a_function_without_a_policy_has_the_file_s(function: Callable[..., Any]) -> None:
    """What the file declares the tool declares then, time and tries too; what silences the linter stays."""
    bound = bind_contract(FILE, function)
    assert bound.contract == ToolContract.from_yaml(FILE)
    assert replace(bound.policy, lint_ignore={}) == POLICY
    assert bound.policy.lint_ignore == getattr(getattr(function, "policy", None), "lint_ignore", {})
    assert (bound.executable.behaviour.timeout_s, bound.executable.behaviour.retries) == (3, 2)
    assert bound.invoke({"query": "Ann", "limit": 1}).content == '[{"name":"Ann","phone":"***"}]'
    assert bound("Ann", 1) == [Customer(name="Ann", phone="123")]


def test_what_is_bound_is_checked_like_what_is_declared() -> None:
    """A file's examples and masks are held to the function like those of a policy."""
    wrong = FILE.replace('query: ""', "query: Bob")
    assert wrong != FILE
    with pytest.raises(DefinitionError, match=r"wrong_examples=...\), number 1 .* is not refused by the arguments"):
        bind_contract(_undigested(wrong), lookup)
    with pytest.raises(DefinitionError, match=r"masks=...\) names 'fax', and the result has no such field"):
        bind_contract(FILE.replace("masks: [phone]", "masks: [fax]"), lookup)


def _undigested(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "_digest: " not in line)


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("maxLength: 30", "maxLength: 20", ["input.query.maxLength: the file says 20, the function 30"]),
        (", maxLength: 30", "", ["input.query.maxLength: the file says nothing, the function 30"]),
        ("default: 10", "default: 5", ["input.limit.default: the file says 5, the function 10"]),
        ("required: [query]", "required: []", ['input.required: the file says [], the function ["query"]']),
        ("owner: crm", "owner: shop", ['owner: the file says "shop", the function "crm"']),
        ("owner: crm\n", "", ['owner: the file says nothing, the function "crm"']),
        ("timeout_s: 3", "timeout_s: 4", ["execution.timeout_s: the file says 4, the function 3"]),
        ("retries: 2", "retries: 2, repeatable: true",
         ["execution.repeatable: the file says true, the function nothing, which is its default"]),
        ("id: crm.customer.lookup", "id: crm.lookup",
         ['id: the file says "crm.lookup", the function "crm.customer.lookup"']),
        ("name: lookup", "name: find", ['name: the file says "find", the function "lookup"']),
        ("name: lookup\n", "", []),
        ("Look customers up.", "Look them up.",
         ['description: the file says "Look them up.", the function "Look customers up."']),
        ("risk: read_sensitive", "risk: read", ['risk: the file says "read", the function "read_sensitive"']),
        ("masks: [phone]", "rules: [one]", [
            'rules: the file says ["one"], the function nothing',
            'masks: the file says nothing, the function ["phone"]']),
        ("version: 2.1.0", "version: 2.1.0\naccepts: [2.x]\nlifecycle: {announced: 2026-12-01}",
         ['accepts: the file says ["2.x"], the function nothing',
          'lifecycle: the file says {"announced": "2026-12-01"}, the function nothing']),
        ("version: 2.1.0", "version: 2.2.0", ['version: the file says "2.2.0", the function "2.1.0"']),
        ("- {query: Ann}", "- {query: Eve}",
         ['examples: the file says [{"query": "Eve"}], the function [{"query": "Ann"}]']),
    ],
)  # fmt: skip
def test_where_file_and_function_disagree(old: str, new: str, places: list[str]) -> None:
    """Every place is listed with what both say, either way; a name that the file leaves out is the function's."""
    assert old in FILE
    source = _undigested(FILE.replace(old, new))
    if not places:
        assert bind_contract(source, decorated()).name == "lookup"
        return
    with pytest.raises(DefinitionError) as caught:
        bind_contract(source, decorated())
    head, *listed, advice = str(caught.value).splitlines()
    counted = "one place" if len(places) == 1 else f"{len(places)} places"
    assert head.endswith(f"and lookup() disagree in {counted}:")
    assert sorted(listed) == sorted(f"- {place}" for place in places)
    assert advice.startswith("Change the one or the other")


def test_places_inside_a_schema_are_told_by_field() -> None:
    """A field in the items of a result is named as a person would, and one by name alone is no keyword."""

    class Line(BaseModel):
        items: Annotated[list[int], Field(max_length=3)]
        properties: int

    def order() -> list[Line]:
        """Order."""
        return []

    data = tool(order).contract.to_data()
    fields = data["output_schema"]["items"]["properties"]
    fields["items"]["items"]["type"] = "number"
    fields["properties"]["type"] = "number"
    del data["surface_digest"], data["interface_digest"]
    with pytest.raises(DefinitionError) as caught:
        bind_contract(ToolContract.from_data(data), order)
    assert '- output[].items[].type: the file says "number", the function "integer"' in str(caught.value)
    assert '- output[].properties.type: the file says "number", the function "integer"' in str(caught.value)


def test_schemas_that_say_the_same_agree() -> None:
    """Order and spelling are no disagreement: a person need not write a schema as the library does."""
    data = decorated().contract.to_data()
    data["input_schema"] = dict(reversed(data["input_schema"].items()))
    data["output_schema"]["$defs"] = {"Customer": data["output_schema"]["items"]}
    data["output_schema"]["items"] = {"$ref": "#/$defs/Customer"}
    made = decorated()
    assert bind_contract(ToolContract.from_data(data), made) is made


def test_a_declared_time_is_no_default() -> None:
    """Of a tool with time and tries of its own, those of the file have to be the same, whoever's the policy is."""
    with pytest.raises(DefinitionError, match=r"execution.timeout_s: the file says 3, the function 9"):
        bind_contract(FILE, tool(lookup, timeout=9))


@pytest.mark.parametrize(
    ("execution", "place"),
    [
        ("timeout_s: 3", "timeout_s: the file says 3, the function 30, which is its default"),
        ("timeout_s: 30, retries: 2", "retries: the file says 2, the function nothing, which is its default"),
        ("timeout_s: 30, repeatable: true",
         "repeatable: the file says true, the function nothing, which is its default"),
        ("timeout_s: 30, keep: [name]", 'keep: the file says ["name"], the function nothing, which is its default'),
        ("timeout_s: 30, fallback: value",
         'fallback: the file says "value", the function nothing, which is its default'),
    ],
)  # fmt: skip
def test_a_function_with_a_policy_says_how_its_calls_go(execution: str, place: str) -> None:
    """What it leaves at its default is declared by that, and the file has to say the same."""
    source = FILE.replace("{timeout_s: 3, retries: 2}", f"{{{execution}}}")
    assert source != FILE
    made = tool(policy=POLICY)(lookup)
    with pytest.raises(DefinitionError) as caught:
        bind_contract(source, made)
    assert str(caught.value).splitlines()[1:-1] == [f"- execution.{place}"]
    assert bind_contract(FILE.replace("{timeout_s: 3, retries: 2}", "{timeout_s: 30}"), made) is made


def test_a_fallback_is_of_the_function_alone() -> None:
    """A file can say that there is one, and not which; the function's stays where the file's policy is taken."""
    source = FILE.replace("retries: 2", "retries: 2, fallback: value")
    bound = bind_contract(source, tool(lookup, fallback=[]))
    assert bound.executable.behaviour.fallback == []
    assert bound.contract.execution.fallback == "value"
    with pytest.raises(DefinitionError, match=r'execution.fallback: the file says "value", the function nothing'):
        bind_contract(source, lookup)


@pytest.mark.parametrize(
    ("options", "execution"),
    [
        ({}, {"timeout_s": 30}),
        ({"timeout": None}, {"timeout_s": None}),
        ({"timeout": 0.5, "retries": 3, "repeatable": True}, {"timeout_s": 0.5, "retries": 3, "repeatable": True}),
        ({"fallback": None}, {"timeout_s": 30, "fallback": "value"}),
        ({"fallback": lambda arguments, error: []}, {"timeout_s": 30, "fallback": "computed"}),
        ({"keep": ["name"]}, {"timeout_s": 30, "keep": ["name"]}),
    ],
)
def test_how_calls_go_is_in_the_contract(options: dict[str, Any], execution: dict[str, Any]) -> None:
    """Time, tries, what stands in for a result, and what is kept of a long one; it is bound by its file, too."""
    made = tool(lookup, **options)
    assert made.contract.to_data()["execution"] == execution
    assert bind_contract(made.contract.to_yaml(), made).contract == made.contract


def test_rules_are_attached_before_binding() -> None:
    """The names of rules count; the contract of a tool follows what is attached to it."""
    made = decorated()
    before = made.contract

    @made.rule
    def not_everybody(query: str) -> bool:
        return query != "*"

    @made.result_rule
    def not_many(result: Any) -> bool:
        return len(result) < 100

    assert (before.rules, made.contract.rules, made.contract.result_rules) == ((), ("not_everybody",), ("not_many",))
    assert (before.interface_digest, before.surface_digest) == (
        made.contract.interface_digest, made.contract.surface_digest
    )  # fmt: skip
    assert bind_contract(made.contract.to_yaml(), made) is made
    with pytest.raises(DefinitionError, match="rules: the file says nothing, the function"):
        bind_contract(FILE, made)


def test_a_bound_method_stays_bound() -> None:
    """What is bound to a contract is called on the object that it was taken from."""

    class Shop:
        name = "here"

        @tool
        def where(self) -> str:
            """Say where."""
            return self.name

    source = replace(Shop().where.contract, policy=Policy(owner="me"))
    bound = bind_contract(source, Shop().where)
    assert (bound.invoke().content, bound.policy.owner) == ("here", "me")


def test_no_contract_is_bound() -> None:
    """What is no contract is refused as such."""
    with pytest.raises(DefinitionError, match="is no contract but one text: to read a file, give Path"):
        bind_contract("lookup.yaml", lookup)


UNTYPED = _undigested(FILE).replace("maxLength: 30", "maxLength: 20")


def of_file(query: str, limit: Any = None, context: Any = None) -> Any:
    return [{"name": query, "phone": str(limit)}]


def test_a_tool_of_a_file_alone() -> None:
    """The file's schemas hold for a function without types: name, text, policy and time are the file's."""
    made = Tool.from_contract(UNTYPED, of_file)
    assert made.contract == ToolContract.from_yaml(UNTYPED)
    assert (made.name, made.description, made.policy) == ("lookup", "Look customers up.", POLICY)
    assert made.invoke({"query": "Ann"}).content == '[{"name":"Ann","phone":"***"}]'
    refused = made.invoke({"query": "A" * 21})
    assert refused.is_error
    assert "20" in refused.content
    assert asyncio.run(made.ainvoke({"query": "Ann"})).content == '[{"name":"Ann","phone":"***"}]'


@pytest.mark.parametrize(
    ("old", "new", "options", "words"),
    [
        ("name: lookup\n", "", {}, "crm.customer.lookup says no name that a model could call: .* `name: lookup`"),
        ("masks", "rules: [one]\nmasks", {}, r'- rules: the file says \["one"\], the function nothing'),
        ("", "", {"rules": (lambda query: True,)}, r"- rules: the file says nothing, the function"),
        ("", "", {"fallback": 1}, r'- execution.fallback: the file says nothing, the function "value"'),
        ("retries: 2", "fallback: computed", {"fallback": 1}, 'the file says "computed", the function "value"'),
        ("type: object", "type: objekt", {}, "lookup.*the input schema"),
        ("- {query: Ann}", "- {qeury: Ann}", {}, r"examples=...\), number 1, is refused by the arguments"),
    ],
)
def test_a_file_that_does_not_make_a_tool(old: str, new: str, options: dict[str, Any], words: str) -> None:
    """A missing name, other rules or fall-backs than the file's, no schema and wrong examples are refused."""
    assert old in UNTYPED
    with pytest.raises(DefinitionError, match=words):
        Tool.from_contract(UNTYPED.replace(old, new, 1), of_file, **options)


SUBSTITUTE = [{"name": "nobody", "phone": ""}]


def test_rules_and_fallback_of_a_file() -> None:
    """Those that the file names are given with the function, and hold."""

    def not_everybody(query: str) -> bool:
        return query != "*"

    def not_ann(result: Any) -> bool:
        return bool(result[0]["name"] != "Ann")

    source = UNTYPED.replace("masks", "rules: [not_everybody]\nresult_rules: [not_ann]\nmasks", 1)
    source = source.replace("retries: 2", "fallback: value")
    made = Tool.from_contract(source, of_file, rules=[not_everybody], result_rules=[not_ann], fallback=SUBSTITUTE)
    assert made.contract == ToolContract.from_yaml(source)
    assert made.invoke({"query": "Bob"}).content.startswith('[{"name":"Bob"')
    assert "not_everybody" in made.invoke({"query": "*"}).content
    substituted = made.invoke({"query": "Ann"}, options=RunOptions(on_alert=lambda alert: None))
    assert (substituted.fallback, '"nobody"' in substituted.content) == (True, True)
