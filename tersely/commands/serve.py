"""`tersely serve`: the HTTP service and its page."""

from __future__ import annotations

import argparse
import dataclasses
import ipaddress
import os
import sys

from tersely.commands.common import add_bundle, add_workers
from tersely.errors import InputError

EPILOG = """\
The page is at the address that is printed, the description of the API at /docs. Any address other than this machine's
own (127.0.0.1) needs a token, which requests send in the header "authorization: Bearer TOKEN".

examples:
  tersely serve
  tersely serve --workers 4 --max-seconds 10
  TERSELY_TOKEN=... tersely serve --host 0.0.0.0
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from tersely.serve.limits import Limits

    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to serve on (default: 127.0.0.1)")
    add("--port", type=int, default=8017, help="port to serve on, 0 for any (default: 8017)")
    add_bundle(parser)
    add_workers(parser, default=None)
    access = parser.add_mutually_exclusive_group()
    access.add_argument("--token", help="token that requests have to send (default: the variable TERSELY_TOKEN)")
    access.add_argument("--no-token", action="store_true", help="serve everybody who can reach the address")
    add("--cors", action="append", default=[], metavar="ORIGIN", help="allow pages of this origin; can be repeated")
    add("--access-log", action="store_true", help="write a line of JSON for each request to stderr")
    for limit in dataclasses.fields(Limits):
        name, help = f"--{limit.name.replace('_', '-')}", f"{limit.metadata['help']} (default: %(default)s)"
        add(name, type=type(limit.default), default=limit.default, metavar="N", help=help)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from tersely.serve.app import create_app
    from tersely.serve.limits import Limits
    from tersely.serve.service import Settings
    from tersely.summary.summarizer import Summarizer
    from tersely.web.server import address_of, bind, make_server

    token = None if args.no_token else os.environ.get("TERSELY_TOKEN") if args.token is None else args.token
    if token is not None and not token.strip():
        raise InputError("the token is empty: give one in --token or TERSELY_TOKEN, or serve everybody with --no-token")
    local = is_loopback(args.host)
    if not local and token is None and not args.no_token:
        raise InputError(f"{args.host} can be reached from other machines: give --token TOKEN, or --no-token")
    limits = Limits(**{limit.name: getattr(args, limit.name) for limit in dataclasses.fields(Limits)})
    settings = Settings(args.workers, limits, token, tuple(args.cors), args.host if local else None, args.access_log)
    app = create_app(Summarizer.load(args.bundle), settings)
    with bind(args.host, args.port, limits.max_connections) as bound:
        print(f"serving on {address_of(bound)}; stop with Ctrl-C", file=sys.stderr, flush=True)
        make_server(app, grace=limits.max_seconds).run(sockets=[bound])
    return 0


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
