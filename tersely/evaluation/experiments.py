"""The paper's tables, figures and claims on a dataset, as a folder: report.md, report.json, figures, scores, outputs.

Each study is a section. Its figures are stored in the folder of scores, and the report is made from what is stored
there. Outputs are kept in `outputs/`, so a run that was stopped resumes, and a second run with the same settings only
writes the report again.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any

from tersely.evaluation.claims import CLAIMS, GAINS
from tersely.evaluation.datasets import Dataset
from tersely.evaluation.scores import Scores, write_scores
from tersely.evaluation.studies.ablation import ABLATION
from tersely.evaluation.studies.cases import CASES
from tersely.evaluation.studies.hill_climbing import CLIMBING_TABLE
from tersely.evaluation.studies.lead_curves import LEAD_CURVES
from tersely.evaluation.studies.positional_bias import POSITIONS
from tersely.evaluation.studies.reported import READINGS, SPEED
from tersely.evaluation.studies.search_progress import PROGRESS
from tersely.evaluation.studies.search_quality import SEARCH
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.studies.tables import DUC_TABLE, HEADLINES
from tersely.system.files import write_text
from tersely.version import __version__

SECTIONS: dict[str, Study] = {
    "claims": CLAIMS,
    "headlines": HEADLINES,
    "climbing": CLIMBING_TABLE,
    "duc": DUC_TABLE,
    "ablation": ABLATION,
    "search": SEARCH,
    "positions": POSITIONS,
    "lead": LEAD_CURVES,
    "readings": READINGS,
    "speed": SPEED,
    "gains": GAINS,
    "progress": PROGRESS,
    "cases": CASES,
}
STUDIES = {name: study for name, study in SECTIONS.items() if study.measure}


def run_experiment(
    setting: Setting, names: list[str] | None = None, *, folder: Path | None = None, published: bool = False
) -> Path:
    """Run the studies, store their figures in `folder`, and write the report; the path of `report.md`.

    The report shows everything that is stored, including studies of earlier runs.
    """
    setting.folder.mkdir(parents=True, exist_ok=True)
    folder = folder or setting.folder / "scores"
    quoting = {}
    for number, name in enumerate(names or STUDIES, start=1):
        print(f"[{number}/{len(names or STUDIES)}] {name}", file=sys.stderr, flush=True)
        study = STUDIES[name]
        assert study.measure is not None
        content = study.measure(setting)
        if study.quotes:
            quoting[name] = content
        else:
            write_scores(folder, name, content)
    scores = Scores.read(folder, published=published)
    scores = replace(scores, contents={**scores.contents, **quoting})
    draw(scores, setting.folder / "figures")
    write_text(setting.folder / "report.json", _as_json(setting, scores))
    report = setting.folder / "report.md"
    write_text(report, _as_markdown(setting, scores))
    return report


def sections(scores: Scores) -> dict[str, str]:
    """The text of each section, with its tables; empty where nothing is stored."""
    made = {}
    for name, study in SECTIONS.items():
        text = study.show(scores) if name in scores.contents or not study.measure else []
        made[name] = "\n\n".join([fill(study.about, 120), *text]) if text else ""
    return made


def draw(scores: Scores, folder: Path) -> None:
    """Draw the figures of the studies that are stored, as STUDY.svg and STUDY.png."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, study in SECTIONS.items():
        if study.plot and name in scores.contents:
            study.plot(scores, folder / name)


def _as_markdown(setting: Setting, scores: Scores) -> str:
    dataset = setting.dataset
    head = (
        f"# {dataset.name}\n\n{len(dataset)} sources{_left_out(dataset)}, references per source: "
        f"{dataset.n_references}; search: {setting.search or 'default'}; seed {setting.seed}; "
        f"bundle: {setting.resources.identity}; tersely {__version__}."
    )
    text = [head]
    for name, section in sections(scores).items():
        if not section:
            continue
        parts = [f"## {SECTIONS[name].title}", section]
        if SECTIONS[name].plot and (setting.folder / "figures" / f"{name}.png").is_file():
            parts.append(f"![{SECTIONS[name].title}](figures/{name}.png)")
        if signature := scores.contents.get(name, {}).get("signature"):
            parts.append(signature)
        text.append("\n\n".join(parts))
    return "\n\n".join(text) + "\n"


def _left_out(dataset: Dataset) -> str:
    """Which part of the dataset this is.

    >>> from tersely.evaluation.datasets import Example
    >>> toy = Dataset("toy", tuple(Example(text, ("x",)) for text in "abcd"))
    >>> _left_out(toy), _left_out(toy.slice(limit=3)), _left_out(toy.slice(1, 2))
    ('', ' (the first of 4)', ' (of 4, after the first 1)')
    """
    whole = dataset.n_skipped + len(dataset) + dataset.n_cut
    if dataset.n_skipped:
        return f" (of {whole}, after the first {dataset.n_skipped})"
    return f" (the first of {whole})" if dataset.n_cut else ""


def _as_json(setting: Setting, scores: Scores) -> str:
    """The report as data. The figures of single sources are in the folder of scores."""
    report = {
        "dataset": setting.dataset.name,
        "sources": len(setting.dataset),
        "skipped": setting.dataset.n_skipped,
        "search": setting.search,
        "seed": setting.seed,
        "bundle": setting.resources.identity,
        "version": __version__,
        "studies": {name: _short(content) for name, content in scores.contents.items()},
    }
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def _short(content: dict[str, Any]) -> dict[str, Any]:
    single = ("rouge", "kept", "log_f", "numbers")
    rows = [{key: value for key, value in row.items() if key not in single} for row in content.get("rows", [])]
    return {**content, "rows": rows} if rows else content
