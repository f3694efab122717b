"""Stage 5: a genetic algorithm, which the paper names as future work. A child inherits the words that both parents keep
and a random choice of the others; a mutation is a swap; every child is repaired to the length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tersely.candidates.space import CandidateSpace
from tersely.search.exhaustive import exhaustive
from tersely.search.result import Observer, Scorer, SearchResult, Step, best_first
from tersely.system.arrays import BoolArray


@dataclass(frozen=True)
class Genetic:
    """A genetic algorithm; of parents and children the best `population` survive."""

    population: int = 64
    generations: int = 60
    mutation: float = 0.5  # the share of children that mutate

    def __call__(
        self, objective: Scorer, space: CandidateSpace, rng: np.random.Generator, observe: Observer | None = None
    ) -> SearchResult:
        """The best candidate of the last generation; all candidates are scored where that costs no more."""
        if space.count <= self.population * self.generations:
            return exhaustive(objective, space, rng, observe)
        masks = space.random(rng, self.population)
        scores = objective.log_scores(masks)
        evaluations, accepted = len(masks), 0
        for generation in range(1, self.generations + 1):
            children = self._children(space, rng, masks)
            child_scores = objective.log_scores(children)
            evaluations += len(children)
            worst = float(scores.min())
            if observe is not None:
                for i, child in enumerate(children):
                    observe(Step(i, generation, child, float(child_scores[i]), bool(child_scores[i] > worst)))
            accepted += int((child_scores > worst).sum())
            masks, scores = best_first(
                np.concatenate([masks, children]), np.concatenate([scores, child_scores]), limit=self.population
            )
        return SearchResult(masks, scores, evaluations=evaluations, accepted=accepted, restarts=1)

    def _children(self, space: CandidateSpace, rng: np.random.Generator, masks: BoolArray) -> BoolArray:
        """Half a population of children. A parent is the better of two drawn at random (masks are best first)."""
        pairs = rng.integers(len(masks), size=(2, 2, self.population // 2)).min(axis=0)
        mother, father = masks[pairs[0]], masks[pairs[1]]
        # Words of both parents first, then those of one of them, in random order.
        rank = mother.astype(float) + father + rng.random(mother.shape)
        children = space.filled(np.argsort(-rank[:, space.free], axis=1))
        mutants = rng.random(len(children)) < self.mutation
        if mutants.any():
            moved = space.moves(rng, children[mutants])
            children[mutants] = np.where(space.feasible(moved)[:, None], moved, children[mutants])
        return children


genetic = Genetic()
