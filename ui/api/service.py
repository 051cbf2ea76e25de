"""The service for programs, the same for every interface, with its access control.

A caller is a program with a key, or whoever is on this computer where sign-in is off.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import SecurityScopes
from starlette.requests import HTTPConnection

from chatbot.accounts.people import LOCAL, Person
from chatbot.accounts.program_keys import (
    FOR_ADMINS,
    PREFIX,
    ProgramKeys,
    Scope,
    is_of_admin,
    keys_of,
    person_of,
)
from chatbot.administration.administration import Administration
from chatbot.chatbot import NEW, Chatbot
from chatbot.comparison.still_true import StillTrue
from chatbot.errors import BadQuestion, NotAllowed, NotSignedIn
from chatbot.releases.installed import Installed, installed, of_project
from chatbot.releases.project_files import StatedVersion, versions_stated
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.retrieval.support import cite_stated, original_url
from chatbot.runtime.events import Listener
from chatbot.settings import Settings
from chatbot.turn import Citation
from chatbot.upgrading.guide import Guide
from chatbot.upgrading.wording import summary
from corpora.catalog.rights import Rights
from corpora.database.history_tables import ProgramKeyRow
from corpora.documents.documents import Documents
from corpora.indexing.corpus import Corpus
from corpora.indexing.figures import figure_bytes, figures_of
from corpora.jobs.jobs import Jobs
from corpora.parameters.releases import Change, changes
from ingestion.errors import StrataError
from ui.api import forms
from ui.api.release_numbers import release_written
from ui.wording.escaping import visible
from ui.wording.marking import quoted_spans


class NotThere(StrataError, LookupError):
    """Something that was asked for does not exist; the message says what."""


@dataclass(frozen=True)
class Service:
    """Does what a caller asks for; what is asked with a key counts for all keys of its owner.

    `service_of` makes it, and looks at scopes; without sign-in the caller is on this computer. The
    `chatbot` is what the caller may see, `own` what an admin of products may change.
    """

    chatbot: Chatbot
    person: Person
    program: ProgramKeyRow | None = None
    own: Chatbot | None = None

    @property
    def account(self) -> str:
        """For whom questions are counted."""
        return keys_of(self.program.owner) if self.program else self.person.id

    @property
    def per_minute(self) -> int | None:
        """The limit of the key, if there is one."""
        return self.program.questions_per_minute if self.program else None

    @property
    def is_admin(self) -> bool:
        """Whether the caller sees everything; a program that uploads does not."""
        return is_of_admin(self.program) if self.program else self.person.is_admin

    def products(self) -> tuple[forms.ProductOut, ...]:
        """The products and releases that can be asked about."""
        return tuple(
            forms.ProductOut(
                name=product.name,
                aliases=product.aliases,
                releases=tuple(
                    forms.ReleaseOut(**asdict(release), latest=release == product.newest)
                    for release in product.releases
                ),
            )
            for product in self.chatbot.products()
        )

    def ask(
        self,
        request: forms.AskIn,
        listener: Listener = lambda event: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> forms.AskOut:
        """Answer a question; raises what `Chatbot.ask` raises, and UnknownRelease."""
        if request.product:
            self.chatbot.catalog.product(request.product)
        # In a conversation about another release “latest” says more than nothing.
        continues = request.conversation not in (None, NEW) or bool(request.history)
        fields = request.model_dump(exclude={"stream", "release", "project"})
        fields["release"] = self.release_named(
            request.release, request.product, continues=continues
        )
        if request.release is None and request.project and (has := self._of_project(request)):
            fields |= {"product": has.product, "release": has.chosen, "chosen_by": has.reason}
        # Read while the question is answered, so that nobody waits for it then.
        self.chatbot.still_true.prepare(fields["product"])
        answered = self.chatbot.ask(
            **fields,
            owner=self.person.id,
            account=self.account,
            per_minute=self.per_minute,
            listener=listener,
            stopped=stopped,
        )
        return forms.AskOut(
            **answered.content.model_dump(exclude={"citations"}),
            citations=tuple(map(self._with_figures, answered.content.citations)),
            conversation=answered.conversation,
            turn=answered.kept_as,
            still_true=self.chatbot.still_true.of(answered.content),
        )

    def still_true(self, turn: int) -> StillTrue | None:
        """How the words that one of the caller's answers cites stand now; a search by count.

        Raises NotThere for an answer of others, as for one that does not exist.
        """
        self._count()
        reply = self.chatbot.conversations.of(self.person.id).reply(turn)
        if reply is None:
            raise NotThere(f"You have no answer {turn}.")
        return self.chatbot.still_true.of(reply)

    def installed(self, project: Mapping[str, str]) -> list[Installed]:
        """The releases of the documented products that the files of a project state."""
        self._count()
        return installed(_stated(project), self.chatbot.products())

    def _of_project(self, request: forms.AskIn) -> Installed | None:
        products = self.chatbot.products()
        return of_project(_stated(request.project), products, request.question, request.product)

    def search(
        self, wanted: forms.SearchIn, stopped: Callable[[], bool] = lambda: False
    ) -> forms.SearchOut:
        """Find passages of one release, the best first."""
        turn = self.chatbot.search(
            wanted.query,
            product=wanted.product,
            release=self.release_named(wanted.release, wanted.product),
            owner=self.account,
            per_minute=self.per_minute,
            stopped=stopped,
        )
        result = forms.SearchOut()
        if (resolution := turn.resolved) is not None:
            if len(resolution.releases) > 1:
                raise BadQuestion("the query names several releases: search one at a time")
            result.product, result.release_status = resolution.product, resolution.status
            result.release = next(iter(resolution.releases), None)
        if turn.answer is not None:
            result.message = turn.answer.text
            return result
        product, release = turn.target
        records = sorted((r for c in turn.selected for r in c.records), key=lambda r: -r.score)
        passages = best_passages(records)[: wanted.limit] if records else []
        result.passages = tuple(_passage(passage, product, release) for passage in passages)
        if not passages:
            result.message = f"Nothing in {product} {release} fits these words."
        return result

    def release_named(
        self, release: str | float | None, product: str | None, *, continues: bool = False
    ) -> str | None:
        """The release that a program has chosen, which may have come as a number; BadQuestion.

        None for the latest, which answers anyway, unless a conversation `continues`.
        """
        if isinstance(release, float):
            catalog = self.chatbot.catalog
            return release_written(
                release, (catalog.product(product),) if product else catalog.products()
            )
        return release if continues or release is None or forms.chosen(release) else None

    def page(self, page: int, quote: str = "") -> forms.PageOut:
        """A page of a document, with the places of a quotation in its text; a search by count.

        Pages that do not serve now are for admins alone, and for others as unknown as none.
        """
        self._count()
        documents = Documents(self.chatbot.database)
        try:
            stored = documents.page(page, serving=not self.is_admin)
        except LookupError as error:
            raise NotThere(str(error)) from error
        product, release = documents.release_of(stored.document.id)
        return forms.PageOut(
            id=stored.id,
            product=product,
            release=release,
            document=stored.document.title,
            file=stored.document.file,
            number=stored.number,
            section=" › ".join(stored.heading_path),
            text=stored.text,
            marks=tuple(quoted_spans(stored.text, quote)) if quote else (),
            previous=stored.previous_id,
            next=stored.next_id,
            url=original_url(stored),
        )

    def figure(self, page: int, picture: str) -> bytes:
        """The picture of a figure of a page that the caller may read; raises NotThere."""
        try:
            Documents(self.chatbot.database).page(page, serving=not self.is_admin)
            return figure_bytes(self.chatbot.database, page, picture)
        except LookupError as error:
            raise NotThere(str(error)) from error

    def _with_figures(self, citation: Citation) -> forms.CitationOut:
        figures = figures_of(self.chatbot.database, citation.page_id, citation.section)
        shown = tuple(
            forms.FigureOut(
                url=f"/api/v1/pages/{figure.page_id}/figures/{figure.content_hash}",
                caption=visible(figure.caption),
                description=visible(figure.description),
                width=figure.width,
                height=figure.height,
            )
            for figure in figures
        )
        return forms.CitationOut(**vars(citation), figures=shown)

    def corpus(self, product: str, release: str) -> Corpus:
        """The documentation of a release, to be read whole; a search by count. Raises NoCorpus."""
        self._count()
        return self.chatbot.corpora.corpus(product, release)

    def changes(self, product: str, older: str, newer: str) -> forms.ChangesOut:
        """The result of `changes_between`; it counts as a search."""
        self._count()
        return changes_between(self.chatbot, product, older, newer)[0]

    def upgrade_guide(
        self, wanted: forms.UpgradeIn, stopped: Callable[[], bool] = lambda: False
    ) -> forms.UpgradeOut:
        """What has to be changed from one release to a later one; it counts as a search."""
        self._count()
        asked = wanted.product, wanted.older, wanted.newer, wanted.uses
        return upgrade_out(self.chatbot.upgrade_guide(*asked, stopped=stopped))

    def release_gaps(
        self, product: str, stopped: Callable[[], bool] = lambda: False
    ) -> tuple[forms.ReleaseGapOut, ...]:
        """The gaps between the releases of a product; for its admins."""
        self._count()
        of = self.administered.catalog.product(product)
        gaps = self.administered.release_gaps.of(self.person, of, stopped=stopped)
        return tuple(forms.ReleaseGapOut(**vars(gap)) for gap in gaps)

    def _count(self) -> None:
        self.chatbot.limits.question(self.account, self.per_minute)

    @property
    def orders(self) -> set[str] | None:
        """Whose jobs the caller sees: those of a key's owner and all their keys; None: all."""
        if self.is_admin or self.program is None:
            return None
        return ProgramKeys(self.chatbot.database).one_with(self.program)

    @property
    def jobs(self) -> Jobs:
        """The jobs that there are: a program looks at its owner's own, whatever they are about."""
        return Jobs(self.administered.database)

    def cancel(self, job: int) -> None:
        """Stop a job of the caller's, or any for an admin."""
        self.jobs.get(job, self.orders)
        self.administration.cancel(job)

    @property
    def administration(self) -> Administration:
        """Changes that the caller makes as an admin."""
        return Administration(self.administered.database, self.person, self.chatbot.limits)

    @property
    def administered(self) -> Chatbot:
        """The chatbot of what the caller may change: of everything, or of their products."""
        return self.own or self.chatbot.whole or self.chatbot


