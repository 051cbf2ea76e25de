"""A cited page as printed, as text or block by block; in other releases, and what differs there."""

from collections.abc import Callable, Sequence
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from chatbot.comparison.pages import PassagePair, differences, same_page
from chatbot.text.languages import figure, gettext, gettext_noop, ngettext
from chatbot.text.places import place_in_file
from chatbot.turn import Citation, Record
from corpora.errors import CatalogError
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from ingestion.decoding import decode
from ingestion.page import Block, BlockKind, UnreadableFile
from ui.api.documentation import contents_address, page_address
from ui.api.page_markdown import page_markdown
from ui.elements.frame import button
from ui.elements.table import Columns, show_table
from ui.serving import services
from ui.sources.page_blocks import MarkedText, page_pieces
from ui.sources.page_picture import DRAWN, NoPicture, page_picture
from ui.wording.escaping import as_label, visible
from ui.wording.marking import differing_spans

_SHOWN = "page_shown"
_FEW = 6
"""The most releases that are shown as buttons."""
_MOST = 40
_COLOURS = "red", "green"
"""The colours of marks in the older release, and in the newer one."""

_LONGEST_SOURCE = 200_000
_HEIGHT = 640
_FEW_BLOCKS = 16

Side = tuple[Corpus, StoredPage]
Original = Callable[[str], bytes]
"""Returns the bytes of a file by their hash; raises LookupError where they are not kept."""


def show_source(product: str, citation: Citation, quotes: Sequence[str] = ()) -> None:
    """Open the page of a citation beside the answer, with its quote or these `quotes` marked."""
    st.session_state[_SHOWN] = _cited(citation)
    # Documents name their release in their title, and the panel may go to another release.
    icon = ":material/description:"
    open_beside = st.dialog(gettext("Source"), width=640, position="right", icon=icon)
    open_beside(source_panel)(product, citation, quotes)


def _cited(citation: Citation) -> tuple[str, int]:
    return citation.release, citation.page_id


def source_panel(product: str, citation: Citation, quotes: Sequence[str] = ()) -> None:
    """The cited page, or the one that was opened from there, with the buttons to go on."""
    title, head, steps = st.container(), st.container(key="source-head"), st.container()
    try:
        own = _open(product, *st.session_state.get(_SHOWN, _cited(citation)))
        shown = _in_release(product, own)
    except (CatalogError, LookupError) as error:
        st.error(as_label(str(error), 400), icon=":material/error:")
        return
    with title:
        st.markdown(f"**{as_label(shown[1].document.title, 200)}**")
    with head:
        _head(*shown, cited=citation.release)
    with steps:
        _steps(*shown, citation)
    corpus, page = shown
    if shown is not own and st.toggle(
        gettext("Show changes from {release}", release=as_label(own[0].release)),
        key=f"differs-{own[0].release}-{own[1].id}-{corpus.release}",
    ):
        newest_first = services.releases(product)
        newer, older = sorted((own, shown), key=lambda side: newest_first.index(side[0].release))
        _show_differences(older, newer)
        return
    is_cited = (corpus.release, page.id) == _cited(citation)
    show_page(corpus.original, page, *((quotes or [citation.quote]) if is_cited else ()))


def _open(product: str, release: str, page_id: int) -> Side:
    corpus = services.chatbot().corpora.corpus(product, release)
    return corpus, corpus.page(page_id)


def _head(corpus: Corpus, page: StoredPage, *, cited: str) -> None:
    place = [page.document.file, place_of(page)]
    colour = "primary" if corpus.release == cited else "orange"
    st.markdown(
        f":{colour}-badge[{as_label(f'{corpus.product} {corpus.release}')}] "
        f":gray[{as_label(' › '.join(filter(None, place)), 300)}]"
    )
    if corpus.release != cited:
        of = {"cited": as_label(cited), "release": as_label(corpus.release)}
        st.caption(gettext("The answer is from {cited}. This is {release}.", **of))


def _steps(corpus: Corpus, page: StoredPage, citation: Citation) -> None:
    def go(release: str, to: int | None) -> None:
        st.session_state[_SHOWN] = release, to

    around = (
        (gettext("Previous page"), "chevron_left", page.previous_id),
        (gettext("Next page"), "chevron_right", page.next_id),
    )
    is_single = all(to is None for *_, to in around)
    with st.container(horizontal=True, key="steps"):
        for label, icon, to in () if is_single else around:
            button(label, go, corpus.release, to, icon=icon, disabled=to is None, key=f"go {icon}")
        if (corpus.release, page.id) != _cited(citation):
            back = gettext("Back to the source")
            button(back, go, *_cited(citation), type="tertiary")
        _copies(corpus, page)
        if address := page.document.address:
            st.link_button(
                gettext("Original"), address, icon=":material/open_in_new:", type="tertiary"
            )


