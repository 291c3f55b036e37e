"""How damaged JSON is written: the patterns for its gaps, keys, scalars and ends."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = [
    "ANSWER_TAGS",
    "AT_END",
    "BARE_KEY",
    "CHANNEL_END",
    "CLEAN_ITEM",
    "CLEAN_VALUE",
    "CLOSERS",
    "COLON",
    "COMMAS",
    "ENDS_OF",
    "END_MARK",
    "EXPRESSION",
    "GROUPED",
    "HALF_ITEM",
    "KEY_BEFORE_QUOTE",
    "LIKE_A_KEY",
    "NO_COLON",
    "ODD_BLANKS",
    "QUOTED_KEY",
    "QUOTES",
    "REASONING",
    "REASONING_END",
    "REASONING_TAGS",
    "REFUSED_WORDS",
    "SCALAR_RUN",
    "STANDS_ALONE",
    "STARTS_ITEM",
    "TRIPLE",
    "UNTIL",
]

# Blanks that JSON does not know: byte order mark, no-break, typographic, ideographic and zero-width spaces, line ends.
ODD_BLANKS = "\ufeff\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\x0b\x0c\x85"

COMMAS = frozenset(",，;；、")
COLON = re.compile(r"=>|[:：]=?|=(?!=)")

ENDS_OF: Mapping[str, str] = {
    '"': '"', "'": "'", "`": "`", "“": '”“"', "”": '”“"', "„": '”“"', "‘": "’‘", "’": "’‘", "‚": "’‘", "＂": "＂",
    "＇": "＇", "«": "»", "「": "」", "『": "』",
}  # fmt: skip
"""The characters with which a string may end, by the one that it starts with."""

QUOTES = "".join(ENDS_OF)

UNTIL: Mapping[str, re.Pattern[str]] = {
    opener: re.compile(rf"[^\\{ends}]*+(?:\\.[^\\{ends}]*+)*+[{ends}]", re.DOTALL) for opener, ends in ENDS_OF.items()
}
"""Up to and with the next character that may end a string, by how it starts; escaped ones do not count."""

TRIPLE = re.compile(r'"""|\'\'\'')

_QUOTED_BY = (
    r'"(?:[^"\\]|\\.)*+"',
    r"'(?:[^'\\]|\\.)*+'",
    "[“”„][^“”]*+[“”]",
    "[‘’‚][^‘’]*+[‘’]",
    '[“”„][^"“”]*+"',
    '"[^"“”]*+”',
    "＂[^＂]*+＂",
)
_QUOTED = f"(?:{'|'.join(_QUOTED_BY)})"

QUOTED_KEY = re.compile(rf"({_QUOTED})\s*+(?:=>|[:：](?!:)|=(?![=>]))", re.DOTALL)
KEY_BEFORE_QUOTE = re.compile(rf"([^\W\d][\w$.\-]{{0,63}}+)[{QUOTES}]\s*+[:：](?!:)")
"""A key that has a quotation mark at its end alone."""

HALF_QUOTED_KEY = re.compile(
    rf"[{QUOTES}]\s*+([^\W\d][\w$.\-]{{0,63}}+(?: [\w$.\-]{{1,30}}+){{0,4}})[{QUOTES}]?\s*+[:：](?!:)"
)
"""A key that has a quotation mark at its beginning alone, or another one at its end."""

BARE_KEY = re.compile(r"([^\W\d][\w$.\-]{0,63}+|\$[\w$.\-]{0,63}+|\d{1,20})[ \t]*+(?:=>|[:：](?![:/]))")

_LITERALS = r"-?(?:\d[\d.eE+\-]*+|\.\d++)|[Tt]rue|[Ff]alse|null|None|NaN|-?Infinity"

CLEAN_VALUE = re.compile(rf"\s*+(?:(?:{_QUOTED}|{_LITERALS})\s*+(?:[,}}\]，]|\Z)|[{{\[])")
"""What follows a colon where it is one: a whole scalar that is followed by structure, or a bracket."""

NO_COLON = re.compile(rf"(?:{_QUOTED})\s++(?=(?:{_LITERALS}|{_QUOTED})\s*+[,}}]|[{{\[])", re.DOTALL)
"""A key whose colon is missing, before a value that shows it."""

