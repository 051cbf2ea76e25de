"""The page that a citation names, the same page in other releases, and what differs."""

from collections.abc import Sequence

import streamlit as st

from chatbot.comparison.pages import Pair, differences, same_page
from chatbot.turn import Citation, Record
from corpora.catalog.catalog import CatalogError
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from ui.elements.frame import button
from ui.serving import services
from ui.sources.page_blocks import MarkedText
from ui.sources.page_views import place_of, show_page
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label
from ui.wording.marking import differing_spans

_SHOWN = "page_shown"
_FEW = 6
"""The most releases that are shown as buttons."""
_MOST = 40
_COLOURS = "red", "green"
"""What is marked in the older release, and in the newer one."""

Side = tuple[Corpus, StoredPage]


def show_source(product: str, citation: Citation, quotes: Sequence[str] = ()) -> None:
    """Open the page of a citation beside the answer, with its quote or these `quotes` marked."""
    st.session_state[_SHOWN] = _cited(citation)
    # Documents name their release in their title, and the panel may go to another release.
    open_beside = st.dialog("Source", width=640, position="right", icon=":material/description:")
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
        f"Show changes from {as_label(own[0].release)}",
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
        st.caption(f"The answer is from {as_label(cited)}\\; this is {as_label(corpus.release)}\\.")


def _steps(corpus: Corpus, page: StoredPage, citation: Citation) -> None:
    def go(release: str, to: int | None) -> None:
        st.session_state[_SHOWN] = release, to

    around = (
        ("Previous page", "chevron_left", page.previous_id),
        ("Next page", "chevron_right", page.next_id),
    )
    is_single = all(to is None for *_, to in around)
    with st.container(horizontal=True, key="steps"):
        for label, icon, to in () if is_single else around:
            button(label, go, corpus.release, to, icon=icon, disabled=to is None, key=f"go {label}")
        if (corpus.release, page.id) != _cited(citation):
            back = "Back to the source"
            button(back, go, *_cited(citation), type="tertiary")


def _in_release(product: str, own: Side) -> Side:
    """The page in the chosen release: its own, or another one that has it."""
    corpus, page = own
    releases = services.releases(product)
    if len(releases) < 2:
        return own
    corpora = {name: services.chatbot().corpora.corpus(product, name) for name in releases}
    found = {
        name: page.id
        if name == corpus.release
        else _same_page(product, corpus.release, page.id, name, other.generation)
        for name, other in corpora.items()
    }
    having = [release for release in releases if found[release] is not None]
    if having == [corpus.release]:
        st.caption("This page is only in this release.")
        return own
    chosen = _choose(having, corpus.release, page.id)
    if lacking := [release for release in releases if found[release] is None]:
        st.caption(f"Not found in {as_label(', '.join(lacking), 300)}")
    to = found[chosen]
    return own if chosen == corpus.release or to is None else _open(product, chosen, to)


def _choose(releases: Sequence[str], own: str, page_id: int) -> str:
    key = f"release-of-{own}-{page_id}"
    if len(releases) > _FEW:
        return st.selectbox(
            "This page in", releases, index=releases.index(own), format_func=as_label, key=key
        )
    chosen: str = st.segmented_control(
        "This page in",
        releases,
        default=own,
        required=True,
        format_func=as_label,
        key=key,
    )
    return chosen


@st.cache_data(max_entries=1024, show_spinner="Looking at the other releases…")
def _same_page(product: str, release: str, page_id: int, other: str, generation: int) -> int | None:
    """The id of the page in the other release; its generation is only part of the cache key."""
    here, page = _open(product, release, page_id)
    found = same_page(page, here, services.chatbot().corpora.corpus(product, other))
    return found.id if found else None


def _show_differences(older: Side, newer: Side) -> None:
    """Passages that changed, with their words marked, then those that only one side has."""
    found = differences(older, newer)
    old, new = older[0].release, newer[0].release
    unchanged = f"{how_many(len(found.same), 'passage')} unchanged."
    if not found.found:
        told = f"No changes from {as_label(old)} to {as_label(new)}\\: {unchanged}"
        st.success(told, icon=":material/check:")
        return
    for title, pairs in {
        f"Changed from {old} to {new}": found.changed,
        f"Only in {new}": [Pair(None, record) for record in found.added],
        f"Only in {old}": [Pair(record, None) for record in found.removed],
    }.items():
        if pairs:
            number = f"the first {_MOST} of {len(pairs)}" if len(pairs) > _MOST else len(pairs)
            st.markdown(f"**{as_label(title, 200)}** :gray[({number})]")
        for pair in pairs[:_MOST]:
            with st.container(border=True, gap="xsmall"):
                _show_pair(pair, (old, new))
    if found.same:
        st.caption(unchanged)


def _show_pair(pair: Pair, releases: tuple[str, str]) -> None:
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
