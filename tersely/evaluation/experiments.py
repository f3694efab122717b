"""The paper's tables and figures on a dataset, as a folder with a report: Markdown, json, figures, outputs.

Each study is a section. Outputs are kept in `outputs/`, so a run that was stopped resumes, and a second run with the
same settings only writes the report again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from tersely.evaluation.datasets import Dataset
from tersely.evaluation.studies.ablation import ablation
from tersely.evaluation.studies.cases import cases
from tersely.evaluation.studies.lead_curves import lead_curves
from tersely.evaluation.studies.positional_bias import positional_bias
from tersely.evaluation.studies.search_progress import search_progress
from tersely.evaluation.studies.search_quality import search_quality
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.studies.tables import duc_table, headline_table
from tersely.system.files import write_text
from tersely.version import __version__

STUDIES: dict[str, Callable[[Setting], Study]] = {
    "headlines": headline_table,
    "duc": duc_table,
    "ablation": ablation,
    "lead": lead_curves,
    "search": search_quality,
    "positions": positional_bias,
    "progress": search_progress,
    "cases": cases,
}


def run_experiment(setting: Setting, names: list[str] | None = None) -> Path:
    """Run the studies and write the report; the path of `report.md`."""
    setting.folder.mkdir(parents=True, exist_ok=True)
    studies: dict[str, Study] = {}
    for name in names or list(STUDIES):
        print(f"[{len(studies) + 1}/{len(names or STUDIES)}] {name}", file=sys.stderr, flush=True)
        studies[name] = STUDIES[name](setting)
    write_text(setting.folder / "report.json", _as_json(setting, studies))
    report = setting.folder / "report.md"
    write_text(report, _as_markdown(setting, studies))
    return report


def _as_markdown(setting: Setting, studies: dict[str, Study]) -> str:
    dataset = setting.dataset
    head = (
        f"# {dataset.name}\n\n{len(dataset)} sources{_left_out(dataset)}, references per source: "
        f"{dataset.n_references}; search: {setting.search or 'default'}; seed {setting.seed}; "
        f"bundle: {setting.resources.identity}; tersely {__version__}."
    )
    sections = [head]
    for study in studies.values():
        images = [figure for figure in study.figures if figure.suffix == ".png"]
        shown = [f"![{study.title}]({image.relative_to(setting.folder).as_posix()})" for image in images]
        sections.append("\n\n".join([f"## {study.title}", study.text.strip(), *shown]))
    return "\n\n".join(sections) + "\n"


def _left_out(dataset: Dataset) -> str:
    """Which part of the dataset this is.

    >>> from tersely.evaluation.datasets import Example
    >>> toy = Dataset("toy", tuple(Example(text, ("x",)) for text in "abcd"))
    >>> _left_out(toy), _left_out(toy.head(3)), _left_out(toy.without_first(1).head(2))
    ('', ' (the first of 4)', ' (of 4, after the first 1)')
    """
    whole = dataset.n_skipped + len(dataset) + dataset.n_cut
    if dataset.n_skipped:
        return f" (of {whole}, after the first {dataset.n_skipped})"
    return f" (the first of {whole})" if dataset.n_cut else ""


def _as_json(setting: Setting, studies: dict[str, Study]) -> str:
    report = {
        "dataset": setting.dataset.name,
        "sources": len(setting.dataset),
        "skipped": setting.dataset.n_skipped,
        "search": setting.search,
        "seed": setting.seed,
        "bundle": setting.resources.identity,
        "version": __version__,
        "studies": {
            name: {"title": study.title, **study.data, "figures": [figure.name for figure in study.figures]}
            for name, study in studies.items()
        },
    }
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"