def _stated(project: Mapping[str, str]) -> list[StatedVersion]:
    return [one for name, text in project.items() for one in versions_stated(name, text)]


def service_of(connection: HTTPConnection, chatbot: Chatbot, *needed: str) -> Service:
    """The service for the sender of a request, by the key in its Authorization header.

    A key never travels in a URL, which ends up in logs, and a person's sign-in is none: what a
    browser sends by itself must not let a foreign page ask. Raises NotSignedIn, and NotAllowed
    where the key lacks a scope that is needed.
    """
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    if chatbot.settings.sign_in == "none" and not key.lstrip().startswith(PREFIX):
        # Many clients cannot be without a key, and send one that somebody made up.
        key = "" if scheme.lower() == "bearer" else key
    if key and scheme.lower() == "bearer":
        keys, settings = ProgramKeys(chatbot.database), chatbot.settings
        program = keys.program(key.strip())
        for scope in needed:
            if scope not in program.scopes:
                raise NotAllowed(f"This key may not do that: it lacks the scope “{scope}”.")
        viewer = keys.viewer(program, settings.groups_days if settings.has_groups else 0)
        person, own = person_of(program), None
        if program.of_products and not FOR_ADMINS.isdisjoint(needed):
            sight = Rights(chatbot.database).administered(viewer)
            if sight is None:
                raise NotAllowed("Who made this key administers no product any more.")
            own = chatbot.limited(replace(sight, administered_by=person.id))
        return Service(chatbot.seen_by(viewer), person, program, own)
    if chatbot.settings.sign_in == "none" and not key:
        return Service(chatbot, LOCAL)
    raise NotSignedIn(
        "A key is needed: make one on the Account page and send it as “Authorization: Bearer KEY”."
    )


