"""The request queue: fair between clients, full at some point; requests that are slow or abandoned are cancelled."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import Future
from typing import Any

import pytest

import tersely.serve.request_queue
from tersely.errors import BundleError, GivenUp, InputError, WorkerLost
from tersely.serve.limits import Limits
from tersely.serve.queued_response import QueuedResponse
from tersely.serve.request_queue import Place, RequestQueue
from tersely.web.errors import ApiError

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class Pool:
    """A pool whose work is done when the test says so."""

    workers = 2

    def __init__(self) -> None:
        self.futures: list[Future[str]] = []

    async def finish(self, number: int, result: Any = "{}") -> None:
        """Give a call its result, or its error."""
        if isinstance(result, Exception):
            self.futures[number].set_exception(result)
        else:
            self.futures[number].set_result(result)
        await settle()

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


async def error_of(task: asyncio.Future[Any]) -> ApiError:
    with pytest.raises(ApiError) as raised:
        await task
    return raised.value


async def requests_of(queue: RequestQueue, names: Iterable[str]) -> list[asyncio.Task[None]]:
    """A request of each of these clients, one after the other."""
    tasks = [Client(name).requests(queue) for name in names]
    await settle()
    return tasks


def cancel(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the queue sees, as the only item of a list."""
    now = [0.0]
    monkeypatch.setattr(tersely.serve.request_queue, "monotonic", lambda: now[0])
    return now


async def test_the_response_comes_when_the_work_is_done() -> None:
    queue, pool = make_queue()
    client = Client()
    task = client.requests(queue)
    await settle()
    assert (queue.n_requests, client.sent) == (1, [])
    await pool.finish(0)
    await task
    assert [message["type"] for message in client.sent] == ["http.response.start", *["http.response.body"] * 2]
    assert (queue.n_requests, client.body) == (0, b"{}\n")


async def test_a_full_queue_rejects_at_once() -> None:
    queue, pool = make_queue(max_waiting=1)
    *tasks, rejected = await requests_of(queue, "abcd")  # two are in work, one waits
    error = await error_of(rejected)
    assert (error.type.status, error.code, error.headers) == (503, "busy", {"retry-after": "1"})
    for number in range(3):
        await pool.finish(number)
    await asyncio.gather(*tasks)
    assert queue.n_requests == 0


async def test_a_slow_call_does_not_reject_quick_ones() -> None:
    queue, pool = make_queue()
    slow = await requests_of(queue, "a")
    for number in range(1, 13):
        [quick] = await requests_of(queue, "a")
        await pool.finish(number)
        await quick
    cancel(slow)


async def test_a_full_queue_rejects_the_newest_request_of_the_greediest_client() -> None:
    queue, pool = make_queue(max_waiting=4)
    greedy = await requests_of(queue, "aaaaaa")
    modest = await requests_of(queue, "bbbb")
    assert [task.done() for task in greedy] == [False, False, False, True, True, True]
    assert [task.done() for task in modest] == [False, False, False, True]  # three each: no more room
    for task in [*greedy[3:], modest[3]]:
        assert (await error_of(task)).code == "busy"
    for number in range(6):
        await pool.finish(number)
    await asyncio.gather(*greedy[:3], *modest[:3])
    assert queue.n_requests == 0


async def test_the_addresses_of_an_ipv6_network_are_one_client() -> None:
    queue, _ = make_queue(max_waiting=4)
    greedy = await requests_of(queue, [f"2001:db8::{i}" for i in range(6)])
    modest = await requests_of(queue, ["2001:db8:0:1::1"])
    assert [task.done() for task in [*greedy, *modest]] == [False] * 5 + [True, False]
    assert (await error_of(greedy[5])).code == "busy"
    cancel([*greedy[:5], *modest])


async def test_workers_are_shared_between_clients() -> None:
    queue, pool = make_queue()
    greedy = await requests_of(queue, "a" * 20)
    assert len(pool.futures) == 2  # alone, a client has both workers
    [modest] = await requests_of(queue, "b")
    await pool.finish(0)  # the next one is for the other client
    await pool.finish(2)
    await modest
    for _ in range(10):  # and its share stays free for it, though nineteen others wait
        [again] = await requests_of(queue, "b")
        await pool.finish(-1)
        await again
    assert len(pool.futures) == 2 + 1 + 10
    cancel(greedy)


async def test_a_client_whose_calls_are_quick_has_more_turns(clock: list[float]) -> None:
    queue, pool = make_queue()
    slow = await requests_of(queue, "ababab")
    clock[0] = 5.0
    quick = await requests_of(queue, "cccccc")
    await pool.finish(0)  # a call of "a": five seconds
    for number in range(2, 8):
        clock[0] += 0.1
        assert not quick[number - 2].done()
        await pool.finish(number)
    assert all(task.done() for task in quick)  # one after the other, though "a" waited all the time
    cancel(slow)


async def test_the_share_of_a_client_that_comes_no_more_is_free_again(clock: list[float]) -> None:
    queue, pool = make_queue()
    await requests_of(queue, "b")
    await pool.finish(0)
    tasks = await requests_of(queue, "aaa")
    assert len(pool.futures) == 2
    clock[0] = 11.0
    tasks += await requests_of(queue, "a")
    assert len(pool.futures) == 3
    cancel(tasks)


