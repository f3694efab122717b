"""Who waits: refused at once when too many do, given up when it takes too long, forgotten when the client has gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from typing import Any

import pytest

import tersely.serve.desk
from tersely.errors import GivenUp, InputError, WorkerLost
from tersely.serve.desk import Answer, Desk
from tersely.serve.limits import Limits
from tersely.web.refusals import Refused


class Pool:
    """A pool whose work is done when the test says so."""

    workers = 2

    def __init__(self) -> None:
        self.futures: list[Future[str]] = []

    def submit(self, work: Any, *args: Any) -> Future[str]:
        self.futures.append(Future())
        return self.futures[-1]

    def give_up(self, future: Future[str]) -> None:
        if not future.cancel() and not future.done():  # it runs
            future.set_exception(GivenUp("no"))


def desk(**limits: Any) -> tuple[Desk, Pool]:
    pool = Pool()
    return Desk(pool, Limits(**limits)), pool  # type: ignore[arg-type]


class Client:
    """Somebody who waits for an answer, and may go."""

    def __init__(self, name: str = "127.0.0.1") -> None:
        self.scope = {"type": "http", "client": (name, 1)}
        self.sent: list[dict[str, Any]] = []
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def asks(self, desk: Desk, n_lines: int = 1) -> asyncio.Task[None]:
        async def lines() -> AsyncIterator[str]:
            for _ in range(n_lines):
                yield await desk.ask(None) + "\n"

        return asyncio.ensure_future(Answer(desk, lines())(self.scope, self.receive, self.send))

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_the_answer_comes_when_the_work_is_done() -> None:
    async def run() -> None:
        place, pool = desk()
        client = Client()
        task = client.asks(place)
        await settle()
        assert (place.present, client.sent) == (1, [])
        pool.futures[0].set_result("{}")
        await task
        assert [message["type"] for message in client.sent] == ["http.response.start", *["http.response.body"] * 2]
        assert (place.present, client.body) == (0, b"{}\n")

    asyncio.run(run())


def test_past_the_queue_there_is_a_refusal_at_once() -> None:
    async def run() -> None:
        place, pool = desk(max_waiting=1)
        tasks = [Client(f"10.0.0.{i}").asks(place) for i in range(4)]  # two are worked on, one waits
        await settle()
        with pytest.raises(Refused) as refused:
            await tasks[3]
        assert (refused.value.status, refused.value.code, refused.value.headers) == (503, "busy", {"retry-after": "1"})
        for future in pool.futures:
            future.set_result("{}")
        await asyncio.gather(*tasks[:3])
        assert place.present == 0

    asyncio.run(run())


def test_who_would_wait_in_vain_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(tersely.serve.desk, "monotonic", lambda: now)

    async def run() -> None:
        nonlocal now
        place, pool = desk(max_seconds=30)
        first = Client().asks(place)
        await settle()
        now = 25.0  # so long does a call take
        pool.futures[0].set_result("{}")
        await first
        tasks = [Client().asks(place) for _ in range(3)]  # two are worked on, and the third would have to wait
        await settle()
        with pytest.raises(Refused) as refused:
            await tasks[2]
        assert (refused.value.status, refused.value.code) == (503, "busy")
        for future in pool.futures[1:]:
            future.set_result("{}")
        await asyncio.gather(*tasks[:2])
        for _ in range(20):  # quick ones are taken as long as a worker is free, and then others may wait again
            again = Client().asks(place)
            await settle()
            pool.futures[-1].set_result("{}")
            await again
        tasks = [Client().asks(place) for _ in range(3)]
        await settle()
        for future in pool.futures[-3:]:
            future.set_result("{}")
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_one_client_cannot_take_all_places() -> None:
    async def run() -> None:
        place, pool = desk(max_per_client=1)
        first, second, other = (Client(name).asks(place) for name in ("a", "a", "b"))
        await settle()
        with pytest.raises(Refused) as refused:
            await second
        assert (refused.value.status, refused.value.code) == (429, "too_many_requests")
        for future in pool.futures:
            future.set_result("{}")
        await asyncio.gather(first, other)
        again = Client("a").asks(place)
        await settle()
        pool.futures[-1].set_result("{}")
        await again

    asyncio.run(run())


def test_what_takes_too_long_is_given_up() -> None:
    async def run() -> None:
        place, pool = desk(max_seconds=0.05)
        with pytest.raises(Refused) as refused:
            await Client().asks(place)
        assert (refused.value.status, refused.value.code) == (503, "too_slow")
        assert pool.futures[0].cancelled()
        assert place.present == 0

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InputError("no"), 422, "cannot_shorten"),
        (GivenUp("no"), 503, "too_slow"),
        (WorkerLost("no"), 503, "worker_lost"),
    ],
)
def test_what_goes_wrong_in_a_worker(error: Exception, status: int, code: str) -> None:
    async def run() -> None:
        place, pool = desk()
        task = Client().asks(place)
        await settle()
        pool.futures[0].set_exception(error)
        with pytest.raises(Refused) as refused:
            await task
        assert (refused.value.status, refused.value.code) == (status, code)

    asyncio.run(run())


def test_after_the_first_line_a_refusal_is_a_line() -> None:
    async def run() -> None:
        place, pool = desk()
        client = Client()
        task = client.asks(place, n_lines=2)
        await settle()
        pool.futures[0].set_result("{}")
        await settle()
        assert client.body == b"{}\n"
        pool.futures[1].set_exception(InputError("no"))
        await task
        assert client.body == b'{}\n{"error": {"code": "cannot_shorten", "message": "no", "field": "text"}}\n'
        assert client.sent[-1]["more_body"] is False

    asyncio.run(run())


def test_who_has_gone_is_not_worked_for() -> None:
    async def run() -> None:
        place, pool = desk()
        client = Client()
        task = client.asks(place)
        await settle()
        client.gone.set()
        await task
        assert (pool.futures[0].cancelled(), place.present, client.sent) == (True, 0, [])

    asyncio.run(run())


def test_work_that_runs_on_for_nobody_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.serve.desk, "PATIENCE", 0.05)

    async def run() -> None:
        place, pool = desk()
        clients = [Client(), Client()]
        tasks = [client.asks(place) for client in clients]
        await settle()
        for future, client in zip(pool.futures, clients, strict=True):
            future.set_running_or_notify_cancel()
            client.gone.set()
        await asyncio.gather(*tasks)
        assert not any(future.done() for future in pool.futures)
        pool.futures[0].set_result("{}")  # it was nearly done
        await asyncio.sleep(0.1)
        assert pool.futures[0].result() == "{}"
        assert isinstance(pool.futures[1].exception(), GivenUp)

    asyncio.run(run())


def test_of_many_texts_no_more_are_in_the_pool_than_there_are_workers() -> None:
    async def run() -> None:
        place, pool = desk()
        task = asyncio.ensure_future(place.ask_all([("work", i) for i in range(5)]))
        for done in range(5):
            await settle()
            assert len(pool.futures) == min(done + 2, 5)
            pool.futures[done].set_result(str(done))
        assert await task == ["0", "1", "2", "3", "4"]

    asyncio.run(run())


def test_the_first_text_that_fails_ends_the_others() -> None:
    async def run() -> None:
        place, pool = desk()
        task = asyncio.ensure_future(place.ask_all([("work", i) for i in range(5)]))
        await settle()
        pool.futures[1].set_exception(InputError("no"))
        with pytest.raises(Refused) as refused:
            await task
        assert refused.value.field == "text.1"
        await settle()
        assert pool.futures[0].cancelled()
        assert len(pool.futures) <= 3

    asyncio.run(run())
