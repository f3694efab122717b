"""Case studies: sources with the summaries of each system, to be read."""

from __future__ import annotations

import numpy as np

from tersely.evaluation.scores import Content, Scores
from tersely.evaluation.studies.setting import Setting, Study

WORDS = 10


def measure(setting: Setting) -> Content:
    """Random sources (by the seed of the experiment) with all 10-word summaries and the references."""
    outputs = {label: setting.outputs(system) for label, system in setting.systems(WORDS)}
    n_cases = min(setting.n_cases, len(setting.dataset))
    rng = np.random.default_rng(setting.seed)
    drawn = sorted(rng.choice(len(setting.dataset), size=n_cases, replace=False).tolist())
    cases = []
    for index in drawn:
        example = setting.dataset.examples[index]
        texts = {label: found[index].text for label, found in outputs.items()}
        about = {"line": setting.dataset.n_skipped + index + 1, "source": example.source}
        cases.append({**about, "references": list(example.references), "summaries": texts})
    return {"cases": cases}


def show(scores: Scores) -> list[str]:
    sections = []
    for case in scores.contents["cases"]["cases"]:
        lines = [f"**{case['line']}.** {case['source']}", ""]
        lines += [f"- reference: {reference}" for reference in case["references"]]
        lines += [f"- {label}: {text}" for label, text in case["summaries"].items()]
        sections.append("\n".join(lines))
    return sections


CASES = Study("Case studies", f"Drawn at random, {WORDS} words.", show, measure, quotes=True)
