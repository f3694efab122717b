"""Training: trained models as the tensors of a bundle (named as in `tersely.bundle.bundle`), and back.

The word tables become int8 rows with a scale; everything else stays float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tersely.bundle.bundle import Bundle
from tersely.errors import InputError
from tersely.system.table import quantize
from tersely.training.lm_network import Network
from tersely.training.recipes import Recipe

Tensors = dict[str, NDArray[Any]]


def table_tensors(name: str, rows: NDArray[np.float32]) -> Tensors:
    """A table as int8 rows and their scale.

    >>> sorted(table_tensors("vectors", np.ones((2, 3), np.float32)))
    ['vectors', 'vectors.scale']
    """
    small, scale = quantize(rows)
    return {name: small, f"{name}.scale": scale}


def lm_tensors(networks: Mapping[str, Network]) -> tuple[Tensors, dict[str, str]]:
    """The tensors of both directions, and the aliases of tables that are stored once."""
    tensors: Tensors = {}
    aliases: dict[str, str] = {}
    stored: dict[int, str] = {}
    for direction, network in networks.items():
        for role, table in {"embedding": network.tables.embedding, "output": network.tables.output}.items():
            name = f"{direction}.{role}"
            first = stored.setdefault(id(table), name)
            if first == name:
                tensors |= table_tensors(name, table.rows.cpu().numpy())
            else:
                aliases[name] = first
        tensors[f"{direction}.output.bias"] = network.bias.rows.cpu().numpy()
        for name, parameter in network.named_parameters():
            tensors[f"{direction}.{_bundle_name(name)}"] = parameter.detach().cpu().numpy()
    return tensors, aliases


@torch.no_grad()
def load_lms(networks: Mapping[str, Network], bundle: Bundle) -> None:
    """Load the weights of a bundle's language models into networks: the inverse of `lm_tensors`."""
    for direction, network in networks.items():
        for role, table in {"embedding": network.tables.embedding, "output": network.tables.output}.items():
            table.rows.copy_(torch.from_numpy(bundle.table(f"{direction}.{role}").gather(slice(None))))
        network.bias.rows.copy_(torch.tensor(bundle.tensor(f"{direction}.output.bias")))
        for name, parameter in network.named_parameters():
            parameter.copy_(torch.tensor(bundle.tensor(f"{direction}.{_bundle_name(name)}")))


def check_sizes(bundle: Bundle, recipe: Recipe) -> None:
    """Refuse a bundle whose language models have other sizes than the recipe."""
    sizes = bundle.description.get("recipe", {})
    wanted = {n: getattr(recipe, n) for n in ("embedding", "hidden", "layers", "layer_norm", "tied", "shared")}
    different = [f"{name} is {sizes.get(name)}, not {size}" for name, size in wanted.items() if sizes.get(name) != size]
    if different:
        raise InputError(f"cannot start from the bundle {bundle.folder}: its {'; its '.join(different)}")


def _bundle_name(name: str) -> str:
    """The bundle's name of a torch parameter.

    >>> _bundle_name("layers.0.norm_cell.weight"), _bundle_name("projection.weight"), _bundle_name("projection.bias")
    ('lstm.0.norm_cell.gain', 'projection', 'projection.bias')
    """
    name = name.replace("layers.", "lstm.", 1)
    if ".norm_" in name:
        return name.replace(".weight", ".gain").replace(".bias", ".shift")
    return name.removesuffix(".weight")
