"""Which part of the objective does what: parts of it alone, and the whole without each part (the paper's Table 4)."""

from __future__ import annotations

from tersely.evaluation import plots
from tersely.evaluation.rouge import METRICS, Rouge
from tersely.evaluation.studies.setting import Setting, Study
from tersely.evaluation.table_formats import markdown_table

WORDS = 8


def ablation(setting: Setting) -> Study:
    """ROUGE F1 of each objective, and of what is left of it without a part, at 8 words.

    What is left has the weights of the whole, and rests on the same rules.
    """
    known = setting.resources.objectives
    names = [name for whole in setting.objectives for name in (whole, *known.ablations(whole))]
    evaluation = setting.evaluate([setting.summarizer(name, words=WORDS) for name in names], Rouge())
    by_name = dict(zip(names, evaluation.rows, strict=True))
    weights = {name: known.identity(name)["objective"] for name in names}
    rows = [
        [name, *(f"{100 * row.result.mean(metric):.2f}" for metric in METRICS), weights[name]]
        for name, row in by_name.items()
    ]
    figures = plots.plot_bars(
        setting.figure("ablation"),
        {name: 100 * row.result.mean("ROUGE-L") for name, row in by_name.items()},
        f"ROUGE-L F1 x 100, {WORDS} words",
    )
    table = "\n".join(markdown_table(["objective", "R-1", "R-2", "R-L", "factors and weights"], rows))
    text = f"The objective and parts of it, {WORDS} words.\n\n{table}\n\n{evaluation.signature}\n"
    return Study("Ablation of the objective", text, {**evaluation.to_dict(), "weights": weights}, figures)
