"""Settings → a chatbot: the only place that wires the parts together."""

from typing import TypeVar

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from chatbot.answering.lead_prompt import beginning_of_prompt
from chatbot.chatbot import Chatbot
from chatbot.conversations.conversations import Conversations
from chatbot.memory.suspending import open_database
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.embedders import open_embedders, open_minilm
from chatbot.models.rerankers import open_reranker
from chatbot.models.settings import BACKENDS, Backend
from chatbot.runtime.spans import send_spans
from chatbot.settings import Settings, prepare_process
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Glossaries
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.embedding import MiniLM
from ingestion.errors import BadSettings


def open_chatbot(settings: Settings) -> Chatbot:
    """Open the database and wire a chatbot; models are loaded when first needed."""
    prepare_process()
    if settings.telemetry_url:
        send_spans(settings.telemetry_url)
    database = open_database(settings)
    # Where several are answered at once, each gets a core: two take half as much again for a query.
    embedder = open_embedders(settings, database, 1 if settings.at_once > 1 else None)
    minilm = embedder.current
    return Chatbot(
        settings=settings,
        database=database,
        catalog=Catalog(database),
        corpora=OpenCorpora(database, settings.data_dir),
        conversations=Conversations(database),
        glossaries=Glossaries(database),
        embedder=embedder,
        minilm=minilm if isinstance(minilm, MiniLM) else open_minilm(settings),
        model=open_model(settings),
        reranker=open_reranker(settings, settings.models_dir, settings.embedding_runtime),
    )


def open_model(settings: Settings) -> BaseChatModel | None:
    """The language model of the settings, loaded at its first call. Raises BadSettings."""
    match settings.backend:
        case "embedded":
            path = settings.generator_file
            if path is None:
                return None
            return EmbeddedChatModel(
                path=path,
                adapter=settings.adapter_file,
                threads=settings.generator_threads,
                slots=settings.slots,
                context=settings.context,
                max_tokens=settings.answer_tokens,
                temperature=settings.temperature,
                beginning=_beginning(settings),
            )
        case "transformers":
            from chatbot.models.hugging_face import HuggingFaceChatModel

            return HuggingFaceChatModel(
                model=_needed(settings.model, "model", settings),
                quantization=settings.quantization,
                device=settings.device,
                adapter=None if settings.adapter is None else str(settings.adapter),
                top_k=settings.top_k,
                repetition_penalty=settings.repetition_penalty,
                offline=settings.offline,
                largest_batch=settings.largest_batch,
                max_tokens=settings.answer_tokens,
                temperature=settings.temperature,
            )
        case "server":
            return _open_server(settings)
        case "scripted":
            from chatbot.models.scripted import read_script

            return read_script(_needed(settings.scripted_replies, "scripted_replies", settings))
        case added:
            backend: Backend = BACKENDS.load(added)
            return backend(settings)


def _open_server(settings: Settings) -> BaseChatModel:
    from chatbot.models.served import ServedChatModel, provider_of

    def served(model: str, url: str | None, key: SecretStr | None) -> ServedChatModel:
        return ServedChatModel(
            url=url,
            model=model,
            key=key,
            timeout=settings.server_timeout,
            retries=settings.server_retries,
            concurrency=settings.server_concurrency,
            max_tokens=settings.answer_tokens,
            temperature=settings.temperature,
        )

    model = _needed(settings.model, "model", settings)
    if not provider_of(model):
        _needed(settings.server_url, "server_url", settings)
    first = served(model, settings.server_url, settings.server_key)
    if not (second := settings.fallback_model):
        return first
    url, key = settings.fallback_url, settings.fallback_key
    if url is None and not provider_of(second):
        url, key = settings.server_url, key or settings.server_key
        if url is None:
            raise BadSettings(
                f"fallback_model is {second}, and no server is named that has it: set "
                "STRATA_FALLBACK_URL"
            )
    stand_in = served(second, url, key).model_copy(update={"settings": "STRATA_FALLBACK_"})
    return first.model_copy(update={"second": stand_in, "retries": min(first.retries, 1)})


def _beginning(settings: Settings) -> tuple[tuple[str, str], ...]:
    """The fixed beginning of the profile's prompts, where it makes one call a question."""
    return tuple(beginning_of_prompt()) if settings.profile_in_use == "embedded" else ()


Needed = TypeVar("Needed")


def _needed(value: Needed | None, name: str, settings: Settings) -> Needed:
    if value is None:
        raise BadSettings(
            f"the backend {settings.backend} needs the setting {name}: set STRATA_{name.upper()}"
        )
    return value
