"""A limit of requests and tokens a minute: who waits how long, on a clock that nobody waits for."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magic_tools.chat import Capabilities, ModelReply, ModelRequest, StreamingModel, TextPiece, ToolDefinition
from magic_tools.effects.program import Call, DeadlineError, Program, Sleep
from magic_tools.errors import ModelError, RateLimitError, UnsupportedSettingError
from magic_tools.events import ModelEvent, ModelWaited
from magic_tools.messages import Message, ProviderPart, TextPart, ToolCall, ToolResult, Usage
from magic_tools.models.limiting import RateLimit, limited
from magic_tools.models.scripted import ScriptedModel
from magic_tools.settings import ModelSettings
from tests.models.four_ways import FOUR_WAYS, Ask, items_of

REQUEST = ModelRequest((Message.user("Hi"),))


class World:
    """Programs that run side by side on a clock of their own; `sent` are the times of their requests, and which."""

    def __init__(self, latency_s: float = 0.0) -> None:
        self.now = 0.0
        self.latency_s = latency_s
        self.sent: list[tuple[float, ModelRequest]] = []
        self.failures: list[Exception] = []
        self._order = count()
        self._queue: list[tuple[float, int, Program[Any], Any]] = []

    def clock(self) -> float:
        return self.now

    def begin(self, program: Program[Any], at: float = 0.0) -> None:
        heapq.heappush(self._queue, (at, next(self._order), program, None))

    def run(self, until: float = float("inf")) -> None:
        while self._queue and self._queue[0][0] <= until:
            self.now, _, program, value = heapq.heappop(self._queue)
            try:
                effect = program.throw(value) if isinstance(value, Exception) else program.send(value)
            except StopIteration:
                continue
            except ModelError as error:
                self.failures.append(error)
                continue
            seconds, result = self._of(effect)
            heapq.heappush(self._queue, (self.now + seconds, next(self._order), program, result))

    def _of(self, effect: Any) -> tuple[float, Any]:
        match effect:
            case Sleep(seconds):
                return seconds, None
            case Call(fn, args):
                self.sent.append((self.now, *args))
                try:
                    return self.latency_s, fn(*args)
                except ModelError as error:
                    return self.latency_s, error
        raise AssertionError(f"a limiter does not ask for {effect}")

    def cancel(self, program: Program[Any], error: Exception | None = None) -> None:
        """End a program that waits, as a task is cancelled, or by an error that is thrown into it."""
        self._queue = [each for each in self._queue if each[2] is not program]
        heapq.heapify(self._queue)
        if error is None:
            program.close()
        else:
            with pytest.raises(type(error)):
                program.throw(error)

    @property
    def times(self) -> list[float]:
        return [round(at, 6) for at, _ in self.sent]


def replies(*tokens: int) -> ScriptedModel:
    """A model whose replies cost so many tokens."""
    return ScriptedModel([ModelReply((TextPart("ok"),), "stop", Usage(each - each // 2, each // 2)) for each in tokens])


def of_tokens(tokens: int) -> ModelRequest:
    """A request that is estimated at so many tokens."""
    return ModelRequest((Message.user("x" * 4 * tokens),))


def all_at_once(limit: RateLimit, world: World, requests: Sequence[ModelRequest], model: Any = None) -> list[float]:
    """When requests are sent that come at once."""
    model = limited(model or ScriptedModel(["ok"] * len(requests)), limit)
    for request in requests:
        world.begin(model.answering(request, streamed=False))
    world.run()
    return world.times


def test_requests_are_spread_evenly() -> None:
    """The first of a few goes at once, and the others one after the other."""
    world = World()
    assert all_at_once(RateLimit(6, clock=world.clock), world, [REQUEST] * 4) == [0, 10, 20, 30]


def test_a_tenth_goes_at_once() -> None:
    """After a pause so many requests as are a tenth of the limit, and then evenly, so that no minute has more."""
    world = World()
    times = all_at_once(RateLimit(60, clock=world.clock), world, [REQUEST] * 70)
    assert times[:6] == [0] * 6
    assert {round(later - sooner, 4) for sooner, later in pairwise(times[5:])} == {round(60 / 55, 4)}
    assert len([at for at in times if at < 60]) == 60


def test_a_pause_gives_back_no_more_than_that() -> None:
    """However long it was."""
    world = World()
    limit = RateLimit(60, clock=world.clock)
    all_at_once(limit, world, [REQUEST] * 6)
    world.now = 1e6
    model = limited(ScriptedModel(["ok"] * 7), limit)
    for _ in range(7):
        world.begin(model.answering(REQUEST, streamed=False), at=1e6)
    world.run()
    assert [round(at - 1e6, 4) for at in world.times[6:]] == [0] * 6 + [round(60 / 55, 4)]


@given(
    limit=st.integers(1, 90),
    arrivals=st.lists(st.tuples(st.floats(0, 200), st.booleans()), min_size=1, max_size=120),
)
def test_no_minute_has_more_requests_than_the_limit(limit: int, arrivals: list[tuple[float, bool]]) -> None:
    """Whenever they come, in the order in which they come, also where some no longer wait when the next has come."""
    world = World()
    model = limited(ScriptedModel(["ok"] * len(arrivals)), RateLimit(limit, clock=world.clock))
    for number, (at, gives_up) in enumerate(sorted(arrivals)):
        request = ModelRequest((Message.user(str(number)),))
        program = model.answering(request, streamed=False)
        world.begin(program, at=at)
        world.run(until=at)
        if gives_up and request not in [sent for _, sent in world.sent]:
            world.cancel(program)
    world.run()
    numbers = [int(request.messages[0].text) for _, request in world.sent]
    assert numbers == sorted(numbers)
    times = [at for at, _ in world.sent]
    for start in times:
        assert len([at for at in times if start <= at < start + 59.999]) <= limit


@given(
    limit=st.integers(10, 1_000),
    arrivals=st.lists(st.tuples(st.floats(0, 200), st.integers(1, 500), st.integers(1, 500)), min_size=1, max_size=40),
    latency_s=st.floats(0, 100),
)
def test_no_minute_has_many_more_tokens_than_the_limit(
    limit: int, arrivals: list[tuple[float, int, int]], latency_s: float
) -> None:
    """No more than by the largest request, and by what the estimates missed."""
    world = World(latency_s)
    in_order = sorted(arrivals)
    model = limited(replies(*[actual for _, _, actual in in_order]), RateLimit(None, limit, clock=world.clock))
    for at, estimate, _ in in_order:
        world.begin(model.answering(of_tokens(estimate), streamed=False), at=at)
    world.run()
    sent = [
        (at, max(0, actual - estimate), actual)
        for (at, _), (_, estimate, actual) in zip(world.sent, in_order, strict=True)
    ]
    largest = max(max(estimate, actual) for _, estimate, actual in in_order)
    for start, _, _ in sent:
        within = [(missed, actual) for at, missed, actual in sent if start <= at < start + 59.999]
        assert sum(actual for _, actual in within) <= limit + largest + sum(missed for missed, _ in within) + 1e-6


def test_tokens_are_spread() -> None:
    """A request is sent when those before it are paid for, but for a tenth of the minute's budget."""
    world = World()
    limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
    tokens = (600, 90, 900, 9)
    times = all_at_once(limit, world, [of_tokens(each) for each in tokens], replies(*tokens))
    assert times == [0, 1, round(690 / 90, 6), round((600 + 90 + 900 - 600 + 9) / 90, 6)]


