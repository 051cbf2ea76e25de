"""Uploading: the release, the files, the findings of the checks, and the button to start."""

from collections.abc import Sequence

import streamlit as st

from chatbot.administration.administration import Administration
from chatbot.text.languages import gettext, gettext_noop
from corpora.catalog.release_settings import ProductOverview, ReleaseAdministration
from corpora.documents.upload_checks import (
    UploadNotice,
    Weight,
    accepted,
    by_problem,
    check,
    get_ready,
    left_out,
)
from corpora.documents.uploads import UploadedFile
from ingestion.figures import PICTURES
from ingestion.loaders import known_suffixes
from ui.documents.actions import start
from ui.documents.language_choice import choose_language, language_said_of
from ui.documents.pack_view import is_pack, show_pack
from ui.elements.frame import button, choose_one, use_new_widget, widget_round
from ui.elements.table import first_of
from ui.serving import services
from ui.wording.amounts import how_large, how_many
from ui.wording.escaping import as_label

_PRODUCT, _RELEASE = "upload product", "upload release"


def show_upload(products: Sequence[str], overview: ProductOverview | None) -> None:
    """The form; each part appears once the one above it is filled in."""
    get_ready()
    with st.container(width=760):
        product, release = _target(products, overview)
        files, ids = _received()
        if any(is_pack(file) for file in files):
            show_pack(files)
            return
        if not (product and release):
            st.caption(gettext("Choose a product and release."))
            return
        if not files:
            return
        with st.spinner(gettext("Checking the files …")):
            findings = _findings(ids, product, release, files)
        taken, agreed = _confirmed(files, findings)
        said = language_said_of(product, release)
        language = choose_language(said, f"language of the upload to {product} {release}")
        count, name = how_many(len(taken), "file"), f"{product} {release}"
        label = as_label(gettext("Upload {files} to {name}", files=count, name=name), 120)
        if button(label, icon="upload", type="primary", disabled=not (taken and agreed)):

            def order(admin: Administration) -> int:
                data_dir = services.administered().settings.data_dir
                new = None if language == said else language
                skipped = left_out(files, findings)
                job = admin.upload(product, release, taken, data_dir, new, skipped)
                use_new_widget("upload")
                return job

            said = gettext("Processing {files} for {name}.", files=count, name=name)
            start(order, product, said)


def offer_upload(product: str, release: str) -> None:
    """Fill in the product and the release of the next upload."""
    st.session_state[_PRODUCT] = product
    st.session_state[_RELEASE] = release


def _target(products: Sequence[str], overview: ProductOverview | None) -> tuple[str, str]:
    with st.container(horizontal=True):
        if overview is not None:
            st.session_state.setdefault(_PRODUCT, overview.product)
        product = _name(gettext("Product"), _PRODUCT, products)
        releases: list[str] = []
        if product in products:
            known = (
                ReleaseAdministration(services.administered().database).overview(product).releases
            )
            releases = [release.name for release in reversed(known)]
        return product, _name(gettext("Release"), _RELEASE, releases)


def _name(label: str, key: str, known: Sequence[str]) -> str:
    chosen = st.session_state.get(key)
    new = [chosen] if chosen and chosen not in known else []
    name = st.selectbox(
        label,
        [*known, *new],
        index=None,
        key=key,
        accept_new_options=True,
        placeholder=gettext("Choose or enter a new one"),
    )
    return (name or "").strip()


def _received() -> tuple[list[UploadedFile], tuple[str, ...]]:
    """The files, and ids by which they are known until they are chosen anew."""
    known = [suffix.lstrip(".") for suffix in known_suffixes()]
    pictures = [suffix.lstrip(".") for suffix in sorted(PICTURES)]
    kinds = gettext_noop("Files and zips"), gettext_noop("A folder")
    folder = choose_one(gettext("What to upload"), kinds, "what to upload") == kinds[1]
    received = st.file_uploader(
        gettext("Documents or zip files"),
        # From a folder only readable formats are sent; a file chosen by itself gets an answer.
        type=[*known, *pictures, "zip"] if folder else None,
        accept_multiple_files="directory" if folder else True,
        help=gettext(
            "Formats: {formats}, pictures that these name, and zip files. Or a release pack "
            "(.strata).",
            formats=", ".join(known),
        ),
        key=f"upload {widget_round('upload')} {folder}",
        max_upload_size=services.administered().settings.largest_upload,
    )
    files = [UploadedFile(file.name, file.getvalue()) for file in received]
    return files, tuple(file.file_id for file in received)


@st.cache_data(max_entries=8, show_spinner=False)
def _findings(
    ids: tuple[str, ...], product: str, release: str, _files: Sequence[UploadedFile]
) -> tuple[UploadNotice, ...]:
    chatbot = services.administered()
    largest = chatbot.settings.largest_upload * 1_000_000
    return check(_files, product, release, chatbot.database, largest)


def _confirmed(
    files: Sequence[UploadedFile], findings: Sequence[UploadNotice]
) -> tuple[tuple[UploadedFile, ...], bool]:
    """The files that can be uploaded, and whether the user agreed to what was found."""
    blocking, doubtful, known = (
        [finding for finding in findings if finding.weight is weight] for weight in Weight
    )
    taken = accepted(files, findings)
    agreed = True
    if blocking:
        st.error(
            _list(gettext("These files cannot be uploaded:"), blocking), icon=":material/block:"
        )
        if taken:
            agreed = st.checkbox(gettext("Skip these and upload the others"), key="leave out")
    if doubtful and taken:
        st.warning(
            _list(gettext("Please check before uploading:"), doubtful), icon=":material/help:"
        )
        agreed &= st.checkbox(gettext("Upload anyway"), key="all the same")
    if known and taken:
        st.info(_list(gettext("Good to know:"), known), icon=":material/info:")
    if taken and not (blocking or doubtful):
        size = how_large(sum(file.size for file in files))
        ready = gettext("Ready to upload ({size}).", size=size)
        st.markdown(f":gray[:material/check: {ready}]")
    return taken, agreed


def _list(title: str, findings: Sequence[UploadNotice]) -> str:
    """Findings as a Markdown list; files with the same problem share a line."""
    lines = []
    for problem, named in by_problem(findings).items():
        names = [as_label(file, 120) for file in first_of(named, 5)]
        label = as_label(problem, 400)
        lines.append(f"**{', '.join(names)}**: {label}" if names else label)
    return "\n".join([title, "", *(f"- {line}" for line in first_of(lines, 20))])
