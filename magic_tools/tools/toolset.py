"""Several tools under unique names, in order, and what of them a model is offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Annotated, Any

from magic_tools.chat import ToolDefinition
from magic_tools.effects.program import Program, within
from magic_tools.effects.runners import run_async, run_sync
from magic_tools.errors import DefinitionError
from magic_tools.messages import Message, ToolCall, ToolResult
from magic_tools.options import RunOptions
from magic_tools.schema.dialects.rendered import DialectChange
from magic_tools.schema.dialects.requests import render_tools
from magic_tools.schema.dialects.table import Dialect
from magic_tools.tools.admitting import by_name
from magic_tools.tools.batch import AT_ONCE, call_all, check_bounds, check_contexts
from magic_tools.tools.discovery import load_module, same_tool, tools_in, unique, walk
from magic_tools.tools.executable import Executable, scopes_of
from magic_tools.tools.keyed import keyed
from magic_tools.tools.listing import listed
from magic_tools.tools.readying import ready
from magic_tools.tools.scope import RunScope
from magic_tools.tools.search import Document, SearchIndex
from magic_tools.tools.taking import check_count, check_texts, made_of
from magic_tools.tools.tool import Tool, tool
from magic_tools.transcripts import with_own_ids
from magic_tools.values import JsonObject

__all__ = ["Toolset"]

_MOST_OF_A_PURPOSE = 120
_LISTED = re.compile(r"^- ([\w-]+)", re.MULTILINE | re.ASCII)
_SEARCH = "search_tools"
_NOTHING_FOUND = "No tool fits these words. Search once more with others, or go on without."
_FOUND = "These tools can be called from now on:"


class Toolset:
    """An ordered set of tools; plain functions are made into tools.

    DefinitionError if two have one name or one id, if one is a method without its object, or if something is no tool.
    """

    def __init__(self, *tools: Tool[..., Any] | Callable[..., Any]) -> None:
        self._tools = keyed(map(made_of, tools))

    @staticmethod
    def from_module(module: ModuleType | str, *, recurse: bool = True) -> Toolset:
        """The tools that a module defines and, if it is a package, those of all modules below it.

        In order of module name and of definition; what a module imports counts where it is defined. Every
        module but `__main__` is imported for it. A tool counts if it stands in its module by itself, in a
        Toolset, in a list, tuple, set or dict and what these hold, in a class as class or static method, or in
        an object as its method; a method without an object does not. DefinitionError if a module cannot be
        imported, two tools have one name, or there is no tool at all.
        """
        root = load_module(module) if isinstance(module, str) else module
        if not isinstance(root, ModuleType):
            raise DefinitionError(f"from_module takes a module or its name, got a value of type {type(root).__name__}.")
        modules = walk(root) if recurse else (root,)
        found = unique(held for each in modules for held in tools_in(each, Toolset))
        if not found:
            below = " and those below it define" if recurse and hasattr(root, "__path__") else " defines"
            raise DefinitionError(
                f"The module {root.__name__!r}{below} no tool: write @tool above a function. "
                "What a module only imports counts where it is defined."
            )
        return Toolset(*found)

    def __iter__(self) -> Iterator[Tool[..., Any]]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool[..., Any]:
        return self._tools[name]

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._tools)

    def only(self, *names: str) -> Toolset:
        """A toolset of these alone, in this set's order; DefinitionError for a name that it does not have."""
        self._check(names)
        return self._cut(lambda made: made.name in names)

    def without(self, *names: str) -> Toolset:
        """A toolset of all but these; DefinitionError for a name that it does not have."""
        self._check(names)
        return self._cut(lambda made: made.name not in names)

    def tagged(self, *tags: str) -> Toolset:
        """A toolset of those that have any of the tags; `.tagged("a").tagged("b")` is of those that have both."""
        check_texts("tags", tags)
        return self._cut(lambda made: not set(tags).isdisjoint(made.policy.tags))

    def in_phase(self, phase: str) -> Toolset:
        """A toolset of those that serve a phase of a conversation; a tool without phases serves every one."""
        check_texts("a phase", (phase,))
        return self._cut(lambda made: not made.policy.phases or phase in made.policy.phases)

    def permitted(self, context: Any) -> Toolset:
        """A toolset of those whose scopes a context grants; ContextError if it lacks what one of them wants."""
        granted = scopes_of(context)
        allowed = self._cut(lambda made: made.executable.scopes <= granted)
        for made in allowed:
            made.executable.signature.check_context(context)
        return allowed

    def renamed(self, names: Mapping[str, str]) -> Toolset:
        """A toolset in which the tools of the old names have the new ones, for models, results and errors alike.

        DefinitionError for a name that it does not have, or that two would then have.
        """
        self._check(names)
        return Toolset(*(made.renamed(names[made.name]) if made.name in names else made for made in self))

    def __or__(self, other: Toolset) -> Toolset:
        """The tools of both, this set's first; what is in both stands once."""
        return Toolset(
            *self, *(made for made in other if made.name not in self or not same_tool(self[made.name], made))
        )

    def search(self, text: str, k: int = 5) -> Toolset:
        """The `k` tools whose names, texts, parameters and tags fit a text best, the best first.

        Fewer, or none, where no more have a word of it. English and Chinese; offline, the same at every time.
        DefinitionError for a `k` that counts nothing.
        """
        check_count(k)
        check_texts("a search", (text,))
        tools = tuple(self)
        return Toolset(*(tools[position] for position in self._index.best(text, k)))

    def searchable(self, *always: str, k: int = 8) -> Toolset:
        """A toolset that offers a model a search, `search_tools`, in place of the tools that it finds.

        The tools named in `always` are offered at each request, and so is, after a search, each of the at most
        `k` tools that it found; all the others cost nothing. A call of any of them runs all the same.
        The search stays in every cut by tag, phase or scope; `only` and `without` leave it out where they
        are told so, and what they keep is offered as in a plain set. `renamed` renames it like any tool.
        """
        check_count(k)
        return _Searchable(self, always, k)

    def offered(self, transcript: Sequence[Message]) -> Toolset:  # noqa: ARG002 - a set with a search looks into it
        """What the next request after a transcript offers: all, unless the set is `searchable`."""
        return self

    def invoke_all(
        self,
        calls: Sequence[ToolCall],
        context: Any = None,
        *,
        options: RunOptions | None = None,
        at_once: int = AT_ONCE,
        deadline_s: float | None = None,
        approved: Collection[str] = (),
    ) -> tuple[ToolResult, ...]:
        """What the calls of one reply come to, in their order, each answered once, whatever becomes of the others.

        At most `at_once` are under way at a time, a call of a sequential tool alone; after `deadline_s` seconds
        what is under way is given up and nothing more is begun. A missing or repeated id is answered under one
        of its own, as in a run. Those whose ids are `approved` a person has allowed. Options and errors are those of
        `Tool.invoke`.
        """
        return run_sync(self._calling(calls, RunScope(context, options), at_once, deadline_s, approved))

    async def ainvoke_all(
        self,
        calls: Sequence[ToolCall],
        context: Any = None,
        *,
        options: RunOptions | None = None,
        at_once: int = AT_ONCE,
        deadline_s: float | None = None,
        approved: Collection[str] = (),
    ) -> tuple[ToolResult, ...]:
        """`invoke_all`, awaited."""
        return await run_async(self._calling(calls, RunScope(context, options), at_once, deadline_s, approved))

    @property
    def executables(self) -> dict[str, Executable]:
        """What is called for a model, by name."""
        return {made.name: made.executable for made in self}

    def _calling(
        self,
        calls: Sequence[ToolCall],
        scope: RunScope,
        at_once: int,
        deadline_s: float | None,
        approved: Collection[str],
    ) -> Program[tuple[ToolResult, ...]]:
        check_bounds(at_once, deadline_s)
        own = with_own_ids(calls)
        targets = by_name(self.executables.values(), scope)
        names = [name for name, target in targets.items() if target.standing.refusal is None]
        check_contexts(targets, own, scope.context)
        readied = [ready(targets.get(call.name), call, scope, names) for call in own]
        program = call_all(readied, scope, at_once=at_once, approved=approved)
        return program if deadline_s is None else within(program, deadline_s)

    def definitions(self, dialect: Dialect = "openai-chat", strict: bool | None = None) -> list[JsonObject]:
        """What a provider is sent of the tools in one request, in order; copies that the caller may change.

        What a request may hold of strict schemas is shared out: beyond that, the tools that cost most of it
        are sent non-strict. SchemaRejectedError where `strict`, here or on a tool, asks for more.
        """
        return [written for written, _ in render_tools(self.told(), dialect, strict)]

    def dialect_report(
        self, dialect: Dialect = "openai-chat", strict: bool | None = None
    ) -> dict[str, tuple[DialectChange, ...]]:
        """By tool what `definitions` says in another way than the contracts, or cannot say."""
        rendered = render_tools(self.told(), dialect, strict)
        return {name: held.changes for name, (_, held) in zip(self.names, rendered, strict=True)}

    def told(self) -> tuple[ToolDefinition, ...]:
        """The tools as a request carries them to any model."""
        return tuple(made.told() for made in self)

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._tools:
                raise DefinitionError(
                    f"There is no tool {name!r} here; there are: {listed(self._tools, like=str(name))}."
                )

    def _cut(self, keep: Callable[[Tool[..., Any]], bool]) -> Toolset:
        kept = tuple(filter(keep, self))
        return self if len(kept) == len(self) else Toolset(*kept)

    def exchanged(self, change: Callable[[Tool[..., Any]], Tool[..., Any] | None]) -> Toolset:
        """A toolset of what a function gives for each tool, without those for which it gives None."""
        given = tuple(made for made in map(change, self.pinnable) if made is not None)
        return self if given == self.pinnable else Toolset(*given)

    @property
    def pinnable(self) -> tuple[Tool[..., Any], ...]:
        """The tools that a task can be pinned to: all but the search of a set that has one."""
        return tuple(self)

    @cached_property
    def has_an_end(self) -> bool:
        """Whether anything is declared of the life of one of the tools."""
        return any(made.executable.has_an_end for made in self._tools.values())

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(map(_document, self))