def _copies(corpus: Corpus, page: StoredPage) -> None:
    """The page for another program: its text, its address, and that of the server for agents."""
    server = urlsplit(st.context.url or "")
    root = urlunsplit((server.scheme, server.netloc, "", "", ""))
    with st.popover(gettext("Copy"), icon=":material/content_copy:", type="tertiary"):
        for label, text in (
            (gettext("This page as Markdown"), page_markdown(page, corpus)),
            (
                gettext("Address of this page, for programs with a key"),
                root + page_address(corpus, page.document.file, page.number),
            ),
            (gettext("All pages of this release"), root + contents_address(corpus)),
            (gettext("MCP server, for editors and agents"), f"{root}/mcp"),
        ):
            st.caption(label)
            st.code(text, language=None, height=120 if "\n" in text else "content")


def _in_release(product: str, own: Side) -> Side:
    """The page in the chosen release: its own, or another one that has it."""
    corpus, page = own
    open_corpus = services.chatbot().corpora.corpus
    corpora = {name: open_corpus(product, name) for name in services.releases(product)}
    if len(corpora) < 2:
        return own
    page_ids = {corpus.release: page.id}
    with st.spinner(gettext("Comparing the releases …")):
        for name, other in corpora.items():
            if name != corpus.release:
                same = _same_page(product, corpus.release, page.id, name, other.generation)
                page_ids |= {name: same} if same is not None else {}
    having = [release for release in corpora if release in page_ids]
    if len(having) == 1:
        st.caption(gettext("This page is only in this release."))
        return own
    chosen = _choose(having, corpus.release, page.id)
    if lacking := [release for release in corpora if release not in page_ids]:
        releases = as_label(", ".join(lacking), 300)
        st.caption(gettext("Not found in {releases}", releases=releases))
    return own if chosen == corpus.release else _open(product, chosen, page_ids[chosen])


def _choose(releases: Sequence[str], own: str, page_id: int) -> str:
    options: Any = {"key": f"release-of-{own}-{page_id}"}
    chosen: str
    if len(releases) > _FEW:
        chosen = st.selectbox(
            gettext("This page in"),
            releases,
            index=releases.index(own),
            format_func=visible,
            **options,
        )
        return chosen
    options |= {"default": own, "required": True, "format_func": as_label}
    chosen = st.segmented_control(gettext("This page in"), releases, **options)
    return chosen


@st.cache_data(max_entries=1024, show_spinner=False)
def _same_page(product: str, release: str, page_id: int, other: str, generation: int) -> int | None:
    """The id of the page in a generation of another release; None if it has none."""
    here, page = _open(product, release, page_id)
    twin = same_page(page, here, services.chatbot().corpora.corpus(product, other))
    return twin.id if twin else None


def _show_differences(older: Side, newer: Side) -> None:
    compared = differences(older, newer)
    old, new = older[0].release, newer[0].release
    unchanged = ngettext(
        "{number} passage unchanged.", "{number} passages unchanged.", len(compared.same)
    )
    if not (compared.changed or compared.added or compared.removed):
        of = {"old": as_label(old), "new": as_label(new), "unchanged": unchanged}
        message = gettext("No changes from {old} to {new}: {unchanged}", **of)
        st.success(message, icon=":material/check:")
        return
    for title, pairs in {
        gettext("Changed from {old} to {new}", old=old, new=new): compared.changed,
        gettext("Only in {release}", release=new): [
            PassagePair(None, record) for record in compared.added
        ],
        gettext("Only in {release}", release=old): [
            PassagePair(record, None) for record in compared.removed
        ],
    }.items():
        if pairs:
            number = str(len(pairs))
            if len(pairs) > _MOST:
                number = gettext("the first {most} of {number}", most=_MOST, number=number)
            st.markdown(f"**{as_label(title, 200)}** :gray[({number})]")
        for pair in pairs[:_MOST]:
            with st.container(border=True, gap="xsmall"):
                _show_pair(pair, (old, new))
    if compared.same:
        st.caption(unchanged)


def _show_pair(pair: PassagePair, releases: tuple[str, str]) -> None:
    """A passage in each release that has it; all of it is marked where only one has it."""
    records = pair.before, pair.after
    texts = [_text(record) if record else "" for record in records]
    spans = differing_spans(*texts)
    for release, record, text, marks, colour in zip(
        releases, records, texts, spans, _COLOURS, strict=True
    ):
        if record:
            where = as_label(place_of(record.page).rsplit(" › ", 1)[-1] or record.label, 60)
            st.markdown(f":gray-badge[{as_label(release)}] :small[:gray[{where}]]")
            st.markdown(MarkedText(text, marks).markdown(colour))


