"""Which part of the objective does what: parts of it alone, and the whole without each part (the paper's Table 4)."""

from __future__ import annotations

from collections.abc import Mapping

from tersely.evaluation import plots
from tersely.evaluation.report import markdown_table
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.studies.setting import Setting, Study
from tersely.scoring.objective import in_a_line

WORDS = 8
# The paper's objective and its parts, as weights of factors; the one place to change when factors change.
PARTS: dict[str, dict[str, float]] = {
    "forward only": {"fluency_forward": 1.0, "similarity": 12.0},
    "backward only": {"fluency_backward": 1.0, "similarity": 12.0},
    "fluency only": {"fluency": 1.0},
    "similarity only": {"similarity": 12.0},
    "forward only, no similarity": {"fluency_forward": 1.0},
}


def variants(objectives: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Every objective to compare, by name: the paper's with its parts, then others without each of their factors.

    >>> list(variants({"paper": {"fluency": 1.0, "similarity": 12.0}, "headline": {"fluency": 1.0, "style": 2.0}}))[6:]
    ['headline', 'headline without fluency', 'headline without style']
    """
    found: dict[str, dict[str, float]] = {}
    for name, weights in objectives.items():
        found[name] = dict(weights)
        if name == "paper":
            found |= PARTS
        elif len(weights) > 1:
            for left_out in weights:
                found[f"{name} without {left_out}"] = {k: w for k, w in weights.items() if k != left_out}
    return found


def ablation(setting: Setting) -> Study:
    """ROUGE F1 of each variant at 8 words."""
    known = setting.resources.objectives
    chosen = variants({name: known[name] for name in setting.objectives})
    systems = [  # a whole objective goes by its name: its outputs are those of the headline table
        setting.summarizer(name if name in known else weights, label=name, words=WORDS)
        for name, weights in chosen.items()
    ]
    evaluation = setting.evaluate(systems, Rouge())
    by_variant = dict(zip(chosen, evaluation.rows, strict=True))
    rows = [
        [name, *(f"{100 * row.result.mean(metric):.2f}" for metric in METRICS), in_a_line(chosen[name])]
        for name, row in by_variant.items()
    ]
    figures = plots.plot_bars(
        setting.figure("ablation"),
        {name: 100 * row.result.mean("ROUGE-L") for name, row in by_variant.items()},
        f"ROUGE-L F1 x 100, {WORDS} words",
    )
    table = "\n".join(markdown_table(["objective", "R-1", "R-2", "R-L", "factors and weights"], rows))
    text = f"The objective and parts of it, {WORDS} words.\n\n{table}\n\n{evaluation.signature}\n"
    data = {**evaluation.to_dict(), "weights": chosen}
    return Study("Ablation of the objective", text, data, figures)
