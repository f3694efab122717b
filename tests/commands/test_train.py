"""The command as a person meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from training_toys import articles, titles, write


@pytest.mark.slow
def test_train_then_summarize(tersely, tmp_path: Path) -> None:
    paths = write(tmp_path / "t.txt", titles(300)), write(tmp_path / "a.txt", articles(200))
    valid = write(tmp_path / "dev.txt", ["ship runs aground off UNK today"] * 5)
    out = tmp_path / "mine"
    done = tersely(
        *f"train --recipe tiny --titles {paths[0]}=2,1 --articles {paths[1]} --out {out} --tokens 3000".split(),
        *f"--valid {valid} --valid-pretokenized".split(),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}\n"
    said = done.stderr.splitlines()
    assert said[:2] == ["titles: t.txt, 300 lines, 1,800 words", "articles: a.txt, 200 lines, 2,800 words"]
    assert any(line.startswith("dev, forward: perplexity") for line in said)
    assert any(line.startswith("held out, backward: perplexity") for line in said)
    summary = tersely("--bundle", str(out), "--words", "4", articles(1)[0])
    assert summary.returncode == 0, summary.stderr
    assert len(summary.stdout.split()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--titles no-such.txt", "cannot read no-such.txt: No such file or directory"),
        ("", "nothing to train on: give --titles, --articles or both"),
        ("--titles x=two", "'x=two': invalid weight 'two': expected a number"),
        ("--titles x --hidden tall", "invalid hidden 'tall': expected a whole number"),
        ("--titles x --recipe nope", "unknown recipe 'nope': give a JSON file or one of default, paper, tiny"),
        ("--articles x", "the language models are trained on titles, and there are none: give --titles or another"),
    ],
)
def test_bad_usage_is_one_line(tersely, tmp_path: Path, arguments: str, message: str) -> None:
    done = tersely("train", *arguments.split(), "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"tersely: {message}")
    assert done.stderr.count("\n") == 1
