"""The directory of employees: a search whose back end may change, and SQL that can do nothing but read."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Protocol, TypedDict

from pydantic import EmailStr, Field
from rich.console import Console
from rich.text import Text

from magic_tools import (
    Alert,
    ErrorCode,
    Event,
    Injected,
    Policy,
    RunOptions,
    ScriptedModel,
    ToolAttempted,
    ToolCall,
    ToolCompleted,
    ToolFailure,
    ToolResult,
    run,
    tool,
)


class Employee(TypedDict):
    """An employee, as everybody in the company may see them."""

    name: Annotated[str, "In Chinese characters and in Pinyin, where there are both", Field(max_length=60)]
    employee_id: Annotated[str, "Two capitals and four digits", Field(pattern="^[A-Z]{2}[0-9]{4}$")]
    email: Annotated[EmailStr, "The address at work"]
    department: Annotated[str, Field(max_length=30)]


class FoundEmployees(TypedDict):
    """The employees found, in the order of their ids."""

    results: list[Employee]
    total_count: Annotated[int, "How many there are in all", Field(ge=0)]


class Directory(Protocol):
    """The service behind the search: JSON data comes from it, and nobody but the tool's contract checks which."""

    def find(self, query: str, department: str | None) -> Any:
        """The employees whose name contains the query, of one department or of all."""


@tool(
    timeout=3.0,
    retries=2,
    fallback=FoundEmployees(results=[], total_count=0),
    policy=Policy(
        read_only=True,
        metrics_prefix="tool.employee_search",
        log_fields=("query", "department_filter", "status"),
        examples=({"query": "张伟"}, {"query": "wei", "department_filter": "Engineering"}),
    ),
)
def employee_search(
    query: Annotated[str, "A name, or a part of it, such as 张伟 or wei", Field(min_length=1, max_length=20)],
    directory: Injected[Directory],
    department_filter: Annotated[str | None, "Only the employees of this department", Field(max_length=30)] = None,
) -> FoundEmployees:
    """Find employees by name: their e-mail addresses, employee ids and departments.

    Not for heads of departments, nor for numbers of employees: use directory_select.
    """
    found: FoundEmployees = directory.find(query, department_filter)
    return found


MOST_ROWS = 50
MOST_SECONDS = 1.0
MOST_BYTES = 64 * 1024 * 1024

LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LENGTH: 2_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
}
BROKEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOTADB)
"""What another statement would not mend."""

TABLES = ("departments", "employees")
FUNCTIONS = (
    *("avg", "coalesce", "count", "group_concat", "ifnull", "instr", "length", "like", "lower", "max", "min"),
    *("nullif", "replace", "round", "substr", "sum", "total", "trim", "upper"),
)


@dataclass
class Rows:
    """What a SELECT gave."""

    columns: list[str]
    rows: list[list[str | int | float | None]]
    truncated: Annotated[bool, f"Whether there are more rows: {MOST_ROWS} are given at most"]


@tool(
    timeout=3.0,
    keep=("columns",),
    policy=Policy(
        read_only=True,
        max_chars=4_000,
        metrics_prefix="tool.directory_select",
        log_fields=("statement", "status"),
        examples=({"statement": "SELECT department, count(*) FROM employees GROUP BY department"},),
    ),
)
def directory_select(
    statement: Annotated[str, "One SELECT in the dialect of SQLite", Field(min_length=1, max_length=500)],
    database: Injected[Path],
) -> Rows:
    """Answer a question about the company's directory by SQL, such as who leads a department.

    The tables are employees(employee_id, name, email, department) and departments(department, head_id), whose head_id
    is an employee_id. Not for finding somebody by name: use employee_search.
    """
    uri = f"{database.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, timeout=MOST_SECONDS, uri=True, isolation_level=None)) as connection:
        return _selected(connection, statement)


