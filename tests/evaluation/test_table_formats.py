from __future__ import annotations

import csv
import io
import json
import sys

import pytest
from evaluation_toys import DATASET, Canned

from tersely.candidates.length import Length
from tersely.errors import MissingExtra
from tersely.evaluation.results import Evaluation, evaluate
from tersely.evaluation.rouge import Rouge
from tersely.evaluation.table_formats import HEADER, format_evaluation
from tersely.version import __version__


@pytest.fixture
def evaluation() -> Evaluation:
    good = Canned("good_1", ["ship runs aground", "storm kills ten"], Length.of(words=3))
    bad = Canned("bad", ["the port said", "on friday storm"], Length.of(words=3))
    return evaluate(DATASET, [good, bad], Rouge())


def test_text(evaluation: Evaluation) -> None:
    # "on friday storm": one of three words, F1 1/3, so the mean is 1/6.
    assert format_evaluation(evaluation) == (
        "3 words\n"
        "system     R-1      R-2      R-L   words  too long  in source  compression  s/sentence\n"
        "good_1  100.00*  100.00*  100.00*    3.0         0     66.7 %       33.3 %        0.25\n"
        "bad      16.67     0.00    16.67     3.0         0    100.0 %       33.3 %        0.25\n"
        "\n"
        "toy, 2 sources, ROUGE F1 x 100; *: best in its bracket; °: may be chance against the best "
        "(paired bootstrap, 1,000 samples, p >= 0.05)\n"
        "ROUGE|nrefs:1|refs:average|case:lc|tok:perl|stem:porter+wordnet|limit:no|measure:f1|"
        f"version:tersely-{__version__}\n"
    )


def test_text_in_bold(evaluation: Evaluation) -> None:
    plain, bold = format_evaluation(evaluation), format_evaluation(evaluation, color=True)
    for line, marked in zip(plain.splitlines()[:4], bold.splitlines(), strict=False):
        assert marked.replace("\x1b[1m", "").replace("\x1b[0m", "") == line.replace("*", " ")
    assert bold.splitlines()[2].count("\x1b[1m100.00\x1b[0m") == 3


def test_brackets_are_groups_and_chance_has_a_degree_sign() -> None:
    left = Canned("left", ["ship runs aground", "x x storm"], Length.of(words=3))
    other = Canned("a longer name", ["ship", "storm"], Length.of(words=1))
    right = Canned("right", ["x x x", "storm kills ten"], Length.of(words=3))
    lines = format_evaluation(evaluate(DATASET, [left, other, right], Rouge())).splitlines()
    assert [line.split("  ")[0] for line in lines[:8]] == [
        "3 words", "system", "left", "right", "", "1 words", "system", "a longer name",
    ]  # fmt: skip
    assert lines[3].split()[1:4] == ["50.00°", "50.00*", "50.00°"]
    assert lines[1] == lines[6]  # the columns of both brackets line up
    assert {line.find(".") for line in (lines[2], lines[3], lines[7])} == {lines[2].find(".")}


def test_a_missing_tabulate_is_named(evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tabulate", None)
    with pytest.raises(MissingExtra, match=r"tabulate, which is not installed: pip install 'tersely\[eval\]'"):
        format_evaluation(evaluation)
    assert format_evaluation(evaluation, "csv")


def test_markdown(evaluation: Evaluation) -> None:
    lines = format_evaluation(evaluation, "markdown").splitlines()
    header, rule, good, bad = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:6]]
    assert (lines[:2], header) == (["**3 words**", ""], HEADER)
    assert all(cell.endswith("-:") for cell in rule[1:])
    assert good == ["good_1", *["**100.00**"] * 3, "3.0", "0", "66.7 %", "33.3 %", "0.25"]
    assert bad[:2] == ["bad", "16.67"]
    assert lines[-1].startswith("ROUGE|")


def test_latex_is_escaped(evaluation: Evaluation) -> None:
    table = format_evaluation(evaluation, "latex")
    assert table.startswith(r"\begin{tabular}{lrrrrrrrr}")
    figures = " & ".join([r"\textbf{100.00}"] * 3)
    assert rf"good\_1 & {figures} & 3.0 & 0 & 66.7 \% & 33.3 \% & 0.25 \\" in table


def test_json_and_csv_say_the_same(evaluation: Evaluation) -> None:
    found = json.loads(format_evaluation(evaluation, "json"))
    rows = list(csv.DictReader(io.StringIO(format_evaluation(evaluation, "csv"))))
    assert [row["system"] for row in rows] == ["good_1", "bad"]
    assert float(rows[1]["ROUGE-1"]) == found["systems"][1]["ROUGE-1"] == 16.6667
    assert rows[0]["signature"] == found["signature"]
    assert found["systems"][1]["behind_best"]["ROUGE-1"]["difference"] == 83.3333
