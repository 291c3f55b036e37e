"""Tickets: a customer's letter in, a typed answer out, in English or Chinese."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel

from magic_tools import extract


class TicketInfo(BaseModel):
    """What a customer wrote about an order."""

    order_id: Annotated[str | None, "The order number, as it is written"]
    amount: Annotated[Decimal | None, "The sum of money that was paid"]
    category: Annotated[Literal["refund", "exchange", "question", "complaint"], "What the customer wants"]
    urgency: Annotated[Literal["high", "medium", "low"], "How urgent it is"]


class TicketInfoZh(BaseModel):
    """客户来信的要点。"""

    order_id: Annotated[str | None, "订单号，照原文"]
    amount: Annotated[Decimal | None, "已付金额"]
    category: Annotated[Literal["退款", "换货", "咨询", "投诉"], "客户的诉求"]
    urgency: Annotated[Literal["高", "中", "低"], "紧急程度"]


if __name__ == "__main__":
    here = Path(__file__).parent
    print(extract(TicketInfo, (here / "ticket.txt").read_text(encoding="utf-8")))
    print(extract(TicketInfoZh, (here / "ticket.zh.txt").read_text(encoding="utf-8")))
