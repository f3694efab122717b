"""Case studies: sources with the summaries of each system, to be read."""

from __future__ import annotations

import numpy as np

from tersely.evaluation.studies.setting import Setting, Study

WORDS = 10


def cases(setting: Setting) -> Study:
    """Random sources (by the seed of the experiment) with all 10-word summaries and the references."""
    outputs = {system.name: setting.store.run(system, setting.dataset) for system in setting.systems(WORDS)}
    n_cases = min(setting.n_cases, len(setting.dataset))
    rng = np.random.default_rng(setting.seed)
    drawn = sorted(rng.choice(len(setting.dataset), size=n_cases, replace=False).tolist())
    sections, data = [], []
    for index in drawn:
        example = setting.dataset.examples[index]
        texts = {name: found[index].text for name, found in outputs.items()}
        lines = [f"**{index + 1}.** {example.source}", ""]
        lines += [f"- reference: {reference}" for reference in example.references]
        lines += [f"- {name}: {text}" for name, text in texts.items()]
        sections.append("\n".join(lines))
        data.append({"line": index + 1, "source": example.source, "references": example.references, **texts})
    return Study("Case studies", "\n\n".join(sections) + "\n", {"cases": data})
