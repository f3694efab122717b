"""Servers and clients for tests: an application in a thread of this process, and one without a server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from tersely.summary.summarizer import Summarizer
from tersely.web.server import address_of, bind, make_server

# The response of a service that is busy, for `route.fulfill` of a page.
BUSY = {
    "status": 503,
    "content_type": "application/json",
    "body": '{"error": {"code": "busy", "message": "too many requests are waiting", "field": null}}',
}


@contextmanager
def serving(app: Any, max_connections: int = 512) -> Iterator[str]:
    """The address of an application that is served as long as the block lasts."""
    with bind("127.0.0.1", 0, max_connections) as bound:
        server = make_server(app, grace=5)
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        try:
            yield address_of(bound).removesuffix("/")
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def connect(address: str, source: str = "127.0.0.1") -> socket.socket:
    """A connection from a local address to a server."""
    url = urlsplit(address)
    return socket.create_connection((str(url.hostname), int(url.port or 0)), timeout=20, source_address=(source, 0))


def open_client(summarizer: Summarizer, **settings: Any) -> TestClient:
    """A client of an application without workers, which are started only inside a `with` block."""
    from tersely.serve.app import create_app  # here and not above: a test of another server does not need the extra
    from tersely.serve.service import Settings

    return TestClient(create_app(summarizer, Settings(**settings)), base_url="http://127.0.0.1:8017")
