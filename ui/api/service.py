"""What programs may ask of Strata, by whichever interface."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from chatbot.accounts.program_keys import Scope
from chatbot.administration.administration import Administration
from chatbot.assembly import BadQuestion, Chatbot
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.runtime.events import Listener
from corpora.documents.documents import Documents
from ingestion.errors import StrataError
from ui.api.callers import Caller
from ui.api.forms import (
    AskIn,
    AskOut,
    PageOut,
    PassageOut,
    ProductOut,
    ReleaseOut,
    SearchIn,
    SearchOut,
)
from ui.wording.marking import quoted_spans

NEW = "new"
"""The conversation that a question begins."""


class NotThere(StrataError, LookupError):
    """Something that was asked for does not exist; the message says what."""


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
                    ReleaseOut(**asdict(release), latest=release == product.newest)
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
        """Answer a question; raises what `Chatbot.ask` raises, and UnknownRelease."""
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
        return AskOut(
            **answered.content.model_dump(),
            conversation=answered.conversation,
            turn=answered.kept_as,
        )

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

    @property
    def largest_upload(self) -> int:
        """How many bytes an upload may have."""
        return self.chatbot.settings.largest_upload * 1_000_000

    def administration(self, caller: Caller) -> Administration:
        """Changes that a caller makes as an admin."""
        return Administration(self.chatbot.database, caller.person, self.chatbot.limits)


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
