"""What is said to a model: the same in English and in Chinese, and never half of each."""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from pydantic import AnyUrl, ByteSize, FilePath, HttpUrl

from magic_tools.errors import ParseError
from magic_tools.loose import expectations, foreign_issues
from magic_tools.loose.chinese import CHINESE
from magic_tools.loose.decode import Schema, compile_schema, parse
from magic_tools.loose.issues import told
from magic_tools.loose.phrases import Phrase, fields_of, phrased, say, shortened
from magic_tools.loose.readers import Misfit
from magic_tools.messages import Issue
from magic_tools.schema import forms
from magic_tools.schema.forms import TextForm
from magic_tools.tools.passage import STANDS_IN
from tests.loose.test_foreign import BAD
from tests.schema.type_table import CASES

SOURCES = Path(expectations.__file__).parents[1]


@pytest.mark.parametrize(
    ("phrase", "english", "chinese"),
    [
        (say("an integer"), "an integer", "整数"),
        (say("a number of at least {ge}", ge=0), "a number of at least 0", "不小于 0 的数"),
        (say("{first} or {other}", first=say("an array"), other=say("null")), "an array or null", "数组或 null"),
        (say("{it}", it=say("{first} or {other}", first=say("null"), other="x")), "null or x", "null 或 x"),
        (say("{first} or {other}", first=say("an array"), other=say("an object")), "an array or an object",
         "数组或对象"),
        (say("one of {choices}", choices=("'a'", "'b'")), "one of 'a', 'b'", "'a'、'b' 之一"),
        (say("one of {choices}", choices="1, 2"), "one of 1, 2", "1, 2 之一"),
        (say("as its key {expected}", expected=say("a string")), "as its key a string", "字符串（作为键）"),
        (say("a value that passes its check ({said})", said="no"), "a value that passes its check (no)",
         "能通过检查的值（no）"),
        (say("an author's own {words}"), "an author's own {words}", "an author's own {words}"),
        (say("text that matches {pattern}", pattern="{2}"), "text that matches {2}", "匹配 {2} 的文本"),
        (say("text that matches {pattern}", pattern=""), "text that matches ", "匹配的文本"),
        (say("text that matches {pattern}", pattern="一"), "text that matches 一", "匹配一的文本"),
    ],
)  # fmt: skip
def test_a_phrase(phrase: Phrase, english: str, chinese: str) -> None:
    """A phrase is text in either language; what fills it in stays as it is, apart from Chinese by a blank."""
    assert phrased(phrase, "en") == english
    assert phrased(phrase, "zh") == chinese


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        ("short", "short", "short"),
        ("longer", "longe... (6 characters)", "longe……（共 6 个字符）"),
        ("{a}", "{a}", "{a}"),
        ("\ud800", "\\ud80... (6 characters)", "\\ud80……（共 6 个字符）"),
    ],
)
def test_a_text_that_may_be_long(text: str, english: str, chinese: str) -> None:
    """Of a long text the start is said, and how long it is, of what no output takes its number."""
    assert phrased(shortened(text, 5), "en") == english
    assert phrased(shortened(text, 5), "zh") == chinese


def calls_of_say() -> Iterator[tuple[str, frozenset[str]]]:
    """The templates in calls of `say`, there or as a constant of the module, each with the fields that it is given."""
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            target.id: value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(value := node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name) and isinstance(value.value, str)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name("say"), args=[ast.Constant(str(template))], keywords=keywords):
                    yield template, frozenset(keyword.arg for keyword in keywords if keyword.arg)
                case ast.Call(func=ast.Name("say"), args=[ast.Name(name)], keywords=keywords) if name in named:
                    yield named[name], frozenset(keyword.arg for keyword in keywords if keyword.arg)


def stated_templates() -> Iterator[str]:
    """The templates that stand in tables."""
    for table in (expectations.EXPECTED, expectations.VALUE_EXPECTED, foreign_issues.FOREIGN_EXPECTED, STANDS_IN):
        yield from table.values()
    yield from (*foreign_issues.TYPES.values(), *foreign_issues.FORMATS.values(), *expectations.OWN_TEXTS)
    yield from (expectations.REQUIRED, expectations.CHECKED, expectations.CHECKED_SAYING)


def text_forms() -> Iterator[TextForm]:
    """Every form of text that there is."""
    for held in vars(forms).values():
        listed = held.values() if isinstance(held, Mapping) else (held,)
        yield from (each for each in listed if isinstance(each, TextForm))


