"""The blind reading: sheets of pairs without system names, and the statistics of the answers, without the text."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tersely.evaluation.judge import Item, Judge
from tersely.evaluation.judge_sheet import read_sheet, write_sheet
from tersely.evaluation.store import OutputStore

from .parts import PARTS, SystemFactory

FILE = "judgements.json"
PAIRS = {"paper-lead": ("paper", "Lead"), "paper-headline": ("paper", "headline")}
WORDS = 8


def make_sheets(
    systems: SystemFactory, dev: Path, state: Path, count: int, readers: int = 3, seed: int = 0
) -> list[Path]:
    """Write a sheet for each pair and reader, on sources that no weight was tuned on; their paths."""
    dataset = PARTS["gigaword"].read(dev)[0].without_first(1000)
    drawn = np.random.default_rng(seed).choice(len(dataset), size=count, replace=False)
    part = dataset.part([dataset.examples[i] for i in sorted(drawn.tolist())])
    store = OutputStore(state / "judge")
    entries = [systems.baseline(f"lead-{WORDS}", "Lead", "")]
    entries += [systems.objective(name, "", name, words=WORDS) for name in ("paper", "headline")]
    texts = {entry.label: [output.text for output in store.run(entry.system, part)] for entry in entries}
    sheets = []
    for name, (first, second) in PAIRS.items():
        items = [Item(*row) for row in zip(part.sources, texts[first], texts[second], strict=True)]
        judge = Judge.create(state / f"judge-{name}.sqlite", (first, second), items, seed)
        for reader in range(1, readers + 1):
            sheets.append(state / f"judge-{name}-{reader}.txt")
            write_sheet(judge, f"reader {reader}", sheets[-1])
    return sheets


def store(state: Path, out: Path) -> None:
    """Read the sheets, and store the statistics of all answers."""
    found = {}
    for name in PAIRS:
        path = state / f"judge-{name}.sqlite"
        if not path.is_file():
            continue
        judge = Judge(path)
        for sheet in sorted(state.glob(f"judge-{name}*.txt")):
            read_sheet(judge, sheet)
        report = {
            question: {
                "items": agreement.n_items,
                "answers": agreement.n_answers,
                **agreement.tally._asdict(),
                "score": round(agreement.score, 4),
                "alpha": None if agreement.alpha is None else round(agreement.alpha, 4),
            }
            for question, agreement in judge.report().items()
        }
        if any(of["answers"] for of in report.values()):
            readers = len(judge.annotators())
            found[name] = {"first": judge.name_a, "second": judge.name_b, "readers": readers, "questions": report}
    if found:
        out.mkdir(parents=True, exist_ok=True)
        (out / FILE).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def read(folder: Path) -> dict[str, dict[str, object]]:
    """The stored statistics; empty if there are none."""
    path = folder / FILE
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
