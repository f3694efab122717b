"""The numpy LSTM against torch: its own LSTM, and a layer-normalised one written here."""

from __future__ import annotations

import numpy as np
import pytest

from tersely.scoring.lstm import LanguageModel, Layer, Norm, State
from tersely.system.table import Table, quantize

torch = pytest.importorskip("torch")

WIDTH, HIDDEN, VOCABULARY, BATCH, TIME = 5, 7, 11, 3, 12


def model_of(layers: list[Layer], rng: np.random.Generator, *, projection: bool = False) -> LanguageModel:
    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    return LanguageModel(
        embedding=Table(normal(VOCABULARY, WIDTH)),
        layers=tuple(layers),
        output=Table(normal(VOCABULARY, 4 if projection else HIDDEN)),
        output_bias=normal(VOCABULARY),
        projection=normal(4, HIDDEN) if projection else None,
        projection_bias=normal(4) if projection else None,
    )


def run(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """The outputs of the last layer, (time, batch, hidden), for ids (time, batch)."""
    state = model.start(ids.shape[1])
    outputs = []
    for row in ids:
        state = model.step(model.project(row), state)
        outputs.append(state.h[-1])
    return np.stack(outputs)


@pytest.mark.parametrize("n_layers", [1, 2])
def test_it_agrees_with_torch(n_layers: int) -> None:
    torch.manual_seed(0)
    reference = torch.nn.LSTM(WIDTH, HIDDEN, n_layers)
    weights = {name: parameter.detach().numpy() for name, parameter in reference.named_parameters()}
    layers = [
        Layer(
            weights[f"weight_ih_l{k}"], weights[f"weight_hh_l{k}"], weights[f"bias_ih_l{k}"] + weights[f"bias_hh_l{k}"]
        )
        for k in range(n_layers)
    ]
    model = model_of(layers, np.random.default_rng(1))
    ids = np.random.default_rng(2).integers(0, VOCABULARY, size=(TIME, BATCH))
    expected = reference(torch.from_numpy(model.embedding.gather(ids.ravel()).reshape(TIME, BATCH, WIDTH)))[0]
    np.testing.assert_allclose(run(model, ids), expected.detach().numpy(), atol=1e-5)


def normed_reference(layers: list[Layer], x: torch.Tensor) -> torch.Tensor:
    """A layer-normalised LSTM in torch (Ba et al., 2016): x is (time, batch, width)."""

    def norm(values: torch.Tensor, by: Norm | None) -> torch.Tensor:
        assert by is not None
        gain, shift = torch.from_numpy(by.gain), torch.from_numpy(by.shift)
        return torch.nn.functional.layer_norm(values, values.shape[-1:], gain, shift)

    for layer in layers:
        w_x, w_h, bias = (torch.from_numpy(w) for w in (layer.input, layer.recurrent, layer.bias))
        h = c = torch.zeros(x.shape[1], HIDDEN)
        outputs = []
        for now in x:
            gates = norm(now @ w_x.T, layer.norm_input) + norm(h @ w_h.T, layer.norm_recurrent) + bias
            i, f, g, o = gates.chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(norm(c, layer.norm_cell))
            outputs.append(h)
        x = torch.stack(outputs)
    return x


@pytest.mark.parametrize("n_layers", [1, 2])
def test_it_agrees_with_a_layer_normalised_reference(n_layers: int) -> None:
    rng = np.random.default_rng(3)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(scale=0.7, size=shape).astype(np.float32)

    def norm(size: int) -> Norm:
        return Norm(1 + normal(size), normal(size))

    layers = [
        Layer(
            normal(4 * HIDDEN, WIDTH if k == 0 else HIDDEN),
            normal(4 * HIDDEN, HIDDEN),
            normal(4 * HIDDEN),
            norm_input=norm(4 * HIDDEN),
            norm_recurrent=norm(4 * HIDDEN),
            norm_cell=norm(HIDDEN),
        )
        for k in range(n_layers)
    ]
    model = model_of(layers, rng)
    ids = rng.integers(0, VOCABULARY, size=(TIME, BATCH))
    embedded = torch.from_numpy(model.embedding.gather(ids.ravel()).reshape(TIME, BATCH, WIDTH))
    np.testing.assert_allclose(run(model, ids), normed_reference(layers, embedded).numpy(), atol=1e-5)


def small_model(projection: bool) -> LanguageModel:
    rng = np.random.default_rng(4)
    shapes = [(4 * HIDDEN, WIDTH), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,)]
    return model_of([Layer(*(rng.normal(size=s).astype(np.float32) for s in shapes))], rng, projection=projection)


@pytest.mark.parametrize("projection", [False, True])
def test_the_exact_softmax_sums_to_one(projection: bool) -> None:
    model = small_model(projection)
    features = model.features(model.begin)
    logits = features @ model.output.rows.T + model.output_bias
    assert np.exp(logits - model.log_z(features)[:, None]).sum() == pytest.approx(1, abs=1e-6)


def test_states_of_some_rows() -> None:
    model = small_model(False)
    state = model.step(model.project(np.array([3, 4, 5])), model.start(3))
    taken = state.take(np.array([2, 0]))
    assert isinstance(taken, State)
    assert (taken.h[0] == state.h[0][[2, 0]]).all()
    assert (taken.c[0] == state.c[0][[2, 0]]).all()


def test_a_table_of_bytes_is_close_to_its_floats() -> None:
    rows = np.random.default_rng(5).normal(size=(20, 8))
    rows[3] = 0
    table = Table(*quantize(rows))
    assert table.rows.dtype == np.int8
    assert table.width == 8
    error = np.abs(table.gather(np.arange(20)) - rows).max(axis=1)
    assert (error <= np.abs(rows).max(axis=1) / 127 * 0.51).all()
    assert table.gather(np.array([4, 4])).shape == (2, 8)
