"""The glossary page: the terms of a product, a form for one term, import and export."""

from collections.abc import Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.text.languages import gettext, ngettext
from corpora.catalog.glossary import Entry, Glossaries, parse_glossary, written_glossary
from corpora.catalog.release_settings import ReleaseAdministration
from ui.elements.frame import Access, done, failures_shown, page, use_new_widget, widget_round
from ui.elements.scope import heading_with_product
from ui.elements.table import bullets, download, first_of, has_words, search_box, table_in_pages
from ui.serving import services
from ui.wording.amounts import how_many, how_many_changed, with_names
from ui.wording.escaping import as_label


@page("wide", Access.PRODUCT_ADMINS)
def glossary(_: Person) -> None:
    """Show the page."""
    database = services.administered().database
    products = ReleaseAdministration(database).products()
    if not products:
        st.title(gettext("Glossary"), anchor=False)
        st.markdown(
            gettext("Each product has its own glossary. Upload documents of a product first.")
        )
        return
    product = heading_with_product(gettext("Glossary"), products, "glossary product")
    st.markdown(
        gettext(
            "Terms and their synonyms in {product}: a question that uses one of them also finds "
            "documents that use the others. Changes apply from the next question.",
            product=as_label(product),
        )
    )
    entries = Glossaries(database).entries(product)
    listed, edited = st.columns([3, 2], gap="large")
    with listed:
        chosen = _list(product, entries)
    with edited:
        with st.container(border=True, key="glossary-form"):
            _edit(product, chosen)
        with st.container(border=True, key="glossary-exchange"):
            _exchange(product, entries)


def _list(product: str, entries: tuple[Entry, ...]) -> Entry | None:
    if not entries:
        st.markdown(gettext("No terms yet. Add the first one, or import a file."))
        return None
    words = search_box("glossary words", gettext("Search terms"), gettext("terms and synonyms"))
    matches = [entry for entry in entries if has_words(" ".join(entry.wordings), words)]
    if not matches:
        st.markdown(gettext("No term or synonym matches."))
        return None
    chosen = table_in_pages(
        len(matches),
        # A changed glossary is another table, in which nothing is selected yet.
        f"terms of {product} {words} {hash(entries)}",
        lambda first, size: matches[first : first + size],
        {
            gettext("Term"): ("medium", lambda entry: entry.term),
            gettext("Synonyms"): ("large", lambda entry: ", ".join(entry.synonyms)),
        },
        of="term",
        name=gettext("Terms"),
        choose="single-row",
    )
    return chosen[0] if chosen else None


def _edit(product: str, entry: Entry | None) -> None:
    term, synonyms = (entry.term, entry.synonyms) if entry else ("", ())
    # Another key for each term and each new one, so that nothing typed carries over.
    key = f"{product} {term} {widget_round('glossary')}"
    heading = gettext("Edit {term}", term=as_label(term)) if entry else gettext("Add a term")
    st.markdown(f"**{heading}**")
    with st.form(f"term {key}", border=False):
        new = st.text_input(gettext("Term"), term, key=f"term of {key}")
        lines = st.text_area(
            gettext("Synonyms, one per line"),
            "\n".join(synonyms),
            key=f"synonyms of {key}",
            height=140,
        )
        with st.container(horizontal=True):
            saved = st.form_submit_button(
                gettext("Save") if entry else gettext("Add"), type="primary"
            )
            removed = entry and st.form_submit_button(
                gettext("Remove this term"), icon=":material/delete:", key="delete-term"
            )
    if entry is None:
        st.caption(gettext("Select a term in the list to edit it."))
    with failures_shown():
        if saved:
            entry = Entry(new, tuple(lines.splitlines()))
            services.administration().put_term(product, entry, term)
            use_new_widget("glossary")
            done(gettext("Saved {name}.", name=new.strip()))
        elif removed:
            services.administration().remove_term(product, term)
            use_new_widget("glossary")
            done(gettext("Removed {name}.", name=term))


def _exchange(product: str, entries: Sequence[Entry]) -> None:
    st.markdown(f"**{gettext('Import and export')}**")
    st.caption(
        gettext(
            "CSV: the first row is “term,synonyms”; each row below holds a term and its synonyms, "
            "one per cell."
        )
    )
    # With the mark at its beginning, spreadsheets take the file for UTF-8.
    written = written_glossary(entries).encode("utf-8-sig")
    download(gettext("Export"), written, "glossary.csv", disabled=not entries)
    received = st.file_uploader(
        gettext("Import a CSV file (replaces the whole glossary)"),
        type="csv",
        max_upload_size=2,
        key=f"glossary file {widget_round('glossary import')}",
    )
    if received is not None:
        with failures_shown():
            _offer_import(product, parse_glossary(received.getvalue(), received.name))


def _offer_import(product: str, entries: Sequence[Entry]) -> None:
    changes = Glossaries(services.administered().database).compare(product, entries)
    kinds = {"added": changes.added, "changed": changes.changed, "removed": changes.removed}
    changed_terms = [
        with_names(how_many_changed(kind, len(terms)), first_of(terms, 12))
        for kind, terms in kinds.items()
        if terms
    ]
    if not changed_terms:
        st.markdown(gettext("The glossary already matches this file."))
        return
    heading = ngettext("{number} term in the file:", "{number} terms in the file:", len(entries))
    st.markdown(f"{heading}\n\n{bullets(changed_terms)}")
    if st.button(gettext("Replace the glossary"), type="primary"):
        services.administration().replace_glossary(product, entries)
        use_new_widget("glossary import")
        terms = how_many(len(entries), "term")
        done(gettext("The glossary of {product} now has {terms}.", product=product, terms=terms))
