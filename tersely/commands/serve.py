"""`tersely serve`: the HTTP service and its page."""

from __future__ import annotations

import argparse
import dataclasses
import ipaddress
import os
import sys

from tersely.errors import InputError

EPILOG = """\
The page is at the address that is printed, the description of the interface at /docs. On any address but this machine's
own (127.0.0.1), a token is needed, which requests bring as the header "authorization: Bearer TOKEN".

examples:
  tersely serve
  tersely serve --workers 4 --max-seconds 10
  TERSELY_TOKEN=... tersely serve --host 0.0.0.0
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from tersely.serve.limits import Limits

    parser.add_argument("--host", default="127.0.0.1", help="address to serve on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8017, help="port to serve on, 0 for any (default: 8017)")
    parser.add_argument("--bundle", metavar="DIR", help="a model folder (default: the one in the package)")
    parser.add_argument("--workers", type=int, metavar="N", help="worker processes (default: one for each core)")
    access = parser.add_mutually_exclusive_group()
    access.add_argument("--token", help="what requests have to bring (default: the variable TERSELY_TOKEN)")
    access.add_argument("--no-token", action="store_true", help="serve anybody who can reach the address")
    parser.add_argument(
        "--cors", action="append", default=[], metavar="ORIGIN", help="let pages of this origin ask; can be repeated"
    )
    for limit in dataclasses.fields(Limits):
        parser.add_argument(
            f"--{limit.name.replace('_', '-')}",
            type=type(limit.default),
            default=limit.default,
            metavar="N",
            help=f"{limit.metadata['help']} (default: %(default)s)",
        )


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from tersely.serve.app import create_app
    from tersely.serve.limits import Limits
    from tersely.serve.service import Settings
    from tersely.summarizer import Summarizer
    from tersely.web.server import address_of, bind, serve

    token = None if args.no_token else args.token or os.environ.get("TERSELY_TOKEN") or None
    local = is_loopback(args.host)
    if not local and token is None and not args.no_token:
        raise InputError(f"{args.host} can be reached from other machines: give --token TOKEN, or --no-token")
    limits = Limits(**{limit.name: getattr(args, limit.name) for limit in dataclasses.fields(Limits)})
    settings = Settings(args.workers, limits, token, tuple(args.cors), args.host if local else None)
    app = create_app(Summarizer.load(args.bundle), settings)
    with bind(args.host, args.port) as bound:
        print(f"serving on {address_of(bound)}; stop with Ctrl-C", file=sys.stderr, flush=True)
        serve(app, bound, grace=limits.max_seconds)
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
