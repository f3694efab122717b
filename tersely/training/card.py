"""Beside the flow: what is said of a trained bundle: its card, README.md in the bundle, and the last lines of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tersely.bundle import Bundle
from tersely.scoring.factors import FACTORS, available

_PARSER, _SELECTOR, _LIMITS = "## The parser", "## The fast path", "## What it is not good for"


def model_card(description: Mapping[str, Any], n_words: int) -> str:
    """The card as Markdown: what went in, how long it took, which figures came out, what it is not good for."""
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
        _figures(description["figures"], description.get("int8", {})),
        _LIMITS,
        "Languages other than that of its corpora, and text that is far from them (the names, the subjects and the "
        "style it knows are theirs). A summary drops words, and with them sometimes a *not* or an *allegedly*: what "
        "must not be lost has to be pinned, and what matters has to be read by a person. The models repeat the habits "
        "and prejudices of the news that they were trained on.",
    ]
    card = "\n\n".join(parts) + "\n"
    return with_parser(card, description["parser"]) if "parser" in description else card


def with_parser(card: str, parser: Mapping[str, Any]) -> str:
    """A bundle's card with the section on its parser, in the place of the one that was there.

    >>> print(with_parser("# mine", {"layers": 2, "labels": ["root", "obj"]}), end="")
    # mine
    <BLANKLINE>
    ## The parser
    <BLANKLINE>
    - which word belongs to which: 2 bidirectional LSTM layers, biaffine arcs, 2 labels, int8
    """
    return _with_section(without_selector(card), _PARSER, _parser(parser))


def with_selector(card: str, selector: Mapping[str, Any]) -> str:
    """A bundle's card with the section on its selector, in the place of the one that was there."""
    lines = [
        f"- a selector that chooses words without the language models, for {', '.join(selector['objectives'])}",
        f"- it learned from what the search found for {selector['lessons']:,} sentences at several lengths, "
        f"{selector['lists']:,} lists of candidates, without any reference: {', '.join(selector['sentences'])}",
    ]
    return _with_section(card, _SELECTOR, "\n".join(lines))


def without_selector(card: str) -> str:
    return re.sub(rf"^{_SELECTOR}\n.*?(?=^## |\Z)", "", card, flags=re.MULTILINE | re.DOTALL)


def _with_section(card: str, title: str, text: str) -> str:
    """The card with a section, in the place of the one of this title, before the limits."""
    card = re.sub(rf"^{title}\n.*?(?=^## |\Z)", "", card, flags=re.MULTILINE | re.DOTALL)
    before, limits, after = card.partition(_LIMITS)
    parts = [before.strip(), f"{title}\n\n{text}", *([limits + after.rstrip()] if limits else [])]
    return "\n\n".join(parts) + "\n"


def _parser(parser: Mapping[str, Any]) -> str:
    """The lines on a parser, as far as its description goes."""
    lines = [
        f"- which word belongs to which: {parser['layers']} bidirectional LSTM layers, biaffine arcs, "
        f"{len(parser['labels'])} labels, int8"
    ]
    if trees := parser.get("trees"):
        files = ", ".join(file_groups(trees["files"]))
        lines.append(f"- learned from {trees['trees']:,} dependency trees of {trees['tokens']:,} tokens: {files}")
    if spent := parser.get("training"):
        lines.append(
            f"- {spent['tokens'] / 1e6:.1f} million tokens in {spent['steps']:,} steps, {spent['hours']:.2f} hours"
        )
    for name, found in parser.get("held out", {}).items():
        lines.append(
            f"- agrees with trees held out, {name}, in {found['heads']:.1%} of the heads, in "
            f"{found['labels']:.1%} with their labels"
        )
    if "note" in parser:
        lines.append(f"- {parser['note']}")
    return "\n".join(lines)


