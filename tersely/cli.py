"""Stage 14: the command line. The common case needs no subcommand: `tersely --words 8 "A long sentence ..."`.

Each command is a module in `commands/`, imported only when it is the one asked for, so that a summary does not wait
for the imports of an evaluation. Results go to stdout, everything else to stderr. Exit codes: 0, 1 for bad input,
2 for wrong usage.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from tersely.errors import FileError, TerselyError, one_line
from tersely.system.threads import use_one_thread
from tersely.version import __version__

COMMANDS = {
    "summarize": "shorten sentences (the default command)",
    "batch": "shorten files of any size: csv, jsonl, parquet, text; resumes",
    "fit": "check or shorten texts with named limits: json, yaml, properties, po, csv, fastlane, xliff",
    "srt": "shorten subtitles to what can be read in their time: SRT and WebVTT",
    "train": "make a bundle from your own titles and articles",
    "adapt": "fit a bundle to the words of your own titles and articles, in minutes",
    "learn": "teach a bundle what an editor keeps, from shortenings by deletion",
    "tune": "weights of an objective from development pairs",
    "evaluate": "score systems against references, grouped by length",
    "experiment": "the paper's tables and figures on a dataset",
    "judge": "pairwise human judgements in the browser, and their statistics",
    "serve": "an HTTP service, and a page to try things on",
    "mcp": "a tool for assistants: the Model Context Protocol over stdio",
    "info": "what is in a bundle, and the versions",
}
_DEFAULT = "summarize"
_FLAG = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]")


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line on stderr and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"tersely: {message} (see {self.prog} --help)\n")

    def refuse_unknown(self, arguments: Sequence[str]) -> None:
        """Name an unknown option before argparse complains of what it thinks is missing instead."""
        known = [flag for action in self._actions for flag in action.option_strings]
        for argument in arguments:
            flag = argument.partition("=")[0]
            if argument == "--":
                return
            if _FLAG.fullmatch(flag) and not any(name.startswith(flag) for name in known):
                import difflib  # here and not above: a summary has no use for it

                near = difflib.get_close_matches(flag, known, n=1)
                self.error(f"unknown option {flag}" + (f", did you mean {near[0]}?" if near else ""))


def build_parser(command: str) -> _Parser:
    """The parser of one command."""
    module = importlib.import_module(f"tersely.commands.{command}")
    default = command == _DEFAULT
    others = "\n".join(f"  tersely {name:<11} {line}" for name, line in COMMANDS.items() if name != _DEFAULT)
    parser = _Parser(
        prog="tersely" if default else f"tersely {command}",
        description=(module.__doc__ or "").partition("\n\n")[2] if default else COMMANDS[command],
        epilog=f"other commands:\n{others}" if default else getattr(module, "EPILOG", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if default:
        parser.add_argument("--version", action="version", version=f"tersely {__version__}")
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    use_one_thread()
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = arguments.pop(0) if arguments and arguments[0] in COMMANDS else _DEFAULT
    _open_streams()
    try:
        if sys.stdout is None:
            raise FileError("cannot write: stdout is closed")
        _write_utf8()
        parser = build_parser(command)
        parser.refuse_unknown(arguments)
        args = parser.parse_args(arguments)
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except TerselyError as error:
        print(f"tersely: {one_line(error)}", file=sys.stderr)
        return 1
    except MemoryError:
        print("tersely: there is not enough memory: use fewer workers, or shorter lines and texts", file=sys.stderr)
        return 1
    except BrokenPipeError:
        _forget_stdout()  # the reader has gone (`| head`)
        return 0
    except OSError as error:
        _forget_stdout()  # a full disk, for one
        place = f"{error.filename}: " if error.filename else ""
        print(f"tersely: {one_line(f'{place}{error.strerror or error}')}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _open_streams() -> None:
    """Let no file that is opened later take the number of a closed stream, and messages go nowhere without stderr."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (until the process ends)


def _write_utf8() -> None:
    """Input is read as UTF-8, so output is written as UTF-8, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8")


def _forget_stdout() -> None:
    """Python would complain once more while it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
