"""The settings of reading, cutting and embedding documents, and how a part declares its own."""

import json
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from ingestion.plugins import ExtensionPoint

MINILM = "minilm"
KNOWN_EMBEDDERS = (
    "bge-small-en-v1.5",
    "granite-embedding-small-english-r2",
    "granite-embedding-97m-multilingual-r2",
    "multilingual-e5-small",
)
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+(?<!\.gguf)")
"""A repository of the Hugging Face Hub: owner/repository."""
EMBEDDERS = ExtensionPoint("strata.embedders", (MINILM, *KNOWN_EMBEDDERS))


def advanced(default: Any, description: str, **limits: Any) -> Any:
    """A setting that few need to know: the second table of docs/configuration.md has it."""
    return Field(default, description=description, json_schema_extra={"advanced": True}, **limits)


def _folders(given: object) -> object:
    """Folders as PATH has them, or as JSON."""
    if not isinstance(given, str):
        return given
    is_json = given.lstrip().startswith("[")
    return json.loads(given) if is_json else tuple(filter(None, given.split(os.pathsep)))


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
        {},
        "tokens that sources name in their options, by name; in the environment as JSON "
        "([how](sources.md))",
    )
    source_files: dict[str, Path] = advanced(
        {}, "key and certificate files that sources name in their options, by name"
    )
    source_folders: Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_folders)] = advanced(
        (),
        "folders (`/share:/srv/docs`) in which a source may lie that is added on the page or by "
        "the API; on the command line it may lie anywhere",
    )
    embedding_runtime: Literal["auto", "onnxruntime", "openvino"] = advanced(
        "auto",
        "what embeds: `onnxruntime`, `openvino` (extra `fast`, [half the time]"
        "(decisions/0002-embedding-runtime.md)), or `auto`: OpenVINO where it is installed",
    )
    embedder: str = advanced(
        MINILM,
        "what turns texts into vectors: `minilm`, another name of `strata models list`, one of the "
        "Hugging Face Hub as `owner/repository`, a folder "
        "with an ONNX file and `tokenizer.json`, a GGUF file, a model on a server as "
        "`http://host/v1#model`, or the name of one that an installed package adds "
        "([how](operations.md#another-embedder)); a change embeds all releases anew",
    )
    embedder_key: SecretStr | None = advanced(
        None, "the key of that server; set it in the environment as `STRATA_EMBEDDER_KEY`"
    )
    embedder_before_query: str | None = advanced(
        None,
        "what stands before each query, as an embedder's makers ask for it; default: as its files "
        "say",
    )
    embedder_before_text: str | None = advanced(
        None, "what stands before each text of documentation, likewise"
    )

    @field_validator("embedder")
    @classmethod
    def _can_embed(cls, chosen: str) -> str:
        url = urlsplit(chosen)
        is_served = url.scheme in {"http", "https"}
        if is_served and "@" in url.netloc:
            raise ValueError(
                "a name or password in its address would end up in logs: set the key in the "
                "environment as STRATA_EMBEDDER_KEY instead"
            )
        if is_served or REPOSITORY.fullmatch(chosen) or Path(chosen).expanduser().exists():
            return chosen
        try:
            return EMBEDDERS.require(chosen)
        except ValueError as error:
            raise ValueError(
                f"{chosen} is no known embedder, owner/repository of the Hub, folder, GGUF file, "
                "address or installed package: correct it, or set it to minilm"
            ) from error
