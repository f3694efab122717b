"""The command as a person meets it; it needs no extra."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from training_toys import write

from tersely.bundle.bundle import open_bundle
from tersely.cli import main

# A module that is None in sys.modules cannot be imported.
BARE = "import sys; sys.modules.update(torch=None, gensim=None); from tersely.cli import main; sys.exit(main())"


def test_adapt_then_summarize_without_torch_and_gensim(tiny_bundle: Path, tmp_path: Path) -> None:
    titles = write(tmp_path / "t.txt", ["ship aground"] * 300)
    articles = write(tmp_path / "a.txt", ["a ship ran aground at the port"] * 200)
    out = tmp_path / "mine"
    command = f"adapt --bundle {tiny_bundle} --titles {titles} --articles {articles}=2 --out {out}"
    done = subprocess.run([sys.executable, "-c", BARE, *command.split()], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{out}\n"), done.stderr
    said = done.stderr.splitlines()
    assert said[:2] == [
        "titles: t.txt, 300 lines, 600 words, 0.0% of them unknown",
        "articles: a.txt, 200 lines, 1,400 words, 0.0% of them unknown",
    ]
    assert [line.partition(":")[0] for line in said[2:]] == ["style rose (kept sooner)", "style fell (dropped sooner)"]
    summary = [sys.executable, "-c", BARE, "--bundle", str(out), "--words", "2", "The ship ran aground"]
    assert len(subprocess.run(summary, capture_output=True, text=True, check=True).stdout.split()) == 2


@pytest.mark.parametrize(("weights", "expected"), [("", 1), ("=3", 3), ("=3,0.5", 0.5)])
def test_a_weight_is_for_the_counts(tiny_bundle: Path, tmp_path: Path, weights: str, expected: float) -> None:
    write(tmp_path / "t.txt", ["ship did n't sink"])
    command = f"adapt --bundle {tiny_bundle} --titles {tmp_path}/t.txt{weights} --out {tmp_path}/mine --prior 0"
    assert main([*command.split(), "--pretokenized", "--processes", "0"]) == 0
    new = open_bundle(tmp_path / "mine")
    assert new.tensor("counts.titles")[new.vocabulary.ids(["ship", "n't", "port"])].tolist() == [expected, expected, 0]


def test_bad_usage_is_one_line(tiny_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adapt", "--bundle", str(tiny_bundle), "--out", str(tmp_path / "mine")]) == 1
    assert capsys.readouterr() == ("", "tersely: nothing to adapt to: give --titles, --articles or --language\n")


def test_names_that_are_not_utf_8(tiny_bundle: Path, tmp_path: Path) -> None:
    titles, out = (tmp_path / os.fsdecode(name) for name in (b"caf\xe9.txt", b"\xe9"))
    write(titles, ["ship aground"] * 3)
    assert main(["adapt", "--bundle", str(tiny_bundle), "--titles", str(titles), "--out", str(out)]) == 0
    assert (out / "README.md").read_text(encoding="utf-8").startswith("# ?")
    assert open_bundle(out)
