"""The request queue: fair between clients, full at some point; requests that are slow or abandoned are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from typing import Any

import pytest

import tersely.serve.request_queue
from tersely.errors import BundleError, GivenUp, InputError, WorkerLost
from tersely.serve.limits import Limits
from tersely.serve.queued_response import QueuedResponse
from tersely.serve.request_queue import Place, RequestQueue
from tersely.web.errors import ApiError


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


def make_queue(**limits: Any) -> tuple[RequestQueue, Pool]:
    pool = Pool()
    return RequestQueue(pool, Limits(**limits)), pool  # type: ignore[arg-type]


class Client:
    """A client that waits for a response, and may disconnect."""

    def __init__(self, name: str = "127.0.0.1") -> None:
        self.scope = {"type": "http", "client": (name, 1)}
        self.sent: list[dict[str, Any]] = []
        self.gone, self.reads = asyncio.Event(), asyncio.Event()
        self.reads.set()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        if "body" in message:
            await self.reads.wait()

    def requests(self, queue: RequestQueue, n_lines: int = 1) -> asyncio.Task[None]:
        async def lines(place: Place) -> AsyncIterator[str]:
            for _ in range(n_lines):
                yield await place.run(None) + "\n"

        return asyncio.ensure_future(QueuedResponse(queue, lines)(self.scope, self.receive, self.send))

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_the_response_comes_when_the_work_is_done() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        client = Client()
        task = client.requests(queue)
        await settle()
        assert (queue.n_requests, client.sent) == (1, [])
        pool.futures[0].set_result("{}")
        await task
        assert [message["type"] for message in client.sent] == ["http.response.start", *["http.response.body"] * 2]
        assert (queue.n_requests, client.body) == (0, b"{}\n")

    asyncio.run(run())


def test_a_full_queue_rejects_at_once() -> None:
    async def run() -> None:
        queue, pool = make_queue(max_waiting=1)
        tasks = [Client(f"10.0.0.{i}").requests(queue) for i in range(4)]  # two are in work, one waits
        await settle()
        with pytest.raises(ApiError) as raised:
            await tasks[3]
        assert (raised.value.type.status, raised.value.code, raised.value.headers) == (
            503,
            "busy",
            {"retry-after": "1"},
        )
        for done in range(3):
            pool.futures[done].set_result("{}")
            await settle()
        await asyncio.gather(*tasks[:3])
        assert queue.n_requests == 0

    asyncio.run(run())


def test_a_slow_call_does_not_reject_quick_ones() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        slow = Client().requests(queue)
        await settle()
        for _ in range(12):
            quick = Client().requests(queue)
            await settle()
            pool.futures[-1].set_result("{}")
            await quick
        pool.futures[0].set_result("{}")
        await slow

    asyncio.run(run())


def test_a_full_queue_rejects_the_newest_request_of_the_greediest_client() -> None:
    async def run() -> None:
        queue, pool = make_queue(max_waiting=4)
        greedy = [Client("a").requests(queue) for _ in range(6)]
        await settle()
        modest = [Client("b").requests(queue) for _ in range(4)]
        await settle()
        assert [task.done() for task in greedy] == [False, False, False, True, True, True]
        assert [task.done() for task in modest] == [False, False, False, True]  # three each: no more room
        for task in [*greedy[3:], modest[3]]:
            with pytest.raises(ApiError) as raised:
                await task
            assert raised.value.code == "busy"
        for done in range(6):
            pool.futures[done].set_result("{}")
            await settle()
        await asyncio.gather(*greedy[:3], *modest[:3])
        assert queue.n_requests == 0

    asyncio.run(run())


def test_workers_are_shared_between_clients() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        greedy = [Client("a").requests(queue) for _ in range(20)]
        await settle()
        assert len(pool.futures) == 2  # alone, a client has both workers
        modest = Client("b").requests(queue)
        await settle()
        pool.futures[0].set_result("{}")  # the next one is for the other client
        await settle()
        pool.futures[2].set_result("{}")
        await modest
        for _ in range(10):  # and its share stays free for it, though nineteen others wait
            again = Client("b").requests(queue)
            await settle()
            pool.futures[-1].set_result("{}")
            await again
        assert len(pool.futures) == 2 + 1 + 10
        for task in greedy:
            task.cancel()

    asyncio.run(run())


def test_a_client_whose_calls_are_quick_has_more_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(tersely.serve.request_queue, "monotonic", lambda: now)

    async def run() -> None:
        nonlocal now
        queue, pool = make_queue()
        slow = [Client(name).requests(queue) for name in ("a", "b") * 3]
        await settle()
        now = 5.0
        quick = [Client("c").requests(queue) for _ in range(6)]
        await settle()
        pool.futures[0].set_result("{}")  # a call of "a": five seconds
        await settle()
        for number in range(2, 8):
            now += 0.1
            assert not quick[number - 2].done()
            pool.futures[number].set_result("{}")
            await settle()
        assert all(task.done() for task in quick)  # one after the other, though "a" waited all the time
        for task in slow:
            task.cancel()

    asyncio.run(run())


def test_the_share_of_a_client_that_comes_no_more_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(tersely.serve.request_queue, "monotonic", lambda: now)

    async def run() -> None:
        nonlocal now
        queue, pool = make_queue()
        other = Client("b").requests(queue)
        await settle()
        pool.futures[0].set_result("{}")
        await other
        tasks = [Client("a").requests(queue) for _ in range(3)]
        await settle()
        assert len(pool.futures) == 2
        now = 11.0
        tasks.append(Client("a").requests(queue))
        await settle()
        assert len(pool.futures) == 3
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def test_a_response_that_is_too_big() -> None:
    async def run() -> None:
        queue, pool = make_queue(max_response=10)
        single = Client().requests(queue)
        await settle()
        pool.futures[0].set_result(11)  # type: ignore[arg-type]
        with queue.place("a") as place:
            several = asyncio.ensure_future(place.run_all([("work", 0), ("work", 1)]))
            for done in (1, 2):
                await settle()
                pool.futures[done].set_result("123456")
            for task in (single, several):
                with pytest.raises(ApiError) as raised:
                    await task
                assert (raised.value.type.status, raised.value.code) == (413, "response_too_big")

    asyncio.run(run())


def test_a_client_that_does_not_read_in_time_is_cut() -> None:
    async def run() -> None:
        queue, pool = make_queue(max_seconds=0.05)
        client = Client()
        client.reads.clear()
        task = client.requests(queue)
        await settle()
        pool.futures[0].set_result("{}")
        await task
        assert "error" not in str(client.body)
        assert all(message.get("more_body", True) for message in client.sent)  # uvicorn closes the connection
        assert queue.n_requests == 0

    asyncio.run(run())


def test_a_slow_request_is_cancelled() -> None:
    async def run() -> None:
        queue, pool = make_queue(max_seconds=0.05)
        with pytest.raises(ApiError) as raised:
            await Client().requests(queue)
        assert (raised.value.type.status, raised.value.code) == (503, "too_slow")
        assert pool.futures[0].cancelled()
        assert queue.n_requests == 0

    asyncio.run(run())


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InputError("no"), 422, "cannot_shorten"),
        (BundleError("/its/path"), 503, "not_ready"),
        (GivenUp("no"), 503, "too_slow"),
        (WorkerLost("no"), 503, "worker_lost"),
    ],
)
def test_errors_of_a_worker(error: Exception, status: int, code: str) -> None:
    async def run() -> None:
        queue, pool = make_queue()
        task = Client().requests(queue)
        await settle()
        pool.futures[0].set_exception(error)
        with pytest.raises(ApiError) as raised:
            await task
        assert (raised.value.type.status, raised.value.code) == (status, code)
        assert "path" not in str(raised.value)

    asyncio.run(run())


def test_after_the_first_line_an_error_is_a_line() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        client = Client()
        task = client.requests(queue, n_lines=2)
        await settle()
        pool.futures[0].set_result("{}")
        await settle()
        assert client.body == b"{}\n"
        pool.futures[1].set_exception(InputError("no"))
        await task
        assert (
            client.body
            == b'{}\n{"error": {"code": "cannot_shorten", "message": "cannot shorten the text: no", "field": "text"}}\n'
        )
        assert client.sent[-1]["more_body"] is False

    asyncio.run(run())


def test_a_client_that_disconnects_cancels_its_work() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        client = Client()
        task = client.requests(queue)
        await settle()
        client.gone.set()
        await task
        assert (pool.futures[0].cancelled(), queue.n_requests, client.sent) == (True, 0, [])

    asyncio.run(run())


def test_running_work_of_a_gone_client_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.serve.request_queue, "ABANDONED_SECONDS", 0.05)

    async def run() -> None:
        queue, pool = make_queue()
        clients = [Client(), Client()]
        tasks = [client.requests(queue) for client in clients]
        await settle()
        for future, client in zip(pool.futures, clients, strict=True):
            future.set_running_or_notify_cancel()
            client.gone.set()
        await asyncio.gather(*tasks)
        assert not any(future.done() for future in pool.futures)
        pool.futures[0].set_result("{}")  # it was almost finished
        await asyncio.sleep(0.1)
        assert pool.futures[0].result() == "{}"
        assert isinstance(pool.futures[1].exception(), GivenUp)

    asyncio.run(run())


def test_of_many_texts_no_more_are_in_the_pool_than_there_are_workers() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        with queue.place("a") as place:
            task = asyncio.ensure_future(place.run_all([("work", i) for i in range(5)]))
            for done in range(5):
                await settle()
                assert len(pool.futures) == min(done + 2, 5)
                pool.futures[done].set_result(str(done))
            assert await task == ["0", "1", "2", "3", "4"]

    asyncio.run(run())


def test_the_first_text_that_fails_ends_the_others() -> None:
    async def run() -> None:
        queue, pool = make_queue()
        with queue.place("a") as place:
            task = asyncio.ensure_future(place.run_all([("work", i) for i in range(5)]))
            await settle()
            pool.futures[1].set_exception(InputError("no"))
            with pytest.raises(ApiError) as raised:
                await task
        assert raised.value.field == "text.1"
        await settle()
        assert pool.futures[0].cancelled()
        assert len(pool.futures) <= 3

    asyncio.run(run())