def _selected(connection: sqlite3.Connection, statement: str) -> Rows:
    """What a statement gives; a ToolFailure says what is allowed if it is no single SELECT, or takes too long."""
    # Planning a few nested WITHs can take gigabytes before SQLite asks anybody, and sorting could fill the disk. The
    # first limit holds for the whole process.
    connection.execute(f"PRAGMA hard_heap_limit = {MOST_BYTES}")
    connection.execute("PRAGMA temp_store = MEMORY")
    for limit, most in LIMITS.items():
        connection.setlimit(limit, most)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
    guard = _Guard(tables, time.monotonic() + MOST_SECONDS)
    connection.text_factory = lambda raw: raw.decode(errors="replace")
    connection.set_progress_handler(guard.is_late, 1_000)
    connection.set_authorizer(guard.judge)
    try:
        # First it is only planned: there is no EXPLAIN of nothing, of two statements, or of another EXPLAIN.
        connection.execute(f"EXPLAIN {statement}").close()
        if guard.selects:
            cursor = connection.execute(statement)
            rows = [[_cell(value) for value in row] for row in cursor.fetchmany(MOST_ROWS + 1)]
            return Rows([column[0] for column in cursor.description], rows[:MOST_ROWS], len(rows) > MOST_ROWS)
    except (sqlite3.Error, MemoryError) as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in BROKEN:
            raise
        raise guard.refusal(str(error) or "it needs too much memory") from error
    raise guard.refusal("it is no SELECT")


def _cell(value: Any) -> str | int | float | None:
    return value.hex() if isinstance(value, bytes) else value


class _Guard:
    """What one statement may do, as SQLite asks for each step that it plans, and how long it may take."""

    def __init__(self, tables: list[str], end: float) -> None:
        self.selects = False
        self._closed = {table.lower() for table in tables}.difference(TABLES)
        self._end = end
        self._denied = ""

    def judge(self, action: int, name: str | None, detail: str | None, schema: str | None, _: str | None) -> int:
        """Whether a statement may take a step, in the codes that SQLite's authorizer has for it."""
        match action:
            case sqlite3.SQLITE_SELECT | sqlite3.SQLITE_RECURSIVE:
                self.selects = True
                wrong = ""
            case sqlite3.SQLITE_READ:
                wrong = "" if self._is_open(str(name).lower(), schema) else f"the table {name} is closed"
            case sqlite3.SQLITE_FUNCTION:
                wrong = "" if detail in FUNCTIONS else f"of functions, there are only {', '.join(FUNCTIONS)}"
            case _:
                wrong = "it does something else than SELECT"
        self._denied = self._denied or wrong
        return sqlite3.SQLITE_DENY if wrong else sqlite3.SQLITE_OK

    def is_late(self) -> bool:
        """Whether the time is over; where it is, SQLite stops."""
        return time.monotonic() > self._end

    def refusal(self, why: str) -> ToolFailure:
        """What the model is told."""
        if self._denied or self.is_late():
            why = self._denied or f"it takes longer than {MOST_SECONDS:g} s: ask for less, and join tables by ON"
        words = f"The statement was refused: {why.rstrip('.')}. Allowed is one SELECT from {' and '.join(TABLES)}."
        return ToolFailure(words, ErrorCode.INVALID_ARGUMENT)

    def _is_open(self, table: str, schema: str | None) -> bool:
        """Whether this is a table for all, or one of WITH's own, of which SQLite may ask without a schema."""
        is_made = schema is None and table not in self._closed and not table.startswith("sqlite_")
        return table in TABLES or is_made


EMPLOYEES = (
    ("EN0012", "李娜 (Li Na)", "li.na@example.com", "Engineering"),
    ("EN0417", "张伟 (Zhang Wei)", "zhang.wei@example.com", "Engineering"),
    ("SA0031", "Tom Becker", "tom.becker@example.com", "Sales"),
    ("SA0203", "王芳 (Wang Fang)", "wang.fang@example.com", "Sales"),
)
DEPARTMENTS = (("Engineering", "EN0012"), ("Sales", "SA0203"))


