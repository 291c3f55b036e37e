"""What a docstring says: the prose for the whole, and a text for each parameter, field or member."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["DocTexts", "read_docstring"]

_Part: TypeAlias = tuple[str, list[str]]
"""A line at the margin, and the indented ones below it."""

# What every style has somewhere.
_MARKS = re.compile("[:：@#]|--|==|[*][*]")

# Google: `Args:` on a line of its own; Markdown has `## Args` or `**Args**` there.
_WORDS = r"([^\W\d_]+(?: [^\W\d_]+)?)"
_TITLE = re.compile(
    rf"(?:{_WORDS}\s*[:：]|#{{1,6}}\s+{_WORDS}\s*[:：]?|[*]{{2}}{_WORDS}\s*(?:[:：][*]{{2}}|[*]{{2}}\s*[:：]?))\s*"
)
_NAMED = frozenset(
    {"args", "arguments", "attributes", "keyword args", "keyword arguments", "other parameters", "parameters",
     "params", "关键字参数", "其他参数", "参数", "參數", "属性", "屬性"}
)  # fmt: skip
_OTHER_SECTIONS = frozenset(
    {"example", "examples", "except", "exceptions", "raises", "receives", "return", "returns", "warns", "yield",
     "yields", "例外", "例子", "回傳", "异常", "抛出", "示例", "範例", "返回", "返回值"}
)  # fmt: skip
# `name`, `name (type)` or several names, perhaps as an item of a list, then the text.
_ITEM = r"(?:[-+*•]|\d+[.)])\s+"
_NAMES = r"[\\`*]*(\w+(?:\s*[,，、]\s*[\\`*]*\w+)*)[`*]*"
_TYPE = r"(?:[(（](?:[^()（）]|\([^()]*\))*[)）])?"
_ENTRY = re.compile(rf"({_ITEM})?{_NAMES}\s*{_TYPE}(?:\s*(?:[:：]|--)|\s+[-–—](?=\s))\s*(.*)")

# NumPy: a title with a line below it; the names stand there, perhaps with their type, and the text below them.
_UNDERLINE = re.compile("-{2,}|={2,}")
_TYPED = re.compile(rf"{_NAMES}(?:(\s*)[:：]\s*(.*))?")

# Sphinx and Epydoc: `:param type name: text` or `@param name: text`, and what is indented below it. Other
# languages write `@param name text` or `@param {type} name - text`.
_FIELD = re.compile(r"[:@](\w+)(?:\s+([^:：]*?))?\s*(?::(?:\s+(.*))?|：\s*(.*))")
_TAG = re.compile(r"@(\w+)\s+(?:\{[^{}]*\}\s*)?([\\*]*\w+)(?:\s+(?:[-–—]+\s+)?(.*))?")
_NAMED_FIELDS = frozenset(
    {"arg", "argument", "attribute", "cvar", "ivar", "key", "keyword", "kwarg", "param", "parameter", "var"}
)
_OTHER_FIELDS = frozenset(
    {"except", "exception", "raise", "raises", "return", "returns", "rtype", "throws", "type", "vartype", "yield",
     "yields", "ytype"}
)  # fmt: skip

_FENCE = "```"
_FIELD_MARKS = (":", "@")
_COMMAS = re.compile("[,，、]")
_FULL_STOPS = (".", "。")
_INTRODUCES = (":", "：")
_SEVERAL_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")


@dataclass(frozen=True, slots=True)
class DocTexts:
    """A docstring's prose without its sections, and its texts by the names of parameters, fields or members."""

    prose: str
    parameters: Mapping[str, str]


def read_docstring(docstring: str | None) -> DocTexts:
    """The texts of a docstring in Google, NumPy, Sphinx or Epydoc style, also where it is a little off it.

    A section that is neither of parameters nor of results, errors or examples is prose.
    """
    if not docstring:
        return DocTexts("", {})
    lines = _lines(docstring)
    prose: list[str] = []
    texts: dict[str, str] = {}
    if _MARKS.search(docstring) is None:
        prose, lines = lines, []
    parts = list(_parts(lines))
    at = 0
    while at < len(parts):
        found, end = _section(parts, at)
        if end == at:
            end = at + 1
            prose += _flat(parts[at:end])
        texts |= found
        at = end
    prose_text = _SEVERAL_BLANK_LINES.sub("\n\n", "\n".join(prose)).strip()
    return DocTexts(prose_text, {name: words for name, words in texts.items() if words})