def test_a_request_beyond_the_whole_budget() -> None:
    """It is sent when those before it are paid for, and those behind it wait until it is."""
    world = World()
    limit = RateLimit(tokens_per_minute=600, clock=world.clock)
    times = all_at_once(limit, world, [of_tokens(6_000), of_tokens(6_000), of_tokens(1)], replies(6_000, 6_000, 1))
    assert times == [0, round(6_000 / 9, 6), round((12_000 - 59) / 9, 6)]


def test_both_limits() -> None:
    """The one that is later holds, and what it holds back is no reason to send more at once then."""
    world = World()
    limit = RateLimit(60, 6_000, clock=world.clock)
    requests = [of_tokens(2_700), *[of_tokens(1)] * 20]
    times = all_at_once(limit, world, requests, replies(2_700, *[1] * 20))
    assert times[0] == 0
    assert times[1] == round((2_700 - 600 + 1) / 90, 6)
    assert len([at for at in times if times[1] <= at < times[1] + 1]) == 6


def test_the_usage_counts_in_the_end() -> None:
    """What a request came to replaces what it was taken for, in both directions."""
    for actual, wait_s in ((100, 0), (600, 0), (600 + 90, 1), (600 + 900, 10)):
        world = World()
        limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
        model = limited(replies(actual, 1), limit)
        world.begin(model.answering(of_tokens(600), streamed=False))
        world.run()
        world.begin(model.answering(of_tokens(1), streamed=False))
        world.run()
        assert world.times[1] == pytest.approx(max(0, wait_s + (1 / 90 if actual >= 600 else 0)), abs=1e-5)


