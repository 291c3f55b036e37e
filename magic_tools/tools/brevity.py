"""Which functions cannot take long, as their code shows: for them a time limit could do nothing."""

from __future__ import annotations

import builtins
import dataclasses
import dis
import inspect
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import CodeType, FunctionType
from typing import Any
from uuid import UUID

from pydantic import BaseModel

__all__ = ["is_brief"]

_QUICK = frozenset(
    {
        *(abs, bool, bytes, dict, divmod, float, frozenset, int, isinstance, len, list, max, min, round, set, sorted),
        *(str, sum, tuple, all, any, hash, id, type, repr, format, chr, ord, bin, hex),
        *(Decimal, UUID, date, datetime, time, timedelta, ValueError, KeyError, TypeError, LookupError),
    }
)
"""What takes time by the size of its arguments alone, which have come from a model."""

_METHODS = frozenset(
    {
        *("append", "capitalize", "count", "endswith", "extend", "get", "index", "items", "join", "keys", "lower"),
        *("replace", "rstrip", "lstrip", "split", "startswith", "strip", "title", "upper", "values"),
    }
)
"""Methods of texts, lists and dicts."""

_DATA = (bool, int, float, str, bytes, Decimal, type(None))

_WAITS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
_LOOPS = ("JUMP_BACKWARD", "FOR_ITER", "POP_JUMP_BACKWARD", "SEND")
_RUNS_OTHERS = ("PUSH_NULL", "IMPORT_", "BEFORE_WITH", "LOAD_BUILD_CLASS", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER")
"""Of these, PUSH_NULL stands where what is called is neither a global nor a method, so that it may be anything."""

_ENDLESS_OPERATORS = ("**", "<<")


def is_brief(fn: Any) -> bool:
    """Whether a function cannot take long: a plain one without a loop that calls nothing but what is quick itself.

    Quick are the built-ins and methods of texts, lists and dicts that do one pass over their arguments, and making
    dataclasses and models that run no code of their author's.
    """
    if not isinstance(fn, FunctionType):
        return False
    code = fn.__code__
    if code.co_flags & _WAITS or any(isinstance(constant, CodeType) for constant in code.co_consts):
        return False
    defaults = (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values())
    if not all(map(_is_quick, defaults)):
        return False
    named = inspect.getclosurevars(fn)
    held: Mapping[str, Any] = {**named.builtins, **named.globals, **named.nonlocals}
    return all(_is_quick_step(step, held) for step in dis.get_instructions(code))


def _is_quick_step(step: dis.Instruction, held: Mapping[str, Any]) -> bool:
    match step.opname:
        case "LOAD_GLOBAL" | "LOAD_NAME" | "LOAD_DEREF" | "LOAD_FROM_DICT_OR_GLOBALS":
            return step.argval in held and _is_quick(held[step.argval])
        case "LOAD_ATTR" | "LOAD_METHOD":
            return step.argval in _METHODS
        case "BINARY_OP":
            return step.argrepr.rstrip("=") not in _ENDLESS_OPERATORS
        case name:
            return not name.startswith((*_LOOPS, *_RUNS_OTHERS))


def _is_quick(value: Any) -> bool:
    if isinstance(value, type):
        return value in _QUICK or _makes_data(value)
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_quick_data, value))
    if isinstance(value, dict):
        return all(map(_is_quick_data, (*value, *value.values())))
    return type(value) in _DATA or any(value is each for each in _quick_functions())


def _is_quick_data(value: Any) -> bool:
    return type(value) in _DATA


def _quick_functions() -> Iterator[Any]:
    return (each for each in _QUICK if getattr(each, "__module__", None) == builtins.__name__)


def _makes_data(kind: type) -> bool:
    """Whether making an object of a class runs no code of its author's."""
    if issubclass(kind, BaseModel):
        untouched = ("__init__", "__new__", "model_post_init")
        return all(getattr(kind, name) is getattr(BaseModel, name) for name in untouched) and not _runs_functions(
            kind.__pydantic_core_schema__
        )
    return (
        dataclasses.is_dataclass(kind)
        and not hasattr(kind, "__post_init__")
        and kind.__new__ is object.__new__
        and kind.__init__.__code__.co_filename == "<string>"  # as dataclasses generate it
        and all(field.default_factory in (dataclasses.MISSING, list, dict, set) for field in dataclasses.fields(kind))
    )


def _runs_functions(schema: Any) -> bool:
    """Whether validation by a core schema calls functions."""
    layer = [schema]
    while layer:
        held = layer.pop()
        if isinstance(held, Mapping):
            if str(held.get("type", "")).startswith("function") or callable(held.get("default_factory")):
                return True
            layer.extend(inner for key, inner in held.items() if key not in ("metadata", "serialization"))
        elif isinstance(held, list | tuple):
            layer.extend(held)
    return False
