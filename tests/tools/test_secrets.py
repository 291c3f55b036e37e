"""Redaction: secrets are found where they are held, and gone from texts whatever form they take there."""

from __future__ import annotations

import ast
import json
from collections import ChainMap, UserDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar, NamedTuple
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, PrivateAttr, Secret, SecretBytes, SecretStr

from magic_tools.tools.secrets import Redactor, values_in

KEY = "sk-very-hidden"
SECRET = SecretStr(KEY)


class Settings(BaseModel):
    model_config = ConfigDict(extra="allow")
    key: SecretStr | None = None
    _private: Any = PrivateAttr(default=None)


@dataclass
class Held:
    key: Any


@dataclass(slots=True)
class Slotted:
    key: Any
    other: Any = field(init=False)  # never set


class Below(Slotted):
    __slots__ = ("__mangled",)

    def __init__(self, key: Any) -> None:
        self.__mangled = key


class Pair(NamedTuple):
    name: str
    key: Any


class OwnList(list[Any]):
    def __iter__(self) -> Any:
        raise RuntimeError("not to be called")


class OwnSecret(SecretStr):
    def get_secret_value(self) -> str:
        raise RuntimeError("not to be called")


def private() -> Settings:
    settings = Settings()
    settings._private = [SECRET]
    return settings


def in_a_class() -> Any:
    return type("Config", (), {"key": SECRET})


@pytest.mark.parametrize(
    "make",
    [
        lambda: SECRET,
        lambda: OwnSecret(KEY),
        lambda: SecretBytes(KEY.encode()),
        lambda: Secret[str](KEY),
        lambda: {"key": SECRET},
        lambda: {SECRET: 1},
        lambda: MappingProxyType({"key": SECRET}),
        lambda: UserDict(key=SECRET),
        lambda: ChainMap({}, {"key": SECRET}),
        lambda: [SECRET],
        lambda: OwnList([SECRET]),
        lambda: (1, (2, SECRET)),
        lambda: {SECRET},
        lambda: frozenset({SECRET}),
        lambda: deque([SECRET]),
        lambda: Pair("a", SECRET),
        lambda: Settings(key=SECRET),
        lambda: Settings.model_validate({"more": SECRET}),
        private,
        lambda: Held(SECRET),
        lambda: Slotted(SECRET),
        lambda: Below(SECRET),
        lambda: SimpleNamespace(key=SECRET),
        in_a_class,
        lambda: [[[[SECRET]]]],
        lambda: Held({"a": [Settings(key=SECRET)]}),
        lambda: [list(range(50_000)), Held(SECRET)],
    ],
)
def test_where_secrets_are_found(make: Callable[[], Any]) -> None:
    """A secret is found in items and attributes of the usual kinds, four levels down."""
    assert Redactor.of(None, make())(f"key={KEY}!") == "key=***!"


def test_secrets_of_several_sources() -> None:
    """The secrets of all sources are replaced."""
    redactor = Redactor.of(SECRET, {"other": SecretBytes(b"hunter2")})
    assert redactor(f"{KEY} hunter2 {KEY}") == "*** *** ***"


class Watching:
    """An object whose every attribute would tell that it was asked for."""

    asked: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        Watching.asked.append(name)
        raise RuntimeError(name)

    @property
    def key(self) -> SecretStr:
        raise RuntimeError("not to be called")


def never(*_: Any) -> Any:
    raise RuntimeError("not to be called")


def lying() -> Any:
    return type("Lying", (), {"__class__": property(never), "__dict__": property(never), "__eq__": never})()


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise RuntimeError(name)


class Odd(metaclass=Meta):
    pass


def odd() -> Any:
    return Odd


def borrowed() -> Any:
    return type("Borrowed", (), {"__slots__": (), "__dict__": Held.__dict__["__dict__"]})()


@pytest.mark.parametrize(
    "make",
    [
        Watching,
        lying,
        odd,
        borrowed,
        lambda: SecretStr.__new__(SecretStr),
        lambda: Secret[list[int]]([5]),
        lambda: SecretStr(""),
        lambda: SecretBytes(b""),
        lambda: json,
        lambda: print,
        object,
        lambda: (number for number in [1]),
        lambda: [[[[[SECRET]]]]],
    ],
)
def test_odd_sources_hold_nothing(make: Callable[[], Any]) -> None:
    """What cannot be looked into, or is too deep, adds nothing; none of its code runs, and nothing is raised."""
    made = make()
    assert not Redactor.of(made)
    assert Redactor.of(made, SECRET)(KEY) == "***"
    assert not Watching.asked


def test_cycles_and_crowds() -> None:
    """Objects that hold each other end, and so do very many."""
    held: list[Any] = [SECRET]
    held += [held, Held(held)]
    assert Redactor.of(held)(KEY) == "***"
    crowd: list[Any] = [[] for _ in range(20_000)] + [SECRET]
    assert not Redactor.of(crowd)


