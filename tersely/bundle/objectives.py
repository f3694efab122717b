"""Stage 6: the objectives of a bundle: their names and weights.

Only this module knows which objective is the default, and which factors a bundle lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tersely.errors import BundleError, InputError, short_repr
from tersely.scoring.factors import FACTORS, Cosine, Parts, Softmax, available, make_factors
from tersely.scoring.objective import Objective

Weights = Mapping[str, float]
Asked = str | Weights | None  # an objective's name, weights of factors, or None for the default

PAPER = {"fluency": 1.0, "similarity": 12.0}  # γ = 12, tuned by the authors on held-out data
# What the paper's ablation (Table 4) leaves of it.
PAPER_PARTS: dict[str, Weights] = {
    "forward only": {"fluency_forward": 1.0, "similarity": 12.0},
    "backward only": {"fluency_backward": 1.0, "similarity": 12.0},
    "fluency only": {"fluency": 1.0},
    "similarity only": {"similarity": 12.0},
    "forward only, no similarity": {"fluency_forward": 1.0},
}
_WITHOUT = " without "  # "headline without style": its weights, less one
FAST, _FAST_WEIGHTS = "fast", {"editor": 1.0}
# The weight of `use` in an objective that does not set it: tuned on development data (results/tuning.md).
_USE = 6.0
_CUSTOM = "custom"


@dataclass(frozen=True)
class Objectives:
    """The named objectives of a bundle."""

    parts: Parts
    stored: Mapping[str, Weights]  # of the description, tuned for this bundle

    @classmethod
    def of(cls, parts: Parts, description: Mapping[str, Any]) -> Objectives:
        """The objectives in the description of a bundle."""
        return cls(parts, description.get("objectives", {}))

    @property
    def named(self) -> dict[str, Weights]:
        """The weights of each objective, by name."""
        fast = {FAST: _FAST_WEIGHTS} if _FAST_WEIGHTS.keys() <= set(available(self.parts)) else {}
        return {"paper": PAPER, **self.stored, **fast}

    @property
    def default(self) -> str:
        """The name of the default objective."""
        return "headline" if "headline" in self.stored else "paper"

    def name(self, asked: Asked) -> str:
        """The name of an objective that is given by name or by weights; the default for None."""
        return self.default if asked is None else asked if isinstance(asked, str) else _CUSTOM

    def __contains__(self, name: str) -> bool:
        return self._split(name)[0] in {**PAPER_PARTS, **self.named}

    def _split(self, name: str) -> tuple[str, str]:
        """The objective and the factor that "headline without style" names; of a name without one, the name alone."""
        base, _, left_out = name.partition(_WITHOUT)
        return (name, "") if name in self.named else (base, left_out)

    def ablations(self, name: str) -> list[str]:
        """The names of what is left of an objective without a part of it."""
        if name == "paper":
            return list(PAPER_PARTS)
        factors = [factor for factor in self._named(name) if factor != "use"]  # which is constant at an exact length
        return [f"{name}{_WITHOUT}{factor}" for factor in factors] if len(factors) > 1 else []

    def weights(self, asked: Asked) -> dict[str, float]:
        """The weights of an objective; of the default objective for None."""
        if asked is not None and not isinstance(asked, str):
            return {**asked, "use": asked.get("use", _USE)}
        return self._named(self.name(asked))

    def _named(self, name: str) -> dict[str, float]:
        """The weights of the objective of that name, as far as the bundle can serve them."""
        base, left_out = self._split(name)
        if name not in self:
            hint = "; fast needs an editor: tersely learn" if name == FAST else ""
            raise InputError(f"unknown objective {short_repr(name)}: known are {', '.join(self.named)}{hint}")
        found = {**PAPER_PARTS, **self.named}[base]
        if unknown := [factor for factor in found if factor not in FACTORS]:
            raise BundleError(
                f"the bundle's objective {base} has the unknown factor {unknown[0]!r}: known are {', '.join(FACTORS)}"
            )
        if left_out and left_out not in found:
            raise InputError(f"{base} has no factor {short_repr(left_out)}: it has {', '.join(found)}")
        if [*found] == [left_out]:
            raise InputError(f"{base} has no other factor than {left_out}: nothing is left without it")
        if base in self.stored:  # tuned with factors that this bundle may lack, or get later
            served = available(self.parts)
            found = {factor: weight for factor, weight in found.items() if factor in served}
        left = {factor: weight for factor, weight in found.items() if factor != left_out}
        return {**left, "use": left.get("use", _USE)}

    def objective(self, asked: Asked, cosine: Cosine = "shifted", softmax: Softmax = "self") -> Objective:
        """The objective, ready to be bound to a sentence."""
        weights = self.weights(asked)
        name = self.name(asked)
        plain = self._split(name)[0] in {"paper", *PAPER_PARTS}
        return Objective(name, make_factors(weights, self.parts, cosine, softmax), weights, plain)

    def check(self, asked: Asked) -> None:
        """Raise an error if this bundle cannot serve the objective, before any text is read."""
        make_factors(self.weights(asked), self.parts)

    def identity(self, asked: Asked) -> dict[str, str]:
        """The name and all weights of an objective, for signatures."""
        weights = ",".join(f"{factor}:{weight:g}" for factor, weight in self.weights(asked).items())
        return {"objective": f"{self.name(asked)}({weights})"}
