"""One question of a run put to a system, and what is loaded before the first one."""

from collections.abc import Callable, Iterable

from langchain_core.language_models import BaseChatModel

from chatbot.chatbot import Chatbot
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.runtime.concurrency import Stopped
from corpora.errors import ModelMissing
from eval.foreign import with_refusal
from eval.gold import GoldQuestion
from eval.recording import replayed
from eval.runs.folder import AnswerRecord
from eval.runs.systems.system import System
from ingestion.errors import BadSettings, StrataError

_SINGLE_CHUNKS = ("baseline", "base", "+rewriting", "+reduction", "+selection")
"""Profiles that search the paper's single chunks, which are embedded at first use."""


def warm_up(
    chatbot: Chatbot,
    system: str,
    model: BaseChatModel | None,
    releases: Iterable[tuple[str, str]],
    on_progress: Callable[[str, int, int], None],
) -> None:
    """Load what is loaded at first use, so that a first answer takes as long as the others.

    `releases` have their products before them. Raises the errors of loading.
    """
    embedder = chatbot.embedder
    embedder.embed(["warm"])
    if isinstance(model, EmbeddedChatModel):
        model.load()
    for product, release in releases:
        corpus = chatbot.corpora.corpus(product, release)
        most = 0
        while system in _SINGLE_CHUNKS and (left := corpus.single_chunks.embed_some(embedder)):
            most = max(most, left)
            on_progress(f"chunks of {release}", most - left, most)


def answer_record(
    system: System, question: GoldQuestion, repeat: int, stopped: Callable[[], bool]
) -> AnswerRecord:
    """What a system answers to a question, or why it does not.

    Raises Stopped, and what no other question would do better with: BadSettings, ModelMissing.
    """
    if stopped():
        raise Stopped
    with replayed() as waited:
        try:
            answered = system.answer(question.question, question.product, question.history, stopped)
        except (Stopped, BadSettings, ModelMissing):
            raise
        except Exception as error:  # noqa: BLE001
            # The edge of a run: whatever one question does, those after it are asked.
            # An unexpected one may name files, hosts or what is stored, and the report is shown.
            told = f": {error}" if isinstance(error, StrataError) else ""
            problem = f"{type(error).__name__}{told}"
            return AnswerRecord(id=question.id, repeat=repeat, error=problem)
    reply = answered.reply
    if answered.opaque:
        reply = with_refusal(question, reply)
    # Replies of the recording took no time now, but they did when the model wrote them.
    steps = {step: reply.timings.get(step, 0.0) for step in (*reply.timings, *waited)}
    steps = {step: round(seconds + waited.get(step, 0.0), 4) for step, seconds in steps.items()}
    seconds = None if reply.seconds is None else round(reply.seconds + sum(waited.values()), 3)
    return AnswerRecord(
        id=question.id,
        repeat=repeat,
        reply=reply.model_copy(update={"seconds": seconds, "timings": steps}),
        context=answered.context,
        retrieved=answered.retrieved,
        steps=steps,
        calls=reply.model_calls,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        trace=answered.trace,
        opaque=answered.opaque,
    )
