"""The socket that a server listens on. It bounds the connections: one too many gets a 503 and is closed at once.

Uvicorn's `limit_concurrency` rejects requests, but keeps the connections of clients that send none.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections import Counter, deque
from contextlib import suppress
from time import monotonic
from typing import Any

from tersely.web.errors import ApiError

MAX_CONNECTIONS = 512  # half of them for one client
RESERVED_FILES = 40  # for the worker processes, the log and the files of the page
RETRY_SECONDS = 0.5
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listener(socket.socket):
    """A listening socket that knows its open connections. It replaces `listening`."""

    def __init__(self, listening: socket.socket, most: int) -> None:
        super().__init__(fileno=listening.detach())
        self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # which connections inherit
        self.most = within_open_files(most)
        self._open: dict[socket.socket, str] = {}  # with their clients
        self._rejected: deque[socket.socket] = deque()
        self._retry = 0.0

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. asyncio takes a BlockingIOError as "none at the moment", and comes back."""
        if monotonic() < self._retry:  # asyncio would try again at once, as often as its backlog is long
            raise BlockingIOError
        try:
            connection, address = super().accept()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                self._retry = monotonic() + RETRY_SECONDS
            raise
        client = client_of(address[0])
        self._open = {one: whose for one, whose in self._open.items() if one.fileno() >= 0}
        if len(self._open) >= self.most or Counter(self._open.values())[client] >= max(1, self.most // 2):
            self._reject(connection)
            raise BlockingIOError
        self._open[connection] = client
        return connection, address

    def _reject(self, connection: socket.socket) -> None:
        """Send a 503. The last few stay open for a moment: closed at once, they could lose the response."""
        connection.setblocking(False)
        with suppress(OSError):
            connection.send(ApiError("too_many_connections").raw())
            connection.shutdown(socket.SHUT_WR)
        self._rejected.append(connection)
        if len(self._rejected) > 8:
            self._rejected.popleft().close()

    def close(self) -> None:
        while self._rejected:
            self._rejected.pop().close()
        super().close()


def client_of(host: str) -> str:
    """Whom an address belongs to. For IPv6 that is its network of 64 bits, all addresses of which one machine can use.

    >>> [client_of(host) for host in ("192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::2", "")]
    ['192.0.2.1', '192.0.2.1', '2001:db8::/64', '2001:db8::/64', '']
    """
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return host
    if address.ipv4_mapped or address.is_link_local:  # all machines of a link have the same network there
        return str(address.ipv4_mapped or address)
    return str(ipaddress.IPv6Network((int(address), 64), strict=False))


def within_open_files(most: int) -> int:
    """As many connections as asked for, or as the limit of open files allows."""
    try:
        import resource
    except ImportError:  # not on Windows
        return most
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most if files == resource.RLIM_INFINITY else max(2, min(most, files - RESERVED_FILES))
