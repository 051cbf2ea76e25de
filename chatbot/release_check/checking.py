"""The check: each accepted answer is looked for in a generation, and asked there if it changed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from threading import Event
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from chatbot.chatbot import Chatbot
from chatbot.memory.accepted import Held, held_against
from chatbot.release_check.accepted_answer import AcceptedAnswer
from chatbot.release_check.judging import Judge
from chatbot.release_check.reports import CheckReport, checked_generation, read_report
from chatbot.release_check.verdicts import Compared, Verdict, compare, holds
from chatbot.release_check.words import Pages
from chatbot.runtime.concurrency import Stopped
from chatbot.text.languages import in_every_language
from chatbot.turn import EMBEDDER_FAILS
from corpora.catalog.catalog import Catalog, require_release
from corpora.database.check_tables import CheckedAnswerRow, ReleaseCheckRow
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import NoCorpus, NothingWaits
from corpora.generations.progress import Progress, Stage
from corpora.indexing.corpus import Corpus, OpenCorpora
from ingestion.errors import StrataError
from ingestion.messages import message, message_noop


@dataclass(frozen=True)
class Check:
    """Holds accepted answers against the newest generation of a release.

    Each is kept as soon as it is looked at: a check that was stopped or killed goes on with the
    others. `pause` returns when the next one may be looked at.
    """

    chatbot: Chatbot
    on_progress: Callable[[Progress], None] = lambda progress: None
    stopped: Callable[[], bool] = lambda: False
    pause: Callable[[], None] = lambda: None

    def run(
        self, product: str, release: str, *, against: str = "", afresh: bool = False
    ) -> CheckReport:
        """Check what was not checked yet, or everything `afresh`; `against` names a release.

        Raises Stopped when `stopped` says so, NoCorpus where nothing was built, UnknownRelease,
        and NothingWaits if the generation was thrown away meanwhile.
        """
        check_id, generation, release_id, held, left = self._begin(
            product, release, against, afresh=afresh
        )
        total = len(held.pairs) if held else 0
        self._tell(total - len(left), total)
        if held is not None and left:
            chatbot = _asking(self.chatbot, release_id, generation)
            with closing(chatbot.corpora):
                self._look_at(chatbot, check_id, held, left)
        with self.chatbot.database.writing() as session:
            row = _require(session, check_id)
            row.finished = row.finished or datetime.now(UTC)
        report = read_report(self.chatbot.database, product, release)
        if report is None:
            raise NothingWaits(_THROWN_AWAY)
        return report

    def _begin(
        self, product: str, release: str, against: str, *, afresh: bool
    ) -> tuple[int, int, int, Held | None, list[int]]:
        """The rows of the check, and the pairs that are left."""
        with self.chatbot.database.writing() as session:
            row = require_release(session, product, release)
            generation = checked_generation(session, row)
            if generation is None:
                raise NoCorpus(
                    "There is no documentation of {product} {release} to check.",
                    product=product,
                    release=release,
                )
            if against:
                against = require_release(session, product, against).name
            held = held_against(session, generation, against)
            of = held.against.name if held else against or row.name
            known = session.scalar(
                select(ReleaseCheckRow).where(ReleaseCheckRow.generation_id == generation)
            )
            if known is not None and (afresh or known.against != of):
                session.delete(known)
                session.flush()
                known = None
            if known is None:
                known = ReleaseCheckRow(
                    generation_id=generation, against=of, created=datetime.now(UTC)
                )
                session.add(known)
                session.flush()
            # What could not be asked is tried again.
            failed = CheckedAnswerRow.verdict == Verdict.FAILED
            of_check = CheckedAnswerRow.check_id == known.id
            session.execute(delete(CheckedAnswerRow).where(of_check, failed))
            done = set(session.scalars(select(CheckedAnswerRow.pair_id).where(of_check)))
            left = [pair for pair in (held.pairs if held else ()) if pair not in done]
            if left:
                known.finished, known.told = None, ""
            return known.id, generation, row.id, held, left

    def _look_at(self, chatbot: Chatbot, check_id: int, held: Held, left: Sequence[int]) -> None:
        corpus = chatbot.corpora.corpus(held.release.product.name, held.release.name)
        judge, stopping, total = self._judge(corpus, held.against.name), Event(), len(held.pairs)

        def stopped() -> bool:
            return stopping.is_set() or self.stopped()

        def look(pair: int) -> tuple[int, _Looked | None]:
            if stopped():
                raise Stopped
            self.pause()
            return pair, _look(chatbot, corpus, judge, pair, stopped)

        pool = ThreadPoolExecutor(chatbot.settings.at_once, "release-check")
        try:
            for done, (pair, looked) in enumerate(pool.map(look, left), total - len(left) + 1):
                if looked is not None:
                    self._keep(check_id, pair, looked)
                self._tell(done, total)
        except LookupError:
            # What is thrown away has no passages from then on.
            with self.chatbot.database.reading() as session:
                _require(session, check_id)
            raise
        finally:
            stopping.set()
            pool.shutdown(cancel_futures=True)

    def _judge(self, corpus: Corpus, older: str) -> Judge | None:
        model = self.chatbot.model if self.chatbot.settings.has_capable_model else None
        return Judge(self.chatbot, model, older, corpus) if model else None

    def _keep(self, check_id: int, pair: int, looked: "_Looked") -> None:
        with self.chatbot.database.writing() as session:
            _require(session, check_id)
            # The answer may have been retired, or deleted with its conversation.
            if session.get(MemoryPairRow, pair) is not None:
                session.add(CheckedAnswerRow(check_id=check_id, pair_id=pair, **asdict(looked)))

    def _tell(self, done: int, total: int) -> None:
        self.on_progress(Progress(Stage.CHECKING, done, total))
        if self.stopped():
            raise Stopped


_THROWN_AWAY = message(
    "The version that was being checked has been discarded or replaced meanwhile."
)
_BY_WORDS = message_noop(
    "The reply of the model could not be used ({problem}): this was told by the words alone."
)


def _require(session: Session, check_id: int) -> ReleaseCheckRow:
    row = session.get(ReleaseCheckRow, check_id)
    if row is None:
        raise NothingWaits(_THROWN_AWAY)
    return row


@dataclass(frozen=True)
class _Looked:
    """The columns of a row of the check."""

    verdict: Verdict
    calls: int
    details: dict[str, Any]


def _asking(chatbot: Chatbot, release_id: int, generation: int) -> Chatbot:
    """A chatbot that answers a release from this generation, and remembers nothing.

    A capable model judges what is found, and does not read and write before.
    """
    catalog = Catalog(chatbot.database, {release_id: generation})
    is_capable = chatbot.settings.has_capable_model
    settings = {"memory": "off", **({"profile": "embedded"} if is_capable else {})}
    return replace(
        chatbot,
        settings=chatbot.settings.model_copy(update=settings),
        model=None if is_capable else chatbot.model,
        catalog=catalog,
        corpora=OpenCorpora(chatbot.database, chatbot.settings.data_dir, catalog=catalog),
    )


def _look(
    chatbot: Chatbot, corpus: Corpus, judge: Judge | None, pair: int, stopped: Callable[[], bool]
) -> _Looked | None:
    """What became of a pair; None if it is gone itself."""
    with chatbot.database.reading() as session:
        row = session.get(MemoryPairRow, pair)
        if row is None:
            return None
        question, kept, origin = row.question, row.answer, row.origin
    answer = AcceptedAnswer.of_pair(question, kept)
    details = {
        "question": question,
        "origin": origin,
        "old_answer": answer.text,
        "old_citations": [asdict(citation) for citation in answer.citations],
    }
    pages = [Pages(corpus, citation) for citation in answer.citations]
    if holds(answer, pages):
        return _Looked(Verdict.HOLDS, 0, details)
    try:
        reply = chatbot.ask(
            question, product=corpus.product, release=corpus.release, afresh=True, stopped=stopped
        ).content
        if any(f.reason in in_every_language(EMBEDDER_FAILS) for f in reply.fallbacks):
            # What words alone do not find would count as gone.
            return _failed(details, message(EMBEDDER_FAILS))
        is_of_release = reply.release == corpus.release
        new = reply.citations if is_of_release else ()
        abstained = reply.abstained or not is_of_release
        compared = compare(answer, pages, new, abstained=abstained, release=corpus.release)
        if judge is None:
            side = _new_side(compared, reply.answer)
            return _Looked(compared.verdict, reply.model_calls, details | side)
        told, calls = judge.judge(answer, pages, new, compared, stopped)
    except Stopped:
        raise
    except StrataError as error:
        return _failed(details, error)
    if told is None:
        problem = message(_BY_WORDS, problem=calls[-1].problem)
        side = _new_side(compared, reply.answer) | {"problem": problem}
        return _Looked(compared.verdict, len(calls), details | side)
    said = "\n".join(citation.quote for citation in told.cited)
    return _Looked(told.verdict, len(calls), details | _new_side(told, said))


def _failed(details: dict[str, Any], error: object) -> _Looked:
    problem = message("it was not asked again: {error}", error=error)
    return _Looked(Verdict.FAILED, 0, details | {"problem": problem})


def _new_side(compared: Compared, answer: str) -> dict[str, Any]:
    return {
        "new_answer": answer,
        "new_citations": [asdict(citation) for citation in compared.cited],
        "old_values": list(compared.old_values),
        "new_values": list(compared.new_values),
    }
