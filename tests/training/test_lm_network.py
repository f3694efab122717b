from __future__ import annotations

import torch

from tersely.training.lm_network import LstmLayer, TrainedRows


def test_states_are_those_of_torchs_lstm() -> None:
    torch.manual_seed(0)
    layer, reference = LstmLayer(5, 4, layer_norm=False), torch.nn.LSTM(5, 4)
    with torch.no_grad():
        reference.weight_ih_l0.copy_(layer.input)
        reference.weight_hh_l0.copy_(layer.recurrent)
        reference.bias_ih_l0.copy_(layer.bias)
        reference.bias_hh_l0.zero_()
    inputs = torch.randn(6, 3, 5)
    torch.testing.assert_close(layer(inputs), reference(inputs)[0])


def test_the_normalised_layer_is_that_of_ba_et_al() -> None:
    torch.manual_seed(0)
    layer = LstmLayer(3, 2, layer_norm=True)
    x = torch.randn(1, 1, 3)
    normal = torch.nn.functional.layer_norm
    gates = normal(x[0] @ layer.input.t(), (8,)) + layer.bias + normal(torch.zeros(1, 8), (8,))
    i, _, g, o = gates.chunk(4, dim=1)
    cell = torch.sigmoid(i) * torch.tanh(g)
    torch.testing.assert_close(layer(x)[0], torch.sigmoid(o) * torch.tanh(normal(cell, (2,))))


def test_rows_touched_at_every_step_move_as_under_torchs_adam() -> None:
    torch.manual_seed(0)
    start, index = torch.randn(5, 3), torch.tensor([0, 2, 4])
    table = TrainedRows(start.clone())
    parameter = torch.nn.Parameter(start[index].clone())
    adam = torch.optim.Adam([parameter], lr=0.01)
    for _ in range(20):
        gradient = torch.randn(3, 3)
        table.update(index, gradient, 0.01)
        parameter.grad = gradient
        adam.step()
    torch.testing.assert_close(table.rows[index], parameter.detach())
    torch.testing.assert_close(table.rows[[1, 3]], start[[1, 3]])


def test_descent_with_momentum_is_torchs() -> None:
    table, parameter = TrainedRows(torch.ones(1, 2)), torch.nn.Parameter(torch.ones(1, 2))
    sgd = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    for step in range(5):
        parameter.grad = torch.full((1, 2), float(step))
        sgd.step()
        table.descend(torch.tensor([0]), torch.full((1, 2), float(step)), 0.1, 0.9)
    torch.testing.assert_close(table.rows, parameter.detach())
