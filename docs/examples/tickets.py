"""Tickets: a customer's letter in, a typed answer out."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel


class TicketInfo(BaseModel):
    order_id: Annotated[str | None, "The order number, as it is written"]
    amount: Annotated[Decimal | None, "The sum of money that was paid"]
    category: Annotated[Literal["refund", "exchange", "question", "complaint"], "What the customer wants"]
    urgency: Annotated[Literal["high", "medium", "low"], "How urgent it is"]
