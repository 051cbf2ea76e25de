"""The settings of finding and reducing context (QAMR)."""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr, field_validator

from corpora.settings import advanced
from ingestion.plugins import ExtensionPoint

KNOWN_RERANKERS = (
    "ettin-reranker-17m",
    "ettin-reranker-32m",
    "bge-reranker-base",
    "bge-reranker-v2-m3",
)
RERANKERS = ExtensionPoint("strata.rerankers", ("off", *KNOWN_RERANKERS))


class ContextSettings(BaseModel):
    """The amounts that are retrieved, kept by reduction, selected, and put into the prompt."""

    retrieved_pages: int = advanced(8, "context chunks that go into reduction", ge=1)
    reduction_budget: int = advanced(
        6000, "characters that reduction keeps over all of them, where no model reduces", ge=200
    )
    selection: Literal["auto", "listwise", "pointwise"] = advanced(
        "auto",
        "how a model selects (RankRAG): `listwise`, `pointwise`, or what is better for the backend",
    )
    selected_chunks: int = advanced(3, "reduced chunks that reach the generator", ge=1)
    prompt_budget: int = advanced(
        900,
        "characters of evidence in the prompt of a small model, as far as they fit into the "
        "context",
        ge=200,
    )
    context_limit: int = advanced(
        15_000, "the same where a capable model writes the whole answer", ge=500
    )
    shown_figures: int = advanced(
        0,
        "figures of the pages found that a capable model is shown with them, where it can see; "
        "0: none",
        ge=0,
        le=3,
    )
    reranker: str = advanced(
        "off",
        "a cross-encoder that scores the best passages anew: a name of `strata models list`, a "
        "folder with its ONNX file and `tokenizer.json`, a GGUF file, the address of a `/rerank` "
        "server, or the name of one that an installed package adds",
    )
    reranker_key: SecretStr | None = advanced(
        None, "the key of that server; set it in the environment as `STRATA_RERANKER_KEY`"
    )

    @field_validator("reranker")
    @classmethod
    def _is_there(cls, chosen: str) -> str:
        if urlsplit(chosen).scheme in {"http", "https"} or Path(chosen).expanduser().exists():
            return chosen
        try:
            return RERANKERS.require(chosen)
        except ValueError as error:
            raise ValueError(
                f"{chosen} is no known or installed reranker, folder, GGUF file or address: "
                "correct it, or set it to off"
            ) from error
