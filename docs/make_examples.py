"""Write the examples in README.md, between its two markers, from what the bundle in the package really gives.

`make docs` runs it; without that bundle it leaves the README alone. A test fails when the examples are stale.
"""

from __future__ import annotations

from pathlib import Path

from tersely.summary.summarizer import DEFAULT_BUNDLE, load

ROOT = Path(__file__).parent.parent
README, SENTENCES = ROOT / "README.md", ROOT / "examples" / "sentences.txt"
BEGIN, END = "<!-- examples: made by docs/make_examples.py -->\n", "<!-- end of the examples -->"
COUNT, LENGTHS = 1, [("words", 6), ("words", 8), ("words", 12), ("chars", 40), ("bytes", 30)]


def refreshed(readme: str) -> str:
    """The README with fresh examples."""
    head, _, rest = readme.partition(BEGIN)
    _, _, tail = rest.partition(END)
    shorten = load()
    lines = []
    for sentence in SENTENCES.read_text(encoding="utf-8").splitlines()[:COUNT]:
        lines += [f"> {sentence}", ">"]
        lines += [f"> `--{unit} {size}`: **{shorten(sentence, **{unit: size})}**  " for unit, size in LENGTHS]
        lines += [""]
    return head + BEGIN + "\n".join(lines) + END + tail


if __name__ == "__main__":
    if DEFAULT_BUNDLE.is_dir():
        README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
