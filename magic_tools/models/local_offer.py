"""What a local model may answer a request with, and the grammar that holds it to that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from magic_tools.chat import ModelRequest
from magic_tools.errors import ModelError
from magic_tools.models.forms import Form
from magic_tools.schema.dialects.grammar import render_grammar
from magic_tools.values import JsonObject

__all__ = ["Offer", "head_of_call", "offer_of", "rules_of_schema"]

# Text is told from a call, or an answer, by its first character.
_TEXT_RULE = r'text ::= " "? [^{ \t\r\n] .*'

# Of GBNF, the texts, the sets of characters, and what is the name of a rule.
_TOKENS = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|([A-Za-z][A-Za-z0-9-]*)')


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be answered: a call of one of the `tools`, an `answer` of this schema, or text where it is `free`."""

    tools: tuple[JsonObject, ...] = ()
    answer: JsonObject | None = None
    free: bool = True

    def rules(self) -> str | None:
        """The GBNF grammar, from its rule `root` on, of all that may be answered; None where that is any text."""
        if not self.tools:
            return None if self.answer is None else rules_of_schema(self.answer)
        roots = {f"call{index}": _rules_of_call(tool, f"call{index}") for index, tool in enumerate(self.tools)}
        if self.answer is not None:
            roots["answer-root"] = _named_apart(rules_of_schema(self.answer), "answer")
        if self.free:
            roots["text"] = _TEXT_RULE
        return "\n".join([f"root ::= {' | '.join(roots)}", *roots.values()])

    def schemas(self) -> Iterator[tuple[str, JsonObject]]:
        """The schemas that an answer or a call is held to, each after the words for whose it is."""
        for tool in self.tools:
            yield f"the tool {tool['name']!r}", tool["input_schema"]
        if self.answer is not None:
            yield "the answer", self.answer


def offer_of(request: ModelRequest, form: Form) -> Offer:
    """What a request lets its model answer; ModelError where it is to call a tool that the request does not have."""
    choice = request.tool_choice
    answer = None if form.output is None else form.output.schema
    if choice == "none" or (choice == "auto" and not form.tools):
        return Offer((), answer, answer is None)
    if choice == "auto":
        return Offer(form.tools, answer, answer is None)
    tools = tuple(tool for tool in form.tools if choice in ("required", tool["name"]))
    if not tools:
        raise ModelError(f"The tool choice {choice!r} cannot be kept: the request has no such tool.")
    return Offer(tools, None, free=False)


def head_of_call(name: str) -> str:
    """How a call of a tool begins, up to its arguments."""
    return f'{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": '


def rules_of_schema(schema: JsonObject) -> str:
    """The GBNF grammar of the values that fit a schema, as far as a grammar can say it."""
    return _rules(json.dumps(schema))


@lru_cache(maxsize=128)
def _rules(schema: str) -> str:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    rules: str = json_schema_to_gbnf(json.dumps(render_grammar(json.loads(schema)).schema))
    return rules


def _rules_of_call(tool: JsonObject, name: str) -> str:
    head = head_of_call(tool["name"]).replace("\\", r"\\").replace('"', r"\"")
    return f'{name} ::= "{head}" {name}-root "}}"\n{_named_apart(rules_of_schema(tool["input_schema"]), name)}'


@lru_cache(maxsize=128)
def _named_apart(rules: str, prefix: str) -> str:
    """The rules under names of their own, so that none meets one of another schema."""
    return _TOKENS.sub(lambda token: f"{prefix}-{token[1]}" if token[1] else token[0], rules)
