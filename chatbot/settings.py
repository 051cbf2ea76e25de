"""Every setting of Strata, read from the environment and `strata.toml`; nothing else reads them."""

import os
import tomllib
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from chatbot.models.files import GENERATOR, ModelFile, chosen_generator
from chatbot.models.gguf_file import (
    LEAST_CONTEXT,
    GgufHeader,
    NotGguf,
    UnfitAdapter,
    read_chat_model,
    require_adapter,
)
from chatbot.models.machine import generator_here, this_machine
from chatbot.sign_in_settings import LOOPBACK, SignInSettings
from corpora.database.engine import sqlite_url
from ingestion.errors import StrataError
from ingestion.listing import Limits
from ingestion.ocr import NoOcr, find_ocr

_Ablation = Literal["base", "+rewriting", "+dual-chunking", "+reduction", "+selection"]
_PaperProfile = Literal["qamr", "baseline", _Ablation]
"""Their answers are written from all that the paper's context holds."""
_GraphProfile = Literal["textgen", "textcontextgen", "graphgen", "graphcontextgen"]


CAPABLE = 3_000_000_000
"""Weights from which a model in the process reads questions and writes whole answers."""
WHOLE_ANSWER = 800
"""Tokens of an answer that a capable model writes, at most."""


class BadSettings(StrataError, ValueError):
    """A setting cannot be what it is; the message names it and says why."""

    for_operators = True


