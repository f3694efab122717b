"""A server for tests: an application in a thread of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
