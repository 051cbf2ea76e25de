"""Nothing that Strata loads may report to anyone: libraries do so by default."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from langsmith.utils import get_env_var, tracing_is_enabled

from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings, prepare_process

pytestmark = pytest.mark.slow

LOAD_EVERYTHING = """
import sys
from pathlib import Path
from corpora.indexing.embedding import MiniLM
import pymupdf, chromadb
for runtime in ("onnxruntime", "openvino"):
    MiniLM(Path(sys.argv[1]), Path(sys.argv[2]), runtime=runtime).embed(["a text"])
"""


@pytest.mark.parametrize("prelude", ["", "import ingestion.loaders.pdf\n"])
def test_loading_the_libraries_leaves_no_trace_of_telemetry(tmp_path: Path, prelude: str) -> None:
    models = Settings().models_dir.absolute()
    subprocess.run(
        [
            sys.executable,
            "-c",
            prelude + LOAD_EVERYTHING,
            str(EMBEDDING.path_in(models)),
            str(TOKENIZER.path_in(models)),
        ],
        env={
            "HOME": str(tmp_path),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(__file__).parents[1]),
        },
        check=True,
        timeout=120,
    )
    assert list(tmp_path.iterdir()) == []


def test_no_prompt_is_traced_by_a_service_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "true")
    prepare_process()
    get_env_var.cache_clear()
    assert not tracing_is_enabled()
