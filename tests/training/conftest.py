from __future__ import annotations

import signal
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from training_toys import articles, titles, write

collect_ignore_glob = [] if find_spec("torch") else ["*"]  # the extra `train`


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Path, Path]:
    """A file of titles and a file of articles."""
    return write(tmp_path / "titles.txt", titles(300)), write(tmp_path / "articles.txt", articles(200))


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], object]], None]:
    """Run the training of an editor or a parser with Ctrl-C in the step of that number, counted from 1."""
    from tersely.training.learn import ReaderTrainer

    def interrupt(n: int, train: Callable[[], object]) -> None:
        step = ReaderTrainer.step

        def stepping(trainer: ReaderTrainer, progress: float) -> float:
            if trainer.spent.n_steps == n - 1:
                signal.raise_signal(signal.SIGINT)
            return step(trainer, progress)

        with monkeypatch.context() as patched:
            patched.setattr(ReaderTrainer, "step", stepping)
            with pytest.raises(KeyboardInterrupt):
                train()

    return interrupt
