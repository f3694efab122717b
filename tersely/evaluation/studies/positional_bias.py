"""From which quarter of the source systems and references take their words (the paper's Figure 4)."""

from __future__ import annotations

from tersely.evaluation import plots
from tersely.evaluation.positions import output_shares, reference_shares
from tersely.evaluation.report import markdown_table
from tersely.evaluation.studies.setting import Setting, Study

WORDS = 10


def positional_bias(setting: Setting) -> Study:
    """The shares of 10-word summaries, of the systems asked for, and of the references."""
    dataset = setting.dataset
    shares = {
        system.name: output_shares(setting.store.run(system, dataset), dataset) for system in setting.systems(WORDS)
    }
    shares["references"] = reference_shares(dataset)
    rows = [[name, *(f"{100 * value:.1f} %" for value in values)] for name, values in shares.items()]
    table = "\n".join(markdown_table(["system", "first quarter", "second", "third", "last quarter"], rows))
    text = (
        "The share of summary words by the quarter of the source that they stand in; of the references, only the "
        f"words that are in the source, at their first occurrence.\n\n{table}\n"
    )
    data = {name: [round(float(value), 4) for value in values] for name, values in shares.items()}
    return Study("Positional bias", text, data, plots.plot_positions(setting.figure("positions"), shares))
