"""What the documents show is true: their commands work, and their examples print what stands below them."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import TypeAdapter

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")])

FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COMMAND = re.compile(r"(?:^|&&)\s*(?:\S*/)?(magic-tools\s.*)$")

LANGUAGES = {"python", "sh", "text", "json", "toml"}

# Between an example and the block below it, this says that the block is not to be compared.
DIFFERS = "<!-- output differs by machine -->"


@dataclass(frozen=True)
class Example:
    """A fenced block, where it stands, and the output shown directly below it, if any is to be compared."""

    language: str
    code: str
    line: int
    heading: str
    output: str | None


def examples_of(text: str) -> list[Example]:
    """The fenced blocks of a document; a `text` or `json` block with nothing before it but another is its output."""
    examples: list[Example] = []
    heading, end = "", 0
    for fence in FENCE.finditer(text):
        before = text[end : fence.start()]
        heading = [heading, *HEADING.findall(before)][-1]
        end = fence.end()
        language, code = fence.groups()
        if language in ("text", "json") and examples and before.strip() in ("", DIFFERS):
            last = examples[-1]
            shown = code if before.strip() == "" else None
            examples[-1] = Example(last.language, last.code, last.line, last.heading, shown)
        else:
            examples.append(Example(language, code, text.count("\n", 0, fence.start(2)), heading, None))
    return examples


def commands_of(example: Example) -> list[str]:
    """The calls of the project's command in a shell example."""
    lines = example.code.replace("\\\n", " ").splitlines()
    return [found[1] for line in lines if (found := COMMAND.search(line))]


def run_python(name: str, text: str) -> list[str]:
    """Run the Python examples of a document one after another, as one module; those that print something else."""
    wrong = []
    module = ModuleType(re.sub(r"\W", "_", name))
    sys.modules[module.__name__] = module
    try:
        for example in examples_of(text):
            if example.language == "python":
                printed = io.StringIO()
                with redirect_stdout(printed):
                    exec(compile("\n" * example.line + example.code, name, "exec", dont_inherit=True), module.__dict__)
                if example.output is not None and printed.getvalue() != example.output:
                    wrong.append(f"{name}:{example.line} printed {printed.getvalue()}")
    finally:
        del sys.modules[module.__name__]
    return wrong


def run_command(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a person would who has installed the package, in the project's folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def command_under(heading: str) -> Example:
    """The one shell example under a heading of README."""
    (example,) = (
        example
        for example in examples_of(README.read_text(encoding="utf-8"))
        if example.heading == heading and example.language == "sh"
    )
    return example


def test_ci_runs_the_command_of_readme() -> None:
    """What README says under "Test it" is what CI runs, to the letter, and it decides the result."""
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ci.rstrip().endswith("\n" + command_under("Test it").code.strip())


def test_readme_s_first_command_does_the_main_job() -> None:
    """It ends in an extraction that prints valid JSON for the model, and says on standard error who answered."""
    (command,) = commands_of(command_under("Try it"))
    assert command == "magic-tools extract docs/examples/tickets.py:TicketInfo docs/examples/ticket.txt"
    done = run_command(command)
    assert done.returncode == 0, done.stderr
    ticket_info = runpy.run_path(str(ROOT / "docs/examples/tickets.py"))["TicketInfo"]
    TypeAdapter(ticket_info).validate_json(done.stdout)
    assert "local" in done.stderr


def test_readme_shows_python_and_the_command() -> None:
    """There is something to run: the tests below are not empty."""
    examples = examples_of(README.read_text(encoding="utf-8"))
    assert any(example.language == "python" and example.output for example in examples)
    assert any(example.language == "sh" and commands_of(example) for example in examples)


every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())


@every_document
def test_no_block_escapes(document: Path) -> None:
    """Every fence of a document is found, and names its language by the word that is looked for."""
    text = document.read_text(encoding="utf-8")
    examples = FENCE.findall(text)
    assert text.count("```") == 2 * len(examples)
    assert {language for language, _ in examples} <= LANGUAGES


@every_document
def test_python_examples_print_what_is_shown(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python example of a document runs, after those above it, and prints the text below it."""
    monkeypatch.chdir(ROOT)
    assert run_python(document.relative_to(ROOT).as_posix(), document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=f"{document.relative_to(ROOT).as_posix()}:{example.line}")
        for document in DOCUMENTS
        for example in examples_of(document.read_text(encoding="utf-8"))
        if example.language == "sh" and commands_of(example)
    ],
)
def test_commands_print_what_is_shown(example: Example) -> None:
    """Every call of the command in a document succeeds, and its standard output is the text below it."""
    runs = [run_command(command) for command in commands_of(example)]
    assert [done.returncode for done in runs] == [0] * len(runs), "".join(done.stderr for done in runs)
    if example.output is not None:
        assert "".join(done.stdout for done in runs) == example.output


SAMPLE = """
# Title

```python
# a comment, no heading
word = "hello"
```

```python
print(word)
```

```text
hello
```

## Try it

```sh
cd project && bin/magic-tools extract a.py:A \\
    b.txt
ls; magic-tools-other
```

<!-- output differs by machine -->

```json
{}
```

A picture of it:

```text
left alone
```
"""


def test_examples_are_found_with_their_output() -> None:
    """Blocks know their line and heading; only what stands directly below is output; a mark says not to compare."""
    examples = examples_of(SAMPLE)
    assert [(example.language, example.line, example.heading, example.output) for example in examples] == [
        ("python", 4, "Title", None),
        ("python", 9, "Title", "hello\n"),
        ("sh", 19, "Try it", None),
        ("text", 33, "Try it", None),
    ]
    assert commands_of(examples[2]) == ["magic-tools extract a.py:A      b.txt"]


def test_an_example_that_prints_something_else_is_a_failure() -> None:
    """The comparison can fail, and says where; so can the example itself, at its own line."""
    assert run_python("sample.md", SAMPLE) == []
    assert run_python("sample.md", SAMPLE.replace("\nhello\n", "\ngoodbye\n")) == ["sample.md:9 printed hello\n"]
    with pytest.raises(NameError, match="wrod") as caught:
        run_python("sample.md", SAMPLE.replace("print(word)", "print(wrod)"))
    assert caught.traceback[-1].lineno == 9
    assert "sample_md" not in sys.modules
