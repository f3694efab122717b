"""The headline table (the paper's Table 1: groups A, B, C by length) and the DUC table (its Table 2)."""

from __future__ import annotations

from tersely.evaluation.rouge import Rouge
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.systems import System
from tersely.evaluation.table_formats import format_markdown

GROUPS: dict[str, dict[str, int | float]] = {"A": {"words": 8}, "B": {"words": 10}, "C": {"ratio": 0.5}}
DUC_BYTES = 75


def headline_systems(setting: Setting) -> list[System]:
    """Baselines, objectives and the systems of the user, in all three groups."""
    systems: list[System] = []
    for length in GROUPS.values():
        if "words" in length:
            size = length["words"]
            names = [f"lead-{size}", f"random-{size}"]
            if setting.resources.style_ratios is not None:
                names.append(f"style-{size}")
        else:
            names = [f"lead-{100 * length['ratio']:.0f}%"]
        systems += [setting.system(name) for name in names]
        systems += [setting.summarizer(objective, None, **length) for objective in setting.objectives]
    return systems + setting.own_systems(cut=False)


def headline_table(setting: Setting) -> Study:
    """ROUGE F1 of all systems, by length group."""
    evaluation = setting.table(headline_systems(setting), Rouge())
    text = (
        "Groups A (8 words), B (10 words) and C (half of the source). ROUGE F1 grows with length, so systems are "
        f"compared inside a group only.\n\n{format_markdown(evaluation)}"
    )
    return Study("Headlines", text, evaluation.to_dict())


def duc_table(setting: Setting) -> Study:
    """ROUGE recall with summaries and references cut at 75 bytes, as in the DUC tasks."""
    systems = [setting.system(name) for name in (f"lead-{DUC_BYTES}c", f"lead-{DUC_BYTES}c:hard")]
    systems += [setting.summarizer(objective, bytes=DUC_BYTES) for objective in setting.objectives]
    systems += setting.own_systems(cut=True)
    evaluation = setting.table(systems, Rouge(limit_bytes=DUC_BYTES, measure="recall"))
    text = (
        f"Recall, with everything cut at {DUC_BYTES} bytes: the protocol of DUC 2003 and 2004, whose sources have "
        f"four references. This dataset has {setting.dataset.n_references} per source.\n\n{format_markdown(evaluation)}"
    )
    return Study("DUC protocol", text, evaluation.to_dict())
