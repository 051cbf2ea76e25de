"""What programs may ask of Strata, whatever language they speak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatbot.accounts.program_keys import Scope
from chatbot.administration.administration import Administration
from chatbot.assembly import AnsweredTurn, BadQuestion, Chatbot
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.runtime.events import Listener
from corpora.documents.documents import Documents
from corpora.documents.upload_checks import Finding, Weight, accepted, check
from corpora.documents.uploads import UploadedFile
from corpora.jobs.jobs import Jobs
from ingestion.errors import StrataError
from ui.api.callers import Caller
from ui.api.forms import (
    AskIn,
    AskOut,
    JobFileOut,
    JobOut,
    PageOut,
    PassageOut,
    ProductOut,
    ReleaseOut,
    SearchIn,
    SearchOut,
    job_out,
)
from ui.wording.marking import quoted_spans

NEW = "new"
"""The conversation that a question begins."""


class NotThere(StrataError, LookupError):
    """What was asked for is not there; the message says what."""


class UploadRefused(StrataError):
    """Files were not taken; `findings` say what is wrong with which."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        told = "; ".join(f"{f.file}: {f.problem}" if f.file else f.problem for f in findings)
        super().__init__(f"Nothing was uploaded. {told}")
        self.findings = tuple(findings)


@dataclass(frozen=True)
class Service:
    """Does what a caller asks for; raises NotAllowed without the scope for it."""

    chatbot: Chatbot

    def products(self, caller: Caller) -> tuple[ProductOut, ...]:
        """The products and releases that can be asked about."""
        caller.require(Scope.SEARCH)
        return tuple(
            ProductOut(
                name=product.name,
                aliases=product.aliases,
                releases=tuple(
                    ReleaseOut(
                        name=release.name,
                        aliases=release.aliases,
                        prerelease=release.prerelease,
                        latest=release == product.newest,
                    )
                    for release in product.releases
                ),
            )
            for product in self.chatbot.products()
        )

    def ask(
        self,
        caller: Caller,
        asked: AskIn,
        listener: Listener = lambda event: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> AskOut:
        """Answer a question; raises what `Chatbot.ask` raises, and for a product that is none."""
        caller.require(Scope.ASK)
        conversation = asked.conversation
        if asked.product:
            self.chatbot.catalog.product(asked.product)
        if conversation == NEW:
            own = self.chatbot.conversations.of(caller.person.id)
            conversation = own.start(asked.product, asked.question)
        answered = self.chatbot.ask(
            asked.question,
            product=asked.product,
            release=asked.release,
            conversation=conversation,
            owner=caller.person.id,
            per_minute=caller.per_minute,
            history=asked.history,
            afresh=asked.afresh,
            listener=listener,
            stopped=stopped,
        )
        return _asked(answered)

    def search(self, caller: Caller, wanted: SearchIn) -> SearchOut:
        """Find passages of one release, the best first."""
        caller.require(Scope.SEARCH)
        turn = self.chatbot.search(
            wanted.query,
            product=wanted.product,
            release=wanted.release,
            owner=caller.person.id,
            per_minute=caller.per_minute,
        )
        resolution = turn.resolution
        if resolution is not None and len(resolution.releases) > 1:
            raise BadQuestion("the query names several releases: search one at a time")
        told = SearchOut(
            product=resolution.product if resolution else None,
            release=resolution.releases[0] if resolution and resolution.releases else None,
            release_status=resolution.status if resolution else "",
        )
        if turn.answer is not None:
            return told.model_copy(update={"message": turn.answer.text})
        product, release = turn.asked
        records = sorted((r for c in turn.selected for r in c.records), key=lambda r: -r.score)
        found = best_passages(records)[: wanted.limit] if records else []
        passages = tuple(_passage(passage, product, release) for passage in found)
        message = "" if passages else f"Nothing in {product} {release} fits these words."
        return told.model_copy(update={"passages": passages, "message": message})

    def page(self, caller: Caller, page: int, quote: str = "") -> PageOut:
        """A page of a document, with the places of a quotation in its text."""
        caller.require(Scope.SEARCH)
        try:
            stored = Documents(self.chatbot.database).page(page)
        except LookupError as error:
            raise NotThere(str(error)) from error
        return PageOut(
            id=stored.id,
            document=stored.document.title,
            file=stored.document.file,
            number=stored.number,
            section=" › ".join(stored.heading_path),
            text=stored.text,
            marks=tuple(quoted_spans(stored.text, quote)) if quote else (),
            previous=stored.previous_id,
            next=stored.next_id,
        )

    def upload(
        self,
        caller: Caller,
        product: str,
        release: str,
        files: Sequence[UploadedFile],
        *,
        anyway: bool = False,
    ) -> JobOut:
        """Order that files become documents of a release.

        Raises UploadRefused where something speaks against a file; what only asks for a second
        look is taken with `anyway`.
        """
        caller.require(Scope.INGEST)
        settings = self.chatbot.settings
        largest = settings.largest_upload * 1_000_000
        findings = check(files, product, release, self.chatbot.database, largest)
        against = [
            finding
            for finding in findings
            if finding.blocking or (finding.weight is Weight.ASKS and not anyway)
        ]
        if against or not accepted(files, findings):
            raise UploadRefused(against)
        job = self._administration(caller).upload(product, release, files, settings.data_dir)
        return self.job(caller, job)

    def jobs(self, caller: Caller) -> tuple[JobOut, ...]:
        """The last jobs, the newest first."""
        caller.require(Scope.INGEST)
        return tuple(map(job_out, Jobs(self.chatbot.database).recent()))

    def job(self, caller: Caller, job: int) -> JobOut:
        """How far a job is, and what became of its files."""
        caller.require(Scope.INGEST)
        jobs = Jobs(self.chatbot.database)
        files = tuple(JobFileOut(file=f.file, reason=f.reason) for f in jobs.files(job))
        return job_out(jobs.get(job), files)

    def cancel(self, caller: Caller, job: int) -> JobOut:
        """Stop a job."""
        caller.require(Scope.INGEST)
        self._administration(caller).cancel(job)
        return self.job(caller, job)

    def _administration(self, caller: Caller) -> Administration:
        return Administration(self.chatbot.database, caller.person, self.chatbot.limits)


def _asked(answered: AnsweredTurn) -> AskOut:
    return AskOut(
        **answered.content.model_dump(),
        conversation=answered.conversation,
        turn=answered.kept_as,
    )


def _passage(passage: Passage, product: str, release: str) -> PassageOut:
    page = passage.page
    return PassageOut(
        text=passage.text,
        product=product,
        release=release,
        document=page.document.title,
        file=page.document.file,
        page=page.number,
        section=" › ".join(passage.path),
        anchor=passage.anchor,
        page_id=page.id,
        score=round(passage.score, 4),
    )
