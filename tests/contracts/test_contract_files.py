"""Contracts as files: what is written is read again, in both forms, and each fault is told by file, line and key."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from magic_tools.contracts.contract import ToolContract
from magic_tools.contracts.contract_files import read
from magic_tools.contracts.yaml_core import LARGEST, LEVELS
from magic_tools.errors import DefinitionError
from tests.contracts.test_contract import CONTRACT, PLAIN, WHOLE

FILE = """\
id: crm.customer.lookup
version: 2.1.0
description: Looks a customer up.
risk: read_sensitive
accepts: [2.x]
lifecycle:
  rejected: 2027-06-30
  replacement: crm.customer.find
input_schema:
  type: object
  properties:
    email: {type: string}
output_schema: {}
"""


@pytest.mark.parametrize("contract", [WHOLE, PLAIN, CONTRACT], ids=["whole", "plain", "usual"])
def test_what_is_written_is_read_again(contract: ToolContract, tmp_path: Path) -> None:
    """By YAML and by JSON, as text and as file, an equal contract comes back, and writes the same bytes."""
    for name, text in (("c.yaml", contract.to_yaml()), ("c.yml", contract.to_yaml()), ("c.json", contract.to_json())):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        by_form = ToolContract.from_json if name == "c.json" else ToolContract.from_yaml
        for again in (by_form(text), by_form(file), ToolContract.from_file(text), ToolContract.from_file(file)):
            assert again == contract
            assert (again.to_yaml(), again.to_json()) == (contract.to_yaml(), contract.to_json())


def test_a_file_written_by_hand() -> None:
    """Dates, versions and ranges without quotes are the texts that they look like; digests may be left out."""
    contract = ToolContract.from_yaml(FILE)
    assert (contract.version, contract.accepts) == ("2.1.0", ("2.x",))
    assert contract.policy.lifecycle.words == "Refused from 2027-06-30: use crm.customer.find instead."
    assert (contract.name, contract.execution.timeout_s) == ("crm.customer.lookup", 30)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "version: 2.1.0",
            "version: 2.10",
            r"^the contract, line 2, version: version is to be a text \(put it in quotes",
        ),
        ("version: 2.1.0", "version: '2.1'", r"^the contract, line 2, version: .*write '2\.1\.0'"),
        ("risk: read_sensitive", "risk: no", r"^the contract, line 4, risk: Policy\(risk='no'\) is to be one of"),
        ("risk: ", "rsik: ", "^the contract, line 4, rsik: there is no key 'rsik' here; did you mean risk"),
        ("[2.x]", "[1.x]", "^the contract, line 5, accepts: .*leaves out the version itself"),
        ("[2.x]", "2.x", "^the contract, line 5, accepts: accepts is to be a list of texts"),
        (
            "output_schema: {}",
            "output_schema: {}\nerror_schema: {type: objekt}",
            r"^the contract, line 14, error_schema: Policy\(error_schema=...\): at /type",
        ),
        ("[2.x]", "[2.1]", "^the contract, line 5, accepts: accepts is to be a list of texts"),
        ("2027-06-30", "2027-06-31", r"^the contract, line 7, lifecycle\.rejected: .*is no date by ISO 8601"),
        ("  replacement: crm.customer.find\n", "", "^the contract, line 6, lifecycle: .*nothing says what to do"),
        ("replacement: ", "replacment: ", r"^the contract, line 8, lifecycle\.replacment: .*did you mean replacement"),
        ("output_schema: {}\n", "", "^the contract, line 1: the key output_schema is missing"),
        (
            "output_schema: {}",
            "output_schema:",
            "^the contract, line 13, output_schema: .*is to be a mapping, got null",
        ),
        ("id: crm.customer.lookup", "id: ../lookup", r"^the contract, line 1, id: Policy\(id='\.\./lookup'\)"),
        ("id: crm", "interface_digest: sha256:00\nid: crm", "^the contract, line 1, interface_digest: .*changed after"),
        ("risk: read_sensitive", "id: again", "^the contract, line 4: the key 'id' stands twice"),
    ],
)
def test_faults_of_a_file(old: str, new: str, words: str) -> None:
    """An error names the line and the key, and says what is meant."""
    assert old in FILE
    with pytest.raises(DefinitionError, match=words):
        ToolContract.from_yaml(FILE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "^the contract: it is empty"),
        (" \n", "^the contract: it is empty"),
        ("{", "^the contract, line 1, column 2: this is no JSON: Expecting property name"),
        ('{"id": "a",\n "id": "b"}', "^the contract: the key 'id' stands twice in one object"),
        ('{"id": NaN}', "^the contract: NaN is a number that JSON cannot hold"),
        ('{"id": 1e999}', r"^the contract, id: id is to be a text"),
        ('{"id": ' + "[" * 101 + "]" * 101 + "}", f"more than {LEVELS} values are inside one another"),
        ("{" + '"a":[' * 100_000, "^the contract: this is JSON that cannot be read here|more than|this is no JSON"),
        ('{"id": ' + "9" * 5000 + "}", "^the contract: this is JSON that cannot be read here"),
        ('{"id": "a"} {"id": "b"}', "this is no JSON: Extra data"),
        ("contracts/lookup.yaml", r"is no contract but one text: to read a file, give Path\('contracts/lookup.yaml'\)"),
        ("- a\n- b\n", "^the contract, line 1: a contract is a mapping"),
        ("x" * (LARGEST + 1), "a contract has at most 4,000,000"),
    ],
)
def test_texts_that_are_no_contract(text: str, words: str) -> None:
    """Of either form, what is no contract is refused, and a path that is given as a text is recognised."""
    with pytest.raises(DefinitionError, match=words):
        ToolContract.from_file(text)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.yaml", FILE.encode("utf-16"), r"c\.yaml, line 1: it is not text in UTF-8"),
        ("c.yaml", FILE.encode() + "title: é\n".encode("latin-1"), r"c\.yaml, line 14: it is not text in UTF-8"),
        ("c.yaml", b"", r"c\.yaml: it is empty"),
        ("c.yaml", b"\xef\xbb\xbf", r"c\.yaml: it is empty"),
        ("c.yaml", b"id: \x00", r"c\.yaml: this is no YAML"),
        ("c.json", FILE.encode(), r"c\.json, line 1, column 1: this is no JSON"),
        ("c.yaml", b"id: [\n", r"c\.yaml, line 2, column 1: this is no YAML"),
        ("c.yaml", FILE.replace("no_key", "").encode() + b"no_key: 1\n", r"c\.yaml, line 14, no_key: there is no key"),
    ],
)
def test_faults_of_files(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """The file is named, whatever is wrong with it."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DefinitionError, match=words):
        ToolContract.from_file(tmp_path / name)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """One that is not there, and a folder, are told by name."""
    with pytest.raises(DefinitionError, match=r"gone\.yaml: it cannot be read: No such file"):
        ToolContract.from_yaml(tmp_path / "gone.yaml")
    with pytest.raises(DefinitionError, match="it cannot be read: Is a directory"):
        ToolContract.from_file(tmp_path)


