"""The documents of a release: search, view and remove them, roll back to earlier versions."""

import streamlit as st

from chatbot.text.languages import gettext, gettext_noop, language_name, ngettext
from corpora.catalog.catalog import Catalog, Generation
from corpora.catalog.release_settings import ReleaseOverview
from corpora.documents.documents import Documents, ListedDocument
from ui.documents.actions import confirm_documents
from ui.elements.frame import button, choose_one, confirm, done, in_a_row, when
from ui.elements.table import Number, download, first_of, search_box, table_in_pages
from ui.serving import services
from ui.sources.source_view import show_page_as_printed, show_page_as_read, show_page_as_text
from ui.wording.amounts import how_large, how_many, with_names
from ui.wording.escaping import as_label

_WAYS = (gettext_noop("As shown in the chat"), gettext_noop("Block by block"))


def show_documents(product: str, release: ReleaseOverview) -> None:
    """The documents that the chat answers from now."""
    if release.generation is None:
        st.markdown(
            gettext("No documents yet. They appear here after the first upload is processed.")
        )
        return
    with in_a_row(key="documents-bar"):
        words = search_box(
            "document words", gettext("Search documents"), gettext("titles and file names")
        )
        # The selection is known only after the table below has been drawn.
        actions = in_a_row()
    chosen = show_list(release.generation, words, choose="multi-row")
    with actions:
        if not chosen:
            select = gettext("Select rows to view or remove documents.")
            st.markdown(f":gray[{select}]")
            return
        number = len(chosen)
        st.markdown(ngettext("{number} document selected", "{number} documents selected", number))
        if len(chosen) == 1 and button(gettext("View"), icon="visibility"):
            title = as_label(chosen[0].title or chosen[0].file) or gettext("Document")
            st.dialog(title, width="large", icon=":material/description:")(_pages)(chosen[0])
        if button(gettext("Remove …"), icon="delete", key="delete-documents"):
            confirm_documents(product, release.name, tuple(document.file for document in chosen))


def show_list(generation: int, words: str = "", *, choose: str = "") -> list[ListedDocument]:
    """The documents of a generation, page by page; returns the selected ones."""
    documents = _documents()
    total = documents.count(generation, words)
    if not total:
        st.markdown(gettext("No title or file name matches."))
        return []
    return table_in_pages(
        total,
        f"documents of {generation} {words} {choose}",
        lambda first, size: documents.find(generation, words, offset=first, limit=size),
        {
            gettext("Title"): ("large", lambda document: document.title),
            gettext("File"): lambda document: document.file,
            gettext("Format"): lambda document: document.format,
            gettext("Language"): lambda document: language_name(document.language),
            gettext("Pages"): (Number(), lambda document: document.pages),
            gettext("Size"): ("small", lambda document: how_large(document.size)),
        },
        of="document",
        name=gettext("Documents"),
        choose=choose,
    )


def _documents() -> Documents:
    return Documents(services.administered().database)


def _pages(document: ListedDocument) -> None:
    documents = _documents()
    ids = documents.page_ids(document.id)
    if not ids:
        gone = gettext("This document is no longer available. It has been reprocessed or removed.")
        st.info(gone)
        return
    with in_a_row():
        st.markdown(f":gray[{as_label(document.file, 300)}]", width="stretch")
        number = 1
        if len(ids) > 1:
            number = st.pagination(len(ids), key=f"page of document {document.id}")
        way = choose_one(gettext("Extracted text"), _WAYS, "way to show a page", labelled=False)
    page = documents.page(ids[number - 1])
    original, read = st.columns(2, gap="medium")
    with original:
        st.markdown(f"**{gettext('Original')}**")
        show_page_as_printed(documents.original, page)
        download(
            gettext("Download original"),
            lambda: documents.original(page.document.content_hash),
            page.document.file.rpartition("/")[2],
        )
    with read:
        st.markdown(f"**{gettext('Extracted text')}**")
        if way == _WAYS[1]:
            show_page_as_read(page)
        else:
            with st.container(border=True):
                show_page_as_text(page)


def show_versions(product: str, release: ReleaseOverview) -> None:
    """A line for each version, the newest first."""
    kept = [
        generation
        for generation in Catalog(services.administered().database).generations(
            product, release.name
        )
        if generation.published is not None
    ]
    if not kept:
        st.markdown(gettext("No version yet. The first upload creates one."))
        return
    st.caption(
        gettext(
            "Each upload, removal or reprocessing creates a new version of the documents. The "
            "current version and the two before it are kept; you can switch between them at any "
            "time."
        )
    )
    for generation in kept:
        with st.container(border=True):
            _line(product, release, generation)


def _line(product: str, release: ReleaseOverview, generation: Generation) -> None:
    assert generation.published is not None
    is_current, moment = generation.id == release.generation, when(generation.published)
    with in_a_row(gap="medium"):
        badge = f" :primary-badge[{gettext('current')}]" if is_current else ""
        documents = how_many(generation.documents, "document")
        model = gettext("search model {name}", name=generation.embedding_model)
        message = f"{documents} · {model}"
        st.markdown(
            f"**{gettext('Version of {moment}', moment=as_label(moment))}**{badge}\\\n"
            f":gray[{as_label(message, 300)}]",
            width="stretch",
        )
        if button(gettext("Documents"), of=moment, key=f"documents of {generation.id}"):
            title = gettext("Documents in this version")
            st.dialog(title, width="large")(show_list)(generation.id)
        key = f"serve {generation.id}"
        if not is_current and button(gettext("Roll back …"), of=moment, key=key):
            confirm_version(product, release, generation.id)
    if not is_current and release.generation is not None:
        st.markdown(f":gray[{_difference(generation.id, release.generation)}]")


def _difference(generation: int, current: int) -> str:
    difference = _documents().difference(generation, current)
    parts = [
        as_label(with_names(what, first_of(files, 8)), 400)
        for what, files in (
            (gettext("only in this version"), difference.only_first),
            (gettext("not in this version"), difference.only_second),
            (gettext("different content"), difference.changed),
        )
        if files
    ]
    return " · ".join(parts) or gettext(
        "the same files as the current version, processed differently"
    )


def confirm_version(product: str, release: ReleaseOverview, generation: int) -> None:
    """Ask whether to roll back to another version."""
    lines = [
        gettext(
            "New questions use this version at once. The version in use now is kept, so you can "
            "switch back."
        )
    ]
    if release.generation is not None:
        difference = _difference(generation, release.generation)
        compared = gettext("Compared with the current version: {changes}.", changes=difference)
        lines.insert(0, compared)

    def serve() -> None:
        summary = services.administration().serve(product, release.name, generation)
        name = f"{product} {release.name}"
        said = gettext("{name} now uses the selected version.", name=name)
        done(f"{said} {summary}".rstrip())

    title = gettext("Roll back to this version")
    confirm(title, "\n\n".join(lines), gettext("Roll back"), serve, icon="history")
