"""Patterns for the grammar: which are taken, what they become, and that llama.cpp reads them as regular expressions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing

import pytest

from magic_tools.schema.dialects.grammar_patterns import any_text, grammar_pattern, one_of_texts
from tests.schema.dialects.decoder import Decoder


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    pytest.importorskip("llama_cpp")
    with closing(Decoder()) as decoder:
        yield decoder


@pytest.mark.parametrize(
    ("pattern", "text", "widened"),
    [
        ("^[0-9]+$", "^[0-9]+$", False),
        ("^[+-]?[0-9]+([.][0-9]+)?$", r"^[+\x2D]?[0-9]+([.][0-9]+)?$", False),
        (r"^\d{3}\.\d$", "^[0-9]{3}[.][0-9]$", False),
        (r"^[A-Z]{2}-\d{4}$", "^[A-Z]{2}-[0-9]{4}$", False),
        ("^(?:a|b)+?$", "^(a|b)+$", False),
        ("^(?<year>[0-9]{4})$", "^([0-9]{4})$", False),
        ("^a*+b?c{2,}d{1,3}$", "^a*b?c{2,}d{1,3}$", False),
        (r"^a\*+$", "^a[*]+$", False),
        (r"^\x41\u4e2d\t$", r"^[A][\u4E2D](\\[t])$", False),
        ("^中文$", "^中文$", False),
        ('^"$', r"^(\\[\x22])$", False),
        (r"^\\$", r"^(\\[\x5C])$", False),
        (r"^\w$", r"^[0-9A-Z_a-z\x80-\U0010FFFF]$", True),
        ("^a{300}$", "^a{256,}$", True),
        ("^a{2,300}$", "^a{2,}$", True),
        ("^$", "^$", False),
    ],
)
def test_what_a_pattern_becomes(pattern: str, text: str, widened: bool) -> None:
    """A pattern is anchored, and written without the escapes that a rule cannot carry."""
    translated = grammar_pattern(pattern)
    assert translated is not None
    assert (translated.text, bool(translated.widened)) == (text, widened)


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\bword$", r"^(a)\1$", "^a(?=b)$", "^a(?!b)$", "(?<=a)b", "(?i)a", r"^\p{L}+$", r"\Aa\z", "^a|b$", "a|b$",
        "^a^b$", "a$b", "^(^a)$", "^(a|)$", "^()$", "^(|a)$", "a)", "(a", ")(", "*a", "^a{3,2}$", "^a{0}$", "a**",
        "[]", "[]a]", "[[:alpha:]]", "[a&&b]", "[z-a]", r"[\d-z]", r"[\b]", r"^\c$", r"[^\s\S]",
    ],
)  # fmt: skip
def test_what_cannot_be_said(pattern: str) -> None:
    """What a grammar cannot say, or what engines read in different ways, is not taken at all."""
    assert grammar_pattern(pattern) is None


TEXTS = [
    "", "a", "ab", "b", "a.b", "axb", "12", "AB-1234", "x AB-1234 y", "a b", "a\tb", "a\nb", 'say "hi"', "c:\\d",
    "中文", "é", "😀", "[x]", "a*", "\u00a0", "\x01", "~", "user@example.com",
]  # fmt: skip


@pytest.mark.parametrize(
    "pattern",
    [
        "^a$", "^ab?$", "b", "^a", "b$", "a|b", "^(a|b)$", r"a\.b", "^a.b$", "^.*$", "", r"^\d+$", r"^\D+$", r"^\S+$",
        r"\s", r"\W", r"[A-Z]{2}-\d{4}", "^[^a]+$", '"', r'^[^"]*$', r"\\", "^[ -~]+$", r"^[\x00-\x1f]$", "^[中é]",
        "^[^中]+$", r"^\[x\]$", r"^a\*$", r"^[\w.]+@[\w.]+\.com$", "^(a|b){1,2}$", r"^(\S+\s?)+$", "😀",
    ],
)  # fmt: skip
def test_patterns_mean_the_same(decoder: Decoder, pattern: str) -> None:
    """A text can be written where the pattern is found in it, and nowhere else; as JSON has it, escapes and all."""
    translated = grammar_pattern(pattern)
    assert translated is not None
    form = {"type": "string", "pattern": translated.text}
    # Python's engine reads these as ECMA-262 does, but for a blank outside ASCII.
    expression = re.compile(pattern.replace(r"\s", r"[\s\u00a0]").replace(r"\S", r"[^\s\u00a0]"), re.ASCII)
    written = {text for text in TEXTS if decoder.accepts(form, json.dumps(text, ensure_ascii=False))}
    assert written == {text for text in TEXTS if expression.search(text)}


@pytest.mark.parametrize("count", [255, 256, 257, 20_000])
def test_long_repetitions(decoder: Decoder, count: int) -> None:
    """A count over what the parser of the grammar survives is widened, so that the process does too."""
    translated = grammar_pattern(f"^(a{{1,{count}}}b{{{count}}})$")
    assert translated is not None
    assert bool(translated.widened) == (count > 256)
    assert not decoder.accepts({"type": "string", "pattern": translated.text}, '"a"')


@pytest.mark.parametrize(
    ("bounds", "accepted", "refused"),
    [
        ((), ['""', '"a"', r'"a\nb \u0001 \" \\"', '"中😀"'], ['"a\nb"', '"', '"\t"', 'a"', '"a"b"']),
        ((2,), ['"ab"', r'"\n\n"', '"😀😀😀"'], ['""', '"a"', r'"\n"']),
        ((0, 1), ['""', '"a"', '"中"'], ['"ab"']),
        ((0, 0), ['""'], ['"a"']),
    ],
)
def test_any_text(decoder: Decoder, bounds: tuple[int, ...], accepted: list[str], refused: list[str]) -> None:
    """A text is valid JSON whatever is in it, and has as many characters as it may have."""
    form = {"type": "string", "pattern": any_text(*bounds)}
    assert [text for text in accepted + refused if decoder.accepts(form, text)] == accepted


def test_one_of_texts(decoder: Decoder) -> None:
    """Exactly the given texts can be written, whatever signs they hold."""
    texts = ["", "👍", 'a "b"', "c:\\d", "line\nline", "(a|b)*", "^$.[x]-{2}", "\x01"]
    form = {"type": "string", "pattern": one_of_texts(texts)}
    for text in (*texts, "👎", "a", "ab", "c:", "line"):
        assert decoder.accepts(form, json.dumps(text, ensure_ascii=False)) == (text in texts), text