class Settings(SignInSettings, BaseSettings):
    """Settings (docs/configuration.md); the environment, `STRATA_…`, wins over `strata.toml`."""

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        env_prefix="STRATA_", toml_file="strata.toml", extra="forbid"
    )

    data_dir: Path = Field(Path("data"), description="database, indexes and originals")
    models_dir: Path = Field(
        default_factory=lambda: _cache_home() / "strata" / "models", description="model files"
    )
    models_mirror: str | None = Field(None, description="URL or folder asked for models first")
    database_url: str | None = Field(None, description="default: a SQLite file in data_dir")
    originals_url: str | None = Field(
        None, description="folder or bucket for the bytes of files; default: in the database"
    )
    profile: Literal[
        "auto", "direct", "embedded", _PaperProfile, _GraphProfile, "zeroshot", "extractive"
    ] = Field("auto", description="direct where the model is capable, else embedded")

    embedding_runtime: Literal["auto", "onnxruntime", "openvino"] = "auto"
    backend: Literal["embedded", "transformers", "server", "scripted"] = "embedded"
    generator: str = Field(
        GENERATOR.key, description="a known name, auto, a path, a file of the Hub"
    )
    generator_slots: int | None = Field(None, ge=1, description="requests served at once")
    generator_threads: int = Field(0, ge=0, description="0: one a core")
    generator_context: int = Field(4096, ge=LEAST_CONTEXT, description="tokens, at most")
    answer_tokens: int = Field(160, ge=16, le=1024, description="longest written lead, in tokens")
    temperature: float = Field(0.0, ge=0, le=2, description="the paper: 0.01")

    model: str | None = Field(None, description="transformers: folder or Hub id; server: its name")
    quantization: Literal["nf4", "int8", "bf16", "off"] = "nf4"
    adapter: Path | None = Field(None, description="a folder; embedded: its file, converted")
    device: str = Field("auto", description="of the transformers backend: auto, cpu, cuda:0, …")
    top_k: int = Field(0, ge=0, description="transformers; 0: no limit; the paper: 1")
    repetition_penalty: float = Field(1.0, gt=0, description="transformers; the paper: 1.15")
    largest_batch: int = Field(8, ge=1, description="transformers: requests computed together")
    offline: bool = Field(False, description="transformers: never ask the Hub")

    server_url: str | None = Field(None, description="e.g. http://127.0.0.1:8000/v1")
    server_key: SecretStr | None = Field(None, description="in the environment, not in a file")
    server_timeout: float = Field(120.0, gt=0, description="seconds until the next word")
    server_retries: int = Field(4, ge=0, description="on 429 and 5xx, with growing pauses")
    server_concurrency: int = Field(8, ge=1, description="requests to the server at once")
    scripted_replies: Path | None = Field(None, description="the file of the scripted backend")

    reading_memory: int = Field(1024, ge=256, description="MB that reading one file may take")
    reading_seconds: float = Field(60.0, ge=1, description="that reading one file may take")
    ocr: str = Field("", description="languages of scanned pages, such as eng+deu; empty: off")
    search_chunk_size: int = Field(500, ge=100, description="characters a search chunk")
    search_chunks_per_page: int | None = Field(None, ge=1, description="k of QAMR Algorithm 1")
    context_padding: int = Field(500, ge=0, description="ps of QAMR Algorithm 1, characters")

    questions_at_once: int | None = Field(None, ge=1, description="the others wait")
    question_limit: int = Field(4000, ge=100, description="longest question, in characters")
    question_seconds: float = Field(300.0, gt=0, description="one may take, once it is its turn")
    retrieved_pages: int = Field(8, ge=1, description="context chunks that go into reduction")
    reduction_budget: int = Field(6000, ge=200, description="characters kept in all")
    selection: Literal["auto", "listwise", "pointwise"] = "auto"
    selected_chunks: int = Field(3, ge=1, description="reduced chunks that reach the generator")
    prompt_budget: int = Field(900, ge=200, description="characters of evidence in the prompt")
    context_limit: int = Field(15_000, ge=500, description="the same where the model does it all")

    memory: Literal["on", "off"] = "on"
    memory_tau: float = Field(0.6, gt=0, lt=1, description="ComRAG: the same topic, a cosine")
    memory_delta: float = Field(0.85, gt=0, lt=1, description="ComRAG: the same question, a cosine")
    memory_gamma: float = Field(0.8, ge=0.35, lt=1, description="ComRAG: a good answer, a score")
    memory_references: int = Field(2, ge=0, description="answered questions shown to the model")
    memory_limit: int = Field(20_000, ge=10, description="pairs kept of a release in each store")
    memory_judge: Literal["auto", "model", "measure"] = "auto"
    graph_threshold: float = Field(0.55, gt=0, lt=1, description="of an edge, a cosine")
    graph_questions: int = Field(2, ge=1, description="k of GraphContextGen")
    graph_rebel: str | None = Field(None, description="a folder or a model of the Hub")
    graph_wikidata: str = Field("", description="address of its query service; empty: off")
    graph_wikidata_contact: str = Field(
        "", description="an address that its operators can write to"
    )
    temperature_min: float = Field(0.0, ge=0, le=2, description="ComRAG: the paper: 0.7")
    temperature_max: float = Field(0.0, ge=0, le=2, validate_default=True)  # the paper: 1.2
    temperature_k: float = Field(250.0, gt=0, description="how fast it falls (ComRAG)")

    largest_upload: int = Field(500, ge=1, description="MB of an upload in all")

    host: str = "127.0.0.1"
    port: int = Field(8501, ge=1, le=65535)

    @field_validator("generator")
    @classmethod
    def _is_a_generator(cls, generator: str) -> str:
        if generator != "auto":
            chosen_generator(generator)
        return generator

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

    @field_validator("graph_wikidata")
    @classmethod
    def _is_a_web_address(cls, url: str) -> str:
        if url and not url.startswith(("https://", "http://")):
            raise ValueError(
                f"{url} is no web address: that of Wikidata itself is "
                "https://query.wikidata.org/sparql"
            )
        return url

    @field_validator("graph_wikidata_contact")
    @classmethod
    def _fits_into_a_header(cls, contact: str) -> str:
        if not (contact.isascii() and contact.isprintable()):
            raise ValueError("only ASCII letters can be sent: give an e-mail or web address")
        return contact

    @field_validator("temperature_max")
    @classmethod
    def _highest_not_below_lowest(cls, highest: float, info: ValidationInfo) -> float:
        lowest = info.data.get("temperature_min", 0.0)
        if highest < lowest:
            raise ValueError(
                f"the highest temperature, {highest}, is below the lowest, {lowest}: "
                "raise temperature_max or lower temperature_min"
            )
        return highest

    @property
    def database(self) -> str:
        """The URL of the database: `database_url`, else a SQLite file in the data folder."""
        return self.database_url or sqlite_url(self.data_dir)

    @property
    def generator_in_use(self) -> str:
        """`generator`; of `auto` the largest that this machine bears and that was fetched."""
        if self.generator != "auto":
            return self.generator
        return generator_here(this_machine(), self.models_dir).key

    @property
    def model_name(self) -> str:
        """The language model by name; empty where there is none."""
        if self.backend == "transformers" and self.model and self.adapter:
            return f"{self.model} + {self.adapter.name}"
        if self.backend != "embedded":
            return self.model or self.backend
        chosen = chosen_generator(self.generator_in_use)
        if chosen is None:
            return ""
        # Where a file lies on this machine is nobody's business.
        name = chosen.stem if isinstance(chosen, Path) else self.generator_in_use
        return f"{name} + {self.adapter.stem}" if self.adapter else name

    @property
    def generator_file(self) -> Path | None:
        """The GGUF file in use; None for "none", and before the default is fetched."""
        found = self._generator()
        return found[0] if found else None

    def _generator(self) -> tuple[Path, GgufHeader] | None:
        chosen = chosen_generator(self.generator_in_use)
        if chosen is None:
            return None
        to_fetch = isinstance(chosen, ModelFile)
        path = chosen.path_in(self.models_dir) if isinstance(chosen, ModelFile) else chosen
        if chosen is GENERATOR and not path.exists():
            return None
        try:
            return path, read_chat_model(path)
        except FileNotFoundError as error:
            todo = "run `strata models pull`" if to_fetch else "correct the path"
            raise _bad("generator", f"there is no file {path}: {todo}") from error
        except (NotGguf, OSError) as error:
            raise _bad("generator", error) from error

    @property
    def adapter_file(self) -> Path | None:
        """The GGUF file of the embedded backend's adapter, if any. Raises BadSettings."""
        found = self._generator()
        if found is None or self.adapter is None:
            return None
        (generator, model), path = found, self.adapter.expanduser()
        try:
            require_adapter(path, model)
        except FileNotFoundError as error:
            raise _bad("adapter", f"there is no file {path}: correct the path") from error
        except IsADirectoryError as error:
            raise _bad(
                "adapter",
                f"{path} is a folder, and the backend embedded takes a GGUF file: `strata tune "
                f"convert {path} --output {path.name}.gguf` writes one",
            ) from error
        except UnfitAdapter as error:
            raise _bad("adapter", f"{path} does not fit {generator.name}: {error}") from error
        except (NotGguf, OSError) as error:
            raise _bad("adapter", error) from error
        return path

    @property
    def context(self) -> int:
        """Tokens of the longest prompt with its answer, never more than the model's file tells."""
        found = self._generator()
        return min(self.generator_context, found[1].context) if found else self.generator_context

    @property
    def profile_in_use(self) -> str:
        """The profile; of `auto` the one that fits the model: see `in_use.py`."""
        if self.profile != "auto":
            return self.profile
        return "direct" if self.has_capable_model else "embedded"

    @property
    def parameters(self) -> int:
        """The weights of the model in this process; 0 where there is none."""
        found = self._generator() if self.backend == "embedded" else None
        return found[1].parameters if found else 0

    @property
    def has_capable_model(self) -> bool:
        """Whether the model reads questions and writes whole answers."""
        if self.backend != "embedded":
            return self.backend != "scripted"
        return self.parameters >= CAPABLE

    @property
    def slots(self) -> int:
        """`generator_slots`, else one for the profile that makes one call, four for the others."""
        return self.generator_slots or (1 if self.profile_in_use == "embedded" else 4)

    @property
    def lead_budget(self) -> int:
        """Characters of evidence in the prompt of an answer, as far as the context holds them."""
        budget = (
            self.context_limit if self.profile in get_args(_PaperProfile) else self.prompt_budget
        )
        return self._within_context(budget, self.answer_tokens)

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
        """What reading one file may cost. Raises BadSettings for OCR in a language not there."""
        ocr = None
        if self.ocr:
            try:
                # The rest of its time is for what a file has beside scanned pages.
                seconds = 0.7 * self.reading_seconds
                ocr = find_ocr(self.ocr, seconds, os.environ.get("TESSDATA_PREFIX"))
            except NoOcr as error:
                raise _bad("ocr", error) from error
        return Limits(memory=self.reading_memory << 20, seconds=self.reading_seconds, ocr=ocr)

    @property
    def at_once(self) -> int:
        """`questions_at_once`, else eight where a server answers, one for a model right here."""
        return self.questions_at_once or (8 if self.backend == "server" else 1)

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *_: Any, **sources: PydanticBaseSettingsSource
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then `strata.toml` in the working directory."""
        of_file = TomlConfigSettingsSource(settings_cls)
        return sources["init_settings"], sources["env_settings"], of_file


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _bad(setting: str, why: object) -> BadSettings:
    return BadSettings(f"setting {setting} (STRATA_{setting.upper()}): {why}")


def read_settings(**options: Any) -> Settings:
    """Read the settings; options that are not None take precedence. Raises BadSettings."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise (_bad(name, reason) if name else BadSettings(reason)) from error
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"strata.toml cannot be read: {error}") from error


def prepare_process() -> None:
    """Set what libraries read from the environment when they are imported."""
    # Without it the generator's threads spin, and a busy machine can stall it for minutes.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
    # Uvicorn would let whoever connects from this machine say where they come from.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