def test_what_is_given_back_is_no_more_than_was_still_owed() -> None:
    """A correction that comes late, when all was paid for, gives nothing to those that have come since."""
    world = World(latency_s=1_000)
    limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
    slow = limited(replies(1), limit)
    world.begin(slow.answering(of_tokens(900), streamed=False))
    world.run(until=999)
    world.now = 999.0
    world.latency_s = 0
    second = limited(ScriptedModel(["ok"] * 2), limit)
    world.begin(second.answering(of_tokens(1_500), streamed=False), at=999.0)
    world.run(until=999)
    world.run(until=1_000)
    world.begin(second.answering(of_tokens(600), streamed=False), at=1_000.0)
    world.run()
    assert world.times == [0, 999, round(999 + 1_500 / 90, 6)]


@pytest.mark.parametrize("usage", [Usage(), Usage(reasoning_tokens=0)])
def test_a_usage_that_is_not_told(usage: Usage) -> None:
    """The estimate stands."""
    world = World()
    limit = RateLimit(tokens_per_minute=600, clock=world.clock)
    model = ScriptedModel([ModelReply((TextPart("ok"),), usage=usage)] * 2)
    assert all_at_once(limit, world, [of_tokens(120), of_tokens(60)], model) == [0, round(120 / 9, 6)]


def test_a_request_that_failed_stays_counted() -> None:
    """Since its provider counts it too."""
    world = World()
    limit = RateLimit(tokens_per_minute=600, clock=world.clock)
    model = ScriptedModel([RateLimitError("slow down"), "ok"])
    assert all_at_once(limit, world, [of_tokens(120), of_tokens(60)], model) == [0, round(120 / 9, 6)]
    assert [str(error) for error in world.failures] == ["slow down"]


@pytest.mark.parametrize(
    "first", [UnsupportedSettingError("no seed"), ModelReply((TextPart("kept"),), "stop", cached=True)]
)
def test_a_request_that_was_not_made(first: Any) -> None:
    """One that was refused before it was sent, or was answered from what was kept, is not counted."""
    world = World()
    limit = RateLimit(1, 600, clock=world.clock)
    model = limited(ScriptedModel([first, "ok", "ok"]), limit)
    for _ in range(3):
        world.begin(model.answering(of_tokens(60), streamed=False))
        world.run(until=0)
    world.run()
    assert world.times == [0, 0, 60]


@pytest.mark.parametrize(
    ("request_", "tokens"),
    [
        (ModelRequest(()), 0),
        (ModelRequest((Message.user("four"),)), 1),
        (ModelRequest((Message.user("東京は今日も"),)), 5),
        (ModelRequest((Message("assistant", (TextPart("ab"), ToolCall("c", "cd", "{}"))),)), 2),
        (ModelRequest((Message("tool", (ToolResult("c", "f", "x" * 400),)),)), 100),
        (ModelRequest((Message("assistant", (ProviderPart("anthropic", "{}" * 99, "x" * 40),)),)), 10),
        (ModelRequest((), (ToolDefinition("abcd", "efgh", {"type": "object"}),)), 7),
        (ModelRequest((), settings=ModelSettings(max_tokens=50)), 50),
        (ModelRequest((Message.user("\ud800"),)), 1),
    ],
)
def test_estimates(request_: ModelRequest, tokens: int) -> None:
    """A token for four bytes of all that is sent, and as many as may be answered, where that is said."""
    world = World()
    limit = RateLimit(tokens_per_minute=60, clock=world.clock)
    requests = [request_, of_tokens(6)]
    times = all_at_once(limit, world, requests)
    assert times[1] == round(tokens / (54 / 60), 6)


