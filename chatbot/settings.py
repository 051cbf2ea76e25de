"""Every setting of Strata, read from the environment and `strata.toml`; nothing else reads them.

Each part declares its own, in its `settings.py`; here they are put together with what no part owns.
"""

import os
import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from chatbot.accounts.settings import LOOPBACK, SignInSettings
from chatbot.graph.settings import GraphSettings
from chatbot.memory.settings import MemorySettings
from chatbot.models.settings import GeneratorSettings, require_address
from chatbot.release_check.settings import CheckSettings
from chatbot.retrieval.settings import ContextSettings
from corpora.building.fingerprints import ChunkingSettings
from corpora.database.engine import sqlite_url
from corpora.settings import CorpusSettings, advanced
from ingestion.errors import BadSettings, bad_setting
from ingestion.listing import Limits
from ingestion.ocr import NoOcr, find_ocr
from ingestion.plugins import ExtensionPoint

_OF_THE_PAPER = (
    *("qamr", "baseline"),
    *("base", "+rewriting", "+dual-chunking", "+reduction", "+selection"),
)
"""Profiles whose answers are written from all that the paper's context holds."""
PROFILES = ExtensionPoint(
    "strata.profiles",
    (
        *("auto", "direct", "embedded", *_OF_THE_PAPER),
        *("textgen", "textcontextgen", "graphgen", "graphcontextgen", "zeroshot", "extractive"),
    ),
)

WHOLE_ANSWER = 800
"""Tokens of an answer that a capable model writes, at most."""


