"""What a function returns, as the text that a model reads."""

from __future__ import annotations

import copy
import inspect
import json
from typing import Any

from magic_tools.errors import ParseError
from magic_tools.loose.decode import Schema, compile_annotation
from magic_tools.schema.signature import Signature
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
    """Writes a function's results by a schema.

    Text goes as it is, everything else as JSON; of a function that `says_nothing`, since it returns None
    by its annotation, the model reads `{"ok": true}`.
    """

    def __init__(self, schema: Schema[Any], *, says_nothing: bool = False) -> None:
        self._schema = schema
        self._says_nothing = says_nothing

    @classmethod
    def of(cls, signature: Signature) -> ResultWriter:
        """The writer by a return annotation; without one, or where nobody can resolve it, the result is open."""
        returns = signature.returns
        annotation = Any if returns is inspect.Parameter.empty else returns
        schema = compile_annotation(annotation, where=f"{signature.name}(): the result", side="output")
        return cls(schema, says_nothing=returns is None or returns is type(None))

    @property
    def schema(self) -> JsonObject:
        """The canonical schema of the results, `{}` where they may be anything; a fresh copy."""
        return copy.deepcopy(_DONE_SCHEMA if self._says_nothing else self._schema.output_schema)

    def write(self, value: Any) -> str:
        """The text of a result; ValueError if it is not of the declared type, or no JSON can hold it."""
        if value is None:
            return self._nothing()
        if self._says_nothing:
            raise ValueError(f"the function is declared to return None and returned a {type(value).__name__}")
        written = self._schema.dump(value)
        return _text_of(written) if isinstance(value, str) else written

    def _nothing(self) -> str:
        if self._says_nothing:
            return json.dumps(_DONE, separators=(",", ":"))
        try:
            self._schema.parse("null")  # pydantic writes None for any type; reading tells which types have it
        except ParseError:
            raise ValueError("the function is not declared to return None, and did") from None
        return "null"


def _text_of(written: str) -> str:
    """The text that a JSON string holds; JSON of another kind, which a serialiser may make of a text, as it is."""
    text = json.loads(written)
    return text if isinstance(text, str) else written
