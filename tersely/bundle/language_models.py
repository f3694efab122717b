"""Stage 6: the language models of a bundle, made from its tensors."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from tersely.scoring.lstm import LanguageModel, Layer, Norm
from tersely.system.table import Table


class Tensors(Protocol):
    """The part of a bundle that is used here."""

    def __contains__(self, tensor: str) -> bool: ...

    def tensor(self, name: str) -> NDArray[Any]: ...

    def table(self, name: str) -> Table: ...


def language_model(of: Tensors, direction: str) -> LanguageModel:
    """The language model of a direction, `forward` or `backward`."""
    layers: list[Layer] = []
    while f"{direction}.lstm.{len(layers)}.input" in of:
        layers.append(_layer(of, f"{direction}.lstm.{len(layers)}"))
    projection = f"{direction}.projection"
    return LanguageModel(
        embedding=of.table(f"{direction}.embedding"),
        layers=tuple(layers),
        output=of.table(f"{direction}.output"),
        output_bias=of.tensor(f"{direction}.output.bias"),
        projection=of.tensor(projection) if projection in of else None,
        projection_bias=of.tensor(f"{projection}.bias") if f"{projection}.bias" in of else None,
    )


def _layer(of: Tensors, prefix: str) -> Layer:
    norms = {
        norm: Norm(of.tensor(f"{prefix}.{norm}.gain"), of.tensor(f"{prefix}.{norm}.shift"))
        for norm in ("norm_input", "norm_recurrent", "norm_cell")
        if f"{prefix}.{norm}.gain" in of
    }
    return Layer(of.tensor(f"{prefix}.input"), of.tensor(f"{prefix}.recurrent"), of.tensor(f"{prefix}.bias"), **norms)
