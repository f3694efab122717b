"""Attacks on what is around a summary: wrong options, damaged bundles, the command line, the judge's server.

Each takes a summariser and a case with a seed, from which it draws what it does. It raises AssertionError, or any other
error, if something breaks.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from fuzz_texts import ODD, make_case, make_text
from promises import Case, Promise, summary_of
from safetensors.numpy import load_file, save_file

from tersely import Summarizer, load
from tersely.bundle.bundle import sha256
from tersely.candidates.length import UNITS
from tersely.cli import main
from tersely.errors import TerselyError
from tersely.summary.options import fields

ATTACKS: dict[str, Promise] = {}


def attack(function: Promise) -> Promise:
    ATTACKS[function.__name__] = function
    return function


@contextlib.contextmanager
def in_one_line() -> Iterator[None]:
    """Check that an error in the block has a message of one line that is not too long."""
    try:
        yield
    except TerselyError as error:
        message = str(error)
        assert message.strip(), "an error without a message"
        assert "\n" not in message, "an error message of more than one line"
        assert len(message) < 400, "an error message that nobody reads"


@attack
def odd_options_are_an_error_of_one_line(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    odd = {rng.choice([*fields(), *UNITS]): rng.choice(ODD) for _ in range(2)}
    options = odd if UNITS.keys() & odd.keys() else {"words": 2, **odd}
    text = rng.choice(ODD) if rng.random() < 0.2 else make_text(rng)[0]
    with in_one_line():
        shorten(text, **options)  # type: ignore[arg-type]
    with in_one_line():
        load(rng.choice([odd for odd in ODD if odd is not None]))  # type: ignore[arg-type]


@attack
def calls_in_any_order_are_equal(shorten: Summarizer, case: Case) -> None:
    """To the last bit of their scores, also from several threads at once."""
    rng = random.Random(case["seed"])
    cases = [make_case(rng) for _ in range(4)]

    def evidence(one: Case) -> dict[str, object] | None:
        fast = one["options"].keys().isdisjoint({"objective", "search"})
        summary = summary_of(shorten, {**one, "options": {**one["options"], "fast": fast}})
        return summary and summary.to_dict()

    first = [evidence(one) for one in cases]
    assert [evidence(one) for one in reversed(cases)] == first[::-1]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(evidence, cases[::-1])) == first[::-1]


@attack
def a_damaged_bundle_is_an_error_or_works(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(shutil.copytree(shorten.bundle.folder, Path(parent) / "b"))
        description = json.loads((folder / "bundle.json").read_text())
        damage = rng.choice([_damage_description, _damage_bytes, _damage_tensors])
        damage(folder, description, rng)
        for name in description["files"] if isinstance(description.get("files"), dict) else ():
            if (folder / name).is_file():
                description["files"][name] = sha256(folder / name)  # as if it had been written like this
        (folder / "bundle.json").write_text(json.dumps(description))
        for options in ({}, {"objective": {"grammar": 1.0, "style": 1.0}}, {"fast": True}):  # all parts that it has
            with in_one_line():
                load(folder)("The German ship ran aground, authorities said", words=3, **options)


def _damage_bytes(folder: Path, description: dict[str, Any], rng: random.Random) -> None:
    file = folder / rng.choice(["vocab.txt", "weights.safetensors"])
    content = bytearray(file.read_bytes())
    for _ in range(rng.randint(1, 4)):
        content[rng.randrange(min(len(content), 3_000))] = rng.randrange(256)
    file.write_bytes(content[: rng.randint(0, len(content))] if rng.random() < 0.3 else content)


def _damage_tensors(folder: Path, description: dict[str, Any], rng: random.Random) -> None:
    """Remove, rename, cut, transpose, reshape or convert a tensor."""
    file = folder / "weights.safetensors"
    tensors = load_file(file)
    name = rng.choice(sorted(tensors))
    tensor = tensors.pop(name)
    changed = [tensor[:-1], tensor[..., :-1], tensor.T, tensor[None], tensor.ravel(), tensor.ravel()[:1].reshape(())]
    changed += [tensor.astype("float64"), tensor.astype("int8"), tensor * np.float32("nan")]
    if rng.random() < 0.8:
        tensors[name if rng.random() < 0.8 else rng.choice(sorted(tensors))] = rng.choice(changed).copy()
    save_file(tensors, file)


def _damage_description(folder: Path, value: Any, rng: random.Random) -> None:
    """Change, remove or add something, at any depth."""
    while isinstance(value, dict) and value:
        key = rng.choice(list(value))
        if isinstance(value[key], dict) and rng.random() < 0.6:
            value = value[key]
        else:
            odd = [None, True, -1, 0, 3e7, 30_000_000, 1e300, float("nan"), "x", [], {}, [{}], {"a": 1}, 10**30]
            odd += [{"fluency": {}}]
            value.pop(key) if rng.random() < 0.3 else value.update({key: rng.choice(odd)})
            value.update({"objectives": {"headline": {"fluency": rng.choice(odd)}}} if rng.random() < 0.2 else {})
            return


@attack
def the_command_line_answers_line_by_line(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    lines = [make_text(rng)[0].replace("\n", " ").encode() for _ in range(rng.randint(1, 4))]
    lines = [rng.choice([b"", b"\xff\xfe", b"..."]) if rng.random() < 0.1 else line for line in lines]
    more = rng.choice(
        [[], ["--json"], ["--explain"], ["--pretokenized"], ["--seed", "-1"], ["--wrods"], ["--lead"],
         ["--n-best", "2"], ["--all-lengths", "--json"], ["--explain", "--json"], ["--split"], ["--keep", "numbers"],
         ["--drop", "names"]]
    )  # fmt: skip
    length = [f"--{rng.choice(['words', 'words', 'chars', 'bytes'])}", str(rng.randint(0, 9))]
    stdin, out, err = mock.Mock(buffer=io.BytesIO(b"\n".join(lines) + b"\n")), io.StringIO(), io.StringIO()
    with mock.patch("sys.stdin", stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["--bundle", str(shorten.bundle.folder), *length, *more, "-"])
        except SystemExit as stop:
            code = int(stop.code or 0)
    assert code in (0, 1, 2), f"exit code {code}"
    assert all(line.startswith("tersely: ") for line in err.getvalue().split("\n")[:-1]), err.getvalue()
    if (
        code < 2
        and more in ([], ["--json"], ["--pretokenized"], ["--explain", "--json"], ["--lead"])
        and out.getvalue()
    ):
        assert out.getvalue().count("\n") == len(lines), f"{len(lines)} lines in, {out.getvalue().count(chr(10))} out"


@cache
def _client() -> Any:
    from starlette.testclient import TestClient

    from tersely.evaluation.judge import Item, Judge
    from tersely.evaluation.judge_server import create_app

    folder = tempfile.mkdtemp()
    judge = Judge.create(Path(folder) / "db", ("A", "B"), [Item("a ship", "ship", "a"), Item("b", "b", "c")])
    return TestClient(create_app(judge), base_url="http://127.0.0.1", raise_server_exceptions=True)


@attack
def the_judges_server_never_breaks(shorten: Summarizer, case: Case) -> None:
    rng = random.Random(case["seed"])
    odd = [None, 1, -1, 10**30, True, "", "ann", "\ud800", "\0", [], {}, 0.5, "fluency", "first", "x" * 200]
    answer = {key: rng.choice(odd) for key in ("annotator", "position", "question", "choice") if rng.random() < 0.9}
    body = json.dumps(answer).encode()
    if rng.random() < 0.3:
        body = rng.choice([b"[" * rng.randint(1, 12_000), b"\xff", b"", body[: rng.randint(0, len(body))]])
    host = rng.choice(["127.0.0.1", "localhost:80", "[::1]:3", "evil.example", "", "1.2.3.4.evil", "[", "]:"])
    headers = {"host": host, "content-type": rng.choice(["application/json", "application/json", "text/plain"])}
    reply = _client().post("/api/answer", content=body, headers=headers)
    assert reply.status_code < 500
    assert reply.status_code == 421 or host not in ("evil.example", "1.2.3.4.evil", "")
    position = rng.choice(["0", "-1", "1" * 5_000, "x", ""])
    view = _client().get("/api/view", params={"annotator": rng.choice(["ann", "", "\0"]), "position": position})
    assert view.status_code < 500