@pytest.mark.parametrize(
    "secret", ["plain", 'a"b', "a'b", "a'b\"c", "a\\b", "a\nb", "p w&=/+?%", "密码é", "\u2028\x7f", "a\ud800"]
)
def test_the_forms_of_a_secret(secret: str) -> None:
    """A secret is gone as it is, from JSON, URLs and reprs, also where JSON stands in JSON."""
    redactor = Redactor.of(SecretStr(secret))
    inner = f"<{secret}>"
    texts = [
        inner,
        json.dumps(inner),
        json.dumps(inner, ensure_ascii=False),
        json.dumps(json.dumps(inner)),
        json.dumps(json.dumps(inner, ensure_ascii=False), ensure_ascii=False),
        quote(inner, errors="surrogatepass"),
        quote(inner, safe="", errors="surrogatepass"),
        quote_plus(inner, errors="surrogatepass"),
        urlencode({"q": inner}, errors="surrogatepass"),
        repr(inner),
        repr(f"'{inner}"),
        repr(f"'{inner}\""),
        ascii(inner),
        repr([inner]),
    ]
    for text in texts:
        shown = redactor(text)
        assert shown.count("***") == 1, text
        assert len(shown) <= 16, text


@pytest.mark.parametrize("text", ["\\xfb\\xff>k", repr(b"\xfb\xff>k"), "-_8-aw==", "+/8+aw=="])
def test_the_forms_of_secret_bytes(text: str) -> None:
    """Bytes are gone as a repr shows them, and from base64 of both alphabets."""
    redactor = Redactor.of(SecretBytes(b"\xfb\xff>k"))
    assert redactor(f"<{text}>") in ("<***>", "<b'***'>")
    assert redactor("\ufffd") == "\ufffd"


@pytest.mark.parametrize(
    ("secrets", "text", "shown"),
    [
        (["abc", "abcdef"], "abcdef abc", "*** ***"),
        (["cde", "abcdef"], "abcdef", "***"),
        (["abcd", "cdefgh"], "abcdefgh", "***"),
        (["aa"], "aaa", "***"),
        (["ab"], "abab", "******"),
        (["ab"], "", ""),
        ([], "ab", "ab"),
    ],
)
def test_secrets_that_touch(secrets: list[str], text: str, shown: str) -> None:
    """Of secrets inside others, or that overlap, nothing is left."""
    assert Redactor.of([SecretStr(secret) for secret in secrets])(text) == shown


@dataclass
class Point:
    x: Any
    y: Any


def test_plain_texts() -> None:
    """Texts can be added, to a new redactor; those of fewer than eight characters count where they are a word."""
    first = Redactor.of(SECRET)
    second = first.with_texts("user-7", "abc", "tenant-number")
    assert (
        second(f"user-7 abc abcd user-77 订单abc号 {KEY} xtenant-numberx") == "*** *** abcd user-77 订单***号 *** x***x"
    )
    assert first("user-7") == "user-7"
    assert Redactor().with_texts("tenant\nnumber")(json.dumps("tenant\nnumber")) == '"***"'
    assert not Redactor().with_texts()


def test_secrets_can_be_added() -> None:
    """However short they are."""
    assert Redactor().with_secrets("xy")("axyb") == "a***b"
    assert not Redactor().with_secrets()


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("tenant", {"tenant"}),
        (998_877, {"998877"}),
        ({"mail": "ann@example.org", "n": [7, 42], "on": True, "key": SECRET}, {"ann@example.org", "42"}),
        (Point("t1", {"a": ("t2", None)}), {"t1", "t2"}),
        (Settings.model_validate({"more": {"a": "t3"}}), {"t3"}),
        (SimpleNamespace(a="its own"), set()),
        ([" ", "x", 5], set()),
    ],
)
def test_what_a_context_fills_in(source: Any, texts: set[str]) -> None:
    """The texts and numbers in data, at any depth, not what is secret, and no single letters and digits."""
    assert set(values_in(source)) == texts


def test_it_is_a_value() -> None:
    """A redactor is false without secrets, does not change, and shows none."""
    redactor = Redactor.of(SECRET)
    assert redactor
    assert not Redactor.of()
    assert redactor == Redactor.of([SECRET])
    assert hash(redactor) == hash(Redactor.of([SECRET]))
    assert repr(redactor) == str(redactor) == "Redactor()"
    with pytest.raises(AttributeError):
        redactor._forms = frozenset()  # type: ignore[misc]


characters = st.text(st.sampled_from("ab\"'\\\n /é"), min_size=1, max_size=4)


@given(st.lists(characters, min_size=1, max_size=3), st.lists(characters, max_size=5), st.sampled_from("<>;"))
def test_no_secret_is_left(secrets: list[str], others: list[str], between: str) -> None:
    """In no form of a text is there a secret after redaction, and a text without one is untouched."""
    redactor = Redactor.of([SecretStr(secret) for secret in secrets])
    text = between.join([*others, *secrets, *reversed(others)])
    kinds: list[tuple[Callable[[str], str], Callable[[str], Any]]]
    kinds = [(str, str), (json.dumps, json.loads), (repr, ast.literal_eval)]
    for write, read in kinds:
        shown = redactor(write(text))
        assert not any(secret in shown for secret in secrets)
        assert redactor(shown) == shown
        if "***" not in shown:
            assert read(shown) == text
