"""The canonical schema in the form that llama-cpp-python turns into a grammar.

What its converter cannot say is widened, never narrowed, and listed; answers are validated by the
canonical schema afterwards. The rules were read in `llama_grammar.py` of llama-cpp-python 0.3.36 and
tried against its C++ parser in November 2026.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, TypeAlias

from magic_tools.schema.dialects.grammar_patterns import (
    MOST_REPEATS,
    any_text,
    grammar_pattern,
    one_of_texts,
    within_limit,
)
from magic_tools.schema.dialects.rendered import DialectChange, Rendered
from magic_tools.schema.walk import IDLE, KEYWORDS_OF, definition_name, kinds_of
from magic_tools.values import JsonObject

__all__ = ["render_grammar"]

_OF_SOME_TYPE = frozenset().union(*KEYWORDS_OF.values())

# What says nothing about which values are valid.
_ANNOTATIONS = frozenset(
    {"$anchor", "$comment", "$defs", "$id", "$schema", "contentEncoding", "contentMediaType", "contentSchema",
     "default", "deprecated", "description", "discriminator", "examples", "readOnly", "title", "writeOnly"}
)  # fmt: skip

_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
_DAY = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"

# Formats (RFC 3339, and an offset may be missing, as in ISO 8601): the pattern, and what of the format it leaves out.
_FORMATS: Mapping[str, tuple[str, str]] = {
    "date": (f"^{_DAY}$", "taken as digits: 31 February passes"),
    "time": (f"^{_CLOCK}$", "taken as digits: the offset may be missing"),
    "date-time": (f"^{_DAY}T{_CLOCK}$", "taken as digits: 31 February passes and the offset may be missing"),
}

# The converter takes 'uuid' as it is.
_EXACT_FORMATS = frozenset({"uuid"})

# An integer between two bounds that lie no further apart is written as the list of its values.
_MOST_INTEGERS = 128

# The text of a JSON value as it can stand in a rule: the converter lets a backslash through, so that only
# `\uXXXX` of a character in the basic plane comes out as meant.
_SAFE_LITERAL = re.compile(r"(?:[^\\]|\\u(?!00[01]|d[89a-f])[0-9a-f]{4})*")

_Form: TypeAlias = tuple[JsonObject, Set[str]]
"""A schema's form in the dialect, and the keywords whose meaning is in it or already listed."""


def render_grammar(schema: JsonObject) -> Rendered:
    """A canonical schema as `llama_cpp.LlamaGrammar.from_json_schema` takes it; `strict` where nothing was widened.

    Three things hold without being listed. Objects are written with their required properties first, each
    group in the schema's order, and without keys that the schema leaves open by silence. A schema
    that names no type has the type of its keywords. Numbers have up to 16 digits on each side of the point.
    """
    rendering = _Rendering(schema)
    root = rendering.reference("")
    # Each rule is named after its definition, so that none meets a name which the converter uses itself.
    form: JsonObject = {"anyOf": [root], "$defs": rendering.definitions}
    return Rendered(form, not rendering.changes, tuple(rendering.changes))


