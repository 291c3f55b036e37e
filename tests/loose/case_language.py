"""The language in which the files of cases write types and values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, Union

from pydantic import ConfigDict
from typing_extensions import TypedDict

from magic_tools.errors import ParseError


def cases_of(name: str) -> list[dict[str, Any]]:
    """The cases of a file, each a text, what it is to be read as, and what that comes to."""
    lines = (Path(__file__).parent / "cases" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def text_of(case: Mapping[str, Any]) -> str:
    """The text of a case, which a long one has as an expression."""
    given = case["input"]
    return given if isinstance(given, str) else str(eval(given["gen"]))


def target_of(case: Mapping[str, Any]) -> Any:
    """The annotation that a text is to be read as."""
    return Any if case["target"] is None else Target(case["target"]).read()


class Target:
    """Reads the language in which the file of cases writes its types."""

    WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_]\w*|[\[\]{}|,:!?]')
    NAMED: Mapping[str, Any] = {"int": int, "float": float, "str": str, "bool": bool, "null": None, "any": Any}

    def __init__(self, text: str) -> None:
        self.words = self.WORDS.findall(text)

    def read(self) -> Any:
        """The annotation that the whole text stands for."""
        made = self.union()
        assert not self.words
        return made

    def union(self) -> Any:
        branches = [self.one()]
        while self.take("|"):
            branches.append(self.one())
        return Union[tuple(branches)]  # noqa: UP007 - of branches that are known only now

    def one(self) -> Any:
        word = self.words.pop(0)
        match word:
            case "list":
                (item,) = self.within("[", "]", self.union)
                return list.__class_getitem__(item)
            case "dict":
                _, held = self.within("[", "]", self.union)
                return dict.__class_getitem__((str, held))
            case "object":
                return self.object(forbidding=self.take("!"))
            case _ if word in self.NAMED:
                return self.NAMED[word]
            case _:
                return Literal.__getitem__(json.loads(word))

    def object(self, *, forbidding: bool) -> Any:
        make: Any = TypedDict
        made = make("Object", dict(self.within("{", "}", self.member)))
        if forbidding:
            made.__pydantic_config__ = ConfigDict(extra="forbid")
        return made

    def member(self) -> tuple[str, Any]:
        word = self.words.pop(0)
        name = json.loads(word) if word.startswith('"') else word
        optional = self.take("?")
        assert self.take(":")
        held = self.union()
        return name, NotRequired[held] if optional else held

    def within(self, opening: str, closing: str, each: Callable[[], Any]) -> list[Any]:
        made: list[Any] = []
        assert self.take(opening)
        while not self.take(closing):
            made.append(each())
            self.take(",")
        return made

    def take(self, word: str) -> bool:
        return self.words[:1] == [word] and bool(self.words.pop(0))


def value_of(written: Any) -> Any:
    """The value that the file of cases writes so."""
    match written:
        case {"$float": str(name)}:
            return float(name)
        case {"$gen": str(expression)}:
            return eval(expression)
        case dict():
            return {key: value_of(held) for key, held in written.items()}
        case list():
            return [value_of(item) for item in written]
        case _:
            return written


def is_met(outcome: Any, wanted: Any) -> bool:
    """Whether an outcome is the wanted one; bool, int, float and text never stand for each other."""
    if isinstance(outcome, ParseError):
        kind = "unparseable" if outcome.kind == "invalid" else outcome.kind
        return bool(wanted == {"error": kind})
    return repr(outcome) == repr(value_of(wanted))
