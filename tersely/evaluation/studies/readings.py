"""What readers prefer: the stored reports of `tersely judge`, and what others reported (the paper's Table 5)."""

from __future__ import annotations

from tersely.evaluation.published import MARK, read_readings
from tersely.evaluation.scores import Scores
from tersely.evaluation.studies.setting import Study
from tersely.evaluation.table_formats import markdown_table


def show(scores: Scores) -> list[str]:
    lines = []
    for reading in scores.readings:
        for question, of in reading["questions"].items():
            tally = [str(of["tally"][name]) for name in ("wins", "ties", "losses")]
            alpha = "" if of["alpha"] is None else f"{of['alpha']:.2f}"
            pair = f"{reading['first']} against {reading['second']}"
            lines.append([pair, question, *tally, f"{of['score']:+.2f}", alpha])
    if lines and scores.published:
        for other in read_readings():
            tally = [str(count) for count in other.tally]
            lines.append([f"{other.pair} {MARK}", other.question, *tally, f"{other.score:+.2f}", f"{other.alpha:.2f}"])
    header = ["pair", "question", "wins", "ties", "losses", "score", "alpha"]
    return [markdown_table(header, lines)] if lines else []


READINGS = Study(
    "Readers",
    "Pairs of summaries of the same source, read blind. Wins, ties and losses are items by majority, for the first of "
    "the pair; the score is the paper's, the mean of +1, 0 and -1; alpha is Krippendorff's.",
    show,
)
