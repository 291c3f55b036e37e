"""What a request asks of a model beside its messages: what is taken, what goes first, and what each wire lacks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from magic_tools import Message, ModelRequest, ModelSettings, ScriptedModel, Timeouts, UnsupportedSettingError, run
from magic_tools.chat import Capabilities, settings_of
from magic_tools.models.registry import REMOTE
from magic_tools.models.servers import SERVERS, flavour_of
from magic_tools.options import RunOptions

REQUEST = ModelRequest((Message.user("Hi"),))
EVERYTHING = ModelSettings(temperature=0.5, top_p=0.9, max_tokens=7, seed=3, stop=("END",))

# What each wire calls the settings that it has.
FIELDS: dict[str, dict[str, Any]] = {
    "openai": {"temperature": 0.5, "top_p": 0.9, "max_completion_tokens": 7, "seed": 3, "stop": ["END"]},
    "openai-responses": {"temperature": 0.5, "top_p": 0.9, "max_output_tokens": 7},
    "anthropic": {"max_tokens": 7, "stop_sequences": ["END"]},
}
LACKING = {"openai": (), "openai-responses": ("seed", "stop"), "anthropic": ("temperature", "top_p", "seed")}


@pytest.mark.parametrize("prefix", list(FIELDS))
def test_settings_reach_every_wire(prefix: str) -> None:
    """Each has those that it has, under its own names; the others are listed where they may be left out."""
    wire, _ = REMOTE[prefix]
    settings = replace(EVERYTHING, unsupported="omit")
    plain = wire.encode(REQUEST, "m", ModelSettings(max_tokens=7))
    payload = wire.encode(REQUEST, "m", settings)
    assert {key: value for key, value in payload.items() if plain.get(key) != value or key in FIELDS[prefix]} == (
        FIELDS[prefix]
    )
    assert wire.omitted(REQUEST, settings) == LACKING[prefix]


@pytest.mark.parametrize("prefix", ["openai-responses", "anthropic"])
def test_what_a_wire_lacks_is_refused_by_name(prefix: str) -> None:
    """Every such setting is named, wherever it was set, and what to do about it."""
    wire, _ = REMOTE[prefix]
    names = " and no ".join(LACKING[prefix])
    with pytest.raises(UnsupportedSettingError, match=f"^{prefix} has no {names}: leave it out, or pass ModelSettings"):
        wire.encode(REQUEST, "m", EVERYTHING)
    with pytest.raises(UnsupportedSettingError, match="seed"):
        wire.encode(replace(REQUEST, settings=ModelSettings(seed=1)), "m")
    settings = ModelSettings(seed=1, unsupported="refuse")  # the request's own word goes first
    with pytest.raises(UnsupportedSettingError, match="seed"):
        wire.encode(replace(REQUEST, settings=settings), "m", ModelSettings(unsupported="omit"))


def test_whose_settings_go_first() -> None:
    """Those of the request, where they say something; of `extra` both, the request's own key first."""
    held = ModelSettings(temperature=1, seed=1, timeouts=Timeouts(total_s=1), extra={"a": 1, "b": 1}, stop=("x",))
    own = ModelSettings(temperature=0, extra={"b": 2}, tries=2)
    merged = settings_of(replace(REQUEST, settings=own), held)
    assert merged == ModelSettings(
        temperature=0, seed=1, timeouts=Timeouts(total_s=1), extra={"a": 1, "b": 2}, stop=("x",), tries=2
    )
    assert settings_of(REQUEST, held) is held


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"stop": "END"}, r"ModelSettings.stop is a tuple of texts, such as \('END',\), got 'END'"),
        ({"stop": ("",)}, "ModelSettings.stop is a tuple of texts"),
        ({"stop": ["END"]}, "ModelSettings.stop is a tuple of texts"),
        ({"temperature": "0"}, "ModelSettings.temperature is a number, got '0'"),
        ({"temperature": True}, "ModelSettings.temperature is a number, got True"),
        ({"temperature": math.nan}, "ModelSettings.temperature is a number of at least 0, got nan"),
        ({"top_p": -1}, "ModelSettings.top_p is a number of at least 0, got -1"),
        ({"stop": ()}, "ModelSettings.stop is a tuple of texts"),
        ({"max_tokens": 0}, "ModelSettings.max_tokens is 1 or more, got 0"),
        ({"max_tokens": 1.5}, "ModelSettings.max_tokens is a whole number, got 1.5"),
        ({"tries": 0}, "ModelSettings.tries is 1 or more, got 0"),
        ({"timeouts": 30}, r"ModelSettings.timeouts is Timeouts, such as Timeouts\(total_s=30\), got 30"),
        ({"extra": None}, "ModelSettings.extra is a mapping, got None"),
        ({"unsupported": "ignore"}, "ModelSettings.unsupported is 'refuse' or 'omit', got 'ignore'"),
    ],
)
def test_what_is_no_setting(given: dict[str, Any], complaint: str) -> None:
    """It is refused where it is written."""
    with pytest.raises(ValueError, match=complaint):
        ModelSettings(**given)


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, "3", True])
@pytest.mark.parametrize("name", ["connect_s", "first_byte_s", "between_s", "total_s"])
def test_what_is_no_time(name: str, seconds: Any) -> None:
    """A time is a number of seconds that is not negative, or None for ever."""
    with pytest.raises(ValueError, match=f"Timeouts.{name} must be seconds, or None for ever"):
        Timeouts(**{name: seconds})
    assert getattr(Timeouts(**{name: None}), name) is None


def test_a_run_s_settings_reach_the_request() -> None:
    """`RunOptions(settings=...)` go with each request of a run."""
    with ScriptedModel(["Hello"]) as model:
        run("Hi", model=model, options=RunOptions(settings=EVERYTHING))
    assert model.requests[0].settings == EVERYTHING


def test_servers() -> None:
    """A server is known by its name, else by its address; what it lacks, its capabilities lack, and nothing more."""
    wire, _ = REMOTE["openai"]
    full = wire.capabilities("m")
    assert flavour_of(None, "api.openai.com", is_official=True) is SERVERS["openai"]
    assert flavour_of(None, "localhost:11434", is_official=False) is SERVERS["ollama"]
    assert flavour_of(None, "localhost:8000", is_official=False) is SERVERS["compatible"]
    assert flavour_of("vllm", "localhost:11434", is_official=False) is SERVERS["vllm"]
    with pytest.raises(ValueError, match=r"server=... is one of openai, vllm, ollama, .*, got 'Ollama'"):
        flavour_of("Ollama", "localhost", is_official=False)
    for flavour in SERVERS.values():
        assert wire.capabilities("m", flavour) == replace(full, **dict.fromkeys(flavour.lacks, False))
        assert flavour.lacks <= set(Capabilities.__slots__)
