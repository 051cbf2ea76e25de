"""Orders for jobs, and what deleting, removing and rolling back affect before it is confirmed."""

from collections.abc import Callable, Iterator, Sequence

from chatbot.administration.administration import Administration
from chatbot.text.languages import gettext, ngettext
from corpora.catalog.rights import Rights
from corpora.documents.impact import Impact, impact_of_deleting
from ui.elements.address import go
from ui.elements.frame import confirm, done, failures_shown, open_tab
from ui.elements.table import bullets
from ui.serving import services
from ui.wording.amounts import how_many, with_names
from ui.wording.escaping import as_label
from ui.wording.rights import kept_after_deleting

TAB = "documents tab"
"""The key of the tabs of a product."""


def open_product(product: str, tab: str = "") -> None:
    """Open a product from the next run on."""
    go(product=product, release=None)
    open_tab(TAB, tab)


def start(order: Callable[[Administration], int], product: str, message: str) -> None:
    """Order a job and open the list of jobs; a refusal is shown right here."""
    with failures_shown():
        order(services.administration())
        open_product(product, gettext("Jobs"))
        done(message)


def confirm_documents(product: str, release: str, files: Sequence[str]) -> None:
    """Ask whether to remove documents from a release."""
    database = services.administered().database
    impact = impact_of_deleting(database, product, release, files)
    others = impact.generations - 1
    back = gettext("You can roll back to the current version until newer versions replace it.")
    if others > 0:
        back = ngettext(
            "Some of them are also in {number} earlier version of this release; you can roll back "
            "to it.",
            "Some of them are also in {number} earlier versions of this release; you can roll back "
            "to one.",
            others,
        )
    pages = ngettext(
        "{number} page will no longer be used for answers.",
        "{number} pages will no longer be used for answers.",
        impact.pages,
    )
    suspended = gettext("Saved answers that cite them are suspended.")
    consequences = bullets([pages, *_answers(impact), suspended, back])

    def remove() -> None:
        said = ngettext("Removing {number} document.", "Removing {number} documents.", len(files))
        start(lambda admin: admin.remove_documents(product, release, files), product, said)

    named = bullets(files, most=5, longest=120)
    title, label = gettext("Remove documents"), gettext("Remove")
    confirm(title, f"{named}\n\n---\n\n{consequences}", label, remove)


def confirm_deletion(product: str, release: str = "") -> None:
    """Ask whether to delete a release or a product; its name has to be typed."""
    database, name = services.administered().database, f"{product} {release}".strip()
    impact = impact_of_deleting(database, product, release)
    lines = [
        gettext(
            "{documents} with {pages}, in {versions}.",
            documents=how_many(impact.documents, "document"),
            pages=how_many(impact.pages, "page"),
            versions=how_many(impact.generations, "stored version"),
        )
    ]
    if not release:
        releases = how_many(len(impact.releases), "release")
        lines.insert(0, with_names(releases, impact.releases) if impact.releases else releases)
        lines += [how_many(impact.terms, "glossary term")] if impact.terms else []
    gone = gettext("The saved answers go with it. This cannot be undone.")
    # What an admin of products works over has no rights in it.
    kept = kept_after_deleting(Rights(services.whole().database).of(product), release)
    consequences = bullets([*lines, *_answers(impact), *kept, gone])
    deleted = gettext("**{name}** will be deleted:", name=as_label(name))
    deleting = gettext("Deleting {name}.", name=name)
    confirm(
        gettext("Delete"),
        f"{deleted}\n\n{consequences}",
        gettext("Delete"),
        lambda: start(lambda admin: admin.delete(product, release), product, deleting),
        name=release or product,
    )


def _answers(impact: Impact) -> Iterator[str]:
    """The consequences for the answers of conversations."""
    if impact.answers:
        yield gettext(
            "Cited by {answers} in {conversations}. The answers stay; their sources open only "
            "while a stored version contains them.",
            answers=how_many(impact.answers, "answer"),
            conversations=how_many(impact.conversations, "conversation"),
        )
    else:
        yield gettext("No conversation cites this.")
    if impact.shared_with:
        yield gettext("Identical files stay in {names}.", names=", ".join(impact.shared_with))
