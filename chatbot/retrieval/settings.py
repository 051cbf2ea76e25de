"""The settings of finding and reducing context (QAMR)."""

from typing import Literal

from pydantic import BaseModel

from corpora.settings import advanced


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
