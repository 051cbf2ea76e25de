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
        if asked.product:
            self.chatbot.catalog.product(asked.product)
        answered = self.chatbot.ask(
            **asked.model_dump(exclude={"stream"}),
            owner=caller.person.id,
            per_minute=caller.per_minute,
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
        told = SearchOut()
        if (resolution := turn.resolution) is not None:
            if len(resolution.releases) > 1:
                raise BadQuestion("the query names several releases: search one at a time")
            told.product, told.release_status = resolution.product, resolution.status
            told.release = next(iter(resolution.releases), None)
        if turn.answer is not None:
            told.message = turn.answer.text
            return told
        product, release = turn.asked
        records = sorted((r for c in turn.selected for r in c.records), key=lambda r: -r.score)
        found = best_passages(records)[: wanted.limit] if records else []
        told.passages = tuple(_passage(passage, product, release) for passage in found)
        if not found:
            told.message = f"Nothing in {product} {release} fits these words."
        return told

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
