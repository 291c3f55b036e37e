"""Calls made without waiting: what a program asks for is done at once, and what it would have slept is noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from magic_tools.effects.program import Call, Draw, Effect, Emit, Gather, Program, Sleep
from magic_tools.events import Event
from magic_tools.messages import ToolResult
from magic_tools.options import RunOptions
from magic_tools.tools.execution import execute
from magic_tools.tools.preparing import Arguments, prepare
from magic_tools.tools.scope import RunScope
from magic_tools.tools.tool import Tool


class ByHand:
    """A caller that keeps the events and the sleeps of its calls; `answers` stands for what calls would come to."""

    def __init__(self, *, answers: Callable[[Call], Any] | None = None, **options: Any) -> None:
        self.events: list[Event] = []
        self.slept: list[float] = []
        self.options = RunOptions(trace=self.events.append, **options)
        self._answers = answers or (lambda call: call.fn(*call.args, **call.kwargs))

    def call(self, made: Tool[..., Any], arguments: Arguments = None, *, context: Any = None) -> ToolResult:
        """What a call comes to."""
        scope = RunScope(context, self.options)
        result: ToolResult = self.run(execute(made.executable, prepare(made.executable, arguments, scope), "c1", scope))
        return result

    def run(self, program: Program[Any]) -> Any:
        """The result of a program."""
        try:
            effect = next(program)
            while True:
                try:
                    done = self._done(effect)
                except Exception as error:
                    effect = program.throw(error)
                else:
                    effect = program.send(done)
        except StopIteration as end:
            return end.value

    def _done(self, effect: Effect) -> Any:
        match effect:
            case Call():
                return self._answers(effect)
            case Sleep(seconds):
                self.slept.append(seconds)
                return None
            case Gather(programs):
                return [self.run(program) for program in programs]
            case Emit() | Draw():
                raise AssertionError(f"nothing here is streamed, and this was asked for: {effect}")