def opened(request: Request) -> Chatbot:
    """The chatbot, which is opened with the first request."""
    chatbot: Chatbot = request.app.state.chatbot()
    return chatbot


def settings_of(chatbot: Callable[[], Chatbot]) -> Settings | None:
    """The settings of the chatbot; None where it cannot be opened."""
    try:
        return chatbot().settings
    except StrataError:
        return None


def _serving(request: Request, scopes: SecurityScopes) -> Service:
    return service_of(request, opened(request), *scopes.scopes)


Searching = Annotated[Service, Security(_serving, scopes=[Scope.SEARCH])]
Asking = Annotated[Service, Security(_serving, scopes=[Scope.ASK])]
Ingesting = Annotated[Service, Security(_serving, scopes=[Scope.INGEST])]
Operating = Annotated[Service, Security(_serving, scopes=[Scope.ADMIN])]
"""The service of a caller who has the scope; of products alone, where who made the key is their
admin."""


def of_all(service: Operating) -> Service:
    """The service of an admin of all of Strata; raises NotAllowed for those of products."""
    service.person.require_admin()
    return service


OfAll = Annotated[Service, Depends(of_all)]
"""The same for what is about no single product."""


def changes_between(
    chatbot: Chatbot, product: str, older: str, newer: str
) -> tuple[forms.ChangesOut, tuple[Change, ...]]:
    """The parameters that are new, changed and gone, as JSON and as they are compared.

    Raises CatalogError where there is no such release.
    """
    before, after = (chatbot.open_parameters(product, name) for name in (older, newer))
    compared = changes(before, after)
    listed = tuple(
        forms.ChangeOut(
            change=change.outcome,
            name=change.shown.name,
            kind=change.shown.kind,
            belongs_to=change.shown.owner,
            differences=change.differences,
            replaced_by=change.replaced_by.new if change.replaced_by else None,
            before=cite_stated(change.before, before.release) if change.before else None,
            after=cite_stated(change.after, after.release) if change.after else None,
        )
        for change in compared
    )
    out = forms.ChangesOut(
        product=after.product, older=before.release, newer=after.release, changes=listed
    )
    return out, compared


def upgrade_out(guide: Guide) -> forms.UpgradeOut:
    """An upgrade guide as JSON."""
    return forms.UpgradeOut.model_validate({**vars(guide), "summary": summary(guide)})


def _passage(passage: Passage, product: str, release: str) -> forms.PassageOut:
    page = passage.page
    return forms.PassageOut(
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
        url=original_url(page, passage.anchor),
    )
