"""Training: the model card of a bundle (its README.md), and the last lines of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tersely.bundle.bundle import Bundle
from tersely.scoring.factors import FACTORS, available

_PARSER, _EDITOR, _LIMITS = "## The parser", "## The editor", "## What it is not good for"
_FIGURES_NOTE = (
    "Perplexity is by the exact softmax, per word and end symbol, without punctuation, with unknown words counted."
)


def model_card(description: Mapping[str, Any], n_words: int) -> str:
    """The card as Markdown: contents, corpora, training, figures, limits."""
    recipe = description["recipe"]
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
        _training(description, recipe),
        "## Figures",
        _FIGURES_NOTE + "\n\n" + "\n".join(f"- {line}" for line in figures(description)),
        _LIMITS,
        "Languages other than that of its corpora, and text that is far from them (the names, the subjects and the "
        "style it knows are theirs). A summary drops words, and with them sometimes a *not* or an *allegedly*: what "
        "must not be lost has to be pinned, and what matters has to be read by a person. The models repeat the habits "
        "and prejudices of the news that they were trained on.",
    ]
    card = "\n\n".join(parts) + "\n"
    if "editor" in description:
        return with_editor(card, description)
    return with_parser(card, description["parser"]) if "parser" in description else card


def with_parser(card: str, parser: Mapping[str, Any]) -> str:
    """A bundle's card with a section on its parser, which replaces an older one.

    >>> print(with_parser("# mine", {"layers": 2, "labels": ["root", "obj"]}), end="")
    # mine
    <BLANKLINE>
    ## The parser
    <BLANKLINE>
    - dependency parser: 2 bidirectional LSTM layers, biaffine arcs, 2 labels, int8
    """
    return _with_section(card, _PARSER, _parser(parser))


def with_editor(card: str, description: Mapping[str, Any]) -> str:
    """A bundle's card with the sections on its editor and on the parser that this stands on."""
    return _with_section(with_parser(card, description["parser"]), _EDITOR, _editor(description))


def _editor(description: Mapping[str, Any]) -> str:
    """The lines on an editor: from what it was learned, and how far it agrees with what was held out."""
    editor, encoder = description["editor"], description.get("encoder")
    states = "the parser"
    if encoder:
        named = f" ({encoder['from']})" if "from" in encoder else ""
        states = f"a pretrained encoder{named} of {encoder['layers']} layers, int8"
    lines = [f"- what an editor would keep: words, neighbours and needs, on the states of {states}"]
    if pairs := editor.get("pairs"):
        lines.append(
            f"- learned from {pairs['shortenings']:,} shortenings by deletion of {pairs['sources']:,} sources: "
            f"{', '.join(file_groups(pairs['files']))}"
        )
    if spent := editor.get("training"):
        lines.append(f"- {spent['steps']:,} steps, {spent['hours']:.2f} hours")
    if found := editor.get("held out"):
        before = editor.get("before")
        earlier = f"; before, {before['f1']:.3f} and {before['identical']:.1%}" if before else ""
        lines.append(
            f"- with {found['n']:,} shortenings of {found['sources']:,} sources held out, at their own lengths: token "
            f"F1 {found['f1']:.3f}, identical {found['identical']:.1%}{earlier}"
        )
    if "note" in editor:
        lines.append(f"- {editor['note']}")
    return "\n".join(lines)


def _with_section(card: str, title: str, text: str) -> str:
    """The card with a section before the limits, which replaces one of the same title."""
    card = _without_section(card, title)
    before, limits, after = card.partition(_LIMITS)
    parts = [before.strip(), f"{title}\n\n{text}", *([limits + after.rstrip()] if limits else [])]
    return "\n\n".join(parts) + "\n"


def without_editor(card: str) -> str:
    """A bundle's card without the section on an editor."""
    return _without_section(card, _EDITOR)


def _without_section(card: str, title: str) -> str:
    return re.sub(rf"^{title}\n.*?(?=^## |\Z)", "", card, flags=re.MULTILINE | re.DOTALL)


def _parser(parser: Mapping[str, Any]) -> str:
    """The lines on a parser, as far as it is described."""
    layers = f"{parser['layers']} bidirectional LSTM layers" if "layers" in parser else "on the pretrained encoder"
    lines = [f"- dependency parser: {layers}, biaffine arcs, {len(parser['labels'])} labels, int8"]
    if trees := parser.get("trees"):
        files = ", ".join(file_groups(trees["files"]))
        lines.append(f"- learned from {trees['trees']:,} dependency trees of {trees['tokens']:,} tokens: {files}")
    if spent := parser.get("training"):
        lines.append(
            f"- {spent['tokens'] / 1e6:.1f} million tokens in {spent['steps']:,} steps, {spent['hours']:.2f} hours"
        )
    lines += [f"- {line}" for line in parser_figures(parser)]
    if "note" in parser:
        lines.append(f"- {parser['note']}")
    return "\n".join(lines)


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
            rows.append(
                f"| {side} | {entry['name']} | {entry['lines']:,} | {entry['words']:,} | {entry['weight']:g} | "
                f"{entry['count weight']:g} |"
            )
    return "\n".join(rows)


def _training(description: Mapping[str, Any], recipe: Mapping[str, Any]) -> str:
    lines = (
        [f"- started from the language models of {description['started from']}"]
        if "started from" in description
        else []
    )
    lines += [
        f"- {direction}: {spent['tokens'] / 1e6:.1f} million tokens in {spent['steps']:,} steps, {spent['hours']:.2f} "
        "hours, one CPU core for each direction"
        for direction, spent in description["training"].items()
    ]
    softmax = (
        f"sampled softmax with {recipe['head']} frequent and {recipe['negatives']} drawn words, penalty "
        f"{recipe['penalty']:g} on (log Z)²"
        if recipe["negatives"]
        else "full softmax"
    )
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
    lines = []
    for name, entry in description["figures"].items():
        for direction, model in entry["models"].items():
            log_z = f"log Z {model['log_z']:+.3f}, |log Z| {model['abs_log_z']:.3f}"
            lines.append(f"{name}, {direction}: perplexity {model['perplexity']:.1f}, {log_z}")
    if gaps := description.get("int8"):
        means = ", ".join(f"{direction} {gap['mean per line']:.4f}" for direction, gap in gaps.items())
        lines.append(f"int8 rows change the score of a line by (nats per word, mean): {means}")
    return lines


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
