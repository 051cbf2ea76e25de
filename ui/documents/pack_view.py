"""A release pack that is uploaded: what it is of, who signed it, and the button to take it in."""

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

import streamlit as st

from chatbot.administration.administration import Administration
from chatbot.text.languages import gettext
from corpora.documents.uploads import UploadedFile
from corpora.errors import BadPack, UntrustedPack
from corpora.packs.container import open_pack
from corpora.packs.signing import require_trusted
from ui.documents.actions import start
from ui.elements.frame import button, use_new_widget, when
from ui.serving import services
from ui.serving.packing import SUFFIX
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label


def is_pack(file: UploadedFile) -> bool:
    """Whether a file is named as release packs are."""
    return file.name.lower().endswith(SUFFIX)


def show_pack(files: Sequence[UploadedFile]) -> None:
    """Show one pack, which brings the names of its product and release itself."""
    if len(files) > 1:
        st.error(gettext("Upload a release pack by itself."), icon=":material/block:")
        return
    data_dir, file = services.administered().settings.data_dir, BytesIO(files[0].content)
    try:
        with open_pack(file) as pack:
            of, signer = pack.manifest, pack.signer
    except BadPack as error:
        st.error(as_label(str(error), 400), icon=":material/block:")
        return
    name = f"{of.product} {of.release}"
    made = gettext("made {moment}", moment=_moment(of.made))
    st.markdown(f"**{as_label(name)}** · {how_many(of.documents, 'document')} · {made}")
    trust = ""
    try:
        require_trusted(data_dir, signer)
    except UntrustedPack:
        compare = gettext(
            "It is signed by a key that is not known here. Compare this fingerprint with the one "
            "that its maker tells you by another way:"
        )
        st.warning(f"{compare}\n\n`{signer}`", icon=":material/key:")
        if not services.current_person().is_admin:
            st.caption(gettext("An admin of Strata says which keys are trusted."))
            return
        same = gettext("It is the same: trust packs that this key signs")
        if st.checkbox(same, key=f"trust {signer}"):
            trust = signer
        else:
            return
    if button(gettext("Take in"), icon="inventory_2", type="primary"):

        def order(admin: Administration) -> int:
            job = admin.unpack(file, data_dir, trust)
            use_new_widget("upload")
            return job

        start(order, of.product, gettext("Taking in {name}.", name=name))


def _moment(made: str) -> str:
    """When a pack was made, as other moments are shown; its own words if they are no moment."""
    try:
        return when(datetime.fromisoformat(made))
    except ValueError:
        return as_label(made, 40)
