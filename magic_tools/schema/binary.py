"""Bytes as JSON has them: base64."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from magic_tools.schema.refusals import unwanted
from magic_tools.values import JsonObject

__all__ = ["BASE64", "BASE64_WORDS", "RAW", "Base64", "Base64Text", "base64_text"]

BASE64_WORDS = "bytes as base64"
RAW = "x-raw-bytes"
"""Bytes of which it is not told yet how JSON has them; never in a schema that is handed out."""


@dataclass(frozen=True, slots=True)
class Base64:
    """In `Annotated[bytes, ...]`: read from base64 (RFC 4648, section 4, padded) and written as such."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        held = handler(source)
        decoded = core_schema.no_info_after_validator_function(_decoded, core_schema.str_schema())
        written = core_schema.plain_serializer_function_ser_schema(base64_text, when_used="json")
        return core_schema.json_or_python_schema(
            json_schema=core_schema.chain_schema([decoded, held]),
            python_schema=held,
            serialization=held.get("serialization", written),  # an author's own counts more
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonObject:
        written = handler(schema["python_schema"])
        return {**{word: held for word, held in written.items() if word != RAW}, "contentEncoding": "base64"}


BASE64 = Base64()
Base64Text = Annotated[bytes, BASE64]


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise unwanted(BASE64_WORDS) from None


def base64_text(value: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(value).decode()
