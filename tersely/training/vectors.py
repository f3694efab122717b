"""Training: word vectors for the similarity factor.

sent2vec's unigram model (Pagliardini et al. 2018), which the paper uses, is CBOW whose window is the whole sentence and
whose context is averaged. gensim's Word2Vec with these settings is the same model. The vector of a sentence is the
average of the vectors of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tersely.errors import InputError, missing_extra
from tersely.text.vocabulary import UNKNOWN_ID
from tersely.training.corpus import Encoded
from tersely.training.recipes import Recipe

_WEAKEST = 1e-4  # of the strongest direction: weaker ones are rounding errors
LONGEST = 1_000  # gensim cuts a sentence at 10,000 words; a window wider than the sentence changes nothing


class Sentences:
    """The lines of some corpora as lists of words, which can be iterated often; unknown words are left out."""

    def __init__(self, corpora: Sequence[Encoded]) -> None:
        self.corpora = corpora

    def __iter__(self) -> Iterator[list[int]]:
        for corpus in self.corpora:
            for i in range(corpus.n_lines):
                line: list[int] = corpus.line(i).tolist()
                if UNKNOWN_ID in line:
                    line = [word for word in line if word != UNKNOWN_ID]
                if len(line) > 1:
                    yield line


def train_vectors(corpora: Sequence[Encoded], n_words: int, recipe: Recipe, *, workers: int) -> NDArray[np.float32]:
    """The vectors (words, size); words that are too rare have the zero vector, which does not count in a cosine.

    With one worker the same seed gives the same vectors.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise missing_extra("train", "gensim") from None
    sentences = Sentences(corpora)
    model = Word2Vec(
        vector_size=recipe.vector_size,
        window=LONGEST,
        shrink_windows=False,
        sg=0,
        cbow_mean=1,
        negative=recipe.vector_negatives,
        min_count=recipe.vector_min_count,
        alpha=recipe.vector_rate,
        min_alpha=recipe.vector_rate * 1e-3,
        sample=recipe.vector_subsample,
        epochs=recipe.vector_epochs,
        seed=recipe.seed,
        workers=workers,
    )
    model.build_vocab(sentences)
    if not len(model.wv):
        raise InputError(
            f"no word occurs {recipe.vector_min_count} times in the text for the vectors: "
            "give more text or a smaller --vector-min-count"
        )
    model.train(sentences, total_examples=model.corpus_count, epochs=recipe.vector_epochs)
    vectors = np.zeros((n_words, recipe.vector_size), np.float32)
    vectors[np.asarray(model.wv.index_to_key)] = model.wv.vectors
    return vectors


def whitened(vectors: NDArray[np.float32], counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors whitened: without their mean, rotated and scaled so that all directions have the same variance.

    Words are weighted by their counts. As trained, all vectors share a component, and a few topics take most of the
    space: all sentences are similar then, and the cosine says little about the content of a summary
    (results/training.md). Words without a vector stay without.

    >>> vectors = np.array([[1, 5], [-1, 5], [0, 9], [0, 1], [0, 0]], np.float32)
    >>> np.abs(whitened(vectors, np.array([1, 1, 1, 1, 8], np.float32))).round(2)
    array([[0.  , 1.41],
           [0.  , 1.41],
           [1.41, 0.  ],
           [1.41, 0.  ],
           [0.  , 0.  ]], dtype=float32)
    """
    known = np.flatnonzero(vectors.any(axis=1))
    if not counts[known].any():
        return vectors
    share = counts[known] / counts[known].sum(dtype=np.float64)
    centred = vectors[known] - share @ vectors[known]
    _, strength, directions = np.linalg.svd(centred * np.sqrt(share)[:, None], full_matrices=False)
    used = strength > strength[0] * _WEAKEST
    result = np.zeros_like(vectors)
    result[known[:, None], np.flatnonzero(used)] = centred @ directions[used].T / strength[used]
    return result