class _Rendering:
    """One schema on its way; definitions get short names, which a rule can carry."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._names: dict[str, str] = {}
        self.definitions: JsonObject = {}
        self.changes: list[DialectChange] = []
        self._of_type: Mapping[str, Callable[[JsonObject, str], _Form]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
        }

    def reference(self, pointer: str) -> JsonObject:
        """A reference to the root (pointer "") or to one of its definitions."""
        if pointer not in self._names:
            name = self._names[pointer] = f"d{len(self._names)}"
            self.definitions[name] = {}
            target = self._root["$defs"][definition_name(f"#{pointer}")] if pointer else self._root
            self.definitions[name] = self._node(target, pointer)
        return {"$ref": f"#/$defs/{self._names[pointer]}"}

    def _list(self, path: str, keyword: str, what: str) -> None:
        self.changes.append(DialectChange(path, keyword, what))

    def _anything(self) -> JsonObject:
        anything: JsonObject = {"$ref": "#/$defs/any"}
        self.definitions["any"] = {
            "anyOf": [
                {"type": "string", "pattern": any_text()},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "null"},
                {"type": "array", "items": anything},
                {"type": "object", "additionalProperties": anything},
            ]
        }
        return anything

    def _node(self, schema: JsonObject | bool, path: str) -> JsonObject:
        if isinstance(schema, bool):
            if not schema:
                self._list(path, "false", "left out: the grammar cannot forbid every value")
            return self._anything()
        form, said = self._form(schema, path)
        kinds = kinds_of(schema)
        for keyword, value in schema.items():
            of_other_type = keyword in _OF_SOME_TYPE and not any(keyword in KEYWORDS_OF[kind] for kind in kinds)
            silent = keyword in _ANNOTATIONS or keyword.startswith("x-") or IDLE.get(keyword) == value
            if keyword not in said and keyword != "type" and not of_other_type and not silent:
                self._list(path, keyword, "left out of the grammar")
        return form

    def _form(self, schema: JsonObject, path: str) -> _Form:
        if (ref := schema.get("$ref")) is not None:
            return self._ref(ref, path), {"$ref"}
        if "const" in schema:
            return self._values([schema["const"]], "const", path), {"const", "enum"}
        if "enum" in schema:
            return self._values(schema["enum"], "enum", path), {"enum"}
        kinds = kinds_of(schema)
        structured = any(keyword in _OF_SOME_TYPE for keyword in schema)
        for keyword in ("anyOf", "oneOf", "allOf"):
            if keyword in schema and not structured and (keyword != "allOf" or len(schema["allOf"]) == 1):
                return self._union(schema, keyword, path), {keyword}
        match kinds:
            case ():
                return self._anything(), set()
            case (kind,) if kind in self._of_type:
                return self._of_type[kind](schema, path)
            case (kind,):
                return {"type": kind}, set()
            case _:
                return self._either(kinds, schema, path)

    def _either(self, kinds: Iterable[str], schema: JsonObject, path: str) -> _Form:
        forms, said = [], set[str]()
        for kind in kinds:
            own = {keyword: value for keyword, value in schema.items() if keyword in KEYWORDS_OF[kind]}
            form, used = self._form({"type": kind, **own}, path)
            forms.append(form)
            said |= used
        return {"anyOf": forms}, said

    def _ref(self, ref: str, path: str) -> JsonObject:
        if ref == "#":
            return self.reference("")
        if ref.startswith("#/$defs/") and definition_name(ref) in self._root.get("$defs", {}):
            return self.reference(ref[1:])
        self._list(path, "$ref", "taken as any value: only references into $defs are followed")
        return self._anything()

    def _values(self, values: list[Any], keyword: str, path: str) -> JsonObject:
        plain = [value for value in values if _carried(value)]
        texts = [value for value in values if isinstance(value, str) and not _carried(value)]
        if not values or len(plain) + len(texts) < len(values):
            self._list(path, keyword, "taken as any value: a rule cannot say it")
            return self._anything()
        forms: list[JsonObject] = [{"enum": plain}] if plain else []
        forms += [{"type": "string", "pattern": one_of_texts(texts)}] if texts else []
        return _merged(forms)

    def _union(self, schema: JsonObject, keyword: str, path: str) -> JsonObject:
        if keyword == "oneOf" and "discriminator" not in schema:
            self._list(path, "oneOf", "taken as anyOf: a value that fits two branches passes")
        branches = [self._node(branch, f"{path}/{keyword}/{index}") for index, branch in enumerate(schema[keyword])]
        return {"anyOf": branches}

    def _string(self, schema: JsonObject, path: str) -> _Form:
        if (pattern := grammar_pattern(schema["pattern"]) if "pattern" in schema else None) is not None:
            if pattern.widened:
                self._list(path, "pattern", pattern.widened)
            return {"type": "string", "pattern": pattern.text}, {"pattern"}
        style = schema.get("format", "")
        if style in _EXACT_FORMATS:
            return {"type": "string", "format": style}, {"format"}
        if style in _FORMATS:
            text, what = _FORMATS[style]
            self._list(path, "format", what)
            return {"type": "string", "pattern": text}, {"format"}
        bounds = self._bounds(schema, "minLength", "maxLength", path)
        return {"type": "string", "pattern": any_text(*bounds)}, {"minLength", "maxLength"}

    def _bounds(self, schema: JsonObject, least: str, most: str, path: str) -> tuple[int, int | None]:
        given = (int(schema.get(least, 0)), int(schema[most]) if most in schema else None)
        limited = within_limit(*given)
        for keyword, before, after in zip((least, most), given, limited, strict=True):
            if before != after:
                self._list(path, keyword, f"widened: the grammar counts to {MOST_REPEATS}")
        return limited

    def _integer(self, schema: JsonObject, _: str) -> _Form:
        lows = [math.ceil(schema["minimum"])] if "minimum" in schema else []
        lows += [math.floor(schema["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in schema else []
        highs = [math.floor(schema["maximum"])] if "maximum" in schema else []
        highs += [math.ceil(schema["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in schema else []
        if not lows or not highs or not 0 <= min(highs) - max(lows) < _MOST_INTEGERS:
            return {"type": "integer"}, set()
        values = [n for n in range(max(lows), min(highs) + 1) if n % schema.get("multipleOf", 1) == 0]
        return ({"enum": values}, KEYWORDS_OF["integer"]) if values else ({"type": "integer"}, set())

    def _array(self, schema: JsonObject, path: str) -> _Form:
        least, most = self._bounds(schema, "minItems", "maxItems", path)
        bounds = {"minItems": least} | ({} if most is None else {"maxItems": most})
        first = schema.get("prefixItems", [])
        if not first:
            items = self._node(schema.get("items", True), f"{path}/items") if most != 0 else self._anything()
            return {"type": "array", "items": items, **bounds}, {"items", "minItems", "maxItems", "prefixItems"}
        if least == len(first) and (most == len(first) or schema.get("items") is False):
            forms = [self._node(item, f"{path}/prefixItems/{index}") for index, item in enumerate(first)]
            return {"type": "array", "prefixItems": forms}, {"items", "prefixItems", "minItems", "maxItems"}
        self._list(path, "prefixItems", "taken as an array of any values: its length is not fixed")
        said = {"prefixItems", "items", "minItems", "maxItems"}
        return {"type": "array", "items": self._anything(), **bounds}, said

    def _object(self, schema: JsonObject, path: str) -> _Form:
        said = {"properties", "required", "additionalProperties", "patternProperties"}
        properties: JsonObject = dict(schema.get("properties", {}))
        required = list(schema.get("required", ()))
        others = self._others(schema, path)
        # The converter takes a property of the name `$ref` for a reference.
        if not all(_carried(name) and name != "$ref" for name in (*properties, *required)):
            self._list(path, "properties", "taken as any object: a rule cannot say one of the names")
            return {"type": "object", "additionalProperties": self._anything()}, said
        forms = {name: self._node(value, f"{path}/properties/{_step(name)}") for name, value in properties.items()}
        forms |= {name: others or self._anything() for name in required if name not in properties}
        optional = [name for name in forms if name not in required]
        if others is not None and forms:
            self._list(path, "additionalProperties", "a declared name may be written again")
        if others is not None and optional:
            self._list(path, "properties", f"taken as undeclared beside open keys: {', '.join(optional)}")
            others = _merged([*(forms.pop(name) for name in optional), others])
        form: JsonObject = {"type": "object", "properties": forms, "required": required}
        return {**form, "additionalProperties": others or False}, said

    def _others(self, schema: JsonObject, path: str) -> JsonObject | None:
        """The form of undeclared keys' values; None where none is written."""
        patterns = schema.get("patternProperties", {})
        forms = [self._node(value, f"{path}/patternProperties/{_step(name)}") for name, value in patterns.items()]
        if patterns:
            self._list(path, "patternProperties", "the names may be any")
        closed_by_silence = "properties" in schema or bool(patterns)
        others = schema.get("additionalProperties", not closed_by_silence)
        if others is not False:
            forms.append(self._node(others, f"{path}/additionalProperties"))
        return _merged(forms) if forms else None


def _merged(forms: list[JsonObject]) -> JsonObject:
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _carried(value: Any) -> bool:
    return _SAFE_LITERAL.fullmatch(json.dumps(value)) is not None


def _step(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