class Settings(
    SignInSettings,
    GraphSettings,
    MemorySettings,
    ContextSettings,
    CorpusSettings,
    CheckSettings,
    GeneratorSettings,
    BaseSettings,
):
    """Settings (docs/configuration.md); the environment, `STRATA_…`, wins over `strata.toml`.

    In the file a table stands for the beginning of the names: `[memory]` with `tau = 0.7` is
    `memory_tau = 0.7`.
    """

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix="STRATA_", toml_file="strata.toml", extra="forbid", hide_input_in_errors=True
    )

    data_dir: Path = Field(
        Path("data"),
        description="the database and the indexes; with a `database_url` the indexes alone",
    )
    models_dir: Path = Field(
        default_factory=lambda: _cache_home() / "strata" / "models",
        description="the model files; default: `strata/models` in `XDG_CACHE_HOME` or `~/.cache`",
    )
    models_mirror: str | None = Field(
        None,
        description="a URL or a folder that is asked for model files before the Hub and the "
        "package registry",
    )
    database_url: str | None = Field(
        None,
        description="the database: `sqlite:///FILE` or `postgresql://USER@HOST/NAME`, for "
        "[several machines](operations.md#several-machines); default: SQLite in `data_dir`",
    )
    originals_url: str | None = Field(
        None,
        description="where the bytes of files are kept instead of the database: a folder, or a "
        "bucket as in `s3://bucket/folder`, for "
        "[several machines](operations.md#several-machines)",
    )
    profile: str = Field(
        "auto",
        description="the chain of steps: `direct` (a capable model reads the question and writes "
        "the answer, two calls) where the backend is a server or Transformers, or the model in "
        "the process has at least 3 billion parameters, else `embedded` (rules, and one short "
        "call); or by name one of these, `qamr` (a language model at every step), `baseline`, or "
        "an ablation: `base`, `+rewriting`, `+dual-chunking`, `+reduction`, `+selection`; or a "
        "system of GraphContextGen, which adds related answered questions: `textgen` (by "
        "cosine), `graphgen` (by the question graph), `textcontextgen` and `graphcontextgen` "
        "(with relations of what they name); or a baseline that reads no documentation: "
        "`zeroshot` (the model alone, nothing cited), `extractive` (paragraphs of earlier "
        "answers, no model); or one that an installed package adds",
    )
    host: str = Field(
        "127.0.0.1",
        description="where the page listens; without sign-in only a loopback address is accepted",
    )
    port: int = Field(8501, ge=1, le=65535, description="its port")
    questions_at_once: int | None = Field(
        None,
        ge=1,
        description="questions that are answered together; the others wait and are told their "
        "place; one question of each person a round; default: 16 with the backend `server`, else 1",
    )
    answer_ahead: Literal["on", "off"] = advanced(
        "on",
        "whether, with the profile `direct` and a server, the answer is begun by rules while the "
        "model reads the question: the first words come after one call instead of two. It is "
        "dropped where the model finds another release or other pages; `off` saves those calls",
    )
    question_limit: int = advanced(
        4000,
        "the longest question, in characters; each of the questions before it is bounded by it, "
        "too",
        ge=100,
    )
    question_seconds: float = advanced(
        300.0,
        "seconds that a question may take once it is its turn; then it is stopped, and the asker "
        "told so",
        gt=0,
    )
    telemetry_url: str | None = advanced(
        None,
        "an OTLP/HTTP collector that is sent OpenTelemetry spans of questions, steps and model "
        "calls, without their text: `http://127.0.0.1:4318`; needs the extra `telemetry` "
        "([operations](operations.md#spans-for-opentelemetry))",
    )
    largest_upload: int = advanced(500, "MB that the files of an upload may have in all", ge=1)

    @field_validator("profile")
    @classmethod
    def _is_a_profile(cls, profile: str) -> str:
        return PROFILES.require(profile)

    @field_validator("telemetry_url")
    @classmethod
    def _is_a_collector(cls, url: str | None) -> str | None:
        return require_address(url, "http://127.0.0.1:4318")

    @field_validator("host")
    @classmethod
    def _loopback_unless_people_sign_in(cls, host: str, info: ValidationInfo) -> str:
        signs_in = info.data.get("oidc_issuer") or info.data.get("proxy_user_header")
        if host not in LOOPBACK and not signs_in:
            raise ValueError(
                f"{host} is not a loopback address, and there is no sign-in configured: whoever "
                "reaches it would be an admin. Set STRATA_OIDC_ISSUER, STRATA_OIDC_CLIENT_ID, "
                "STRATA_OIDC_CLIENT_SECRET, STRATA_PUBLIC_URL and STRATA_ADMINS as "
                "docs/operations.md says, or stay on 127.0.0.1"
            )
        return host

    @property
    def database(self) -> str:
        """The URL of the database: `database_url`, else a SQLite file in the data folder."""
        return self.database_url or sqlite_url(self.data_dir)

    @property
    def profile_in_use(self) -> str:
        """The profile; of `auto` the one that fits the model: see `in_use.py`."""
        if self.profile != "auto":
            return self.profile
        return "direct" if self.has_capable_model else "embedded"

    @property
    def slots(self) -> int:
        """`generator_slots`, else one for the profile that makes one call, four for the others."""
        return self.generator_slots or (1 if self.profile_in_use == "embedded" else 4)

    @property
    def lead_budget(self) -> int:
        """Characters of evidence in the prompt of an answer, as far as the context holds them."""
        budget = self.context_limit if self.profile in _OF_THE_PAPER else self.prompt_budget
        return self._within_context(budget, self.answer_tokens)

    @property
    def figures_for_model(self) -> int:
        """The most figures that a model is shown: none by backends that take text alone."""
        return 0 if self.backend in {"embedded", "transformers"} else self.shown_figures

    @property
    def evidence_limit(self) -> int:
        """Characters of passages in the prompt of a whole answer, as far as the context goes."""
        return self._within_context(self.context_limit, WHOLE_ANSWER)

    @property
    def comparison_limit(self) -> int:
        """The same where several releases are in the prompt: twice as much, if there is room."""
        return self._within_context(2 * self.context_limit, WHOLE_ANSWER)

    def _within_context(self, budget: int, answer_tokens: int) -> int:
        if self.backend != "embedded":
            return budget
        # A token is at least some three characters; the rest of the prompt takes about 1,000.
        return min(budget, 3 * (self.context - answer_tokens - 1000))

    @property
    def reading_limits(self) -> Limits:
        """The limits on reading one file. Raises BadSettings for an OCR language not installed."""
        ocr = None
        if self.ocr:
            try:
                # The rest of its time is for what a file has beside scanned pages.
                seconds = 0.7 * self.reading_seconds
                ocr = find_ocr(self.ocr, seconds, os.environ.get("TESSDATA_PREFIX"))
            except NoOcr as error:
                raise bad_setting("ocr", error) from error
        return Limits(memory=self.reading_memory << 20, seconds=self.reading_seconds, ocr=ocr)

    @property
    def chunking(self) -> ChunkingSettings:
        """How pages are cut."""
        return ChunkingSettings(self.search_chunks_per_page, self.search_chunk_size)

    @property
    def at_once(self) -> int:
        """`questions_at_once`, else 16 where a server answers, one for a model right here."""
        return self.questions_at_once or (16 if self.backend == "server" else 1)

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *_: Any, **sources: PydanticBaseSettingsSource
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then `strata.toml` in the working directory."""
        return sources["init_settings"], sources["env_settings"], _SettingsFile(settings_cls)


class _SettingsFile(TomlConfigSettingsSource):
    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        return dict(_flat(super()._read_file(file_path)))


def _flat(table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{name}_{key}", kept) for key, kept in _flat(value))
        else:
            yield name, value


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def read_settings(**options: Any) -> Settings:
    """Read the settings; options that are not None take precedence. Raises BadSettings."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise (bad_setting(name, reason) if name else BadSettings(reason)) from error
    except SettingsError as error:
        # It names the variable's field, and its cause what is wrong there.
        hint = 'In the environment a table is JSON: {"name": "value"}.'
        raise BadSettings(f"{error}: {error.__cause__}. {hint}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"strata.toml cannot be read: {error}") from error


def key_from(variable: str) -> str:
    """The key in an environment variable that somebody has named. Raises BadSettings."""
    if not (key := os.environ.get(variable, "").strip()):
        raise BadSettings(f"the environment variable {variable} holds no key")
    return key


def prepare_process() -> None:
    """Set what libraries read from the environment when they are imported."""
    # Without it the generator's threads spin, and a busy machine can stall it for minutes.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # A variable that was set for another program would send every prompt to a service.
    os.environ["LANGSMITH_TRACING_V2"] = "false"
    os.environ.setdefault("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
    # Uvicorn would let whoever connects from this machine say where they come from.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
