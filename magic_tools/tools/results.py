"""What a function returns, as the text that a model reads."""

from __future__ import annotations

import inspect
import json
from functools import cached_property
from typing import Any

from magic_tools.loose.decode import Schema
from magic_tools.schema.signature import Signature, adapt
from magic_tools.values import JsonObject

__all__ = ["ResultWriter"]

_DONE = {"ok": True}
_DONE_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"ok": {"const": True}},
    "required": ["ok"],
    "additionalProperties": False,
}


class ResultWriter:
    """Writes a function's results by its return annotation.

    Text goes as it is, everything else as JSON; of a function that returns None by its annotation,
    the model reads `{"ok": true}`. Without a return annotation the result is open.
    """

    def __init__(self, signature: Signature) -> None:
        returns = signature.returns
        self._says_nothing = returns is None or returns is type(None)
        where = f"{signature.name}(): the result"
        annotation = Any if returns is inspect.Parameter.empty else returns
        self._schema: Schema[Any] = Schema(adapt(annotation, where=where), name=where)

    @cached_property
    def schema(self) -> JsonObject:
        """The canonical schema of the results; `{}` where they may be anything."""
        return _DONE_SCHEMA if self._says_nothing else self._schema.output_schema

    def write(self, value: Any) -> str:
        """The text of a result; ValueError if it is not of the declared type, or no JSON can hold it."""
        if self._says_nothing:
            if value is not None:
                raise ValueError(f"the function is declared to return None and returned a {type(value).__name__}")
            return json.dumps(_DONE, separators=(",", ":"))
        written = self._schema.dump(value)
        return value if type(value) is str else written
