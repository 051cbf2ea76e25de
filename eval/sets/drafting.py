"""Questions are proposed from a release, and from what differs between two."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

from sqlalchemy import func, select

from chatbot.accounts.people import Person
from chatbot.chatbot import Chatbot
from chatbot.retrieval.support import unsupported
from chatbot.runtime.concurrency import Stopped, run_on_event_loop, together
from corpora.database.engine import Database
from corpora.database.question_tables import ProposalRow
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from eval.sets.adding import FROM_FILE
from eval.sets.from_model import drafts_by_model
from eval.sets.from_parameters import drafts_of_changes, drafts_of_release
from eval.sets.from_prose import (
    changed_sections,
    drafts_of_changed_sections,
    drafts_of_sections,
    pages_asked,
)
from eval.sets.proposals import Draft, Proposals
from eval.sets.wording import in_turn

NUMBER = 20
"""Proposals at once, by default."""
MOST = 200
_AT_ONCE = 4
_LOOKED_AT = 2_000
"""Drafts that are made at most, since those that are there already count for nothing."""


def propose(
    chatbot: Chatbot,
    person: Person,
    product: str,
    release: str,
    since: str | None = None,
    number: int = NUMBER,
    *,
    with_model: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Propose up to so many questions that were never proposed, and return how many.

    They are of `release`, or of what it says otherwise than `since`. Each is kept as soon as it is
    made, so that what was stopped goes on where it was. `with_model` words those of prose better.
    Raises NoCorpus, NotAllowed, GeneratorError and Stopped.
    """
    person.require_admin()
    kept = Proposals(chatbot.database)
    drafts = islice(_drafts(chatbot, product, release, since, stopped, with_model), _LOOKED_AT)
    at_once = _AT_ONCE if with_model else number
    added = 0
    on_progress(0, number)
    while added < number and (some := tuple(islice(drafts, min(at_once, number - added)))):
        added += len(kept.add(person, some))
        on_progress(added, number)
    return added


def proposed_since(database: Database, product: str, moment: datetime) -> int:
    """How many questions were proposed on a product from a moment on, whatever became of them."""
    counted = (
        select(func.count())
        .select_from(ProposalRow)
        .where(ProposalRow.product == product, ProposalRow.created >= moment)
        .where(ProposalRow.came_from.not_like(f"{FROM_FILE}%"))
    )
    with database.reading() as session:
        return session.scalar(counted) or 0


def _drafts(
    chatbot: Chatbot,
    product: str,
    release: str,
    since: str | None,
    stopped: Callable[[], bool],
    with_model: bool,
) -> Iterator[Draft]:
    """The drafts of a release whose answers stand on their pages, parameters and prose in turn."""
    corpus = chatbot.corpora.corpus(product, release)
    older = chatbot.corpora.corpus(product, since) if since else None
    stated = chatbot.open_parameters(product, release)
    if older is None:
        of_parameters = drafts_of_release(corpus, stated)
    else:
        before = chatbot.open_parameters(product, older.release)
        of_parameters = drafts_of_changes((older, before), (corpus, stated))
    if with_model and chatbot.model is not None:
        of_prose = _by_model(chatbot, corpus, older, stopped)
    elif older is None:
        of_prose = drafts_of_sections(corpus, stated)
    else:
        of_prose = drafts_of_changed_sections(older, corpus)
    corpora = {of.release: of for of in (corpus, older) if of is not None}
    for draft in in_turn(of_parameters, of_prose):
        if stopped():
            raise Stopped
        if stands(draft, lambda release, page: corpora[release].page(page)):
            yield draft


def _by_model(
    chatbot: Chatbot, corpus: Corpus, older: Corpus | None, stopped: Callable[[], bool]
) -> Iterator[Draft]:
    assert chatbot.model is not None
    model = chatbot.model
    changed: defaultdict[StoredPage, list[str]] = defaultdict(list)
    for _, _, now in changed_sections(older, corpus) if older else ():
        for record in now:
            changed[record.page].append(record.quote)
    pages = iter(changed) if older else pages_asked(corpus)
    while some := tuple(islice(pages, _AT_ONCE)):
        asking = together(
            drafts_by_model(model, corpus, page, changed.get(page, ())) for page in some
        )
        for drafts in run_on_event_loop(asking, stopped):
            yield from drafts


def stands(draft: Draft, page_of: Callable[[str, int], StoredPage]) -> bool:
    """Whether each quote stands on its page, letter for letter, and the answer in the quotes.

    What the answer says as a figure, a unit, code or a name is looked for; the question's own
    names have to stand on one of the pages.
    """
    pages = [(page, page_of(page.release, page.page_id)) for page in draft.pages]
    if not pages or not all(page.quote and page.quote in on.text for page, on in pages):
        return False
    gold = draft.gold
    quotes = [page.quote for page, _ in pages]
    texts = [text for page, on in pages for text in (on.text, page.section, page.document)]
    own = " ".join((gold.product, *gold.gold_releases, *(page.release for page, _ in pages)))
    return not (
        unsupported(gold.gold_answer, quotes, f"{gold.question} {own}")
        or unsupported(gold.question, texts, own)
    )