def test_the_order_of_arrival() -> None:
    """A small request that comes later does not overtake a large one that waits."""
    world = World()
    limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
    requests = [of_tokens(900), of_tokens(600), of_tokens(1), of_tokens(600), of_tokens(1)]
    all_at_once(limit, world, requests, replies(900, 600, 1, 600, 1))
    assert [request for _, request in world.sent] == requests


@pytest.mark.parametrize("latency_s", [0.2, 1.0, 5.0])
def test_one_that_comes_after_a_correction_does_not_overtake(latency_s: float) -> None:
    """Though there is room for it at once, those who wait already are sent first."""
    world = World(latency_s)
    limit = RateLimit(60_000, 6_000, clock=world.clock)
    model = limited(replies(1, 5, 6, 7), limit)
    for at, tokens in ((0, 6_000), (0, 5), (0, 6), (latency_s + 0.1, 7)):
        world.begin(model.answering(of_tokens(tokens), streamed=False), at=at)
    cancelled = model.answering(of_tokens(8), streamed=False)
    world.begin(cancelled, at=latency_s + 0.2)
    world.run(until=latency_s + 0.3)
    world.cancel(cancelled)
    world.run()
    assert [len(request.messages[0].text) // 4 for _, request in world.sent] == [6_000, 5, 6, 7]


def test_turns_move_up() -> None:
    """Where others come to less than was estimated, nobody waits for the estimate, but until he next looks."""
    world = World(latency_s=1)
    limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
    model = limited(replies(*[90] * 8), limit)
    for _ in range(8):
        world.begin(model.answering(of_tokens(6_000), streamed=False))
    world.run()
    assert world.times[-1] < 150  # and not 470, as by the estimates


def test_turns_move_back() -> None:
    """Where others come to more than was estimated, all wait until that is paid for."""
    world = World(latency_s=1)
    limit = RateLimit(tokens_per_minute=6_000, clock=world.clock)
    requests = [of_tokens(600), of_tokens(450)]
    assert all_at_once(limit, world, requests, replies(6_000, 450)) == [0, round(5_850 / 90, 6)]


@pytest.mark.parametrize("error", [None, DeadlineError("the time is over")])
def test_a_wait_that_is_cancelled_gives_its_turn_back(error: Exception | None) -> None:
    """Those behind it move up, and nothing of it is sent."""
    world = World()
    inner = ScriptedModel(["ok"] * 4)
    model = limited(inner, RateLimit(6, clock=world.clock))
    programs = [model.answering(REQUEST, streamed=False) for _ in range(6)]
    for program in programs[:4]:
        world.begin(program)
    world.run(until=3)
    world.cancel(programs[1], error)
    world.cancel(programs[2], error)
    world.begin(programs[4], at=4)
    world.run(until=4)
    world.begin(programs[5], at=4)
    world.run()
    assert world.times == [0, 10, 20, 30]
    assert len(inner.requests) == 4


def test_all_waits_are_cancelled() -> None:
    """Then it is as if none had been, but for what was sent."""
    world = World()
    model = limited(ScriptedModel(["ok"] * 2), RateLimit(6, clock=world.clock))
    programs = [model.answering(REQUEST, streamed=False) for _ in range(5)]
    for program in programs[:4]:
        world.begin(program)
    world.run(until=2)
    for program in programs[1:4]:  # in the order in which a group of tasks cancels them
        world.cancel(program)
    world.begin(programs[4], at=3)
    world.run()
    assert world.times == [0, 10]


def test_of_many_turns_the_newest_are_corrected() -> None:
    """A thousand of them, so that it stays quick with ever so many that are never over; older ones stay counted."""
    world = World()
    limit = RateLimit(tokens_per_minute=60_000, clock=world.clock)
    turns = [limit.turn(900) for _ in range(2_000)]
    limit.settle(turns[-1])
    start = limit.turn(0).start
    limit.settle(turns[500], 0)
    limit.give_back(turns[501])
    assert limit.turn(0).start == start
    for turn in turns[1_500:1_600]:
        limit.settle(turn, 0)
    assert limit.turn(0).start == pytest.approx(start - 100)


def test_what_is_no_reply() -> None:
    """It goes out as it is, and the estimate stands."""
    world = World()
    limit = RateLimit(tokens_per_minute=600, clock=world.clock)

    class Odd(ScriptedModel):
        def complete(self, request: ModelRequest) -> Any:
            return None

    model = limited(Odd([]), limit)
    assert model.complete(of_tokens(120)) is None
    assert limit.turn(60).start == pytest.approx(120 / 9)


def test_models_share_a_limit() -> None:
    """Requests to several models are one row."""
    world = World()
    limit = RateLimit(6, clock=world.clock)
    models = [limited(ScriptedModel(["ok"] * 2), limit) for _ in range(2)]
    for model in (*models, *models):
        world.begin(model.answering(REQUEST, streamed=False))
    world.run()
    assert world.times == [0, 10, 20, 30]


def test_waiting_is_told() -> None:
    """An event says how long a request has waited, and none comes where it did not wait."""
    world = World()
    limit = RateLimit(6, clock=world.clock)
    events: list[ModelEvent] = []
    all_at_once(limit, world, [replace(REQUEST, note=events.append)] * 3)
    waits = [event.seconds for event in events if isinstance(event, ModelWaited) and event.model == "scripted"]
    assert waits == pytest.approx([10, 20])
    assert len(events) == 2


@pytest.mark.parametrize("ask", FOUR_WAYS)
def test_the_reply_is_that_of_the_model(ask: Ask) -> None:
    """However it is asked; and an error is its error."""
    error = ModelError("no")
    model = limited(ScriptedModel(["one", error]), RateLimit(60_000, 1e9))
    assert ask(model, REQUEST).text == "one"
    with pytest.raises(ModelError) as raised:
        ask(model, REQUEST)
    assert raised.value is error


def test_it_is_called_like_the_model_inside() -> None:
    """It has the name, the identity and the capabilities of the model, and its pieces."""
    inner = ScriptedModel(["0123456789"])
    inner.identity = "scripted at home"  # type: ignore[attr-defined]  # which models may have
    model = limited(inner, RateLimit(600))
    assert isinstance(model, StreamingModel)
    assert (model.name, model.identity, model.capabilities) == ("scripted", "scripted at home", inner.capabilities)
    assert items_of(model, REQUEST)[:-1] == [TextPiece("01234567"), TextPiece("89")]
    weak = limited(ScriptedModel(["0123456789"], capabilities=Capabilities()), RateLimit(600))
    assert items_of(weak, REQUEST)[:-1] == [TextPiece("0123456789")]


def test_loops_and_threads_share_a_limit() -> None:
    """Each request has its turn, in whatever thread or event loop; a loop goes on while its requests wait."""
    limit = RateLimit(60_000)  # a tenth of it at once, which is spent below, and then about one a millisecond
    inner = ScriptedModel(["ok"] * 400)
    model = limited(inner, limit)
    beats = []

    async def many() -> None:
        async def beat() -> None:
            while True:
                beats.append(1)
                await asyncio.sleep(0.001)

        beating = asyncio.create_task(beat())
        await asyncio.gather(*(model.acomplete(REQUEST) for _ in range(100)))
        beating.cancel()

    def one(number: int) -> None:
        if number < 2:
            asyncio.run(many())
        else:
            for _ in range(100):
                model.complete(REQUEST)

    for _ in range(6_000):
        limit.turn(0)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(4)))
    assert len(inner.requests) == 400
    assert len(beats) > 3


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({}, "needs requests_per_minute, tokens_per_minute, or both"),
        ({"requests_per_minute": 0}, "requests_per_minute is a number above 0"),
        ({"requests_per_minute": True}, "requests_per_minute is a number above 0"),
        ({"tokens_per_minute": -1}, "tokens_per_minute is a number above 0"),
        ({"tokens_per_minute": float("inf")}, "tokens_per_minute is a number above 0"),
        ({"tokens_per_minute": float("nan")}, "tokens_per_minute is a number above 0"),
        ({"tokens_per_minute": "9"}, "tokens_per_minute is a number above 0"),
    ],
)
def test_no_limit(limits: dict[str, Any], complaint: str) -> None:
    """What limits nothing is refused."""
    with pytest.raises(ValueError, match=complaint):
        RateLimit(**limits)