def _lines(docstring: str) -> list[str]:
    """The lines of a docstring with its sections at the margin, and what is in one of them indented if it was so."""
    first, *rest = [line.rstrip() for line in inspect.cleandoc(docstring).splitlines()] or [""]
    flush = next((line[0] not in " \t" for line in rest if line), False)
    if flush and _is_section(_title(first)):  # its margin is not that of the lines below it
        end = next((at for at, line in enumerate(rest) if _is_section(_title(line))), len(rest))
        return [first, *(f"    {line}" if line else "" for line in rest[:end]), *rest[end:]]
    return list(_outdented([first, *rest]))


def _outdented(lines: list[str]) -> Iterator[str]:
    """The lines with indented sections of parameters at the margin, unless a colon above introduces something else."""
    depth, above = 0, ""
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line and indent < depth:
            depth = 0
        if line and not indent:
            above = line
        elif indent and not depth and not above.endswith(_INTRODUCES) and _opens(lines, at, indent):
            depth = indent
        yield line[depth:]


def _opens(lines: list[str], at: int, indent: int) -> bool:
    """Whether an indented line is the title of a section of parameters, and no key of an example, say."""
    title, below = lines[at].strip(), next((line for line in lines[at + 1 :] if line), "")
    if title[0].islower():
        return False
    if _is_named(title):
        return _UNDERLINE.fullmatch(below.strip()) is not None
    deeper = len(below) - len(below.lstrip()) > indent
    return _is_named(_title(title)) and deeper and _ENTRY.fullmatch(below.strip()) is not None


def _parts(lines: list[str]) -> Iterator[_Part]:
    """Each line at the margin, with the indented lines below it; blank ones between them belong to these.

    What stands between fences is one part.
    """
    at = 0
    while at < len(lines):
        end = after = at + 1
        if lines[at].startswith(_FENCE):
            end = next((n + 1 for n in range(after, len(lines)) if lines[n].startswith(_FENCE)), end)
        else:
            while after < len(lines) and (not lines[after] or lines[after][0] in " \t"):
                after += 1
                if lines[after - 1]:
                    end = after
        yield lines[at], lines[at + 1 : end]
        at = end


def _flat(parts: Sequence[_Part]) -> list[str]:
    return [line for head, body in parts for line in (head, *body)]


def _title(line: str) -> str:
    """The title that a line is, of whatever section, if it is one."""
    found = _TITLE.fullmatch(line)
    return found[found.lastindex or 0] if found else ""


def _is_named(title: str) -> bool:
    return title.casefold() in _NAMED


def _is_section(title: str) -> bool:
    return title.casefold() in _NAMED or title.casefold() in _OTHER_SECTIONS


def _section(parts: Sequence[_Part], at: int) -> tuple[dict[str, str], int]:
    """The texts by name of the section that begins with a part, and where it ends: there, if none does."""
    head, body = parts[at]
    if head[:1] in _FIELD_MARKS:
        field = _field(head, body)
        return ({}, at) if field is None else (field, at + 1)
    if _is_underlined(parts, at):
        return _underlined(parts, at)
    title = _title(head)
    if not _is_section(title):
        return {}, at
    end = at + 1 if body else _flush_end(parts, at)
    return (_entries(_flat(parts[at:end])[1:]) if _is_named(title) else {}), end


def _flush_end(parts: Sequence[_Part], at: int) -> int:
    """Where a section ends of which nothing is indented: after its paragraph, or after more that is surely its own."""
    heading = parts[at][0]
    end = at
    for place in range(at + 1, len(parts)):
        head, _ = parts[place]
        if not head:
            continue
        is_first, is_fresh = end == at, not parts[place - 1][0]
        if _is_titled(parts, place):
            break
        if _is_named(_title(heading)):
            entry = _ENTRY.fullmatch(head)
            belongs = _is_name(entry[2]) if entry else not (is_first or is_fresh)
            belongs = belongs and (is_first or not is_fresh or bool(entry and entry[1]))
        else:
            belongs = not is_fresh or heading.startswith("#")
        if not belongs:
            break
        end = place + 1
    return end