def test_a_byte_order_mark_says_nothing(tmp_path: Path) -> None:
    """At the start of a text or a file, as some editors write it, it is passed over; other line ends are ends."""
    wanted = ToolContract.from_yaml(FILE)
    assert ToolContract.from_yaml("\ufeff" + FILE) == wanted
    assert ToolContract.from_json("\ufeff" + wanted.to_json()) == wanted
    assert ToolContract.from_yaml(FILE.replace("\n", "\r\n")) == wanted
    (tmp_path / "c.yaml").write_bytes(b"\xef\xbb\xbf" + FILE.encode())
    assert ToolContract.from_file(tmp_path / "c.yaml") == wanted


def test_the_suffix_says_what_a_file_is(tmp_path: Path) -> None:
    """And where it says nothing, the first character does."""
    for name, text in (("c.YML", FILE), ("c.contract", FILE), ("c", WHOLE.to_json()), ("c.JSON", WHOLE.to_json())):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert ToolContract.from_file(tmp_path / name) == (WHOLE if text != FILE else ToolContract.from_yaml(FILE))


@pytest.mark.parametrize("odd", ["a\x85b", "\x7f", "\U0001f600", "\ud800", "tab\there", "\u2028"])
@pytest.mark.parametrize("name", [None, "c.yaml", "c.json", "c.txt"])
def test_json_is_read_as_json(tmp_path: Path, odd: str, name: str | None) -> None:
    """Also where YAML is expected, which has fewer characters: a text in JSON says what it says."""
    data = {**PLAIN.to_data(), "description": odd}
    del data["interface_digest"], data["surface_digest"]
    for is_ascii in (True, False):
        text = json.dumps(data, ensure_ascii=is_ascii)
        source: Any = text
        if name is not None:
            if not is_ascii and odd == "\ud800":  # which no file can hold
                continue
            source = tmp_path / name
            source.write_text(text, encoding="utf-8")
        for made in (ToolContract.from_yaml(source), ToolContract.from_file(source)):
            assert made.description == odd


def test_json_in_yaml_is_as_strict(tmp_path: Path) -> None:
    """A key that stands twice is refused there too, and braces that are no JSON are YAML."""
    with pytest.raises(DefinitionError, match="the key 'id' stands twice"):
        ToolContract.from_yaml('{"id": "a", "id": "b", "description": "d", "input_schema": {}, "output_schema": {}}')
    assert ToolContract.from_yaml("{id: a, description: d, input_schema: {}, output_schema: {}}").id == "a"


def test_a_place_in_json_is_told_by_its_keys() -> None:
    """Where no line is known, the keys that lead there are."""
    data: dict[str, Any] = json.loads(PLAIN.to_json()) | {"semantics": {"pagination": "pages"}}
    with pytest.raises(DefinitionError, match=r"^the contract, semantics\.pagination: "):
        ToolContract.from_json(json.dumps(data))
    assert read("{}").where(("a", 0, "b")) == "the contract, a.0.b"


PROGRAM = """
import sys
import magic_tools
from magic_tools import Policy, ToolContract, bind_contract, tool

@tool(policy=Policy(version="1.0.0"))
def find(name: str) -> str:
    "Find."
    return name

find.invoke({"name": "x"})
assert not find.executable.__dict__.get("_contracts"), "the contract was made before it was asked for"
find.contract.to_json()
assert "yaml" not in sys.modules, "yaml is loaded where no file in YAML is read or written"
find.contract.to_yaml()
assert "yaml" in sys.modules
"""


def test_yaml_is_loaded_where_it_is_used() -> None:
    """Neither the import of the package nor a tool nor its contract loads it; and a contract is made on first use."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
