"""The linter as a whole: what it takes, in which order it speaks, and how it is silenced."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from magic_tools.cli.targets import find_target
from magic_tools.contracts.policy import Policy
from magic_tools.errors import DefinitionError
from magic_tools.tools.lint.findings import SEVERITIES, Finding, LintConfig
from magic_tools.tools.lint.linter import RULES, lint
from magic_tools.tools.tokens import token_cost
from magic_tools.tools.tool import Tool, tool
from magic_tools.tools.toolset import Toolset

ROOT = Path(__file__).parents[3]


def plain(city: str) -> str:
    """Do what is asked."""
    return city


def other(limit: int):  # type: ignore[no-untyped-def]  # that is what it is for
    return limit


def silenced(ignore: Any) -> Tool[..., Any]:
    """The tool `plain` with silences of its own."""
    return tool(name="plain", policy=Policy(lint_ignore=ignore))(plain)


def said(findings: list[Finding]) -> list[tuple[str | None, str]]:
    return [(each.tool, each.rule) for each in findings]


PLAIN = [("plain", "missing-text"), ("plain", "unlimited-text")]


@pytest.mark.parametrize("given", [plain, tool(plain), [plain], (tool(plain),), Toolset(plain), iter([plain])])
def test_what_it_takes(given: Any) -> None:
    """A toolset, some tools or functions, or a single one."""
    assert said(lint(given)) == PLAIN


def test_no_tools_no_findings() -> None:
    """An empty set has nothing that could be misread."""
    assert lint([]) == []
    assert lint(Toolset(), profile="production") == []


def test_a_finding() -> None:
    """It says in which tool and where, how grave it is, what is wrong and what to do."""
    assert lint(plain)[0] == Finding(
        "missing-text", "warning", "plain", "city", "has no text that says what it means",
        'Say in a sentence what it means: Annotated[T, "..."], or an entry under Args in the docstring.',
    )  # fmt: skip


def test_the_order() -> None:
    """Tools in the order they came in, in each the gravest first, and last what is true of all together."""
    findings = lint([plain, other], config=LintConfig(total_tokens=1))
    assert [each.tool for each in findings] == ["plain"] * 2 + ["other"] * (len(findings) - 3) + [None]
    ranks = [SEVERITIES.index(each.severity) for each in findings if each.tool == "other"]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0


def test_a_well_made_tool() -> None:
    """The example of the docs has no error and no warning."""
    made = find_target(f"{ROOT / 'docs' / 'examples' / 'search.py'}:search_documents")
    assert {each.severity for each in lint(made)} <= {"advice"}


def test_a_tool_as_the_readme_has_it() -> None:
    """Of a tool that is made in a hurry only what a model may really misread is told, and nothing as an error."""

    @tool
    def get_weather(city: Annotated[str, "City name, no country"], unit: Literal["c", "f"] = "c") -> str:
        """Current weather of a city.

        Not for forecasts: use get_forecast.
        """
        return f"{city} {unit}"

    assert [(each.rule, each.path) for each in lint(get_weather)] == [
        ("missing-text", "unit"),
        ("unexplained-values", "unit"),
        ("unlimited-text", "city"),
    ]


def test_a_method_without_its_object() -> None:
    """It is judged too, for its parameters are known."""

    class Shop:
        @tool
        def close(self, reason: str) -> None:
            """Close the shop."""

    assert said(lint(Shop.close)) == [("close", "missing-text"), ("close", "unlimited-text")]


def test_every_rule_says_what_it_is() -> None:
    """A rule has a name that can be written as a key, a severity, a sentence on what it looks at, and advice."""
    for name, rule in RULES.items():
        assert name == rule.name
        assert name.replace("-", "").isalpha()
        assert rule.severity in SEVERITIES
        assert rule.about.endswith(".")
        assert rule.advice.endswith(".")


REASON = "a person reads it first"


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        ({}, PLAIN),
        ({"missing-text": REASON}, PLAIN[1:]),
        ({"missing-text:city": REASON}, PLAIN[1:]),
        ({"missing-text": REASON, "unlimited-text": REASON}, []),
        ({"missing-text:town": REASON}, [*PLAIN, ("plain", "unused-silence")]),
        ({"long-text": REASON}, [*PLAIN, ("plain", "unused-silence")]),
        ({"undeclared-owner": REASON}, PLAIN),
        ({"long-text": REASON, "unused-silence": REASON}, PLAIN),
    ],
)
def test_silence(ignore: dict[str, str], left: list[tuple[str, str]]) -> None:
    """A rule is silenced for a tool, or for one place of it; a silence that silences nothing is told in its turn.

    One of a rule that does not hold in the profile waits for the profile in which it does.
    """
    assert said(lint(silenced(ignore))) == left


def test_silence_is_of_its_tool_alone() -> None:
    """What one tool silences is told of another; what the config silences is told of none."""
    tools: list[Any] = [silenced({"missing-text": REASON}), other]
    assert ("other", "missing-text") in said(lint(tools))
    config = LintConfig(ignore={"missing-text": REASON})
    assert "missing-text" not in {rule for _, rule in said(lint([plain, other], config=config))}


def test_an_unused_silence_of_the_config() -> None:
    """It is a finding of no tool in particular."""
    (*_, last) = lint(plain, config=LintConfig(ignore={"long-text": REASON}))
    assert (last.rule, last.severity, last.tool) == ("unused-silence", "advice", None)
    assert "'long-text'" in last.message


def test_two_tools_side_by_side_are_silenced_too() -> None:
    """What is told of a tool beside another is silenced by its own policy."""

    @tool(policy=Policy(lint_ignore={"similar-names": REASON}))
    def fetch_user() -> str:
        """An account. Not for lists."""
        return ""

    @tool
    def get_user() -> str:
        """A person. Not for lists."""
        return ""

    assert lint([get_user, fetch_user]) == []
    assert lint([fetch_user, get_user]) == []
    assert lint(fetch_user) == []


def test_a_silence_of_one_pair_leaves_the_others() -> None:
    """What a tool silences beside itself is told of the two others all the same, and names them alone."""

    def named(name: str, **ignore: str) -> Tool[..., Any]:
        @tool(name=name, policy=Policy(lint_ignore={rule.replace("_", "-"): why for rule, why in ignore.items()}))
        def act() -> str:
            """List the open tickets. Not for closed ones."""
            return ""

        return act

    tools = [named("list_a"), named("list_b", overlapping_texts=REASON), named("list_c"), named("list_d")]
    told = [(each.tool, each.message) for each in lint(tools) if each.rule == "overlapping-texts"]
    assert told == [
        ("list_c", "has a text that says much the same as that of list_a"),
        ("list_d", "has a text that says much the same as that of list_a, list_c"),
    ]


@pytest.mark.parametrize("rule", ["similar-names", "overlapping-texts", "missing-not-for", "total-tokens"])
def test_a_silence_that_waits_for_other_tools(rule: str) -> None:
    """A rule about several tools has nothing to find in one file: its silence is not said to be unused."""
    assert said(lint(silenced({rule: REASON}))) == PLAIN
    assert said(lint(plain, config=LintConfig(ignore={rule: REASON}))) == PLAIN


@pytest.mark.parametrize("key", ["missing-text:town", "similar-names:city", "total-tokens:city"])
def test_a_silence_of_a_place_that_is_not_there(key: str) -> None:
    """A silence, also of the config, whose path leads nowhere is told."""
    assert (None, "unused-silence") in said(lint(plain, config=LintConfig(ignore={key: REASON})))
    assert ("plain", "unused-silence") in said(lint(silenced({key: REASON})))


def test_a_searchable_set() -> None:
    """All its tools are looked at, but for the library's own search; what it costs is what a request offers."""

    def named(index: int) -> Tool[..., Any]:
        @tool(name=f"task_{index}", description=f"Word{index} other{index} third{index}.")
        def act() -> str:
            return ""

        return act

    many = Toolset(*(named(index) for index in range(300)), plain)
    total = token_cost(many).tokens
    config = LintConfig(total_tokens=total - 1)
    (finding,) = [each for each in lint(many, config=config) if each.rule == "total-tokens"]
    assert f"the 301 tools take about {total} tokens" in finding.message
    assert said(lint(many.searchable("plain"), config=config)) == PLAIN
    assert said(lint(many.searchable(), config=LintConfig(total_tokens=1, profile="production")))[-1] == (
        None,
        "total-tokens",
    )
    assert "search_tools" not in {
        each.tool for each in lint(many.searchable(), config=LintConfig(name_characters=1, profile="production"))
    }


