"""A value or two of each type of core schema, to try out what can be asked of such values."""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from pydantic_core import Url

__all__ = ["is_foreign", "is_of_pydantic", "samples_of"]

_MOMENT = dt.datetime(2000, 1, 1)

# By type of core schema; a type that is not here may have values of any kind.
_SAMPLES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("none", "any"), (None,)),
    "bool": (True,),
    "int": (1,),
    "float": (1.0,),
    "decimal": (Decimal(1),),
    "complex": (1j,),
    "fraction": (Fraction(1),),
    "str": ("a",),
    "bytes": (b"a",),
    **dict.fromkeys(("list", "generator"), ([],)),
    "deque": (deque(),),
    "tuple": ((),),
    "set": (set(),),
    "frozenset": (frozenset(),),
    **dict.fromkeys(("dict", "typed-dict", "ordered-dict", "counter", "frozendict"), ({},)),
    "date": (_MOMENT.date(),),
    "datetime": (_MOMENT, _MOMENT.astimezone(dt.UTC)),
    "time": (_MOMENT.time(), _MOMENT.time().replace(tzinfo=dt.UTC)),
    "timedelta": (dt.timedelta(),),
    "uuid": (UUID(int=0),),
    **dict.fromkeys(("url", "multi-host-url"), (Url("https://example.org"),)),
}


def samples_of(schema: Any) -> tuple[Any, ...]:
    """Values of a type; none where it is not known what they are."""
    match schema["type"]:
        case "datetime" | "time" if schema.get("tz_constraint") in ("naive", "aware"):
            naive, aware = _SAMPLES[schema["type"]]
            return (naive if schema["tz_constraint"] == "naive" else aware,)
        case "model" | "dataclass":
            return (
                schema["cls"],
            )  # of whose objects no schema can say what such a limit means, even where it can be asked
        case "lax-or-strict":
            return samples_of(schema["strict_schema"])
        case "json-or-python":
            return samples_of(schema["json_schema"])
        case "function-after" if is_of_pydantic(function := schema["function"]["function"]):
            with suppress(ValueError, ImportError):
                return tuple(map(function, samples_of(schema["schema"])))
            return ()
        case "function-wrap" if is_of_pydantic(schema["function"]["function"]):
            return samples_of(schema["schema"])
        case kind:
            return _SAMPLES.get(kind, ())


def is_of_pydantic(function: Any) -> bool:
    """Whether a function is one of pydantic's own."""
    return _package(function) == "pydantic"


def is_foreign(function: Any) -> bool:
    """Whether a function, if it is one, is neither pydantic's nor of this library."""
    return function is not None and _package(function) not in ("pydantic", "magic_tools")


def _package(function: Any) -> str:
    return str(getattr(function, "__module__", "")).partition(".")[0]
