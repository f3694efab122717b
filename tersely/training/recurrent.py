"""Beside the flow: one LSTM layer over whole batches of sentences, with its own backward pass.

All sentences of a batch have the same length, so there are no masks and no packing. The input side of the gates is one
matrix product for all time steps, made by the caller; here only the recurrent part runs step by step. The backward
pass is written out because autograd would add the gradient of the recurrent matrix once per step, where one product
over all steps does it. Layer normalisation (Ba et al. 2016), which the paper's models use, takes the plain way.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

EPSILON = 1e-5  # of the layer normalisation, in training and in scoring alike


class Recurrence(torch.autograd.Function):
    """The hidden states of an LSTM, given the input side of its gates (time, batch, 4 hidden); it overwrites them."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, recurrent: Tensor) -> Tensor:
        """The states (time, batch, hidden); gate order input, forget, candidate, output."""
        n_steps, n_rows, width = gates.shape
        h = width // 4
        cells, squashed = gates.new_empty(n_steps, n_rows, h), gates.new_empty(n_steps, n_rows, h)
        hidden = gates.new_empty(n_steps, n_rows, h)
        across = recurrent.t()
        for t in range(n_steps):
            gate = gates[t]
            if t:  # the first step starts from zeros
                gate.addmm_(hidden[t - 1], across)
            gate[:, : 2 * h].sigmoid_()
            gate[:, 2 * h : 3 * h].tanh_()
            gate[:, 3 * h :].sigmoid_()
            torch.mul(gate[:, :h], gate[:, 2 * h : 3 * h], out=cells[t])
            if t:
                cells[t].addcmul_(gate[:, h : 2 * h], cells[t - 1])
            torch.tanh(cells[t], out=squashed[t])
            torch.mul(gate[:, 3 * h :], squashed[t], out=hidden[t])
        ctx.save_for_backward(gates, cells, squashed, hidden, recurrent)
        return hidden

    @staticmethod
    def backward(ctx: Any, grad_hidden: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of the gates' input side and of the recurrent matrix."""
        gates, cells, squashed, hidden, recurrent = ctx.saved_tensors
        n_steps, n_rows, h = hidden.shape
        aten = torch.ops.aten
        grad_cell, back = gates.new_zeros(n_rows, h), gates.new_zeros(n_rows, h)
        one, other = gates.new_empty(n_rows, h), gates.new_empty(n_rows, h)
        for t in reversed(range(n_steps)):  # each gate gives its place to its own gradient: no second (time, ...) array
            i, f, g, o = gates[t].split(h, dim=1)
            back += grad_hidden[t]
            torch.mul(back, o, out=one)
            torch.mul(back, squashed[t], out=other)
            aten.sigmoid_backward(other, o, grad_input=o)
            grad_cell += aten.tanh_backward(one, squashed[t], grad_input=other)
            torch.mul(grad_cell, g, out=one)
            torch.mul(grad_cell, i, out=other)
            aten.sigmoid_backward(one, i, grad_input=i)
            aten.tanh_backward(other, g, grad_input=g)
            if not t:
                f.zero_()
                break
            torch.mul(grad_cell, cells[t - 1], out=one)
            grad_cell *= f
            aten.sigmoid_backward(one, f, grad_input=f)
            torch.mm(gates[t], recurrent, out=back)
        if n_steps == 1:
            return gates, torch.zeros_like(recurrent)
        grad_recurrent = gates[1:].flatten(0, 1).t() @ hidden[:-1].flatten(0, 1)
        return gates, grad_recurrent


class Layer(nn.Module):
    """One LSTM layer; `forward` takes the input side of the gates, without the bias if it is normalised."""

    def __init__(self, n_inputs: int, n_hidden: int, *, layer_norm: bool) -> None:
        super().__init__()
        self.input = nn.Parameter(torch.empty(4 * n_hidden, n_inputs).uniform_(-1, 1) * n_inputs**-0.5)
        self.recurrent = nn.Parameter(torch.empty(4 * n_hidden, n_hidden).uniform_(-1, 1) * n_hidden**-0.5)
        self.bias = nn.Parameter(torch.zeros(4 * n_hidden))
        with torch.no_grad():
            self.bias[n_hidden : 2 * n_hidden] = 1.0  # start by remembering (Jozefowicz et al. 2015)
        self.norm_input = nn.LayerNorm(4 * n_hidden, EPSILON) if layer_norm else None
        self.norm_recurrent = nn.LayerNorm(4 * n_hidden, EPSILON) if layer_norm else None
        self.norm_cell = nn.LayerNorm(n_hidden, EPSILON) if layer_norm else None

    def gates(self, inputs: Tensor) -> Tensor:
        """The input side of the gates (..., 4 hidden) of inputs (..., n_inputs)."""
        if self.norm_input is not None:
            normal: Tensor = self.norm_input(inputs @ self.input.t())
            return normal + self.bias
        return functional.linear(inputs, self.input, self.bias)

    def forward(self, gates: Tensor) -> Tensor:
        """The hidden states (time, batch, hidden) for gates (time, batch, 4 hidden)."""
        if self.norm_recurrent is None or self.norm_cell is None:
            states: Tensor = Recurrence.apply(gates, self.recurrent)  # type: ignore[no-untyped-call]
            return states
        hidden = gates.new_zeros(gates.shape[1], self.recurrent.shape[1])
        cell, states_by_step = hidden, []
        for gate in gates:
            total = gate + self.norm_recurrent(hidden @ self.recurrent.t())
            i, f, g, o = total.chunk(4, dim=1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(self.norm_cell(cell))
            states_by_step.append(hidden)
        return torch.stack(states_by_step)
