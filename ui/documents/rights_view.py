"""To whom a product and its releases are open, and who administers it; for admins of Strata."""

from collections.abc import Sequence

import streamlit as st

from chatbot.text.languages import gettext, gettext_noop
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.catalog.rights import GROUP, OPEN, Audience, ProductRights, Right, Rights
from ui.elements.frame import done, failures_shown
from ui.serving import services

_LABELS = {
    Audience.ALL: gettext_noop("Everybody who may use Strata"),
    Audience.GROUPS: gettext_noop("Groups"),
    Audience.ADMINS: gettext_noop("Admins only"),
}
_AS_PRODUCT = gettext_noop("As the product")


def show_rights(product: str) -> None:
    """A form for the product, or for the release of it that is chosen."""
    database = services.administered().database
    rights = Rights(database).of(product)
    releases = [r.name for r in ReleaseAdministration(database).overview(product).releases]
    gone = {name: gettext("{name} (deleted)", name=name) for name in rights.deleted}
    release = st.selectbox(
        gettext("Applies to"),
        ["", *reversed(releases), *gone],
        format_func=lambda name: gone.get(name, name) or gettext("The whole product"),
        key=f"rights of {product}",
        width=320,
    )
    said = dict(rights.releases)
    now = said.get(release) if release else rights.right
    with st.form(f"rights {product} {release}", border=False, width=640):
        names: Sequence[str] = [*([_AS_PRODUCT] if release else ()), *_LABELS.values()]
        chosen = st.radio(
            gettext("Who may see it"),
            names,
            index=names.index(_LABELS[now.audience] if now else _AS_PRODUCT),
            format_func=gettext,
        )
        groups = st.text_area(
            gettext("Groups, one per line"),
            "\n".join((now or OPEN).groups),
            help=gettext("Names as the sign-in gives them. They count where “Groups” is chosen."),
        )
        if st.form_submit_button(gettext("Save"), type="primary"):
            audience = next((a for a, label in _LABELS.items() if label == chosen), None)
            right = Right(audience, tuple(groups.splitlines())) if audience else None
            with failures_shown():
                services.administration().change_right(product, release, right)
                done(gettext("Saved. It applies from the next question."))
    if not release:
        _show_admins(rights)


def _show_admins(rights: ProductRights) -> None:
    st.space("small")
    with st.form(f"admins of {rights.product}", border=False, width=640):
        admins = st.text_area(
            gettext("Admins of this product, one per line"),
            "\n".join(rights.admins),
            help=gettext(
                "Addresses, or {group}. They see it, upload to it and review its answers, and "
                "nothing of other products.",
                group=f"{GROUP}NAME",
            ),
        )
        if st.form_submit_button(gettext("Save admins")):
            with failures_shown():
                services.administration().change_admins(rights.product, admins.splitlines())
                done(gettext("Saved."))
