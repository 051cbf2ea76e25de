"""Questions are added: proposed from a release, or imported from a file."""

from collections.abc import Mapping, Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.text.languages import figure, gettext, gettext_noop, ngettext
from corpora.catalog.release import Product
from corpora.jobs.jobs import DRAFTS, Jobs
from eval.sets.adding import add_imported
from eval.sets.columns import guess_columns
from eval.sets.drafting import MOST, NUMBER
from eval.sets.importing import Defaults, ImportedSet, import_questions
from eval.sets.rows import LARGEST, Row, columns_of, read_rows
from ui.documents.jobs_view import show_ended
from ui.elements.frame import button, done, failures_shown, use_new_widget, widget_round
from ui.elements.table import bullets
from ui.serving import services
from ui.wording.escaping import as_label, as_text
from ui.wording.questions import import_notes

_MAPPED = {
    "question": gettext_noop("Column with the question"),
    "gold_answer": gettext_noop("Column with the answer"),
    "release": gettext_noop("Column with the release"),
    "file": gettext_noop("Column with the file"),
}
"""The columns that can be chosen here, and the labels of the fields."""
_NONE = "–"


def offer_proposing(product: str) -> None:
    """Order questions of a release, or of what it says otherwise than another one; a job."""
    st.markdown(f"**{gettext('Propose from the documentation')}**")
    names = services.releases(product)
    if not names:
        st.markdown(gettext("This product has no releases yet."))
        return
    release = st.selectbox(gettext("Release"), names, key=f"propose-release {product}")
    since = st.selectbox(
        gettext("What differs from"),
        [name for name in names if name != release],
        index=None,
        placeholder=gettext("no other release"),
        key=f"propose-since {product} {release}",
    )
    number = st.number_input(gettext("Questions"), 1, MOST, NUMBER, key="propose-number")
    settings, model = services.administered().settings, services.administered().model
    by_model = model is not None and st.toggle(
        gettext("Worded by the language model"),
        settings.has_capable_model,
        key="propose-model",
        help=gettext(
            "Slower. Its answers have to be quoted from a page; the others are taken from there."
        ),
    )
    (newest,) = Jobs(services.administered().database).recent(1, kinds=DRAFTS) or (None,)
    is_open = newest is not None and newest.is_open
    if button(gettext("Propose"), icon="lightbulb", key="propose", disabled=is_open):
        with failures_shown():
            services.administration().draft(
                product, release, since, int(number), with_model=by_model
            )
            done(gettext("Questions are being proposed."))
    if newest is None or newest.is_open or newest.product != product:
        return
    if newest.state == "done":
        st.caption(as_text(newest.message))
    else:
        show_ended(newest)


def offer_import(person: Person, product: str) -> None:
    """Import the questions of a file for a product."""
    st.markdown(f"**{gettext('Import a file')}**")
    st.caption(gettext("CSV, XLSX or JSONL with a question, an answer, and a release in each row."))
    key = f"questions file {product} {widget_round('questions import')}"
    received = st.file_uploader(
        gettext("File"),
        type=["csv", "xlsx", "jsonl"],
        max_upload_size=LARGEST // 1_000_000,
        key=key,
    )
    if received is None:
        return
    with failures_shown(), st.spinner(gettext("Reading the file …")):
        _import(person, product, received.name, received.getvalue())


@st.cache_data(show_spinner=False, max_entries=4)
def _rows(data: bytes, name: str) -> tuple[Row, ...]:
    return read_rows(data, name)


@st.cache_data(show_spinner=False, max_entries=4, hash_funcs={Product: repr})
def _questions(
    data: bytes, name: str, columns: Mapping[str, str], product: str, products: Sequence[Product]
) -> ImportedSet:
    defaults = Defaults(product, uploaded=True)
    rows = _rows(data, name)
    return import_questions(rows, name, columns=columns, defaults=defaults, products=products)


def _import(person: Person, product: str, name: str, data: bytes) -> None:
    there = columns_of(_rows(data, name))
    guessed = guess_columns(there, {})
    chosen: dict[str, str] = {}
    offered = [_NONE, *there]
    for role, label in _MAPPED.items():
        index = offered.index(guessed.get(role, _NONE))
        key = f"column {role} {name} {there}"
        column = st.selectbox(gettext(label), offered, index=index, key=key)
        chosen[role] = "" if column == _NONE else column
    read = _questions(data, name, chosen, product, services.administered().products())
    for note in import_notes(read):
        st.caption(f"{as_label(note, 300)}\\.")
    if read.left_out:
        left_out = [
            gettext("line {number}: {reason}", number=figure(left.line), reason=left.reason)
            for left in read.left_out
        ]
        lines = bullets(left_out, 10, 230)
        heading = ngettext("{number} line skipped:", "{number} lines skipped:", len(left_out))
        st.warning(f"{heading}\n\n{lines}", icon=":material/warning:")
    label = ngettext("Add {number} question", "Add {number} questions", len(read.questions))
    if button(label, icon="upload", type="primary", key="questions-import"):
        added = add_imported(services.administered(), person, read)
        use_new_widget("questions import")
        said = ngettext(
            "{number} question added to the regression set.",
            "{number} questions added to the regression set.",
            added,
        )
        done(said)
