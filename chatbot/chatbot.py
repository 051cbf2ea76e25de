"""The interface for programs and pages: questions answered from the right release."""

import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock, Thread
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableLambda

from chatbot.accounts.limits import UsageLimits
from chatbot.accounts.people import LOCAL
from chatbot.chain.parts import Parts
from chatbot.chain.profile import Profile, run
from chatbot.chain.profiles import profile_named
from chatbot.chain.reply import reply_of, trace_of
from chatbot.comparison.still_true import StillTrueCheck
from chatbot.conversations.asked import checked_history, checked_question, continued
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.feedback import Feedback
from chatbot.errors import GeneratorError
from chatbot.memory.remembering import Memory, open_memory
from chatbot.models.embedded import EmbeddedChatModel
from chatbot.models.server_calls import keep_attempts
from chatbot.releases.installed import pasted
from chatbot.reply import Reply
from chatbot.runtime.concurrency import Queue, Result, in_thread, run_on_event_loop, within
from chatbot.runtime.events import Listener, Waiting, heard_by
from chatbot.runtime.ingest_throttle import ingests_paused
from chatbot.runtime.lasting import let_last
from chatbot.runtime.model_calls import noted_attempts
from chatbot.runtime.spans import span
from chatbot.settings import Settings
from chatbot.text.languages import gettext, load_translations, spoken
from chatbot.text.question_language import language_of
from chatbot.turn import ModelStep, Turn, last_turns
from chatbot.upgrading.grouping import grouped
from chatbot.upgrading.guide import Guide, UpgradeGuides
from chatbot.upgrading.reading import Changes, GuideReader
from chatbot.upgrading.release_gaps import ReleaseGaps
from chatbot.upgrading.usage import read_usage
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Glossaries
from corpora.catalog.release import Product
from corpora.catalog.rights import Rights, Viewer
from corpora.database.engine import Database
from corpora.database.read_once import reading_once
from corpora.database.sight import Sight
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.cross_encoder import Reranker
from corpora.indexing.embedding import Embedder, MiniLM
from corpora.indexing.words_with_versions import with_words
from corpora.parameters.releases import OpenParameters, ReleaseParameters, opened_by
from ingestion.errors import BadSettings, StrataError
from prompts.fencing import visible

_TOLD_BY = 2_000
"""Characters of a question that tell its language."""
NEW = "new"
"""The conversation that a question begins."""
_OPERATION = "invoke_workflow"
"""What a question is to OpenTelemetry: a workflow, named after its profile."""
_SIGHTS = 32
"""Of whose chatbots the caches are kept."""
_LIMITING = Lock()
_WARM_UP_SECONDS = 5.0
"""Seconds that a server may spend on opening releases before it listens."""


@dataclass(frozen=True)
class AnsweredTurn:
    """An answered turn, its reply, which is kept, printed and shown, and the id it is kept by."""

    turn: Turn
    content: Reply
    conversation: str | None = None
    kept_as: int | None = None


