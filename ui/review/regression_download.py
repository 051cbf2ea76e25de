"""The regression set as a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ui.serving import services
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.accounts.people import Person


def regression_download(person: Person) -> None:
    """A button that hands out the regression set, once there is one."""
    from chatbot.review.regression_set import RegressionSet

    size = RegressionSet(services.chatbot().database).size(person)
    if not size:
        return
    st.download_button(
        f"Regression set ({size:,})",
        # Made, and recorded in the audit log, when it is asked for.
        data=partial(regression_file, person),
        file_name="regression-set.jsonl",
        mime="application/jsonl",
        icon=":material/download:",
        on_click="ignore",
        help=f"{how_many(size, 'rated answer')} as test questions for `strata eval answers`",
    )


def regression_file(person: Person) -> bytes:
    """The set as questions for `strata eval answers`."""
    from chatbot.review.regression_set import RegressionSet

    return RegressionSet(services.chatbot().database).export(person).as_jsonl().encode()
