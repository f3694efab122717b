"""Hostile clients beside a load: some never read what they asked for, some send a byte a second.

One more process asks for /healthz again and again, so that its time is that of the service and not of the load.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import multiprocessing
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from service_load import LoadReport, load

HEAD = "POST /v1/summarize HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n"
ADDRESSES = ("127.0.0.2", "127.0.0.3")  # of the hostile clients; on loopback all of 127.0.0.0/8 is this machine


async def connect(address: str, number: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    url, source = urlsplit(address), ADDRESSES[number % len(ADDRESSES)]
    return await asyncio.open_connection(url.hostname, url.port, local_addr=(source, 0), limit=1)


async def never_read(address: str, number: int, body: bytes) -> None:
    """Send requests on one connection and read no response, until it is cut; then again."""
    while True:
        with suppress(OSError):
            _, writer = await connect(address, number)
            while True:
                writer.write(HEAD.format(len(body)).encode() + body)
                await writer.drain()
                await asyncio.sleep(5)


async def send_slowly(address: str, number: int, body: bytes) -> None:
    """Send a byte a second, of the head or of the body, until the connection is cut; then again."""
    while True:
        with suppress(OSError):
            _, writer = await connect(address, number)
            head = HEAD.format(len(body)).encode()
            if number % 2:
                writer.write(head)
            for byte in body if number % 2 else head:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(1)


def ask_health(address: str, pipe: Connection) -> None:
    """Note how long /healthz takes, on a kept connection, until the pipe says that it is enough."""
    client, seconds = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60), list[float]()
    while not pipe.poll(0.02):
        begin = time.perf_counter()
        client.request("GET", "/healthz")
        reply = client.getresponse()
        reply.read()
        seconds.append(time.perf_counter() - begin)
        assert reply.status == 200
    pipe.send(seconds)


async def run(
    pid: int, address: str, good: list[tuple[bytes, list[str]]], n: int, at_once: int, hostile: int
) -> tuple[LoadReport, list[float]]:
    """The report of the load beside `hostile` clients of each kind, and the seconds of each /healthz."""
    text = " ".join(["the ship ran aground on tuesday and the minister said there were no casualties"] * 4)
    big = json.dumps({"text": text, "ratio": 0.5, "n_best": 60, "fast": True}).encode()
    ours, its = multiprocessing.Pipe()
    asking = multiprocessing.get_context("spawn").Process(target=ask_health, args=(address, its), daemon=True)
    asking.start()
    its.close()  # so that the end of the process is seen
    beside: list[asyncio.Future[None]] = []
    for number in range(hostile):
        beside += map(asyncio.ensure_future, (never_read(address, number, big), send_slowly(address, number, big)))
    try:
        report = await load(pid, address, good, n, at_once)
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        ours.send(None)
    health = ours.recv()
    asking.join()
    return report, health
