"""The settings of the language model, and what its file says of it."""

from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field, SecretStr, field_validator

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
from corpora.settings import advanced
from ingestion.errors import bad_setting
from ingestion.plugins import ExtensionPoint

BACKENDS = ExtensionPoint("strata.backends", ("embedded", "transformers", "server", "scripted"))
CAPABLE = 3_000_000_000
"""Weights from which a model in the process reads questions and writes whole answers."""


def require_address(url: str | None, example: str) -> str | None:
    """The URL, if it is one of http or https, or none. Raises ValueError."""
    if url and not (urlsplit(url).scheme in {"http", "https"} and urlsplit(url).hostname):
        raise ValueError(f"it is not an address such as {example}")
    return url


class GeneratorSettings(BaseModel):
    """The backend and its model; which settings count depends on the backend."""

    models_dir: Path
    backend: str = Field(
        "embedded",
        description="what runs the language model: `embedded` (a GGUF file in this process), "
        "`transformers`, `server` (any server that speaks OpenAI's protocol, or a provider that "
        "LangChain knows), `scripted`, or the name of one that an installed package adds",
    )
    generator: str = Field(
        GENERATOR.key,
        description="the language model of the embedded backend: a name of `strata models list`, "
        "`auto` (the largest of them that this machine can run, where the Hugging Face Hub gives "
        "it), the path of any GGUF file (`./model.gguf`), a GGUF file of the Hub "
        "(`owner/repository/file.gguf`), or `none` ([operations](operations.md#another-generator))",
    )
    model: str | None = Field(
        None,
        description="`transformers`: a folder or a name on the Hub; `server`: the model's name "
        "there, or `provider:name` ([providers](#a-language-model-of-your-own))",
    )
    server_url: str | None = Field(
        None,
        description="of the server backend, with its `/v1`: `http://127.0.0.1:8000/v1`; a provider "
        "has one of its own",
    )
    server_key: SecretStr | None = Field(
        None, description="its key; set it in the environment as `STRATA_SERVER_KEY`"
    )
    quantization: Literal["nf4", "int8", "bf16", "off"] = Field(
        "nf4", description="of the transformers backend: `nf4`, `int8`, `bf16` or `off`"
    )
    adapter: Path | None = Field(
        None,
        description="a LoRA adapter that was [tuned](operations.md#tuning-a-model) on the model: "
        "its folder with the transformers backend, the GGUF file that `strata tune convert` wrote "
        "of it with the embedded one",
    )
    temperature: float = Field(0.0, ge=0, le=2, description="of every call; the paper: 0.01")
    answer_tokens: int = advanced(
        160, "the longest lead that a small model writes, in tokens", ge=16, le=1024
    )
    generator_slots: int | None = advanced(
        None,
        "requests that the embedded backend serves at once; default: 1 for the profile "
        "`embedded`, else 4",
        ge=1,
    )
    generator_threads: int = advanced(0, "threads of the generator; 0 means one per core", ge=0)
    generator_context: int = advanced(
        4096,
        "the longest prompt with its answer, in tokens; never more than the model's file says it "
        "was made for",
        ge=LEAST_CONTEXT,
    )
    device: str = advanced("auto", "of the transformers backend: `auto`, `cpu`, `cuda:0` …")
    top_k: int = advanced(
        0,
        "of the transformers backend: so many of the likeliest tokens are drawn from; 0 is all; "
        "the paper: 1",
        ge=0,
    )
    repetition_penalty: float = advanced(1.0, "of the transformers backend; the paper: 1.15", gt=0)
    largest_batch: int = advanced(
        8, "of the transformers backend: requests computed together", ge=1
    )
    offline: bool = advanced(
        False, "the transformers backend asks no Hub; `model` is then a folder"
    )
    server_timeout: float = advanced(
        120.0, "seconds without output until the server counts as too slow", gt=0
    )
    server_retries: int = advanced(
        4, "retries when it is overloaded or fails (429, 5xx), with growing pauses", ge=0
    )
    server_concurrency: int = advanced(32, "requests to it at once", ge=1)
    fallback_model: str | None = advanced(
        None,
        "the model that answers where that of the backend `server` fails or is not ready, as "
        "`model`; the reply says so. The first one is then asked again once at most, and for half "
        "a minute after a failure the second is asked first",
    )
    fallback_url: str | None = advanced(
        None, "its server, with its `/v1`; default: `server_url`, for another model there"
    )
    fallback_key: SecretStr | None = advanced(
        None, "its key; set it in the environment as `STRATA_FALLBACK_KEY`"
    )
    judge_model: str | None = advanced(
        None,
        "the model that judges answers in `strata eval`: `provider:name`, its name on "
        "`judge_server_url` (default: `server_url`), or a GGUF file; default: the language model "
        "itself, and reports say so",
    )
    judge_server_url: str | None = advanced(
        None, "the server of that model, if it is another, with its `/v1`"
    )
    judge_server_key: SecretStr | None = advanced(
        None,
        "the key of that server or provider; set it in the environment as "
        "`STRATA_JUDGE_SERVER_KEY`",
    )
    scripted_replies: Path | None = advanced(
        None,
        "the JSON file of the scripted backend, for demonstrations: replies by step, "
        '`{"answer_generation": ["…"]}`',
    )

    @field_validator("backend")
    @classmethod
    def _is_a_backend(cls, backend: str) -> str:
        return BACKENDS.require(backend)

    @field_validator("generator")
    @classmethod
    def _is_a_generator(cls, generator: str) -> str:
        if generator != "auto":
            chosen_generator(generator)
        return generator

    @field_validator("server_url", "fallback_url", "judge_server_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        return require_address(url, "http://127.0.0.1:8000/v1")

    @field_validator("server_key", "fallback_key", "judge_server_key")
    @classmethod
    def _can_be_sent(cls, key: SecretStr | None) -> SecretStr | None:
        """Without the line end of the file that it was read from."""
        bare = key.get_secret_value().strip() if key else ""
        if not (bare.isascii() and bare.isprintable()):
            raise ValueError("it holds a line break or another character that keys cannot have")
        return SecretStr(bare) if bare else None

    @property
    def generator_in_use(self) -> str:
        """The generator's name; for `auto` the largest fetched one that fits this machine."""
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
        model = self._generator()
        return model[0] if model else None

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
            raise bad_setting("generator", f"there is no file {path}: {todo}") from error
        except (NotGguf, OSError) as error:
            raise bad_setting("generator", error) from error

    @property
    def adapter_file(self) -> Path | None:
        """The GGUF file of the embedded backend's adapter, if any. Raises BadSettings."""
        in_use = self._generator()
        if in_use is None or self.adapter is None:
            return None
        (generator, model), path = in_use, self.adapter.expanduser()
        try:
            require_adapter(path, model)
        except FileNotFoundError as error:
            raise bad_setting("adapter", f"there is no file {path}: correct the path") from error
        except IsADirectoryError as error:
            raise bad_setting(
                "adapter",
                f"{path} is a folder, and the backend embedded takes a GGUF file: `strata tune "
                f"convert {path} --output {path.name}.gguf` writes one",
            ) from error
        except UnfitAdapter as error:
            raise bad_setting(
                "adapter", f"{path} does not fit {generator.name}: {error}"
            ) from error
        except (NotGguf, OSError) as error:
            raise bad_setting("adapter", error) from error
        return path

    @property
    def context(self) -> int:
        """Tokens of the longest prompt with its answer, at most what the model's file allows."""
        model = self._generator()
        return min(self.generator_context, model[1].context) if model else self.generator_context

    @property
    def parameters(self) -> int:
        """The weights of the model in this process; 0 where there is none."""
        model = self._generator() if self.backend == "embedded" else None
        return model[1].parameters if model else 0

    @property
    def has_capable_model(self) -> bool:
        """Whether the model reads questions and writes whole answers."""
        if self.backend != "embedded":
            return self.backend != "scripted"
        return self.parameters >= CAPABLE


class Backend(Protocol):
    """A factory of a backend's model; `strata.backends` is the group of entry points."""

    def __call__(self, settings: GeneratorSettings) -> BaseChatModel:
        """Make the model, which is loaded at its first call.

        Args:
            settings: Those of the language model; `model`, `server_url` and the like are the
                backend's to use.

        Raises:
            BadSettings: with what to set.
        """
