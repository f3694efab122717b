"""Training: the device that the language models are trained on: the CPU, or an accelerator if there is one.

Random numbers are drawn on the CPU, so that a run reads the same batches on every device. Sums have another order on
another device, so results are the same to the last bit only on the same device.
"""

from __future__ import annotations

import torch

from tersely.errors import InputError
from tersely.training.plan import DEVICES


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` is the first accelerator that this machine has, else the CPU.

    >>> chosen_device("cpu")
    device(type='cpu')
    >>> chosen_device("abacus")
    Traceback (most recent call last):
    ...
    tersely.errors.InputError: unknown --device 'abacus': known are auto, cpu, cuda, mps
    """
    if name not in DEVICES:
        raise InputError(f"unknown --device {name!r}: known are {', '.join(DEVICES)}")
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(device for device, is_there in there.items() if is_there))
    if not there[name]:
        raise InputError(f"this machine has no {name}, or this torch was built without it: give --device cpu")
    return torch.device(name)