async def test_a_share_is_free_again_without_a_new_request(clock: list[float]) -> None:
    queue, pool = make_queue()
    await requests_of(queue, "b")
    await pool.finish(0)
    tasks = await requests_of(queue, "aaaa")
    assert len(pool.futures) == 2
    clock[0] = 11.0
    await pool.finish(1)
    assert len(pool.futures) == 4
    cancel(tasks)


async def test_a_response_that_is_too_big() -> None:
    queue, pool = make_queue(max_response=10)
    [single] = await requests_of(queue, "a")
    await pool.finish(0, 11)
    with queue.place("a") as place:
        several = asyncio.ensure_future(place.run_all([("work", 0), ("work", 1)]))
        await settle()
        for number in (1, 2):
            await pool.finish(number, "123456")
        for task in (single, several):
            assert (await error_of(task)).code == "response_too_big"


async def test_a_client_that_does_not_read_in_time_is_cut() -> None:
    queue, pool = make_queue(max_seconds=0.05)
    client = Client()
    client.reads.clear()
    task = client.requests(queue)
    await settle()
    await pool.finish(0)
    await asyncio.wait_for(task, 20)
    assert "error" not in str(client.body)
    assert all(message.get("more_body", True) for message in client.sent)  # uvicorn closes the connection
    assert queue.n_requests == 0


async def test_a_slow_request_is_cancelled() -> None:
    queue, pool = make_queue(max_seconds=0.05)
    assert (await error_of(Client().requests(queue))).code == "too_slow"
    assert pool.futures[0].cancelled()
    assert queue.n_requests == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("no"), "cannot_shorten"),
        (BundleError("/its/path"), "not_ready"),
        (GivenUp("no"), "too_slow"),
        (WorkerLost("no"), "worker_lost"),
    ],
)
async def test_errors_of_a_worker(error: Exception, code: str) -> None:
    queue, pool = make_queue()
    [task] = await requests_of(queue, "a")
    await pool.finish(0, error)
    found = await error_of(task)
    assert (found.code, "path" in str(found)) == (code, False)


async def test_after_the_first_line_an_error_is_a_line() -> None:
    queue, pool = make_queue()
    client = Client()
    task = client.requests(queue, n_lines=2)
    await settle()
    await pool.finish(0)
    assert client.body == b"{}\n"
    await pool.finish(1, InputError("no"))
    await task
    first, last = map(json.loads, client.body.splitlines())
    assert (first, last["error"]["code"], client.sent[-1]["more_body"]) == ({}, "cannot_shorten", False)


async def test_a_client_that_disconnects_cancels_its_work() -> None:
    queue, pool = make_queue()
    client = Client()
    task = client.requests(queue)
    await settle()
    client.gone.set()
    await task
    assert (pool.futures[0].cancelled(), queue.n_requests, client.sent) == (True, 0, [])


async def test_waiting_work_of_a_gone_client_is_forgotten() -> None:
    """Its call holds a text: thousands of them would fill the memory while the workers are busy."""
    queue, _ = make_queue()
    tasks = await requests_of(queue, "aa")

    class Text:
        pass

    async def leave_soon() -> weakref.ref[Text]:
        text = Text()
        with queue.place("a") as place:
            waiting = asyncio.ensure_future(place.run("work", text))
            await settle()
            waiting.cancel()
            await settle()
        return weakref.ref(text)

    text = await leave_soon()
    gc.collect()
    assert text() is None
    cancel(tasks)


async def test_running_work_of_a_gone_client_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.serve.request_queue, "ABANDONED_SECONDS", 0.05)
    queue, pool = make_queue()
    clients = [Client(), Client()]
    tasks = [client.requests(queue) for client in clients]
    await settle()
    for future, client in zip(pool.futures, clients, strict=True):
        future.set_running_or_notify_cancel()
        client.gone.set()
    await asyncio.gather(*tasks)
    assert not any(future.done() for future in pool.futures)
    await pool.finish(0)  # it was almost finished
    with pytest.raises(GivenUp):
        await asyncio.wrap_future(pool.futures[1])
    assert pool.futures[0].result() == "{}"


async def test_of_many_texts_no_more_are_in_the_pool_than_there_are_workers() -> None:
    queue, pool = make_queue()
    with queue.place("a") as place:
        task = asyncio.ensure_future(place.run_all([("work", i) for i in range(5)]))
        await settle()
        for number in range(5):
            assert len(pool.futures) == min(number + 2, 5)
            await pool.finish(number, str(number))
        assert await task == ["0", "1", "2", "3", "4"]


async def test_the_first_text_that_fails_ends_the_others() -> None:
    queue, pool = make_queue()
    with queue.place("a") as place:
        task = asyncio.ensure_future(place.run_all([("work", i) for i in range(5)]))
        await settle()
        await pool.finish(1, InputError("no"))
        assert (await error_of(task)).field == "text.1"
    await settle()
    assert pool.futures[0].cancelled()
    assert len(pool.futures) <= 3
