"""Secrets kept out of texts, whatever form the text gives them."""

from __future__ import annotations

import base64
import gc
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from types import GetSetDescriptorType, MappingProxyType, MemberDescriptorType
from typing import Any
from urllib.parse import quote, quote_plus
from uuid import UUID

from pydantic import BaseModel, Secret, SecretBytes, SecretStr

__all__ = ["Redactor", "secrets_in", "values_in"]

_MASK = "***"
_DEEPEST = 4
_MOST_NODES = 10_000
_SHORTEST_TEXT = 8
"""A shorter one is taken out where it is a word of its own, so that the words around it stay what they are."""


def secrets_in(*sources: Any) -> tuple[str, ...]:
    """The texts of pydantic's secrets in the sources, found as `Redactor.of` finds them."""
    return tuple(text for secret in _secrets_in(sources) for text in _texts_of(secret))


def values_in(*sources: Any) -> tuple[str, ...]:
    """The texts and numbers in data, apart from single letters and digits: in dicts, lists, data classes and models.

    Other objects are left alone, since what they hold for themselves is no data of the context.
    """
    found: list[str] = []
    layer = [(source, 0) for source in sources]
    while layer and len(found) < _MOST_VALUES:
        node, depth = layer.pop()
        if issubclass(type(node), str):
            found.append(str.__str__(node))
        elif type(node) in _NUMBERS:
            found.append(str(node))
        elif depth <= _DEEPEST and (type(node) in _CONTAINERS or _is_record(node)):
            layer.extend((child, depth + 1) for child in _children(node, keys=False))
    return tuple(text for text in found if len(text) > 1 and text.strip())


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces secrets in texts by `***`, also where they stand escaped; false where it knows of none."""

    _forms: frozenset[str] = field(default=frozenset(), repr=False)
    _words: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(cls, *sources: Any) -> Redactor:
        """The one for pydantic's secrets in the sources, their items and attributes, four levels down.

        No code of the sources runs: properties are left alone, and ten thousand objects are looked at at most.
        """
        return cls(_all_forms(text for secret in _secrets_in(sources) for text in _texts_of(secret)))

    def with_secrets(self, *secrets: str) -> Redactor:
        """One that knows these secrets too."""
        return Redactor(self._forms | _all_forms(secrets), self._words) if secrets else self

    def with_texts(self, *texts: str) -> Redactor:
        """One that knows these texts too; those of fewer than eight characters as words of their own alone."""
        long = frozenset(text for text in texts if len(text) >= _SHORTEST_TEXT)
        return Redactor(self._forms | _all_forms(long), self._words | (frozenset(texts) - long)) if texts else self

    def __bool__(self) -> bool:
        return bool(self._forms or self._words)

    def __call__(self, text: str) -> str:
        """The text with `***` for each occurrence of a secret, and for those that overlap one."""
        pieces, done = [], 0
        spans = [span for form in self._forms for span in _occurrences(form, text)]
        spans += [found.span() for word in self._words for found in re.finditer(_alone(word), text)]
        for start, end in _merged(spans):
            pieces += [text[done:start], _MASK]
            done = end
        return "".join((*pieces, text[done:])) if pieces else text


def _all_forms(secrets: Iterable[str]) -> frozenset[str]:
    return frozenset(form for secret in secrets if secret for form in _forms_of(secret))


def _forms_of(secret: str) -> Iterator[str]:
    """How a secret stands in a text: as it is, in JSON, in an URL, in a `repr` or `ascii`, and in JSON in JSON."""
    yield secret
    for inner in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        yield json.dumps(inner)[1:-1]
        yield json.dumps(inner, ensure_ascii=False)[1:-1]
    for safe in ("", "/"):
        yield quote(secret, safe, errors="surrogatepass")
        yield quote_plus(secret, safe, errors="surrogatepass")
    for write in (repr, ascii):
        yield write(secret)[1:-1]
        yield write(f'{secret}"')[1:-2]  # where the text around it has the other kind of quotes


def _occurrences(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _alone(word: str) -> str:
    return rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])"


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans in order, those that overlap as one."""
    first, last = 0, 0
    for start, end in sorted(spans):
        if start >= last:
            if last:
                yield first, last
            first = start
        last = max(last, end)
    if last:
        yield first, last


