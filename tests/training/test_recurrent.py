from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tersely.training.recurrent import Layer  # noqa: E402


@pytest.mark.parametrize("n_steps", [1, 2, 6])
def test_states_and_gradients_are_those_of_torchs_lstm(n_steps: int) -> None:
    torch.manual_seed(0)
    layer, reference = Layer(5, 4, layer_norm=False), torch.nn.LSTM(5, 4)
    with torch.no_grad():
        reference.weight_ih_l0.copy_(layer.input)
        reference.weight_hh_l0.copy_(layer.recurrent)
        reference.bias_ih_l0.copy_(layer.bias)
        reference.bias_hh_l0.zero_()
    inputs, weights = torch.randn(n_steps, 3, 5), torch.randn(n_steps, 3, 4)
    x, x_reference = inputs.clone().requires_grad_(), inputs.clone().requires_grad_()
    states, expected = layer(layer.gates(x)), reference(x_reference)[0]
    torch.testing.assert_close(states, expected)
    (states * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(x.grad, x_reference.grad)
    torch.testing.assert_close(layer.input.grad, reference.weight_ih_l0.grad)
    torch.testing.assert_close(layer.recurrent.grad, reference.weight_hh_l0.grad)
    torch.testing.assert_close(layer.bias.grad, reference.bias_ih_l0.grad)


def test_the_normalised_layer_is_that_of_ba_et_al() -> None:
    torch.manual_seed(0)
    layer = Layer(3, 2, layer_norm=True)
    x = torch.randn(1, 1, 3)
    normal = torch.nn.functional.layer_norm
    gates = normal(x[0] @ layer.input.t(), (8,)) + layer.bias + normal(torch.zeros(1, 8), (8,))
    i, _, g, o = gates.chunk(4, dim=1)
    cell = torch.sigmoid(i) * torch.tanh(g)
    torch.testing.assert_close(layer(layer.gates(x))[0], torch.sigmoid(o) * torch.tanh(normal(cell, (2,))))
