"""The JSON Schemas of pydantic's leaves, spelled as this library does."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from magic_tools.schema.binary import RAW
from magic_tools.schema.bounds import overlaid
from magic_tools.schema.forms import DECIMAL_PATTERN, NAIVE_PATTERN, TIME_PATTERN
from magic_tools.schema.limits import AMOUNT, BYTES, DECIMAL, INTEGER, MOMENT, X_DECIMAL, with_limits
from magic_tools.values import JsonObject

__all__ = ["LeafSchemas"]


class LeafSchemas(GenerateJsonSchema):
    """pydantic's generator with the forms that amounts, bytes, dates and times have in this library."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonObject:
        """A Decimal is text, so that no digit is lost."""
        written: JsonObject = {"type": "string", "pattern": DECIMAL_PATTERN}
        return with_limits(written, schema, DECIMAL, keyword=X_DECIMAL, kind="A decimal number")

    def fraction_schema(self, schema: Any) -> JsonObject:
        """A fraction is text."""
        written: JsonObject = {"type": "string", "format": "fraction"}  # a number in JSON is no fraction any more
        for name in INTEGER:
            written = overlaid(written, name, schema[name]) if name in schema else written
        return written

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonObject:
        """Bytes are text, marked for the encoding that their class has."""
        return with_limits({"type": "string", RAW: True}, schema, BYTES)

    def date_schema(self, schema: core_schema.DateSchema) -> JsonObject:
        """ISO 8601, as pydantic reads and writes it."""
        own: JsonObject = {"type": "string", "format": "date"}
        return self._written(super().date_schema(schema), with_limits(own, schema, MOMENT))

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonObject:
        """RFC 3339, or without an offset where the type has none."""
        naive = schema.get("tz_constraint") == "naive"
        form = {"pattern": NAIVE_PATTERN} if naive else {"format": "date-time"}
        own: JsonObject = {"type": "string", **form}
        return self._written(super().datetime_schema(schema), with_limits(own, schema, MOMENT))

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonObject:
        """ISO 8601, with or without an offset."""
        own: JsonObject = {"type": "string", "pattern": TIME_PATTERN}
        return self._written(super().time_schema(schema), with_limits(own, schema, MOMENT))

    def timedelta_schema(self, schema: core_schema.TimedeltaSchema) -> JsonObject:
        """ISO 8601."""
        own: JsonObject = {"type": "string", "format": "duration"}
        return self._written(super().timedelta_schema(schema), with_limits(own, schema, AMOUNT))

    def _written(self, by_config: JsonObject, own: JsonObject) -> JsonObject:
        """A type's own schema, unless its config has it written as a number."""
        as_number = self.mode == "serialization" and by_config.get("type") == "number"
        return {"type": "number"} if as_number else own
