"""What the page says around its tables."""

ABOUT = """
<!-- made by docs/make_reproduction.py from results/reproduction: do not edit -->
# The paper, reproduced

Schumann, Mou, Lu, Vechtomova and Markert, *Discrete Optimization for Unsupervised Sentence Summarization with Word-Level
Extraction* (ACL 2020): each claim beside what this program shows, with these models and this data. `paper` is their
objective, fluency and similarity to the power of 12, with the bundle that ships, whose language models read titles: their
HC_title.

What is not the same, so that levels cannot be compared, only differences inside a table:

| | the paper | here |
|---|---|---|
| data | Gigaword test set, 1,951 sources; DUC 2004 | Gigaword development set, 2,000 sources; DUC 2003, 624 sources, 4 references |
| text for the models | 3.8 million titles of Gigaword | 3.7 million titles of Reuters, the New York Times and many outlets, without the lines of the development and test sets |
| language models | two layers of 1024, full softmax, 50 epochs | one layer of 512, sampled softmax, self-normalised, an hour and a half on two cores |
| vectors | sent2vec, 700 dimensions | the same model, 256 dimensions, of titles and articles, whitened |
| ROUGE | the Perl program | figures that agree with it to 0.0001, irregular forms stemmed by WordNet |

The development set is easier than the test set by about four points. Weights of `headline` and `telegraph` were tuned on its
first 1,000 lines, so their figures are shown for the other half as well.

    python docs/make_reproduction.py            # this page from results/reproduction: seconds
    TERSELY_DEV=folder runs/reproduce.sh        # the outputs anew: resumes; its head says how many hours

A degree sign marks a difference that may be chance (paired bootstrap, 1,000 samples, p of at least 0.05; for differences, an
interval with 0 in it). A dagger marks what others reported on other data: it is neither ranked nor tested.
"""

HEADLINES = """
ROUGE F1 x 100. Every system has exactly the length of its group. `headline` and `telegraph` go past the paper: more factors,
tuned weights, grammar.
"""

SEARCHES = """
`paper` by the paper's hill climbing with its budget and by the default search of this program, on sources of the half that no
weight was tuned on: the first 200, and at 50 % the first 200 of at most 22 words, because the budget grows with
n^2 s^4. Times are of a busy machine: compare them inside a row pair only.
"""

DUC = """
ROUGE recall x 100 on DUC 2003, summaries and references cut at 75 bytes, four references. Objectives were asked for at most 75
bytes, so no word of theirs is cut.
"""

ABLATION = """
The whole objective, and what is left of it. "Forward only" is without the backward model, "fluency only" without similarity.
"""

EXHAUSTIVE = """
`paper` on sources that have at most 20,000 candidates of a length, but more than hill climbing would enumerate by itself: the
share of them for which a search finds the best candidate there is (scores within 0.0001 are equal). Short summaries of long
sources get few steps of hill climbing, T = 0.1 n s^2 and R = 0.035 n s^2, which is where it fails.
"""

POSITIONS = """
The share of summary words by the quarter of the source that they stand in, 10 words. Of the references only the words that
are in the source count, at their first occurrence.
"""

LEAD = """
Doing nothing but choosing the length moves ROUGE F1 by many points; a system is better than Lead only as far as it stands
above the curve at its own length.
"""

READERS = """
Pairs of summaries of the same source at 8 words, read blind by three readers: no names, order drawn for each reader and
pair. Wins, ties and losses are items by majority, for the first of the pair; the score is the paper's, the mean of +1, 0 and
-1; alpha is Krippendorff's. The readers were instances of a large language model that had seen neither the code nor each
other's answers, not people.

    python benchmarks/reproduce.py --sheets 50            # writes judge-*.txt into the state folder, without names
    python benchmarks/reproduce.py --only judgements      # reads the answers that were written on them
"""

SPEED = """
One process, one thread, a shared two-core machine without an accelerator, under other load: orders of magnitude. The authors'
way of scoring, every candidate recomputed with the exact softmax, takes 499 seconds a sentence at 10 words on such a machine
([results.md](results.md#search)). No published time could be confirmed from its source, so none is shown.
"""

BUNDLES = """
HC_title is the bundle that ships. HC_article (`runs/train_article.sh`) has language models of the same size that read
article sentences of at most 40 words for the same hour and a half, on a busier machine: 20.6 million tokens, where HC_title had
read 26.7 million. Its vocabulary is that of the articles. Without a note on
vectors, a bundle has those of titles and articles together; `runs/train_vectors.sh` makes those of one side, with their idf, and
leaves the language models as they are.
"""

MISSING = """
`runs/reproduce.sh` makes the rows, with the development sets, which are not in the repository, and with other bundles if they
are there. The test sets are not here: a reader who has them runs the same commands on them. The recipe `paper`, at the
published sizes, was not run: it wants an accelerator (`tersely train --device`).
"""