def _text(record: Record) -> str:
    """The text of a record; a row of a table has its headers."""
    return record.reading if record.cells else record.quote


def place_of(page: StoredPage) -> str:
    """The place of a page in its document: its number in a PDF or a deck, else its headings."""
    headings = " › ".join(h for h in page.heading_path if h != page.document.title)
    return place_in_file(page.document.file, page.number) or headings


def show_page(original_of: Original, page: StoredPage, *quotes: str) -> None:
    """The page for a reader: printed as it is, drawn with its text below, or as clean text."""
    drawn = page.document.format in DRAWN and show_page_as_printed(original_of, page, *quotes)
    if not drawn or page.document.format == "svg":
        show_page_as_text(page, *quotes)


def show_page_as_printed(original_of: Original, page: StoredPage, *quotes: str) -> bool:
    """The original: a picture of a PDF's page or a drawing, the source of a file of text.

    Returns False, and says why, where it cannot be shown.
    """
    try:
        original = original_of(page.document.content_hash)
        if page.document.format not in DRAWN:
            text = visible(decode(original))
            st.code(text[:_LONGEST_SOURCE], language=None, wrap_lines=True, height=_HEIGHT)
            if len(text) > _LONGEST_SOURCE:
                of = {"most": figure(_LONGEST_SOURCE), "number": figure(len(text))}
                st.caption(gettext("The first {most} of {number} characters", **of))
            return True
        with st.spinner(gettext("Drawing the page…")):
            picture = _picture(original, page.number, quotes, page.document.format)
    except LookupError as error:
        picture = str(error)
    except UnreadableFile:
        picture = gettext(
            "Office files are shown as text. Download the original to see its layout."
        )
    if isinstance(picture, str):
        st.info(as_label(picture, 400))
        return False
    with st.container(border=True, key=f"printed-page-{page.id}"):
        st.image(picture, width="stretch" if page.document.format == "pdf" else "content")
    return True


def show_page_as_text(page: StoredPage, *quotes: str) -> None:
    """The page as clean text, the quoted words marked."""
    # The style sheet opens a page of text at the quote, but a drawing at its top.
    key = "drawing-text" if page.document.format == "svg" else "page-text"
    with st.container(key=key, gap="xsmall" if page.document.format == "svg" else "small"):
        for number, piece in enumerate(page_pieces(page, *quotes)):
            with st.container(key=f"{'marked' if piece.marked else 'plain'}-piece-{number}"):
                if piece.code:
                    st.code(piece.text, language=None, wrap_lines=True)
                else:
                    st.markdown(piece.text)


_KINDS = {
    BlockKind.HEADING: gettext_noop("heading"),
    BlockKind.PARAGRAPH: gettext_noop("paragraph"),
    BlockKind.LIST_ITEM: gettext_noop("list item"),
    BlockKind.DEFINITION: gettext_noop("definition"),
    BlockKind.SIGNATURE: gettext_noop("signature"),
    BlockKind.CODE: gettext_noop("code"),
    BlockKind.TABLE_HEADER: gettext_noop("table header"),
    BlockKind.TABLE_ROW: gettext_noop("table row"),
    BlockKind.DRAWING: gettext_noop("drawing"),
}


def show_page_as_read(page: StoredPage) -> None:
    """Every block that the parser read, with its kind, the headings above it and its anchor."""
    blocks = ngettext("{number} block", "{number} blocks", len(page.blocks))
    characters = ngettext("{number} character", "{number} characters", len(page.text))
    st.caption(f"{blocks}, {characters}")
    columns: Columns[Block] = {
        gettext("Kind"): lambda block: gettext(_KINDS[block.kind]),
        gettext("Text"): ("large", lambda block: visible(block.text)),
        gettext("Under"): lambda block: visible(" › ".join(block.path)),
        gettext("Anchor"): lambda block: visible(block.anchor or ""),
    }
    few = len(page.blocks) <= _FEW_BLOCKS
    height: int | Literal["content"] = "content" if few else _HEIGHT
    show_table(page.blocks, columns, name=gettext("Blocks of this page"), height=height)


@st.cache_data(max_entries=32, show_spinner=False)
def _picture(data: bytes, number: int, quotes: tuple[str, ...], format: str) -> bytes | str:
    """The picture, or the reason of a failure; these are cached too, since they may take long."""
    try:
        return page_picture(data, number, quotes, format)
    except NoPicture as error:
        return str(error)
