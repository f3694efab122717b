"""Stage 9: summaries to evaluation. Datasets, ROUGE, baselines, fair tables, the paper's experiments, a judge."""

from tersely.evaluation.datasets import Dataset, Example, read_dataset
from tersely.evaluation.results import Evaluation, evaluate
from tersely.evaluation.rouge import Rouge, Score
from tersely.evaluation.specs import parse_system

__all__ = ["Dataset", "Evaluation", "Example", "Rouge", "Score", "evaluate", "parse_system", "read_dataset"]