class Staff:
    """A directory that sends what the search promises."""

    def find(self, query: str, department: str | None) -> Any:
        """The employees, their e-mail addresses as text."""
        found = [
            {"name": name, "employee_id": employee_id, "email": email, "department": own}
            for employee_id, name, email, own in EMPLOYEES
            if query.lower() in name.lower() and department in (None, own)
        ]
        return {"results": found, "total_count": len(found)}


class ChangedStaff(Staff):
    """The same after a change of which nobody told."""

    def find(self, query: str, department: str | None) -> Any:
        """The employees, their e-mail addresses as objects."""
        found = super().find(query, department)
        for employee in found["results"]:
            employee["email"] = {"address": employee["email"], "verified": True}
        return found


def make_database(file: Path) -> None:
    """Write the directory to a file of SQLite, beside a table that is for nobody's eyes."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE employees (employee_id TEXT, name TEXT, email TEXT, department TEXT)")
        connection.execute("CREATE TABLE departments (department TEXT, head_id TEXT)")
        connection.execute("CREATE TABLE salaries (employee_id TEXT, cny INTEGER)")
        connection.executemany("INSERT INTO employees VALUES (?, ?, ?, ?)", EMPLOYEES)
        connection.executemany("INSERT INTO departments VALUES (?, ?)", DEPARTMENTS)
        connection.execute("INSERT INTO salaries SELECT employee_id, 30000 FROM employees")


def show(text: str) -> None:
    """Print a text in lines that fit a terminal, its Chinese characters too."""
    for line in Text(text).wrap(Console(), 78):
        print(f"  {line.plain.rstrip()}")


def trace(event: Event) -> None:
    """Print how a try of a call went, and what is logged of it; alerts have a function of their own."""
    match event:
        case ToolAttempted():
            after = f", the next one in {event.wait_s:.1f} s" if event.wait_s is not None else ""
            show(f"{event.tool}, try {event.attempt}: {event.outcome}{after}")
        case ToolCompleted():
            show(f"{event.metrics_prefix}: {dict(event.fields)}")


def alert(found: Alert) -> None:
    """Print what somebody has to look at."""
    where = f"{found.tool}, call {found.nth} of run {found.run_id}, stage {found.stage}"
    show(f"ALERT {where}: {found.path}: expected {found.expected}, got {found.got}")


def main(database: Path) -> None:
    """Print what a model is told of good calls and of bad ones, and what happens when the back end changes."""
    make_database(database)
    context = {"directory": Staff(), "database": database}

    print("A search, and one for a name that is too long, in both languages:")
    show(employee_search.invoke({"query": "张伟"}, context=context).content)
    for language in (RunOptions(language="en"), RunOptions(language="zh")):
        show(employee_search.invoke({"query": "Zhang Wei, Engineering"}, context=context, options=language).content)

    print("Who leads what, what nobody is told, and what nobody may do:")
    for statement in (
        "SELECT departments.department, name FROM departments JOIN employees ON employee_id = head_id",
        "SELECT max(cny) FROM salaries",
        "SELECT name FROM employees; DELETE FROM employees",
    ):
        show(directory_select.invoke({"statement": statement}, context=context).content)

    print("A run after the back end has changed:")
    outcome = run(
        "How many are we, and what is Zhang Wei's e-mail address?",
        tools=[employee_search, directory_select],
        model=ScriptedModel(
            [
                ToolCall("c1", "directory_select", '{"statement": "SELECT count(*) FROM employees"}'),
                ToolCall("c2", "employee_search", '{"query": "张伟"}'),
                "We are four. The directory could not be searched.",
            ]
        ),
        context={"directory": ChangedStaff(), "database": database},
        options=RunOptions(trace=trace, on_alert=alert, run_id="r1"),
    )
    print("What the model was told of the second call, and what it answered:")
    results = [part for message in outcome.transcript for part in message.parts if isinstance(part, ToolResult)]
    show(results[-1].content)
    show(outcome.value)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(Path(folder) / "directory.sqlite")