@dataclass(frozen=True)
class Chatbot:
    """Answers questions from the corpora in the data folder; safe to share between threads.

    `left_out` are steps of `embedded` that an evaluation switches off. `whole` is the chatbot of
    which this one is what somebody sees (`seen_by`), where that is not everything.
    """

    settings: Settings
    database: Database
    catalog: Catalog
    corpora: OpenCorpora
    conversations: Conversations
    glossaries: Glossaries
    embedder: Embedder
    minilm: MiniLM
    model: BaseChatModel | None
    reranker: Reranker | None = None
    left_out: tuple[str, ...] = ()
    whole: "Chatbot | None" = None

    def seen_by(self, viewer: Viewer) -> "Chatbot":
        """This chatbot as somebody sees it: what they may not see is not there at all."""
        return self.limited(Rights(self.database).sight(viewer))

    def limited(self, sight: Sight | None) -> "Chatbot":
        """This chatbot over what a sight leaves; models, open corpora and limits are shared."""
        if sight is None:
            return self
        with _LIMITING:
            if (kept := self._limited.pop(sight, None)) is None:
                database = replace(self.database, sight=sight)
                catalog = Catalog(database)
                kept = replace(
                    self,
                    database=database,
                    catalog=catalog,
                    corpora=self.corpora.limited(catalog),
                    conversations=Conversations(database),
                    glossaries=Glossaries(database),
                    whole=self,
                )
            # At the end: the first is the one unused for longest.
            self._limited[sight] = kept
            while len(self._limited) > _SIGHTS:
                del self._limited[next(iter(self._limited))]
        return kept

    @cached_property
    def _limited(self) -> "dict[Sight, Chatbot]":
        return {}

    def products(self) -> tuple[Product, ...]:
        """The products and releases that can be asked about."""
        return with_words(self.catalog, self.corpora)

    def ask(
        self,
        question: str,
        *,
        product: str | None = None,
        release: str | None = None,
        chosen_by: str = "",
        conversation: str | None = None,
        owner: str = LOCAL.id,
        account: str | None = None,
        per_minute: int | None = None,
        instead_of: int | None = None,
        open_question: str | None = None,
        history: Sequence[tuple[str, str]] = (),
        afresh: bool = False,
        same_as: int | None = None,
        language: str | None = None,
        listener: Listener = lambda event: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> AnsweredTurn:
        """Answer a question; with a conversation's id, as its next turn, and keep it there.

        `chosen_by` says what chose the `release`, where that is no person; where nothing did, a
        pasted lock file does. NEW begins a conversation of `owner` once there is an answer. It is
        kept as it was written, and answered on one line. The question counts for `account`, if that
        is another; `per_minute` is another limit than that of the settings;
        `instead_of` is the turn that this one replaces, with all behind it, and `open_question` the
        one that is open no longer. `afresh` leaves out the memory; `same_as` is the saved answer
        that was offered, and is wanted in place of a new one. What the reply says by itself is in
        the language of the question, or in `language` where its words do not tell.
        Raises BadQuestion, LimitReached, UnknownConversation, GeneratorError, ModelMissing,
        TookTooLong, and Stopped when `stopped` says so.
        """
        with spoken(language_of(question[:_TOLD_BY]) or language):
            asked = visible(question).strip()
            if release is None and (file := pasted(asked, self.products)):
                question, stated = file
                product, release = product or stated.product, stated.chosen
                chosen_by = gettext("the pasted {reason}", reason=stated.reason)
            question = checked_question(question, self.settings.question_limit)
            if len(asked) > self.settings.question_limit:
                asked = question
            account = owner if account is None else account
            if same_as is None:
                self.limits.question(account, per_minute)
            own = self.conversations.of(owner)
            turn = Turn(
                question,
                product=product,
                release=release,
                chosen_by=chosen_by,
                history=checked_history(history, self.settings.question_limit),
                afresh=afresh,
                same_as=same_as,
                owner=owner,
            )
            if conversation is not None and conversation != NEW:
                turn = continued(turn, own.turns(conversation), instead_of)
            turn, seconds = run_on_event_loop(
                self._run(self._chain.ainvoke, turn, account, listener), stopped
            )
            settings = self.settings
            content = reply_of(
                turn, settings.profile_in_use, seconds=seconds, model=settings.model_name
            )
            kept_as = None
            if conversation is not None:
                if conversation == NEW:
                    conversation = own.start(product, asked)
                kept_as = own.add(
                    conversation,
                    asked,
                    content,
                    trace=trace_of(turn),
                    instead_of=instead_of,
                    open_question=open_question,
                )
            self.memory.delivered(turn, kept_as)
            return AnsweredTurn(turn, content, conversation, kept_as)

    def search(
        self,
        question: str,
        *,
        product: str | None = None,
        release: str | None = None,
        owner: str = LOCAL.id,
        per_minute: int | None = None,
        language: str | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Turn:
        """The best records as `selected`, or an `answer` where it is about no one release."""
        question = checked_question(question, self.settings.question_limit)
        self.limits.question(owner, per_minute)
        turn = Turn(question, product=product, release=release, afresh=True)
        search = self._profile.search
        if not self._profile.find:
            raise BadSettings("this profile reads no documents: search with the profile embedded")
        with spoken(language_of(question) or language):
            searching = self._run(lambda searched: run(search, searched), turn, owner)
            return run_on_event_loop(searching, stopped)[0]

    def last_turns(self, history: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """The last turns of a conversation, as many as can be read with a question."""
        return last_turns(history, self.settings.question_limit)

    def require(self) -> None:
        """Raise BadSettings where the profile needs a model or a memory that is not there."""
        profile_named(self.settings.profile_in_use)(self._parts)

    def warm_up(self) -> None:
        """Load what the first question would wait for; raises the errors of loading."""
        load_translations()
        with suppress(StrataError):
            self.memory.recall.reader.read_all(["warm-up"], "")
            self.corpora.open_built(_WARM_UP_SECONDS)
        Thread(target=self._load_model, name="warm-up", daemon=True).start()

    def _load_model(self) -> None:
        from chatbot.models.served import ServedChatModel

        if isinstance(self.model, EmbeddedChatModel | ServedChatModel):
            with suppress(GeneratorError):
                self.model.load()
        let_last()

    def feedback(self, owner: str) -> Feedback:
        """The store of a person's feedback; each change updates the memory."""
        return Feedback(self.database, owner, self.memory.opinion_changed)

    @cached_property
    def memory(self) -> Memory:
        """The memory of answers; admins can curate it also where the settings leave it out."""
        if self.whole is not None:
            # A pair is looked for in a release that was found in the catalog, which is limited.
            return self.whole.memory
        return open_memory(self.settings, self.database, self.embedder)

    @cached_property
    def open_parameters(self) -> OpenParameters:
        """The function that opens the parameters of a release."""
        if (whole := self.whole) is None:
            return opened_by(self.corpora.corpus)

        def seen(product: str, release: str) -> ReleaseParameters:
            serving = self.catalog.serving(product, release)
            return whole.open_parameters(serving.product, serving.release)

        return seen

    @cached_property
    def upgrade_guides(self) -> UpgradeGuides:
        """What writes upgrade guides."""
        return UpgradeGuides(self.corpora.corpus, self.open_parameters)

    @cached_property
    def _guide_replies(self) -> dict[str, Changes]:
        return {}

    @cached_property
    def release_gaps(self) -> ReleaseGaps:
        """What finds the gaps between the releases of a product."""
        opened = self.corpora.corpus, self.open_parameters, self.upgrade_guides
        return ReleaseGaps(*opened, self.database)

    def upgrade_guide(
        self,
        product: str,
        older: str,
        newer: str,
        used: str = "",
        *,
        told: Callable[[int, int], None] = lambda done, of: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Guide:
        """What has to be changed from one release to a later one, for what is `used`.

        That is a configuration, a command line, code, or features in words; it is not kept. A
        capable model reads what concerns it, and groups and words the list. Raises UnknownRelease,
        and BadQuestion for releases in the wrong order and for an input that is too large.
        """
        usage = read_usage(used)
        named = self.catalog.product(product)
        guide = self.upgrade_guides.guide(named, older, newer, usage, told=told, stopped=stopped)
        model, settings = self.model, self.settings
        if model is None or not settings.has_capable_model:
            return guide
        if not usage.is_everything:
            run = self.run_model_work
            kept = (self.whole or self)._guide_replies
            reader = GuideReader(self.upgrade_guides, model, settings, run, told, stopped, kept)
            guide = reader.read(named, guide, usage)
        return self.run_model_work(grouped(guide, model), stopped)

    def run_model_work(
        self, work: Coroutine[Any, Any, Result], stopped: Callable[[], bool]
    ) -> Result:
        """The result of work other than a question that calls the model; its calls are counted.

        Raises its errors, and Stopped when `stopped` says so.
        """

        async def counted() -> Result:
            async with self._counted():
                return await work

        return run_on_event_loop(counted(), stopped)

    @cached_property
    def still_true(self) -> StillTrueCheck:
        """What holds answers against the other releases of their product."""
        if self.whole is not None:
            return self.whole.still_true.limited(self.catalog)
        return StillTrueCheck(self.database, self.catalog)

    @cached_property
    def limits(self) -> UsageLimits:
        """The limits on a person's questions and uploads."""
        if self.whole is not None:
            return self.whole.limits
        per_minute, per_day = self.settings.questions_per_minute, self.settings.uploads_per_day
        return UsageLimits(self.database, per_minute, per_day)

    async def _run(
        self,
        step: ModelStep,
        turn: Turn,
        account: str,
        listener: Listener = lambda event: None,
    ) -> tuple[Turn, float]:
        async with self._queue.place(account, lambda place: listener(Waiting(place))):
            started = time.perf_counter()
            profile = self.settings.profile_in_use
            about = {"gen_ai.operation.name": _OPERATION, "gen_ai.workflow.name": profile}
            with ingests_paused(self.settings.data_dir), heard_by(listener), reading_once():
                async with self._counted():
                    with span(f"{_OPERATION} {profile}", about):
                        async with within(self.settings.question_seconds):
                            turn = await step(turn)
            return turn, round(time.perf_counter() - started, 3)

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        """Keep what is asked of language models within it, however it ends."""
        with noted_attempts() as attempts:
            try:
                yield
            finally:
                await in_thread(keep_attempts, self.database, attempts)

    @cached_property
    def _profile(self) -> Profile:
        return profile_named(self.settings.profile_in_use)(self._parts)

    @cached_property
    def _parts(self) -> Parts:
        return Parts(
            self.settings,
            self.products,
            self.catalog,
            self.corpora,
            self.glossaries,
            self.embedder,
            self.minilm,
            self.model,
            self.memory if self.settings.memory == "on" else None,
            self.open_parameters,
            self.reranker,
            self.left_out,
        )

    @cached_property
    def _chain(self) -> Runnable[Turn, Turn]:
        return RunnableLambda(self._profile.answer)

    @cached_property
    def _queue(self) -> Queue:
        return self.whole._queue if self.whole else Queue(self.settings.at_once)
