"""This machine, and the known generators that fit it."""

import importlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from chatbot.models.files import GENERATOR, GENERATORS, ModelFile
from chatbot.text.languages import gettext, ngettext

GB = 1e9
_CONTROL_GROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Machine:
    """The resources of a machine for a model, memory in GB (0 for a GPU that is not used)."""

    memory: int
    cores: int
    gpu: int = 0

    def __str__(self) -> str:
        told = ngettext(
            "{memory} GB of memory, {number} core",
            "{memory} GB of memory, {number} cores",
            self.cores,
            memory=self.memory,
        )
        return gettext("{told}, {gpu} GB on a GPU", told=told, gpu=self.gpu) if self.gpu else told


def fits(machine: Machine, model: ModelFile) -> bool:
    """Whether a generator fits in memory, and cores or a GPU are fast enough for it."""
    memory, cores = model.memory_gb or 0, model.cores or 0
    return machine.memory >= memory and (machine.cores >= cores or machine.gpu >= memory)


def fitting_generators(machine: Machine) -> tuple[ModelFile, ...]:
    """The known generators that fit a machine, the largest first; at least one."""
    largest_first = sorted(GENERATORS.values(), key=lambda model: -model.size)
    return tuple(model for model in largest_first if fits(machine, model)) or (GENERATOR,)


def generator_here(machine: Machine, folder: Path) -> ModelFile:
    """The largest bearable generator whose file is in the folder; the default where none is."""
    there = (model for model in fitting_generators(machine) if model.path_in(folder).is_file())
    return next(there, GENERATOR)


@cache
def this_machine() -> Machine:
    """This machine, or the share of it that a container leaves to this process."""
    memory = min([psutil.virtual_memory().total, *_limits("memory.max")])
    # Two threads of one core compute little more than one.
    cores: float = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    if quota := _limits("cpu.max"):
        time, period = quota
        cores = max(1, min(cores, time // period))
    return Machine(round(memory / GB), int(cores), round(_gpu() / GB))


def _limits(file: str) -> list[float]:
    """The numbers in a file of the control group; none where there is no limit."""
    try:
        text = (_CONTROL_GROUP / file).read_text("ascii")
    except OSError:
        return []
    return [] if "max" in text else [float(number) for number in text.split()]


def _gpu() -> int:
    """Bytes of the largest GPU that the library which runs the model was built for."""
    try:
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")
        devices = xllamacpp.get_device_info()
    except (ImportError, RuntimeError):
        return 0
    gpus = (d["memory_total"] for d in devices if "TYPE_GPU" in d["type"].name)
    return max(gpus, default=0)
