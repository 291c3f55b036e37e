"""Searching documents: from annotated types to a tool that takes loose arguments and refuses wrong ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from magic_tools import tool


class SearchQuery(BaseModel):
    """What to look for, and where."""

    keyword: Annotated[str, "搜索关键词，支持中英文，不要包含标点符号"]
    scope: Annotated[
        Literal["title", "content", "both"],
        "Where to look",
        {"title": "the title only", "content": "the body only", "both": "all fields"},
    ] = "both"
    limit: Annotated[int, "How many results to give, from 1 to 20", Field(ge=1, le=20)] = 10


@dataclass
class FoundDocument:
    """A document that was found."""

    document_id: str
    title: str


@dataclass
class SearchResult:
    """The documents found, the best first."""

    ok: bool
    total: int
    items: list[FoundDocument]


_DOCUMENTS = (
    FoundDocument("D-1", "季度报表 quarterly report"),
    FoundDocument("D-2", "年度报表 annual report"),
    FoundDocument("D-3", "travel policy"),
)


@tool
def search_documents(query: SearchQuery) -> SearchResult:
    """Search the company's documents by keyword.

    Not for a document whose exact id is known: use get_document_by_id.
    """
    found = [document for document in _DOCUMENTS if query.keyword in document.title]
    return SearchResult(ok=True, total=len(found), items=found[: query.limit])


if __name__ == "__main__":
    print(search_documents.invoke('{"query": {"keyword": "报表", "limit": 5}}').content)
    print(search_documents.invoke('{"query": {"keyword": "报表", "limit": 50}}').content)
