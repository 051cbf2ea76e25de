"""The settings of reading, cutting and embedding documents, and how a part declares its own."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr


def advanced(default: Any, description: str, **limits: Any) -> Any:
    """A setting that few need to know: the second table of docs/configuration.md has it."""
    return Field(default, description=description, json_schema_extra={"advanced": True}, **limits)


class CorpusSettings(BaseModel):
    """What reading a file may cost, how pages are cut (QAMR, Algorithm 1), and what embeds them."""

    ocr: str = Field(
        "",
        description="the languages of scanned pages, as Tesseract calls them: `eng`, `eng+deu` "
        "([how](operations.md#scanned-pages)); empty: off",
    )
    reading_memory: int = advanced(
        1024,
        "MB of memory that reading one file may take; a file that needs more is left out and "
        "reported",
        ge=256,
    )
    reading_seconds: float = advanced(
        60.0, "seconds that reading one file may take, likewise", ge=1
    )
    search_chunk_size: int = advanced(
        500, "approximate characters in a search chunk; takes effect with the next ingest", ge=100
    )
    search_chunks_per_page: int | None = advanced(
        None, "instead of that: search chunks per page (k of QAMR, Algorithm 1; the paper: 2)", ge=1
    )
    context_padding: int = advanced(
        500,
        "characters of the neighbouring pages in a context chunk (ps of QAMR, Algorithm 1)",
        ge=0,
    )
    source_tokens: dict[str, SecretStr] = advanced(
        {}, "tokens that sources name in their options, by name ([how](sources.md))"
    )
    source_files: dict[str, Path] = advanced(
        {}, "key and certificate files that sources name in their options, by name"
    )
    source_folders: tuple[Path, ...] = advanced(
        (),
        "folders in which a source may lie that is added on the page or by the API; on the command "
        "line it may lie anywhere",
    )
    embedding_runtime: Literal["auto", "onnxruntime", "openvino"] = advanced(
        "auto",
        "what embeds: `onnxruntime`, `openvino` (extra `fast`, [half the time]"
        "(decisions/0002-embedding-runtime.md)), or `auto`: OpenVINO where it is installed",
    )
