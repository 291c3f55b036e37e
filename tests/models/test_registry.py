"""Models by name: which name stands for which, and what is said where none can answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

from magic_tools.errors import ModelUnavailableError
from magic_tools.models import local, registry
from magic_tools.models.local import LocalModel
from magic_tools.models.registry import MODEL_VARIABLE, load_model
from magic_tools.models.remote import RemoteModel
from magic_tools.settings import ModelSettings


class Loaded(LocalModel):
    """A local model that only keeps what it was made with."""

    def __init__(self, *given: Any) -> None:
        self.given = given


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local models are made without their weights."""
    monkeypatch.setattr(registry, "LocalModel", Loaded)


@pytest.fixture
def no_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime of local models is not installed."""
    monkeypatch.setattr(local, "find_spec", lambda _: None)


@pytest.mark.parametrize("name", ["gpt-5", "org/model:free", "a"])
def test_openai(name: str) -> None:
    """Everything after `openai:` is the model's name."""
    model = load_model(f"openai:{name}", api_key="k")
    assert isinstance(model, RemoteModel)
    assert model.name == f"openai:{name}"


def test_openai_s_settings() -> None:
    """Settings, place and client reach the model; a client goes without the other two."""
    settings = ModelSettings(temperature=0.5)
    model = load_model("openai:a", settings=settings, base_url="http://localhost:1/v1")
    assert "localhost" in repr(model)
    assert vars(model)["settings"] is settings
    with openai.OpenAI(api_key="k", base_url="http://127.0.0.1:1/v1") as client:
        assert "127.0.0.1" in repr(load_model("openai:a", client=client))


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (None, None),
        ("", None),
        ("local", None),
        ("local:", None),
        ("local:model.gguf", Path("model.gguf")),
        ("local:/a/b:c.gguf", Path("/a/b:c.gguf")),
    ],
)
def test_local(spec: str | None, path: Path | None) -> None:
    """`local`, or no name at all, is the embedded model; with a file it is that file's. Settings and notes reach it."""
    settings, notify = ModelSettings(seed=1), print
    model = load_model(spec, settings=settings, notify=notify)
    assert isinstance(model, Loaded)
    assert model.given == (path, settings, notify)


@pytest.mark.usefixtures("loaded")
def test_the_environment_s_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name the environment's is used, and none where that is empty; a name goes before it."""
    monkeypatch.setenv(MODEL_VARIABLE, "openai:gpt-5")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert load_model().name == "openai:gpt-5"
    assert isinstance(load_model("local"), Loaded)
    monkeypatch.setenv(MODEL_VARIABLE, "")
    assert isinstance(load_model(), Loaded)


@pytest.mark.parametrize(
    "spec", ["gpt-5", "openai", "openai:", "Local", " local", "anthropic", "anthropic:", "replay:", "localhost:80"]
)
def test_an_unknown_model(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that stands for nothing is shown, with what may be written, and where it came from."""
    with pytest.raises(
        ModelUnavailableError,
        match=f"no model called '{spec}': write openai:NAME .*, local, .*, or replay:",
    ):
        load_model(spec, api_key="sk-secret")
    monkeypatch.setenv(MODEL_VARIABLE, spec)
    with pytest.raises(ModelUnavailableError, match=f"no model called '{spec}', as MAGIC_TOOLS_MODEL has it: write"):
        load_model()


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("given", [{"base_url": "http://localhost"}, {"api_key": "sk-secret"}, {"client": object()}])
@pytest.mark.parametrize("spec", [None, "local", "local:model.gguf"])
def test_what_a_local_model_has_no_use_for(spec: str | None, given: dict[str, Any]) -> None:
    """A place or a key for a local model is a mistake, and told as one; the key is not."""
    with pytest.raises(ValueError, match="are for models behind a server") as caught:
        load_model(spec, **given)
    assert "secret" not in str(caught.value)


@pytest.mark.usefixtures("no_local_model")
def test_nothing_can_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing installed and nothing set, both ways out are said; where a model was named, only its own."""
    with pytest.raises(ModelUnavailableError) as caught:
        load_model()
    text = str(caught.value)
    assert text.startswith("No model can answer here: ")
    assert "pip install 'magic-tools[local]'" in text
    assert "set MAGIC_TOOLS_MODEL=openai:NAME and OPENAI_API_KEY" in text
    monkeypatch.setenv(MODEL_VARIABLE, "local")
    for spec in (None, "local"):
        with pytest.raises(ModelUnavailableError, match=r"^llama-cpp-python is not installed:.*pip install") as caught:
            load_model(spec)
        assert "OPENAI" not in str(caught.value)


def test_no_key() -> None:
    """Without a key OpenAI cannot be asked, and what to set is said."""
    with pytest.raises(ModelUnavailableError, match="OPENAI_API_KEY"):
        load_model("openai:gpt-5")


def test_files_that_are_no_model(tmp_path: Path) -> None:
    """A file that is not there, or is no GGUF, is told by name before anything is loaded."""
    file = tmp_path / "notes.gguf"
    with pytest.raises(ModelUnavailableError, match=r"notes\.gguf cannot be read: No such file"):
        load_model(f"local:{file}")
    file.write_text("These are notes.")
    with pytest.raises(ModelUnavailableError, match=r"notes\.gguf is no model"):
        load_model(f"local:{file}")
