"""Orders for jobs, and what deleting, removing and rolling back affect before it is confirmed."""

from collections.abc import Callable, Iterator, Sequence

from chatbot.administration.administration import Administration
from corpora.catalog.rights import Rights
from corpora.documents.impact import Impact, impact_of_deleting
from ui.elements.address import go
from ui.elements.frame import confirm, done, failures_shown, open_tab
from ui.elements.table import bullets
from ui.serving import services
from ui.wording.amounts import how_many
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
        open_product(product, "Jobs")
        done(message)


def confirm_documents(product: str, release: str, files: Sequence[str]) -> None:
    """Ask whether to remove documents from a release."""
    database = services.administered().database
    impact = impact_of_deleting(database, product, release, files)
    others = impact.generations - 1
    back = (
        f"Some of them are also in {how_many(others, 'earlier version')} of this release; you can "
        "roll back to it."
        if others > 0
        else "You can roll back to the current version until newer versions replace it."
    )
    pages = f"{how_many(impact.pages, 'page')} will no longer be used for answers."
    consequences = bullets(
        [pages, *_answers(impact), "Saved answers that cite them are suspended.", back]
    )

    def remove() -> None:
        count = how_many(len(files), "document")
        start(
            lambda admin: admin.remove_documents(product, release, files),
            product,
            f"Removing {count}.",
        )

    named = bullets(files, most=5, longest=120)
    confirm("Remove documents", f"{named}\n\n---\n\n{consequences}", "Remove", remove)


def confirm_deletion(product: str, release: str = "") -> None:
    """Ask whether to delete a release or a product; its name has to be typed."""
    database, name = services.administered().database, f"{product} {release}".strip()
    impact = impact_of_deleting(database, product, release)
    lines = [
        f"{how_many(impact.documents, 'document')} with {how_many(impact.pages, 'page')}, in "
        f"{how_many(impact.generations, 'stored version')}."
    ]
    if not release:
        releases = ", ".join(impact.releases) or "none"
        lines.insert(0, f"{how_many(len(impact.releases), 'release')}: {releases}.")
        lines += [f"{how_many(impact.terms, 'glossary term')}."] if impact.terms else []
    gone = "The saved answers go with it. This cannot be undone."
    # What an admin of products works over has no rights in it.
    kept = kept_after_deleting(Rights(services.whole().database).of(product), release)
    consequences = bullets([*lines, *_answers(impact), *kept, gone])
    confirm(
        "Delete",
        f"**{as_label(name)}** will be deleted:\n\n{consequences}",
        "Delete",
        lambda: start(lambda admin: admin.delete(product, release), product, f"Deleting {name}."),
        name=release or product,
    )


def _answers(impact: Impact) -> Iterator[str]:
    """The consequences for the answers of conversations."""
    if impact.answers:
        yield (
            f"Cited by {how_many(impact.answers, 'answer')} in "
            f"{how_many(impact.conversations, 'conversation')}. The answers stay; their sources "
            "open only while a stored version contains them."
        )
    else:
        yield "No conversation cites this."
    if impact.shared_with:
        yield f"Identical files stay in {', '.join(impact.shared_with)}."
