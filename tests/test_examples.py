"""The examples run, and shorten every sentence: with the tiny bundle, so that they need no trained one."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tersely.summary import summarizer as module
from tersely.summary.summarizer import Summarizer

FOLDER = Path(__file__).parent.parent / "examples"
LINES = (FOLDER / "sentences.txt").read_text(encoding="utf-8").splitlines()
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.fixture(autouse=True)
def default_is_tiny(tiny_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not DEFAULT_BUNDLE: a summariser on that is pickled without its path, and workers would look for the real one.
    monkeypatch.setattr(module, "default_bundle", lambda: tiny_bundle)


def run(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, object], str]:
    names = runpy.run_path(str(FOLDER / name))
    return names, capsys.readouterr().out


def test_all_examples_are_tested() -> None:
    assert EXAMPLES == ["with_datasets.py", "with_fastapi.py", "with_pandas.py", "with_polars.py", "with_spacy.py"]


@pytest.mark.parametrize("name", ["with_pandas.py", "with_polars.py"])
def test_frames(name: str, summarizer: Summarizer, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(name.removeprefix("with_").removesuffix(".py"))
    names, out = run(name, capsys)
    frame = names["frame"]
    assert list(frame["headline"]) == [summarizer(line, words=8) for line in LINES]  # type: ignore[index]
    assert list(frame["push"]) == [summarizer(line, chars=40) for line in LINES]  # type: ignore[index]
    assert all(summarizer(line, words=8) in out for line in LINES)


def test_datasets(
    summarizer: Summarizer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    pytest.importorskip("datasets")
    _, out = run("with_datasets.py", capsys)
    assert out.splitlines() == [summarizer(line, words=8) for line in LINES]


def test_spacy(summarizer: Summarizer, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("spacy")
    _, out = run("with_spacy.py", capsys)
    *lines, last = out.splitlines()
    assert [line[8:] for line in lines] == [summarizer(line, words=8) for line in LINES]
    assert last == " / ".join(summarizer(line, words=8) for line in LINES)


def test_fastapi(summarizer: Summarizer, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    names, _ = run("with_fastapi.py", capsys)
    with TestClient(names["app"]) as client:  # type: ignore[arg-type]
        found = [client.get("/headline", params={"text": line, "chars": 40}) for line in LINES]
        refused = client.get("/headline", params={"text": "?!"})
    assert [response.json()["headline"] for response in found] == [summarizer(line, chars=40) for line in LINES]
    assert refused.status_code == 422
    assert "punctuation" in refused.json()["detail"]