@pytest.mark.parametrize(
    ("ignore", "words"),
    [
        ({"no-such-rule": REASON}, "'no-such-rule', which is no rule; there are: .* more"),
        ({"mising-text": REASON}, r"'mising-text', which is no rule; there are: missing-text, .* and \d+ more\."),
        ({"": REASON}, "'', which is no rule"),
        ({"missing-text": ""}, "'missing-text' without a reason"),
        ({"missing-text": "  "}, "'missing-text' without a reason"),
        ({"missing-text:city": None}, "'missing-text:city' without a reason"),
        ({"missing-text": True}, "'missing-text' without a reason"),
        (["missing-text"], r"\['missing-text'\]: write the rules with their reasons"),
    ],
)
def test_a_silence_needs_a_rule_and_a_reason(ignore: Any, words: str) -> None:
    """What is no rule, or has no reason, is an error that names the tool or the config, and what there is."""
    with pytest.raises(DefinitionError, match=f"The policy of the tool 'plain' silences {words}"):
        lint(silenced(ignore))
    with pytest.raises(DefinitionError, match=f"The lint config silences {words}"):
        lint(plain, config=LintConfig(ignore=ignore))


def test_the_profile() -> None:
    """It is that of the config, unless one is given."""
    strict, lax = LintConfig(profile="production"), LintConfig()
    assert len(lint(plain, config=strict)) > len(PLAIN)
    assert lint(plain, config=lax, profile="production") == lint(plain, config=strict)
    assert said(lint(plain, config=strict, profile="default")) == PLAIN