def _secrets_in(sources: Iterable[Any]) -> Iterator[str | bytes]:
    """The values of the secrets, the nearest first."""
    for node in _nodes(sources):
        if issubclass(type(node), _SECRETS):
            yield from _value_of(node)


def _nodes(sources: Iterable[Any]) -> Iterator[Any]:
    """The sources, their items and attributes, and so on, each object once, the nearest first; no texts or numbers."""
    waiting: deque[tuple[Any, int]] = deque((source, 0) for source in sources)
    seen: dict[int, Any] = {}  # by identity; held, so that no identity comes twice
    while waiting and len(seen) < _MOST_NODES:
        node, depth = waiting.popleft()
        if id(node) in seen:
            continue
        seen[id(node)] = node
        yield node
        if depth < _DEEPEST and type(node) not in _ATOMS and not issubclass(type(node), _SECRETS):
            children = (child for child in _children(node) if type(child) not in _ATOMS)
            waiting.extend((child, depth + 1) for child in children)


_SECRETS = (SecretStr, SecretBytes, Secret)
_ATOMS = frozenset({str, bytes, bool, int, float, complex, type(None)})
_NUMBERS = frozenset({int, UUID, Decimal, date, datetime})
_CONTAINERS = frozenset({dict, list, tuple, set, frozenset})
_MOST_VALUES = 1_000
_ITERATIONS = (
    (dict, dict.values),
    (list, list.__iter__),
    (tuple, tuple.__iter__),
    (set, set.__iter__),
    (frozenset, frozenset.__iter__),
    (deque, deque.__iter__),
)
"""How the classes of Python go over their items, whatever a subclass does."""


def _value_of(secret: Any) -> Iterator[str | bytes]:
    try:
        value: Any = SecretStr.get_secret_value(secret)  # the same of all the classes, whatever a subclass says
    except AttributeError:  # made without its constructor: it holds none
        return
    if isinstance(value, str | bytes):
        yield value
    elif type(value) in _NUMBERS:
        yield str(value)


def _is_record(node: Any) -> bool:
    return is_dataclass(node) or issubclass(type(node), BaseModel) or hasattr(type(node), "_fields")


def _children(node: Any, *, keys: bool = True) -> Iterator[Any]:
    """The items and attributes of an object, read without any code of its class."""
    if keys and issubclass(type(node), dict):
        yield from list(dict.keys(node))
    for kind, iterate in _ITERATIONS:
        if issubclass(type(node), kind):
            yield from list(iterate(node))
    if type(node) is MappingProxyType:
        yield from gc.get_referents(node)  # its own methods would call those of the mapping behind it
    for cls in _bases_of(type(node)):
        namespace = _namespace_of(cls)
        attributes = namespace.get("__dict__")
        if isinstance(attributes, _BUILT_IN):
            yield from _children(_read(attributes, node), keys=False)
        if "__slots__" in namespace:
            slots = [slot for slot in namespace.values() if isinstance(slot, MemberDescriptorType)]
            yield from [_read(slot, node) for slot in slots if slot.__name__ != "__pydantic_fields_set__"]  # mere names


_bases_of: Any = type.__dict__["__mro__"].__get__
_namespace_of: Any = type.__dict__["__dict__"].__get__
_BUILT_IN = (GetSetDescriptorType, MemberDescriptorType)


def _read(attribute: Any, node: Any) -> Any:
    """An attribute by its built-in descriptor, None where it is not set."""
    try:
        return attribute.__get__(node)
    except (AttributeError, TypeError):  # TypeError: a descriptor that was borrowed from another class
        return None


def _texts_of(secret: str | bytes) -> Iterator[str]:
    """A secret as text; bytes as they are decoded, shown and encoded."""
    if isinstance(secret, str):
        yield secret
        return
    yield secret.decode(errors="backslashreplace")
    yield repr(secret)[2:-1]
    yield base64.standard_b64encode(secret).decode()
    yield base64.urlsafe_b64encode(secret).decode()