class _Searchable(Toolset):
    """A toolset of a search and all that it finds; what is offered depends on the transcript alone."""

    def __init__(self, whole: Toolset, always: Iterable[str], k: int, name: str = _SEARCH) -> None:
        self._whole, self._always, self._k = whole, tuple(always), k
        whole._check(self._always)
        self._search = _search_tool(whole, k, name)
        super().__init__(self._search, *whole)

    def offered(self, transcript: Sequence[Message]) -> Toolset:
        results = (part for message in transcript for part in message.parts if isinstance(part, ToolResult))
        named: dict[str, None] = dict.fromkeys((self._search.name, *self._always))
        for result in results:
            found = _LISTED.findall(result.content) if result.name == self._search.name else ()
            named |= dict.fromkeys((result.name, *found))
        return Toolset(*(self[name] for name in named if name in self))

    def tagged(self, *tags: str) -> Toolset:
        return self._over(self._whole.tagged(*tags))

    def renamed(self, names: Mapping[str, str]) -> Toolset:
        self._check(names)
        whole = self._whole.renamed({old: new for old, new in names.items() if old in self._whole})
        always = [names.get(name, name) for name in self._always]
        return _Searchable(whole, always, self._k, names.get(self._search.name, self._search.name))

    def __or__(self, other: Toolset) -> Toolset:
        return _Searchable(self._whole | other, (*self._always, *other.names), self._k, self._search.name)

    def __ror__(self, other: Toolset) -> Toolset:
        return _Searchable(other | self._whole, (*other.names, *self._always), self._k, self._search.name)

    @property
    def pinnable(self) -> tuple[Tool[..., Any], ...]:
        return self._whole.pinnable

    def exchanged(self, change: Callable[[Tool[..., Any]], Tool[..., Any] | None]) -> Toolset:
        return self._over(self._whole.exchanged(change))

    def _cut(self, keep: Callable[[Tool[..., Any]], bool]) -> Toolset:
        whole = self._whole._cut(keep)
        return self._over(whole) if keep(self._search) else whole

    def _over(self, whole: Toolset) -> Toolset:
        """The same search over fewer tools."""
        if whole is self._whole:  # with the index that it may have made already
            return self
        return _Searchable(whole, filter(whole.__contains__, self._always), self._k, self._search.name)


def _search_tool(whole: Toolset, k: int, name: str) -> Tool[..., str]:
    @tool(name=name)
    def search_tools(task: Annotated[str, "What a tool should do, in a few words"]) -> str:
        """Find tools for a task, among many that are not shown here.

        Those that it finds can be called from the next reply on.
        """
        found = whole.search(task, k)
        return "\n".join((_FOUND, *map(_line, found))) if len(found) else _NOTHING_FOUND

    return search_tools


def _document(made: Tool[..., Any]) -> Document:
    """What a search reads of a tool; its name counts most."""
    yield 3, made.name
    yield 2, " ".join(made.policy.tags)
    yield 1, made.description
    for name, schema in made.executable.arguments.json_schema.get("properties", {}).items():
        yield 1, f"{name} {schema.get('description', '')}"


def _line(made: Tool[..., Any]) -> str:
    purpose = " ".join(made.description.partition("\n\n")[0].split())
    if len(purpose) > _MOST_OF_A_PURPOSE:
        purpose = f"{purpose[:_MOST_OF_A_PURPOSE]}..."
    return f"- {made.name}: {purpose}" if purpose else f"- {made.name}"
