"""A model's ONNX file, loaded by onnxruntime or by OpenVINO."""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from corpora.errors import ModelMissing

Runtime = Literal["auto", "onnxruntime", "openvino"]
Tokens = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float32]

_FIRST_RUN = Lock()
_FILES = ("model.onnx", "model_int8.onnx", "model_quantized.onnx")


def model_in(folder: Path) -> Path | None:
    """The ONNX file of a model's folder, there or in `onnx/`, under one of the names in use."""
    places = [folder / below / name for below in ("", "onnx") for name in _FILES]
    return next((place for place in places if place.is_file()), None)


class Session(Protocol):
    """A model that a runtime has loaded; any thread may run it."""

    inputs: frozenset[str]

    def run(self, inputs: Mapping[str, Tokens]) -> Numbers:
        """The model's first output."""


def open_session(model: Path, runtime: Runtime, threads: int | None = None) -> Session:
    """Load a model; `auto` is OpenVINO where it is installed, `threads` by default all cores.

    Raises ModelMissing where OpenVINO is wanted and is not installed.
    """
    installed = find_spec("openvino") is not None
    if runtime == "openvino" and not installed:
        raise ModelMissing(
            "OpenVINO is not installed: install the extra `fast`, or set "
            "STRATA_EMBEDDING_RUNTIME to auto."
        )
    openvino = installed and runtime != "onnxruntime"
    return _OpenVino(model, threads) if openvino else _OnnxRuntime(model, threads)


class _OnnxRuntime:
    def __init__(self, model: Path, threads: int | None) -> None:
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or 0
        # Waiting threads would otherwise spin and take the cores from the language model.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._model = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self.inputs = frozenset(given.name for given in self._model.get_inputs())

    def run(self, inputs: Mapping[str, Tokens]) -> Numbers:
        first: Numbers = self._model.run(None, dict(inputs))[0]
        return first


class _OpenVino:
    """The same file on OpenVINO, twice as fast on a CPU (docs/decisions/0002)."""

    def __init__(self, model: Path, threads: int | None) -> None:
        # OpenVINO tells its makers of every import, unless the package that does so is not there.
        sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
        options = {"INFERENCE_NUM_THREADS": threads or 0, "PERFORMANCE_HINT": "LATENCY"}
        self._model: Any = (
            import_module("openvino").Core().compile_model(str(model), "CPU", options)
        )
        self.inputs = frozenset(given.any_name for given in self._model.inputs)
        # Two threads that run the first model of a process at once wait for each other for ever:
        # one has the interpreter's lock, the other that of OpenVINO's table of types.
        with _FIRST_RUN:
            self.run({name: np.zeros((1, 1), np.int64) for name in self.inputs})

    def run(self, inputs: Mapping[str, Tokens]) -> Numbers:
        # The request that the model would keep for itself serves one thread alone.
        results = self._model.infer_new_request(dict(inputs))
        return np.asarray(results[0], dtype=np.float32)
