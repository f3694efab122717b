"""Training: the model card of a bundle (its README.md), and the last lines of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tersely.bundle.bundle import Bundle
from tersely.scoring.factors import FACTORS, available
from tersely.training.validate import Quality

_LIMITS = "## What it is not good for"


def model_card(description: Mapping[str, Any], n_words: int) -> str:
    """The card as Markdown: contents, corpora, training, figures, limits."""
    parts = [
        f"# {description['name']}",
        "A model bundle for tersely: it shortens a sentence to the length you ask "
        "for, using only the sentence's own words, in order.",
        "## What is in it",
        _contents(description, n_words),
        "## What went in",
        _corpora(description["corpora"]),
        "No pairs of articles and titles were used. The bundle holds what was learned, not the text.",
        "## How it was trained",
        _training(description),
        "## Figures",
        "Perplexity is by the exact softmax, per word and end symbol, without punctuation, with unknown words counted.",
        "\n".join(f"- {line}" for line in figures(description)),
        _LIMITS,
        "Languages other than that of its corpora, and text that is far from them (the names, the subjects and the "
        "style it knows are theirs). A summary drops words, and with them sometimes a *not* or an *allegedly*: what "
        "must not be lost has to be pinned, and what matters has to be read by a person. The models repeat the habits "
        "and prejudices of the news that they were trained on.",
    ]
    return with_readers("\n\n".join(parts) + "\n", description)


def with_readers(card: str, description: Mapping[str, Any]) -> str:
    """A bundle's card with sections on the parser and the editor that it has, in the place of older ones.

    >>> print(with_readers("# mine", {"parser": {"layers": 2, "labels": ["root", "obj"]}}), end="")
    # mine
    <BLANKLINE>
    ## The parser
    <BLANKLINE>
    - dependency parser: 2 bidirectional LSTM layers, biaffine arcs, 2 labels, int8
    """
    for part, title, lines in (("parser", "## The parser", _parser), ("editor", "## The editor", _editor)):
        card = re.sub(rf"^{title}\n.*?(?=^## |\Z)", "", card, flags=re.MULTILINE | re.DOTALL)
        if part in description:
            before, limits, after = card.partition(_LIMITS)
            section = "\n".join(f"- {line}" for line in lines(description))
            parts = [before.strip(), f"{title}\n\n{section}", (limits + after).rstrip()]
            card = "\n\n".join(filter(None, parts)) + "\n"
    return card


def _editor(description: Mapping[str, Any]) -> Iterator[str]:
    """What an editor was learned from, and how far it agrees with the shortenings that were held out."""
    editor, encoder = description["editor"], description.get("encoder")
    states = "the parser"
    if encoder:
        named = f" ({encoder['from']})" if "from" in encoder else ""
        states = f"a pretrained encoder{named} of {encoder['layers']} layers, int8"
    yield f"what an editor would keep: words, neighbours and needs, on the states of {states}"
    if pairs := editor.get("pairs"):
        n, files = f"{pairs['shortenings']:,} shortenings by deletion", ", ".join(file_groups(pairs["files"]))
        yield f"learned from {n} of {pairs['sources']:,} sources: {files}"
    if spent := editor.get("training"):
        yield f"{spent['steps']:,} steps, {spent['hours']:.2f} hours"
    if found := editor.get("held out"):
        before = editor.get("before")
        earlier = f"; before, {before['f1']:.3f} and {before['identical']:.1%}" if before else ""
        yield (
            f"with {found['n']:,} shortenings of {found['sources']:,} sources held out, at their own lengths: token "
            f"F1 {found['f1']:.3f}, identical {found['identical']:.1%}{earlier}"
        )
    if "note" in editor:
        yield editor["note"]


def _parser(description: Mapping[str, Any]) -> Iterator[str]:
    """What a parser was learned from, and how far it agrees with the trees that were held out."""
    parser = description["parser"]
    layers = f"{parser['layers']} bidirectional LSTM layers" if "layers" in parser else "on the pretrained encoder"
    yield f"dependency parser: {layers}, biaffine arcs, {len(parser['labels'])} labels, int8"
    if trees := parser.get("trees"):
        files = ", ".join(file_groups(trees["files"]))
        yield f"learned from {trees['trees']:,} dependency trees of {trees['tokens']:,} tokens: {files}"
    if spent := parser.get("training"):
        yield _spent(spent)
    yield from parser_figures(parser)
    if "note" in parser:
        yield parser["note"]


def _spent(spent: Mapping[str, float]) -> str:
    return f"{spent['tokens'] / 1e6:.1f} million tokens in {spent['steps']:,} steps, {spent['hours']:.2f} hours"


def parser_figures(parser: Mapping[str, Any]) -> list[str]:
    """How often a parser agrees with trees that were held out, one line for each kind of text."""
    return [
        f"parser, held out, {name}: {found['heads']:.1%} of the heads, {found['labels']:.1%} with their labels"
        for name, found in parser.get("held out", {}).items()
    ]


def file_groups(names: list[str]) -> list[str]:
    """Names of files, with those that differ only by a number together.

    >>> file_groups(["voa-0000.conllu.xz", "voa-0001.conllu.xz", "chat.conllu"])
    ['voa (2 files)', 'chat']
    """
    stems = [re.sub(r"[-_.]?\d*$", "", name.partition(".")[0]) or name for name in names]
    return [f"{stem} ({stems.count(stem)} files)" if stems.count(stem) > 1 else stem for stem in dict.fromkeys(stems)]


def _contents(description: Mapping[str, Any], n_words: int) -> str:
    recipe = description["recipe"]
    tables = "shared by input and output" if recipe["tied"] else "separate for input and output"
    tables += ", shared by both directions" if recipe["shared"] else ""
    norm = ", layer normalisation" if recipe["layer_norm"] else ""
    layers = "one layer" if recipe["layers"] == 1 else f"{recipe['layers']} layers"
    sides = " and of ".join(description["counts"])
    return "\n".join(
        [
            f"- a vocabulary of {n_words:,} words (lower case, digits as `#`)",
            f"- a forward and a backward language model of {recipe['lm_side']}: LSTM, {layers} of {recipe['hidden']} "
            f"units{norm}, word vectors of {recipe['embedding']}, {tables}, int8",
            f"- sentence vectors: CBOW over whole sentences, {recipe['vector_size']} dimensions, int8, with idf",
            f"- document counts of {sides}",
        ]
    )


def _corpora(corpora: Mapping[str, Any]) -> str:
    rows = ["| side | corpus | lines | words | weight | weight in counts |", "|---|---|---:|---:|---:|---:|"]
    for side, entries in corpora.items():
        for entry in entries:
            size = f"{entry['lines']:,} | {entry['words']:,}"
            rows.append(f"| {side} | {entry['name']} | {size} | {entry['weight']:g} | {entry['count weight']:g} |")
    return "\n".join(rows)


def _training(description: Mapping[str, Any]) -> str:
    recipe = description["recipe"]
    lines = []
    if "started from" in description:
        lines.append(f"- started from the language models of {description['started from']}")
    for direction, spent in description["training"].items():
        lines.append(f"- {direction}: {_spent(spent)}, one CPU core for each direction")
    softmax = "full softmax"
    if recipe["negatives"]:
        drawn = f"{recipe['head']} frequent and {recipe['negatives']} drawn words"
        softmax = f"sampled softmax with {drawn}, penalty {recipe['penalty']:g} on (log Z)²"
    lines.append(f"- {softmax}; {recipe['optimizer']}, rate {recipe['rate']:g}, batches of {recipe['batch']:,} tokens")
    if recipe["finish"]:
        lines.append(
            f"- in the last {recipe['finish']:.0%} half of the tokens are from the corpus of the largest weight, the "
            "other half from all by their weights"
        )
    for origin in dict.fromkeys(description.get("objectives from", {}).values()):
        names = ", ".join(name for name, other in description["objectives from"].items() if other == origin)
        lines.append(f"- objectives with the weights of {origin}, not tuned to these models: {names}")
    return "\n".join(lines)


def figures(description: Mapping[str, Any]) -> list[str]:
    """The figures of a bundle, one a line: for its card, and for the end of the run."""
    return [
        f"{name}, {direction}: {Quality(**model)}"
        for name, entry in description["figures"].items()
        for direction, model in entry["models"].items()
    ]


def factors_line(bundle: Bundle) -> str:
    """The factors that a bundle can serve, and what is missing for the others: the last line of a run."""
    has = available(bundle)
    lacking = [name for name in FACTORS if name not in has]
    if not lacking:
        return f"factors: {', '.join(has)}"
    parts = dict.fromkeys(part for name in lacking for part in FACTORS[name].tensors if part not in bundle)
    options = {"counts.titles": "--titles", "counts.articles": "--articles", "editor.word": "tersely learn"}
    given = dict.fromkeys("--trees" if part.startswith("parser.") else options.get(part, part) for part in parts)
    return f"factors: {', '.join(has)}; not {', '.join(lacking)}, which need {' and '.join(given)}"
