"""Deleting documents, a release or a product: first what that affects, then a confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui import services
from ui.documents.starting import start
from ui.escaping import as_label
from ui.moments import how_many

if TYPE_CHECKING:
    from corpora.impact import Impact

_NAMED = 5


@st.dialog("Remove documents", icon=":material/delete:")
def confirm_documents(product: str, release: str, files: Sequence[str]) -> None:
    """Ask whether documents shall leave a release."""
    from corpora.impact import impact_of_documents

    impact = impact_of_documents(services.chatbot().database, product, release, files)
    named = [*files[:_NAMED], *([f"and {len(files) - _NAMED:,} more"] * (len(files) > _NAMED))]
    st.markdown("\n".join(f"- {as_label(name, 120)}" for name in named))
    others = impact.generations - 1
    back = (
        f"{how_many(others, 'earlier state holds', 'earlier states hold')} some of them too, and "
        "can be gone back to."
        if others > 0
        else "The present state stays to go back to until newer ones have replaced it."
    )
    _show(
        [
            f"{how_many(impact.pages, 'page')} will not be answered from.",
            *_rest(impact),
            *_remembered(impact, "suspended"),
            back,
        ]
    )
    if st.button("Remove", type="primary", icon=":material/delete:"):
        start(
            lambda admin: admin.remove_documents(product, release, files),
            product,
            f"{how_many(len(files), 'document')} will be removed.",
        )


@st.dialog("Delete a release", icon=":material/delete:")
def confirm_release(product: str, release: str) -> None:
    """Ask whether a release shall be deleted; its name has to be typed."""
    from corpora.impact import impact_of_release

    impact = impact_of_release(services.chatbot().database, product, release)
    st.markdown(f"**{as_label(f'{product} {release}')}** will be deleted:")
    _show(
        [
            *_held(impact),
            *_rest(impact),
            *_remembered(impact, "forgotten"),
            "It cannot be undone.",
        ]
    )
    if _named(release):
        start(
            lambda admin: admin.delete(product, release),
            product,
            f"{product} {release} will be deleted.",
        )


@st.dialog("Delete a product", icon=":material/delete:")
def confirm_product(product: str) -> None:
    """Ask whether a product shall be deleted; its name has to be typed."""
    from corpora.impact import impact_of_product

    impact = impact_of_product(services.chatbot().database, product)
    st.markdown(f"**{as_label(product)}** will be deleted:")
    terms = [f"{how_many(impact.terms, 'term')} of its glossary go too."] if impact.terms else []
    releases = ", ".join(impact.releases) or "none"
    _show(
        [
            f"{how_many(len(impact.releases), 'release')}: {releases}.",
            *_held(impact),
            *terms,
            *_rest(impact),
            *_remembered(impact, "forgotten"),
            "It cannot be undone.",
        ]
    )
    if _named(product):
        start(lambda admin: admin.delete(product), product, f"{product} will be deleted.")


def _held(impact: Impact) -> Iterator[str]:
    yield (
        f"{how_many(impact.documents, 'document')} with {how_many(impact.pages, 'page')}, in "
        f"{how_many(impact.generations, 'state')} that {'is' if impact.generations == 1 else 'are'}"
        " kept."
    )


def _rest(impact: Impact) -> Iterator[str]:
    if impact.answers:
        yield (
            f"{how_many(impact.answers, 'answer')} in "
            f"{how_many(impact.conversations, 'conversation')} cite this. What is said there "
            "stays; what is cited can be opened only as long as a state holds it."
        )
    else:
        yield "No answer in any conversation cites this."
    if impact.shared_with:
        yield f"Files of the same content stay in {', '.join(impact.shared_with)}."


def _remembered(impact: Impact, what: str) -> Iterator[str]:
    if impact.remembered:
        yield f"{how_many(impact.remembered, 'remembered answer')} will be {what}."


def _show(lines: Sequence[str]) -> None:
    st.markdown("\n".join(f"- {as_label(line, 600)}" for line in lines))


def _named(name: str) -> bool:
    """A form that says True once the name was typed and the button pressed."""
    shown = as_label(name, len(name))
    with st.form("deleting", border=False):
        typed = st.text_input(f"Type {shown} to confirm", autocomplete="off", key=f"typed {name}")
        pressed = st.form_submit_button("Delete", type="primary", icon=":material/delete:")
    # White space is not compared: of two spaces in a row a browser shows one.
    named = typed.split() == name.split()
    if pressed and not named:
        st.error(f"That is not the name. Type {shown}, letter for letter.")
    return pressed and named
