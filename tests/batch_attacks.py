"""Attacks on batches: odd rows, names and columns, and a manifest that is damaged. No row is lost, no error is long."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import tempfile
from pathlib import Path

from attacks import attack
from fuzz_texts import make_text
from promises import Case

from tersely import Summarizer
from tersely.cli import main

_CELLS = ["1e999", "1.10", "null", '"\\ud800"', '"\\u0000"', "9" * 5_000, '{"a": {"a": [1]}}', "[" * 50 + "]" * 50]
_NAMES = [b"in", b"caf\xe9", b"a b", "\u8239".encode()]


def batch(*arguments: object) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["batch", *map(str, arguments), "--words", "2", "--prefix", "x_"])
    return code, err.getvalue()


def _row(rng: random.Random) -> bytes:
    text = json.dumps(make_text(rng)[0]) if rng.random() < 0.8 else rng.choice(_CELLS)
    if rng.random() < 0.1:
        return rng.choice([b"{", b"[1]", b"\xff", b"[" * 100_000, b'"text"', b"{}"])
    return f'{{"text": {text}, "{rng.choice(["n", "text", "m"])}": {rng.choice(_CELLS)}}}'.encode()


@attack
def a_batch_loses_no_row(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    rows = [_row(rng) for _ in range(rng.randint(1, 8))]
    with tempfile.TemporaryDirectory() as folder:
        name = os.fsencode(folder) + b"/" + rng.choice(_NAMES)
        source, out = (Path(os.fsdecode(name + suffix)) for suffix in (b".jsonl", b".out.jsonl"))
        source.write_bytes(b"\n".join(rows) + b"\n")
        code, err = batch(source, out, "--bundle", shorten.bundle.folder, "--fast")
        assert code in (0, 1, 2), f"exit code {code}"
        assert err.count("\n") == 1, err
        made = out.read_bytes()
        assert made.count(b"\n") == len(rows), f"{len(rows)} rows in, {made.count(bytes([10]))} out"
        manifest = Path(f"{out}.manifest.json")
        content = bytearray(manifest.read_bytes())
        for _ in range(rng.randint(1, 3)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        manifest.write_bytes(rng.choice([content, content[: rng.randrange(len(content))], b"[" * 100_000]))
        code, err = batch(source, out, "--bundle", shorten.bundle.folder, "--fast")
        assert code in (0, 1, 2), f"exit code {code}"
        assert err.count("\n") == 1, err
        assert out.read_bytes() == made, "a finished output has changed"
