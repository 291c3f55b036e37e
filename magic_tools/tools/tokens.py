"""What tools cost in tokens, each time that a model is told of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from magic_tools.errors import DefinitionError, SchemaRejectedError
from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.tool import Tool
from magic_tools.tools.toolset import Toolset

__all__ = ["TokenCost", "estimated_tokens", "token_cost"]

# A word, also one inside a name in camel case, three digits, three other signs in a row, a letter of a script without
# spaces. White space goes with what follows it.
_PIECE = re.compile(r"(?P<word>[A-Z]?[a-z]+|[A-Z]+(?![a-z]))|[0-9]{1,3}|[^\w\s]{1,3}|_+|[^\W_]")
# Up to so many letters a word is one token, and so many more letters are each one more.
_WHOLE_WORD, _WORD_PART = 12, 5


@dataclass(frozen=True, slots=True)
class TokenCost:
    """A number of tokens; `exact` is false of an estimate. Of several tools it is the sum of those `by_tool`."""

    tokens: int
    exact: bool
    by_tool: Mapping[str, int] = field(default_factory=dict)


def token_cost(
    target: Callable[..., Any] | Iterable[Callable[..., Any]] | Mapping[str, Any],
    dialect: Dialect = "openai-chat",
    count: Callable[[str], int] | None = None,
) -> TokenCost:
    """The tokens of a tool's definition in a dialect, or of a ready definition, written as compact JSON.

    Of several tools, per tool and in all: what a request offers of them, which of a searchable toolset is
    its search and those that are always offered. A tool that the dialect cannot send strict, as it is wished,
    is counted as it is sent non-strict. `count` is a model's own tokenizer; without it the number is that of
    `estimated_tokens`. What a provider writes around a definition, which none of them tells, is not in it.
    DefinitionError for what is no tool, and for a count that is no number of tokens.
    """
    if isinstance(target, Mapping):
        return TokenCost(_tokens(target, count), count is not None)
    if isinstance(target, Tool):
        return TokenCost(_tokens(_definition(target, dialect), count), count is not None)
    given: Any = target
    if callable(given) or isinstance(given, str) or not isinstance(given, Iterable):
        (made,) = Toolset(given)
        return token_cost(made, dialect, count)
    offered = (given if isinstance(given, Toolset) else Toolset(*given)).offered(())
    costs = {made.name: _tokens(_definition(made, dialect), count) for made in offered}
    return TokenCost(sum(costs.values()), count is not None, costs)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, from its words and signs alone.

    Measured on 24 definitions of tools (November 2026), against OpenAI's vocabulary o200k: 2 to 14 % above it for
    English texts, from 1 % below to 11 % above for names in camel case, 21 to 29 % above for Chinese texts; against
    that of SmolLM2, which is small: 2 to 12 %, 6 to 14 % and 21 to 24 % below it. A text that is no language, such
    as one letter a thousand times, may be half as much more, or as much less, as either counts.
    """
    return sum(_of_word(found["word"]) if found["word"] else 1 for found in _PIECE.finditer(text))


def _of_word(word: str) -> int:
    return 1 + max(0, -(-(len(word) - _WHOLE_WORD) // _WORD_PART))


def _definition(made: Tool[..., Any], dialect: Dialect) -> Mapping[str, Any]:
    try:
        told = made.definition(dialect)
    except SchemaRejectedError:
        told = made.definition(dialect, strict=False)
    return {name: held for name, held in told.items() if name != "_meta"}  # which a client does not show a model


def _tokens(definition: Mapping[str, Any], count: Callable[[str], int] | None) -> int:
    try:
        text = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise DefinitionError(f"This mapping is no tool's definition, for JSON cannot hold it: {error}.") from error
    counted: object = estimated_tokens(text) if count is None else count(text)
    if isinstance(counted, bool) or not isinstance(counted, int) or counted < 0:
        raise DefinitionError(f"A count of tokens gives a whole number from 0 on, and this one gave {counted!r}.")
    return counted