STANDS_ALONE = re.compile(rf"\s*+(?:[,，]\s*+)?(?:{_QUOTED})\s*+[,}}，]", re.DOTALL)
"""A text without a key, where one would have to stand."""

EXPRESSION = re.compile(
    rf"\s*+[+*%]\s*+[\w({QUOTES}]|\.[^\W\d]\w*\(|\s++(?:or|and)\s++[{QUOTES}]|"
    r"(?<!\d.)(?:\s++if\s.{0,200}?\selse\s|\s++\(|\s*+/\*)"
)
"""What follows a text that is a part of an expression."""

_NAME = r"[^\W\d][\w$.\-]{0,63}+(?: [\w$.\-]{1,30}+){0,4}"
LIKE_A_KEY = re.compile(rf"\s*+[,，]\s*+[{QUOTES}\s]*+{_NAME}[{QUOTES}](?:\s*[{QUOTES}])*\s*+(?:=>|[:：]|=)")
"""What follows a text that has ended, if it is a key with a mark too many or too few."""

HALF_ITEM = re.compile(rf"\s*+[,，]\s*+[^\s{QUOTES},{{}}\[\]][^{QUOTES},{{}}\[\]\n]*+[{QUOTES}]\s*+[,\]]")
"""An item that has a quotation mark at its end alone."""

AT_END = re.compile(rf"[{QUOTES}][^{QUOTES}\n]*+[{QUOTES}]?\s*+\Z")
"""A key with which the text stops."""

CLEAN_ITEM = re.compile(rf"(?:{_QUOTED}|{_LITERALS})(?:\s*+[,\])，]|\s++[{QUOTES}])")

STARTS_ITEM = re.compile(
    rf"[{{\[({QUOTES}]|(?:{_LITERALS})\s*+[,\])，]|[^\s{QUOTES},{{}}\[\]][^{QUOTES},{{}}\[\]\n]{{0,200}}[,\])]|\.\.\.|…|"
    rf"[^\s\d{QUOTES},{{}}\[\]]{{1,3}}[{QUOTES}]"
)
"""What follows a comma in an array where it is one."""

SCALAR_RUN = re.compile(rf"({_LITERALS})[ \t]++(?:{_LITERALS})(?=[,\])\s])")
"""Two scalars in an array with nothing but blanks between."""

GROUPED = re.compile(r"-?\d{1,3}[ \t]++\d{3}(?!\d)")

CLOSERS = re.compile(r"[}\])][}\])\s]*+")

REASONING_TAGS = "think|thinking|thought|reasoning|reflection|scratchpad"
ANSWER_TAGS = (
    "answer|final_answer|final|json|output|result|response|tool_call|function_call|tool_use|function|arguments"
)

_TAG_REST = r"(?:\s[^<>]{0,200})?"
REASONING = rf"<(?:{REASONING_TAGS}){_TAG_REST}>|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>"
REASONING_END = re.compile(rf"</(?:{REASONING_TAGS})>|\[/THINK\]|◁/think▷", re.IGNORECASE)
CHANNEL_END = re.compile(r"<\|(?:end|start|channel|return)\|>")
"""What begins reasoning, what ends it, and what ends it in a channel of its own."""

END_MARK = re.compile(
    rf"`{{2,}}+|~{{3,}}+|'{{3}}|</(?:s|{REASONING_TAGS}|{ANSWER_TAGS})>|</([\w-]{{1,40}})>|<\|[^|>\n]{{1,40}}\|>",
    re.IGNORECASE,
)
"""What shows that the end of a value was meant: a closing fence or tag, a token of a chat template.

The name of a tag is a group if it is not known as one that stands around answers.
"""

# Words in the place of a value that say there is none, or that it was left out.
REFUSED_WORDS = re.compile(
    r"\.{2,}.*|….*|\?+|-+|_+|undefined|etc\.?|void 0|Ellipsis|NotImplemented|"
    r"<[^<>]*>|\[[^\]]*\]|%[sd]|@\w*|&\w*|\|",
    re.DOTALL,
)
