"""Text that nobody vouches for, searched for what a program, a page or another model would act on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from magic_tools.loose.issues import Finding, Place
from magic_tools.loose.phrases import Phrase, say
from magic_tools.values import JsonValue

__all__ = ["SCREENS", "Screen", "findings_in", "harms_in"]

Screen: TypeAlias = Literal["default", "strict"]
"""What is searched for: `strict` takes the words password and secret for a leak too."""

SCREENS: tuple[str, ...] = get_args(Screen)


def findings_in(
    data: JsonValue,
    screen: Screen,
    *,
    own_keys: Collection[str] = (),
    own_texts: Collection[str] = (),
) -> tuple[Finding, ...]:
    """Where in JSON data a text or a key holds something harmful, in order; in a time that grows with its length alone.

    What an author has declared himself is not searched: `own_keys` as keys, `own_texts` as values.
    """
    return tuple(
        Finding(place, _expected(harms, is_key), _got(harms))
        for place, text, is_key in _texts(data)
        if text not in (own_keys if is_key else own_texts) and (harms := harms_in(text, screen))
    )


def harms_in(text: str, screen: Screen) -> tuple[Phrase, ...]:
    """What is harmful in a text, in words; nothing for most texts.

    Neither full-width letters nor marks, blanks and invisible characters between letters and words hide it.
    """
    seen = _Seen(text)
    return tuple(words for words, is_in in (_HARMS if screen == "default" else _ALL_HARMS) if is_in(seen))


def _expected(harms: tuple[Phrase, ...], is_key: bool) -> Phrase:
    expected = say("text without {harms}", harms=harms)
    return say("as its key {expected}", expected=expected) if is_key else expected


def _got(harms: tuple[Phrase, ...]) -> Phrase:
    return say("text with one") if len(harms) == 1 else say("text with {count} of these", count=len(harms))


def _texts(data: JsonValue) -> Iterator[tuple[Place, str, bool]]:
    """Every text in a value, with its place and whether it is a key, in order, whatever the depth."""
    ahead: list[tuple[Place, JsonValue]] = [((), data)]
    while ahead:
        place, held = ahead.pop()
        if isinstance(held, str):
            yield place, held, False
        elif isinstance(held, dict):
            yield from (((*place, key), key, True) for key in held)
            ahead += [((*place, key), inner) for key, inner in reversed(held.items())]
        elif isinstance(held, list):
            ahead += [((*place, index), inner) for index, inner in reversed(list(enumerate(held)))]


@dataclass(frozen=True)
class _Seen:
    """A text as it is looked at, in the forms that the searches need, each made when it is first wanted."""

    text: str

    @cached_property
    def plain(self) -> str:
        """In lower case, one form for each letter, without marks and what is not seen."""
        text = self.text if self.text.isascii() else _in_one_form(self.text)
        return _NO_CONTROLS.sub("", text.replace("\r", "\n")).lower()

    @cached_property
    def words(self) -> str:
        """Its words with one blank between them, and nothing else."""
        return _NO_WORD.sub(" ", self.plain)

    @cached_property
    def joined(self) -> str:
        """Its words without anything between them, as Chinese is written."""
        return self.words.replace(" ", "")

    @cached_property
    def uncommented(self) -> str:
        """As SQL reads it: a blank for each comment in `/* */`, but what is in `/*! */` is read."""
        text, pieces, start = self.plain, [], 0
        while (opened := text.find("/*", start)) >= 0 and (closed := text.find("*/", opened + 2)) >= 0:
            pieces.append(text[start:opened])
            if text.startswith("!", opened + 2):
                pieces.append(text[opened + 3 : closed].lstrip("0123456789"))
            start = closed + 2
        return " ".join((*pieces, text[start:]))


_NO_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]+")
_NO_WORD = re.compile(r"[\W_]+")
_UNSEEN = frozenset({"Mn", "Mc", "Me", "Cf", "Cs", "Co", "Cn"})
"""Categories of marks, and of characters that are not seen or mean nothing: zero-width, of direction, private."""

_FILLERS_OF_HANGUL = "\u115f\u1160"


_LONGEST_FORM = 4
"""Characters that stand for more than that are whole words of Arabic, and would make a text many times as long."""


def _in_one_form(text: str) -> str:
    """The text with the plain form (NFKD, without marks) in place of each character, if that is seen at all."""
    forms = {}
    for character in set(text):
        form = unicodedata.normalize("NFKD", character)
        if len(form) <= _LONGEST_FORM:
            forms[ord(character)] = "".join(filter(_is_seen, form))
    return text.translate(forms)


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _FILLERS_OF_HANGUL


# Every pattern is linear: what is repeated without end begins where nothing else of it can, and is not given back.

_B, _E = "(?<![a-z0-9_])", "(?![a-z0-9_])"
"""Where a Latin word begins and ends, also beside Chinese."""

_FENCE = re.compile(r"```|^[ \t>]*+~~~", re.MULTILINE)

_SCHEME = r"(?:java|vb)[\t\n]*+s[\t\n]*+c[\t\n]*+r[\t\n]*+i[\t\n]*+p[\t\n]*+t"
_SCRIPT = re.compile(
    rf"<\s*+/?\s*+script{_E}"
    r"|<[a-z][^<>]*[\s\"'/]on[a-z]{3,24}\s*+="  # a handler, as in <img onerror=...>
    rf"|(?:\A|[=(<\"'\[])\s*+{_SCHEME}:\S"
    rf"|{_SCHEME}:\s*+(?:alert|confirm|eval|fetch|prompt|void|(?:document|location|window)\s*+[.=])"
    "|data:text/html"
)

_NAME = r"[\w.\"`\[\]]{1,64}"
_GAP = r"(?:\s|--[^\n]{0,80}\n)++"
_SQL = re.compile(
    rf"{_B}drop{_GAP}(?:(?:temporary|external|foreign){_GAP})?(?:table|database|schema){_E}"
    rf"|{_B}truncate{_GAP}table{_E}"
    rf"|{_B}alter{_GAP}table{_GAP}{_NAME}\s++(?:add|alter|drop|modify|rename){_E}"
    rf"|;\s*+delete{_GAP}from{_E}"
    rf"|;\s*+update{_GAP}{_NAME}\s++set{_E}"
    rf"|;\s*+insert{_GAP}into{_GAP}{_NAME}\s*+(?:\([^()]{{0,200}}\)\s*+)?values\s*+\("
    rf"|{_B}union{_GAP}(?:all{_GAP}select{_E}|select{_GAP}(?:null|\*|\d|{_NAME}\s*+,))"
    r"|['\"]\s*+or\s++(['\"]?)(\w{1,20})\1\s*+=\s*+\1\2"  # as in ' or 1=1
)

_VERBS = (
    "ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|bypass(?:ing)?"
    "|circumvent(?:ing)?|neglect|discard|(?:do not|don ?t|stop|never) (?:follow|obey|heed)(?:ing)?"
    "|(?:pay|give) no (?:attention|heed) to"
)
_FILLERS = "a|all|and|any|both|each|entirely|every|in|its|my|of|on|or|other|our|the|these|this|those"
_EARLIER = (
    "above|aforementioned|current|developer|earlier|existing|foregoing|former|given|initial|original|past|preceding"
    "|previous|prior|system|your"
)
_BETWEEN = f"{_EARLIER}|{_FILLERS}|hidden|own|safety"
_ORDERS = "(?:instruction|rule|prompt|guideline|directive|direction|command|guardrail)s?|programming"
_TOLD = "(?:that |which )?(?:were |are )?(?:given|told|said|stated|written) "
_TOLD_BEFORE = f"(?:{_TOLD})?(?:above|earlier|previously)|{_TOLD}before"
_WHAT = "anything|everything|that|was|what|whatever"
_YOU_WERE = "you (?:have been|were|ve been|are|got|received)"
_OVERRIDE = re.compile(
    rf"{_B}(?:{_VERBS})(?:"
    rf"(?: ?(?:{_FILLERS})){{0,5}} ?(?:{_EARLIER})(?: ?(?:{_BETWEEN})){{0,4}} ?(?:{_ORDERS}){_E}"
    rf"|(?: (?:{_FILLERS})){{0,5}} (?:{_ORDERS}) (?:{_TOLD_BEFORE}|{_YOU_WERE}){_E}"
    rf"|(?: (?:{_FILLERS}|{_WHAT})){{1,4}} {_YOU_WERE} (?:told|instructed|taught){_E}"
    rf"|(?: (?:{_FILLERS}|{_WHAT})){{1,4}} (?:said|told|written) (?:above|before){_E}"
    rf"|(?: all)? everything above{_E}(?! (?:\d|an? |the |this |that ))"
    r"|(?: (?:all|of)){0,2} the above and (?:answer|do|instead|output|print|reply|respond|reveal|say|tell|write)"
    ")"
    rf"|{_B}(?:{_EARLIER}) (?:{_ORDERS}) (?:can|must|should|shall|are to) (?:now )?be "
    rf"(?:discarded|disregarded|forgotten|ignored|overridden){_E}"
)

_FORGET_ZH = "忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉"
_VERBS_ZH = (
    f"{_FORGET_ZH}|抛弃|拋棄|丢弃|丟棄|覆盖|覆蓋|推翻|绕过|繞過"
    "|(?:不要|不用|不必|别|別|停止|无需|無需)再?(?:理会|理會|理睬|管|遵守|遵循|遵照|听从|聽從)"
)
_EARLIER_ZH = (
    "之前|以前|此前|先前|早先|以上|上面|上述|上文|前面|前述|前文|原来|原來|原先|原有|原本|最初|既有|现有|現有|已有|当前|當前"
    "|系统|系統|开发者|開發者|你的|您的"
)
_FILLERS_ZH = (
    "所有|全部|一切|任何|你|您|我们|我們|我|的|这些|這些|那些|这个|這個|那个|那個|该|該|各|收到|接到|给出|給出|给|給|到|得"
    "|过|過|所|掉|了|被|一条|一條|条|條|其他|其它|对|對"
)
_ORDERS_ZH = "指令|指示|规则|規則|提示词|提示詞|(?<!系统)(?<!系統)提示|命令|指引|准则|準則|约束|約束"
_AS_TOLD_ZH = f"(?:{_EARLIER_ZH})(?:{_FILLERS_ZH}|{_EARLIER_ZH}){{0,5}}"
_OVERRIDE_ZH = re.compile(
    rf"(?:{_VERBS_ZH})(?:{_FILLERS_ZH}){{0,4}}{_AS_TOLD_ZH}(?:{_ORDERS_ZH})"
    rf"|(?:{_FORGET_ZH})(?:{_FILLERS_ZH}){{0,4}}{_AS_TOLD_ZH}(?:设定|設定|人设|人設)"
    rf"|{_AS_TOLD_ZH}(?:{_ORDERS_ZH})(?:都|全部|全都|一律|统统|統統|请|請){{0,3}}(?:{_FORGET_ZH})"
)

_SECRET = re.compile("(?<![a-z0-9])(?:password|secret)s?(?![a-z0-9])")
_SECRET_ZH = re.compile("密码|密碼|机密|機密")

_HARMS: tuple[tuple[Phrase, Callable[[_Seen], object]], ...] = (
    (say("a code fence"), lambda seen: _FENCE.search(seen.plain)),
    (say("a script"), lambda seen: _SCRIPT.search(seen.plain)),
    (
        say("a demand to ignore instructions"),
        lambda seen: _OVERRIDE.search(seen.words) or (not seen.text.isascii() and _OVERRIDE_ZH.search(seen.joined)),
    ),
    (
        say("an SQL command that changes data"),
        lambda seen: _SQL.search(seen.plain) or ("/*" in seen.plain and _SQL.search(seen.uncommented)),
    ),
)
_ALL_HARMS = (
    *_HARMS,
    (
        say("a word such as password or secret"),
        lambda seen: _SECRET.search(seen.plain) or (not seen.text.isascii() and _SECRET_ZH.search(seen.joined)),
    ),
)
