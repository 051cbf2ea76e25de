"""Deleting documents, a release or a product: first what that affects, then a confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.starting import start
from ui.elements.danger import confirmed
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from corpora.documents.impact import Impact

_NAMED = 5


@st.dialog("Remove documents", icon=":material/delete:")
def confirm_documents(product: str, release: str, files: Sequence[str]) -> None:
    """Ask whether documents shall leave a release."""
    from corpora.documents.impact import impact_of_documents

    impact = impact_of_documents(services.chatbot().database, product, release, files)
    named = [*files[:_NAMED], *([f"and {len(files) - _NAMED:,} more"] * (len(files) > _NAMED))]
    st.markdown("\n".join(f"- {as_label(name, 120)}" for name in named))
    others = impact.generations - 1
    holds = "contains" if others == 1 else "contain"
    back = (
        f"{how_many(others, 'earlier version')} of this release still {holds} some of them; you "
        "can roll back to it."
        if others > 0
        else "You can roll back to the current version until newer versions replace it."
    )
    _show(
        [
            f"{how_many(impact.pages, 'page')} will no longer be used for answers.",
            *_rest(impact),
            *_remembered(impact, "suspended"),
            back,
        ]
    )
    if confirmed("Remove"):
        start(
            lambda admin: admin.remove_documents(product, release, files),
            product,
            f"Removing {how_many(len(files), 'document')}.",
        )


@st.dialog("Delete a release", icon=":material/delete:")
def confirm_release(product: str, release: str) -> None:
    """Ask whether a release shall be deleted; its name has to be typed."""
    from corpora.documents.impact import impact_of_release

    impact = impact_of_release(services.chatbot().database, product, release)
    st.markdown(f"**{as_label(f'{product} {release}')}** will be deleted:")
    _show(
        [
            *_held(impact),
            *_rest(impact),
            *_remembered(impact, "deleted"),
            "This cannot be undone.",
        ]
    )
    if _named(release):
        start(
            lambda admin: admin.delete(product, release),
            product,
            f"Deleting {product} {release}.",
        )


@st.dialog("Delete a product", icon=":material/delete:")
def confirm_product(product: str) -> None:
    """Ask whether a product shall be deleted; its name has to be typed."""
    from corpora.documents.impact import impact_of_product

    impact = impact_of_product(services.chatbot().database, product)
    st.markdown(f"**{as_label(product)}** will be deleted:")
    terms = [f"{how_many(impact.terms, 'glossary term')}."] if impact.terms else []
    releases = ", ".join(impact.releases) or "none"
    _show(
        [
            f"{how_many(len(impact.releases), 'release')}: {releases}.",
            *_held(impact),
            *terms,
            *_rest(impact),
            *_remembered(impact, "deleted"),
            "This cannot be undone.",
        ]
    )
    if _named(product):
        start(lambda admin: admin.delete(product), product, f"Deleting {product}.")


def _held(impact: Impact) -> Iterator[str]:
    yield (
        f"{how_many(impact.documents, 'document')} with {how_many(impact.pages, 'page')}, in "
        f"{how_many(impact.generations, 'stored version')}."
    )


def _rest(impact: Impact) -> Iterator[str]:
    if impact.answers:
        cite = "cites" if impact.answers == 1 else "cite"
        yield (
            f"{how_many(impact.answers, 'answer')} in "
            f"{how_many(impact.conversations, 'conversation')} {cite} this. The answers stay; "
            "their sources open only while a stored version contains them."
        )
    else:
        yield "No conversation cites this."
    if impact.shared_with:
        yield f"Identical files stay in {', '.join(impact.shared_with)}."


def _remembered(impact: Impact, what: str) -> Iterator[str]:
    if impact.remembered:
        yield f"{how_many(impact.remembered, 'saved answer')} will be {what}."


def _show(lines: Sequence[str]) -> None:
    st.markdown("\n".join(f"- {as_label(line, 600)}" for line in lines))


def _named(name: str) -> bool:
    """A form that says True once the name was typed and the button pressed."""
    shown = as_label(name, len(name))
    with st.form("deleting", border=False):
        typed = st.text_input(f"Type {shown} to confirm", autocomplete="off", key=f"typed {name}")
        pressed = confirmed("Delete", in_form=True)
    # White space is not compared: of two spaces in a row a browser shows one.
    named = typed.split() == name.split()
    if pressed and not named:
        st.error(f"The name does not match. Type {shown} exactly.")
    return pressed and named
