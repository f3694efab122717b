"""The text of the page around its tables."""

ABOUT = """
<!-- made by docs/make_reproduction.py from results/reproduction: do not edit -->
# The paper, reproduced

Schumann, Mou, Lu, Vechtomova and Markert, *Discrete Optimization for Unsupervised Sentence Summarization with Word-Level
Extraction* (ACL 2020): each claim of the paper, and what this program shows with its own models and data. `paper` is their
objective, fluency and similarity to the power of 12, with the bundle that ships. Its language models were trained on titles, so
it corresponds to their HC_title.

The setups differ as follows, so compare differences inside a table, not levels:

| | the paper | here |
|---|---|---|
| data | Gigaword test set, 1,951 sources; DUC 2004 | Gigaword development set, 2,000 sources; DUC 2003, 624 sources, 4 references |
| text for the models | 3.8 million titles of Gigaword | 3.7 million titles of Reuters, the New York Times and many outlets, without the lines of the development and test sets |
| language models | two layers of 1024, full softmax, 50 epochs | one layer of 512, sampled softmax, self-normalised, an hour and a half on two cores |
| vectors | sent2vec, 700 dimensions | the same model, 256 dimensions, of titles and articles, whitened |
| ROUGE | the Perl program | figures that agree with it to 0.0001, irregular forms stemmed by WordNet |

{easier}Weights of `headline` and `telegraph` were tuned on the first 1,000 lines of the development set, so their figures are
also shown for the other half.

    python docs/make_reproduction.py            # this page from results/reproduction: seconds
    TERSELY_DEV=folder runs/reproduce.sh        # makes the outputs again and resumes if stopped; it says how many hours

A degree sign marks a difference that may be chance (paired bootstrap, 1,000 samples, p of at least 0.05; for differences, an
interval that contains 0). A dagger marks figures that others reported on other data: they are neither ranked nor tested.
"""

HEADLINES = """
ROUGE F1 x 100. Every system has exactly the length of its group. `headline` and `telegraph` go past the paper: they have more
factors, tuned weights and grammar.
"""

SEARCHES = """
`paper` by {search} and by the default search of this program, on sources that no weight was tuned on: the first 200, and at
50 % the first 200 of at most 22 words, because the budget grows with n^2 s^4. Times were measured on a busy machine, so compare
them only within a pair of rows.
"""

DUC = """
ROUGE recall x 100 on DUC 2003, summaries and references cut at 75 bytes, four references. Objectives were asked for at most 75
bytes, so none of their words is cut.
"""

ABLATION = """
The whole objective, and parts of it. "Forward only" is without the backward model, "fluency only" without similarity.
"""

EXHAUSTIVE = """
`paper` on sources that have at most 20,000 candidates of a length, but more than the budget of hill climbing: for which share of
them a search finds the best candidate (scores within 0.0001 are equal). Short summaries of long sources get few steps of hill
climbing, T = 0.1 n s^2 and R = 0.035 n s^2, and there it fails.
"""

POSITIONS = """
The share of summary words by the quarter of the source that they come from, 10 words. Of the references only the words that
are in the source count, at their first occurrence.
"""

LEAD = """
Choosing nothing but the length moves ROUGE F1 by many points. A system is better than Lead only as far as it is above the curve
at its own length.
"""

READERS = """
Pairs of summaries of the same source at 8 words, read blind by three readers: no names, and a random order for each reader and
pair. Wins, ties and losses are items by majority, for the first of the pair; the score is the paper's, the mean of +1, 0 and
-1; alpha is Krippendorff's. The readers were instances of a large language model, not people. They had seen neither the code
nor each other's answers.

    python benchmarks/reproduce.py --sheets 50            # writes judge-*.txt into the state folder, without names
    python benchmarks/reproduce.py --only judgements      # reads the answers from the sheets
"""

SPEED = """
One process, one thread, a shared two-core machine without an accelerator, under other load: orders of magnitude only. The
authors' way of scoring, every candidate recomputed with the exact softmax, takes 499 seconds a sentence at 10 words on such a
machine ([results.md](results.md#search)). No published time could be confirmed from its source, so none is shown.
"""

BUNDLES = """
HC_title is the bundle that ships. HC_article (`runs/train_article.sh`) has language models of the same size, trained on
article sentences of at most 40 words for the same hour and a half, on a busier machine: 20.6 million tokens, where HC_title had
26.7 million. Its vocabulary is that of the articles. Unless a name says otherwise, a bundle has vectors of titles and articles
together. `runs/train_vectors.sh` makes vectors of one side, with their idf, and leaves the language models as they are.
"""

MISSING = """
`runs/reproduce.sh` makes the rows. It needs the development sets, which are not in the repository, and uses the other bundles if
they are there. The test sets are not here; with them, the same commands can be run on them. The recipe `paper`, at the
published sizes, was not run: it needs an accelerator (`tersely train --device`).
"""