def file_groups(names: list[str]) -> list[str]:
    """Names of files, those that differ by a number alone together.

    >>> file_groups(["voa-0000.conllu.xz", "voa-0001.conllu.xz", "chat.conllu"])
    ['voa (2 files)', 'chat']
    """
    stems = [re.sub(r"[-_.]?\d*$", "", name.partition(".")[0]) or name for name in names]
    return [f"{stem} ({stems.count(stem)} files)" if stems.count(stem) > 1 else stem for stem in dict.fromkeys(stems)]


def _contents(description: Mapping[str, Any], n_words: int) -> str:
    recipe = description["recipe"]
    tables = "the same for input and output" if recipe["tied"] else "others for input than for output"
    tables += ", and for both directions" if recipe["shared"] else ""
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
        [f"- the language models of {description['started from']}, further"] if "started from" in description else []
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
            f"- in the last {recipe['finish']:.0%} half of the tokens are of the corpus of the largest weight, the "
            "other half of all by their weights"
        )
    for origin in dict.fromkeys(description.get("objectives from", {}).values()):
        names = ", ".join(name for name, other in description["objectives from"].items() if other == origin)
        lines.append(f"- objectives with the weights of {origin}, not tuned to these models: {names}")
    return "\n".join(lines)


def _figures(figures: Mapping[str, Any], gaps: Mapping[str, Any]) -> str:
    rows = ["| lines | model | perplexity | mean log Z | mean abs. log Z |", "|---|---|---:|---:|---:|"]
    others = []
    for name, entry in figures.items():
        for direction, quality in entry["models"].items():
            rows.append(
                f"| {name} | {direction} | {quality['perplexity']:.1f} | {quality['log_z']:+.3f} | "
                f"{quality['abs_log_z']:.3f} |"
            )
        for kind, share in entry["prefers the original"].items():
            copy = "two neighbouring words swapped" if kind == "swap" else "all words shuffled"
            others.append(f"- {name}: a line wins against itself with {copy} in {share:.1%} of cases")
    if gaps:
        means = ", ".join(f"{direction} {gap['mean per line']:.4f}" for direction, gap in gaps.items())
        others.append(f"- int8 rows change the score of a line by (nats per word, mean): {means}")
    note = "Perplexity is by the exact softmax, per word and end symbol, punctuation dropped, unknown words counted."
    return "\n".join(rows) + f"\n\n{note}\n\n" + "\n".join(others)


def summary(description: Mapping[str, Any]) -> list[str]:
    """What the bundle can do, in a few lines."""
    lines = []
    for name, entry in description["figures"].items():
        for direction, quality in entry["models"].items():
            lines.append(
                f"{name}, {direction}: perplexity {quality['perplexity']:.1f}, |log Z| {quality['abs_log_z']:.3f}"
            )
        for kind, share in entry["prefers the original"].items():
            lines.append(f"{name}: the original wins against a {kind} in {share:.1%} of the lines")
    gaps = ", ".join(f"{direction} {gap['mean per line']:.4f}" for direction, gap in description["int8"].items())
    lines.append(f"int8 rows change the score of a line by (nats per word): {gaps}")
    for name, found in description.get("parser", {}).get("held out", {}).items():
        lines.append(
            f"parser, held out, {name}: {found['heads']:.1%} of the heads, {found['labels']:.1%} with their labels"
        )
    return lines


def factors_line(bundle: Bundle) -> str:
    """The factors that a bundle can serve, and what the others lack.

    The last line of a run says it, because a missing side or missing trees are otherwise not seen.
    """
    has = available(bundle)
    lacking = [name for name in FACTORS if name not in has]
    if not lacking:
        return f"factors: {', '.join(has)}"
    parts = dict.fromkeys(part for name in lacking for part in FACTORS[name].tensors if part not in bundle)
    options = {"counts.titles": "--titles", "counts.articles": "--articles"}
    given = dict.fromkeys("--trees" if part.startswith("parser.") else options.get(part, part) for part in parts)
    return f"factors: {', '.join(has)}; not {', '.join(lacking)}, for want of {' and '.join(given)}"
