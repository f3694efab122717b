from __future__ import annotations

from pathlib import Path

import pytest
from evaluation_toys import DATASET, Canned

from tersely.candidates.length import Length
from tersely.errors import InputError
from tersely.evaluation.store import OutputStore, read_texts
from tersely.evaluation.systems import Output

TEXTS = ["ship aground", "storm"]


def test_a_finished_system_is_not_run_again(tmp_path: Path) -> None:
    store = OutputStore(tmp_path / "outputs")
    first = store.run(Canned("x", TEXTS), DATASET)
    again = Canned("x", TEXTS)
    assert store.run(again, DATASET) == first == [Output(text, seconds=0.25) for text in TEXTS]
    assert again.made == 0


def test_other_settings_other_sources_and_other_names_are_run(tmp_path: Path) -> None:
    store = OutputStore(tmp_path)
    store.run(Canned("x", TEXTS), DATASET)
    for system, dataset in [
        (Canned("x", TEXTS, settings={"seed": 1}), DATASET),
        (Canned("y", TEXTS), DATASET),
        (Canned("x", TEXTS[:1], settings={"seed": 1}), DATASET.slice(limit=1)),
    ]:
        store.run(system, dataset)
        assert system.made == len(dataset)


def test_the_texts_of_a_kept_file_can_be_read(tmp_path: Path) -> None:
    store = OutputStore(tmp_path)
    store.run(Canned("x", TEXTS), DATASET)
    assert read_texts(store.path(Canned("x", TEXTS), DATASET)) == TEXTS
    for content in ("head\nno json\n", "head\n" + "[" * 100_000):
        (tmp_path / "other.jsonl").write_text(content)
        with pytest.raises(InputError, match="kept outputs"):
            read_texts(tmp_path / "other.jsonl")


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\0\n"], ids=["deep", "bytes"])
def test_a_damaged_file_is_made_again(tmp_path: Path, content: bytes) -> None:
    store, again = OutputStore(tmp_path), Canned("x", TEXTS)
    store.path(again, DATASET).write_bytes(content)
    assert [output.text for output in store.run(again, DATASET)] == TEXTS


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    store = OutputStore(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        store.run(Canned("x", TEXTS, stop_after=1), DATASET)
    rest = Canned("x", TEXTS)
    path = store.path(rest, DATASET)
    assert [file.name for file in tmp_path.iterdir()] == [f"{path.name}.partial"]
    assert [output.text for output in store.run(rest, DATASET)] == TEXTS
    assert rest.made == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    store, rest = OutputStore(tmp_path), Canned("x", TEXTS)
    store.run(Canned("x", TEXTS), DATASET)
    path = store.path(rest, DATASET)
    path.with_name(f"{path.name}.partial").write_text(path.read_text()[:-10])
    path.unlink()
    assert [output.text for output in store.run(rest, DATASET)] == TEXTS
    assert rest.made == 1


def test_names_lengths_and_sources_have_files_of_their_own(tmp_path: Path) -> None:
    store = OutputStore(tmp_path)
    named = [Canned("lead-5%", []), Canned("lead-5_", []), Canned("HC", [], Length.of(words=8)), Canned("HC", [])]
    assert len({store.path(system, part) for system in named for part in (DATASET, DATASET.slice(limit=1))}) == 8