def test_each_call_fills_its_template() -> None:
    """Every template that is said has Chinese, and gets the fields that it has."""
    calls = list(calls_of_say())
    assert len(calls) > 60
    assert [call for call in calls if call[0] not in CHINESE] == []
    assert [call for call in calls if call[1] != fields_of(call[0])] == []


def reasons() -> Iterator[str]:
    """What is said of damage, where it is raised."""
    for path in sorted((SOURCES / "loose").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="fail") | ast.Name("Unreadable" | "Damage"), args=args):
                    parts = (part for given in args for part in ast.walk(given) if isinstance(part, ast.Constant))
                    yield from (part.value for part in parts if isinstance(part.value, str) and " " in part.value)


def test_each_reason_has_chinese() -> None:
    """Why a text cannot be read is said in Chinese, too."""
    assert len(set(reasons())) > 25
    assert set(reasons()) - CHINESE.keys() == set()


def test_each_stated_template_has_chinese() -> None:
    """What stands in tables, and what a form of text is in words, has Chinese too."""
    wanted = {form.wanted for form in text_forms()}
    assert len(wanted) >= 9
    assert {*stated_templates(), *wanted} - CHINESE.keys() == set()


# What is the same in both languages.
SAME = {
    "null",
    "JSON",
    "UUID",
    "{some}、{last}",
    "{wanted}",
    "{it}",
    "{value}",
    "{why}",
    "{words}（{helps}）。",
    "{words}。",
}

# Punctuation of one language beside words of the other.
MIXED = re.compile(r"[\u4e00-\u9fff][,;:!?()]|[,;:!?()][\u4e00-\u9fff]|[.;:] ")


@pytest.mark.parametrize(("english", "chinese"), CHINESE.items())
def test_the_chinese_of_a_template(english: str, chinese: str) -> None:
    """It has the same fields, is Chinese, and has Chinese punctuation."""
    assert fields_of(chinese) == fields_of(english)
    assert chinese in SAME or re.search("[\u4e00-\u9fff]", chinese)
    assert MIXED.search(re.sub(r"[0-9][0-9T:,.Z-]*[0-9Z]", "0", chinese)) is None


WORD = re.compile("[A-Za-z]{2,}")
AS_IT_IS = frozenset(word for chinese in CHINESE.values() for word in WORD.findall(re.sub("{.*?}", "", chinese)))
ENGLISH = frozenset(word for english in CHINESE for word in WORD.findall(re.sub("{.*?}", "", english))) - AS_IT_IS

# What comes from the value, its schema or the author's own checks.
GIVEN = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|^[^：]*：|（[^（）]*）|键 .*? 的对象|匹配 .* 的文本|不符合 .* 的值"""
)


def refused_in_chinese(schema: Schema[Any], text: str) -> tuple[Issue, ...]:
    """What is said, in Chinese, of a text that the reader refuses."""
    try:
        schema._reader.read(text)
    except Misfit as misfit:
        return told(misfit.findings, "zh")
    except ValueError:  # it is no JSON
        return ()
    return ()


@pytest.mark.parametrize(
    ("target", "texts"),
    [
        *((case.annotation, [text for text, _ in case.bad]) for case in CASES.values()),
        *((schema, [text]) for schema, text, _ in BAD.values()),
    ],
    ids=[*CASES, *BAD],
)
def test_no_english_in_chinese(target: Any, texts: list[str]) -> None:
    """Nothing is said half in English, of whatever type or schema."""
    schema = compile_schema(target)
    for text in texts:
        for issue in refused_in_chinese(schema, text):
            said = GIVEN.sub("", str(issue))
            assert not ENGLISH.intersection(WORD.findall(said)), str(issue)


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        (re.Pattern, '"("', '应为有效的正则表达式，收到 "("'),
        (complex, '"x"', '应为形如 1+2j 的复数文本，收到 "x"'),
        (HttpUrl, '"ftp://a.b"', "URL 的协议必须是"),
        (AnyUrl, '"http://[::x]/"', "IPv6 地址无效"),
        (dt.timedelta, '"P1.5.5D"', "时长的日期部分有无效的数量"),
        (IPv4Address, '"x"', "'x' 应有 4 段"),
        (ByteSize, '"3 foo"', "无法识别的字节单位：foo"),
        (FilePath, '"/nope"', "该路径不是文件"),
    ],
)
def test_what_pydantic_says_in_chinese(target: Any, text: str, said: str) -> None:
    """The words of pydantic's own checks are Chinese as well."""
    with pytest.raises(ParseError) as caught:
        parse(target, text, language="zh")
    assert said in str(caught.value)