def _is_titled(parts: Sequence[_Part], at: int) -> bool:
    """Whether a part begins something new, of whatever kind."""
    head, body = parts[at]
    if head[:1] in _FIELD_MARKS:
        return _field(head, body) is not None
    title = _title(head)
    return head[:1] == "#" or _is_underlined(parts, at) or _is_section(title) or (title != "" and not _is_name(title))


def _is_underlined(parts: Sequence[_Part], at: int) -> bool:
    head, body = parts[at]
    return bool(head) and not body and at + 1 < len(parts) and _UNDERLINE.fullmatch(parts[at + 1][0]) is not None


def _is_name(stated: str) -> bool:
    """Whether a parameter may be called so where a word and a colon might as well be prose, as in `Note: ...`."""
    return stated.isascii() and not (len(stated) > 1 and stated.istitle())


def _underlined(parts: Sequence[_Part], at: int) -> tuple[dict[str, str], int]:
    """A section in NumPy's style, up to the next title; one of parameters only as far as there are entries."""
    title, (_, indented) = parts[at][0].strip(), parts[at + 1]
    if not _is_section(title):
        return {}, at
    if indented:
        inner = list(_parts(inspect.cleandoc("\n" + "\n".join(indented)).splitlines()))
        return (_typed_entries(inner)[0] if _is_named(title) else {}), at + 2
    end = next((place for place in range(at + 2, len(parts)) if _is_titled(parts, place)), len(parts))
    if not _is_named(title):
        return {}, end
    texts, count = _typed_entries(parts[at + 2 : end])
    return texts, at + 2 + count


def _typed_entries(parts: Sequence[_Part]) -> tuple[dict[str, str], int]:
    """The texts by name below a line of hyphens, and how many parts they are; a new paragraph may be prose."""
    texts: dict[str, str] = {}
    for place, (head, body) in enumerate(parts):
        entry = _TYPED.fullmatch(head)
        if entry is not None:
            is_fresh = place > 0 and not parts[place - 1][0]
            if is_fresh and not body and not entry[2]:
                return texts, place
            text = _joined(*body) or (entry[3] if (entry[3] or "").endswith(_FULL_STOPS) else "")
            texts |= dict.fromkeys(_names(entry[1]), text)
        elif head and not (place > 0 and parts[place - 1][0]):
            return texts, place
    return texts, len(parts)


def _field(head: str, body: list[str]) -> dict[str, str] | None:
    """The text by name of a field in Sphinx's or Epydoc's style; None for a line that is no such field."""
    field, tag = _FIELD.fullmatch(head), _TAG.fullmatch(head)
    stated = (field[2] or "").split() if field else []
    if tag is not None and (field is None or len(stated) > 2):  # the colon is one of the text
        field, kind, name, text = tag, tag[1], tag[2], tag[3]
    elif field is not None:
        kind, name, text = field[1], stated[-1] if stated else "", field[3] or field[4]
    else:
        return None
    if kind in _OTHER_FIELDS:
        return {}
    return {_names(name)[0]: _joined(text or "", *body)} if kind in _NAMED_FIELDS and name else None


def _entries(lines: list[str]) -> dict[str, str]:
    """The texts of a section of parameters by name; a line that starts no entry goes on with the one before."""
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in inspect.cleandoc("\n" + "\n".join(lines)).splitlines():
        entry = _ENTRY.fullmatch(line)
        if entry is not None:
            names = _names(entry[2])
            texts |= dict.fromkeys(names, _joined(entry[3]))
        else:
            texts |= {name: _joined(texts[name], line) for name in names}
    return texts


def _names(stated: str) -> list[str]:
    return [name.strip(" *\\`") for name in _COMMAS.split(stated)]


def _joined(*lines: str) -> str:
    return " ".join(" ".join(lines).split())