@pytest.mark.parametrize(
    ("table", "config"),
    [
        ({}, LintConfig()),
        ({"profile": "production", "enum_values": 12}, LintConfig(profile="production", enum_values=12)),
        ({"ignore": {"long-text": REASON}, "near": 0.5}, LintConfig(ignore={"long-text": REASON}, near=0.5)),
    ],
)
def test_a_config_from_a_table(table: dict[str, Any], config: LintConfig) -> None:
    """The settings of pyproject.toml are those of `LintConfig`, by the same names."""
    assert LintConfig.from_table(table) == config


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"enum_value": 9}, "no setting 'enum_value'; there are: enum_values, .*total_tokens"),
        ({"profile": "prod"}, "no lint profile 'prod'; there are: default, production"),
        ({"profile": ["production"]}, "no lint profile"),
        ({"enum_values": "9"}, "threshold enum_values is '9': make it a number"),
        ({"enum_values": True}, "threshold enum_values is True"),
        ({"enum_values": -1}, "threshold enum_values is -1"),
        ({"near": float("nan")}, "threshold near is nan"),
        ({"near": float("inf")}, "threshold near is inf"),
    ],
)
def test_a_config_that_is_none(table: dict[str, Any], words: str) -> None:
    """An unknown name lists the known ones; a threshold is a number from 0 on."""
    with pytest.raises(DefinitionError, match=words):
        LintConfig.from_table(table)


def test_three_hundred_tools() -> None:
    """Each pair of 300 tools is looked at, in a set whose every tool is near to every other one."""

    def named(index: int) -> Tool[..., Any]:
        @tool(name=f"list_{index}", description="List the open tickets of a customer.")
        def act() -> str:
            return ""

        return act

    findings = lint([named(index) for index in range(300)])
    assert len([each for each in findings if each.rule == "overlapping-texts"]) == 299
    assert len([each for each in findings if each.rule == "missing-not-for"]) == 300
    assert all(len(each.message) < 200 for each in findings)


def test_findings_are_the_same_in_every_process() -> None:
    """No order of a set shows through: the hash seed changes nothing."""
    code = (
        "import json, dataclasses\n"
        "from magic_tools.tools.lint.linter import lint\n"
        "def f(user_role_id: int | float, tenant: list | dict[str, int], qty=None): ...\n"
        "f.__annotations__['qty'] = dict\n"
        "print(json.dumps([dataclasses.asdict(each) for each in lint(f)]))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(outputs) == 1
    assert json.loads(outputs.pop())
