"""The worked examples in docs/examples run as they are described."""

from __future__ import annotations

import runpy
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from magic_tools import RunOptions, ScriptedModel, compile_schema, extract

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TICKETS = runpy.run_path(str(EXAMPLES / "tickets.py"))
SEARCH = runpy.run_path(str(EXAMPLES / "search.py"))["search_documents"]


@pytest.mark.parametrize(
    ("name", "reply", "category", "urgency"),
    [
        ("TicketInfo", '"category": "refund", "urgency": "high"', "refund", "high"),
        ("TicketInfoZh", '"category": "退款", "urgency": "高"', "退款", "高"),
    ],
)
def test_tickets_on_a_scripted_model(name: str, reply: str, category: str, urgency: str) -> None:
    """What a model says becomes the exact object, every digit of the amount kept."""
    model = ScriptedModel(['{"order_id": "A-20391", "amount": "49.90", %s}' % reply])  # noqa: UP031 - braces
    ticket = extract(TICKETS[name], "a letter", model=model)
    assert ticket == TICKETS[name](order_id="A-20391", amount=Decimal("49.90"), category=category, urgency=urgency)
    assert str(ticket.amount) == "49.90"


def test_a_chinese_letter_on_the_embedded_model() -> None:
    """Whatever the embedded model reads in it, it is of the type."""
    letter = (EXAMPLES / "ticket.zh.txt").read_text(encoding="utf-8")
    ticket = extract(TICKETS["TicketInfoZh"], letter, model="local")
    assert compile_schema(TICKETS["TicketInfoZh"]).parse(ticket.model_dump_json()).value == ticket


def test_search_takes_arguments_in_a_fence() -> None:
    """They are read with these values, and the one repair is listed."""
    result = SEARCH.invoke('```json\n{"query": {"keyword": "报表", "limit": 1}}\n```')
    assert (len(result.value.items), result.value.total, len(result.repairs)) == (1, 2, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": {"keyword": "x", "limit": 50}}, ["query.limit", "from 1 to 20", "50"]),
        ({"query": {"keyword": "x", "limit": True}}, ["query.limit", "an integer", "true"]),
        ({"query": {"keyword": "x", "scope": "标题"}}, ["query.scope", "title", "content", "both", "标题"]),
        ({"query": {"query": {"keyword": "x"}}}, ["query: expected", "the key 'query'", "one level is too many"]),
        ({"keyword": "x"}, ["the key 'query'", "one level is missing"]),
    ],
)
def test_search_refuses(arguments: dict[str, Any], said: list[str]) -> None:
    """Out of range, of another type, one level too many or too few: the sentence says which."""
    result = SEARCH.invoke(arguments)
    assert result.is_error
    assert [words for words in said if words not in result.content] == []


def test_search_refuses_in_chinese() -> None:
    """The sentence names the field, what came, and both limits."""
    result = SEARCH.invoke({"query": {"keyword": "x", "limit": 50}}, options=RunOptions(language="zh"))
    assert result.content == (
        "search_documents 的参数未被接受，未执行：query.limit：应为介于 1 和 20 之间的数，收到 50。"
        "请改正后，重新发送此调用。"
    )


def test_search_as_a_program() -> None:
    """The example prints a result and a refusal."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "search.py")], capture_output=True, encoding="utf-8", check=True
    )
    assert [line[:22] for line in done.stdout.splitlines()] == ['{"ok":true,"total":2,"', "The arguments of searc"]
