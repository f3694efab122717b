"""Attacks on a batch while it runs: an input that changes, a process that is killed, damage to what it leaves.

Refused or resumed: a run that ends well has the bytes of a run without interruption.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import os
import random
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

from attacks import attack
from batch_attacks import batch
from batch_toys import OFTEN, sentence
from fuzz_texts import make_text
from promises import Case
from tiny_bundle import write_tiny_bundle

from tersely import Summarizer
from tersely.batch.paths import Input

Run = Callable[..., tuple[int, str]]
_SUFFIXES = [".csv", ".jsonl", ".jsonl.gz", ".txt"]  # the last has no columns, so it is only read


@cache
def _quick_bundle() -> Path:
    """A bundle whose default objective keeps the first words, which costs next to nothing."""
    objectives = {"headline": {"position": 1.0}}
    return write_tiny_bundle(Path(tempfile.mkdtemp()) / "quick", parser=False, objectives=objectives)


def _content(rng: random.Random, suffix: str) -> bytes:
    """A table of a few blocks, mostly of plain sentences."""
    rows = range(rng.randint(1, 60))
    texts = [sentence(i) if rng.random() < 0.9 else make_text(rng)[0].replace("\0", "") for i in rows]
    if suffix == ".csv":
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([["n", "text"], *enumerate(texts)])
        return table.getvalue().encode()
    if suffix == ".txt":
        return "".join(text.replace("\n", " ") + "\n" for text in texts).encode()
    lines = "".join(json.dumps({"n": i, "text": text}) + "\n" for i, text in enumerate(texts)).encode()
    return gzip.compress(lines, mtime=0) if suffix == ".jsonl.gz" else lines


@contextmanager
def _runs(rng: random.Random) -> Iterator[tuple[Run, Path, Path, Callable[[], None]]]:
    """A run of the command, its input and output, and a check that the output is that of an unbroken run."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(os, "fsync"):  # no disk fails here
        suffix, made = rng.choice(_SUFFIXES), rng.choice(_SUFFIXES[:-1])
        source, whole, out = Path(folder, f"in{suffix}"), Path(folder, f"whole{made}"), Path(folder, f"out{made}")
        source.write_bytes(_content(rng, suffix))
        options = ("--bundle", _quick_bundle(), "--workers", 1, "--errors-ok", *OFTEN)
        code, err = batch(source, whole, *options)
        assert code == 0, err

        def check() -> None:
            assert out.read_bytes() == whole.read_bytes(), "other bytes than those of an unbroken run"
            reports = [json.loads(Path(f"{path}.manifest.json").read_bytes()) for path in (whole, out)]
            assert reports[0] == reports[1], "another manifest than that of an unbroken run"
            left = sorted(path.name for path in Path(f"{out}.run").glob("*"))
            assert not Path(f"{out}.run").exists(), f"the folder of the run is left, with {left}"

        yield lambda *more: batch(source, out, *options, *more), source, out, check


def _is_refused(code: int, err: str) -> None:
    assert code in (1, 2), f"exit code {code}"
    assert err.count("\n") == 1, err
    assert len(err) < 500, "an error message that nobody reads"


def _resume(run: Run, may_refuse: bool) -> None:
    """Resume a run, which may ask for a restart."""
    code, err = run()
    if code and may_refuse:
        _is_refused(code, err)
        assert "--restart" in err, err
        code, err = run("--restart")
    assert code == 0, err


@attack
def a_changed_input_is_never_done(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    with _runs(rng) as (run, source, out, check):
        content, number, texts = source.read_bytes(), rng.randrange(40), itertools.count()
        attempt, version = Summarizer.attempt, Input.version
        was_read, in_time = False, False

        def changing(self: Summarizer, *args: Any) -> Any:
            nonlocal in_time
            if next(texts) == number:
                in_time = not was_read
                _change(rng, source)
            return attempt(self, *args)

        def checked(self: Input) -> str | None:
            nonlocal was_read
            was_read = True
            return version(self)

        with mock.patch.object(Summarizer, "attempt", changing), mock.patch.object(Input, "version", checked):
            code, err = run()
        if in_time:
            _is_refused(code, err)
            assert not out.exists(), "a changed input was called done"
            assert not Path(f"{out}.manifest.json").exists(), "a changed input has a manifest"
        else:  # what was read is what the run began with
            assert code == 0, err
        if next(texts) > number:
            _is_refused(*run())
        source.write_bytes(content)
        _resume(run, may_refuse=True)
        check()


def _change(rng: random.Random, path: Path) -> None:
    """Append to a file, truncate, rewrite, replace or delete it; sometimes its size and time stay."""
    content, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    other = bytearray(content)
    for place in rng.choices(range(len(content)), k=rng.choice([1, len(content)])):
        other[place] ^= 1 << rng.randrange(8)
    other[-1] ^= other == content
    kind = rng.choice(["append", "truncate", "rewrite", "replace", "delete"])
    if kind == "append":
        with path.open("ab") as stream:
            stream.write(rng.choice([b"x", b"\n", b"a ship ran aground\n", b'{"text": "a ship', content]))
    elif kind == "truncate":
        os.truncate(path, rng.randrange(len(content)))
    elif kind == "rewrite":
        with path.open("r+b") as stream:
            stream.write(other)
    elif kind == "replace":
        path.with_name("new").write_bytes(other)
        path.with_name("new").replace(path)
    else:
        path.unlink()
    if kind != "delete" and rng.random() < 0.3:
        os.utime(path, ns=times)


@attack
def a_killed_batch_is_resumed_to_the_same_bytes(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    with _runs(rng) as (run, _, out, check):
        damaged = False
        for _ in range(rng.randint(1, 3)):
            kill = rng.choice([(os, "replace"), (os, "fsync"), (os, "unlink"), (os, "rmdir"), (Summarizer, "attempt")])
            _killed(partial(mock.patch.object, *kill), rng.randrange(12), run)
            damaged |= rng.random() < 0.4 and _damage(rng, Path(f"{out}.run"))
        _resume(run, may_refuse=damaged)
        check()


def _killed(patch: Callable[..., Any], moment: int, run: Run) -> None:
    """Run a command in a process of its own, which is killed at a call of a function; `moment` calls come before."""
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    try:
        calls, patching = itertools.count(), patch()

        def killed(*args: Any, **options: Any) -> Any:
            if next(calls) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return patching.temp_original(*args, **options)

        patching.new = killed
        with patching:
            run()
    finally:
        os._exit(0)


def _damage(rng: random.Random, folder: Path) -> bool:
    """Empty, cut or change one of the files of a run; False if nothing is changed."""
    files = sorted(path for path in folder.glob("*") if path.name != "tersely.lock")
    if not files:
        return False
    file = rng.choice(files)
    content = file.read_bytes()
    place = rng.randrange(len(content) + 1)
    begin, rest, after_line = content[:place], content[place:], content.partition(b"\n")[2]
    garbage = rng.choice([b"\0", b"\xff", b"{}", b"null", b'{"rows": 1}', b"[" * 100_000, rng.randbytes(9)])
    damages = [b"", begin, begin + b"\0" * len(rest), garbage + b"\n" + content, garbage + b"\n" + after_line]
    damages += [begin + garbage + rest, begin + rng.randbytes(1) + rest[1:]]
    file.write_bytes(rng.choice(damages))
    return file.read_bytes() != content
