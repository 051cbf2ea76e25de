"""When a source is run by itself, as a field of a form."""

import streamlit as st

from chatbot.text.languages import gettext
from ui.wording.sources import SCHEDULES


def schedule_field(schedule: str, key: str) -> str:
    """Show a field with a schedule in it; return the one that was chosen or typed."""
    key = f"{key} schedule"
    # What was typed last stays one of the choices.
    offered = list(dict.fromkeys([*SCHEDULES, schedule, st.session_state.get(key) or schedule]))
    chosen: str = st.selectbox(
        gettext("Look for what is new"),
        offered,
        index=offered.index(schedule),
        format_func=lambda name: gettext(SCHEDULES[name]) if name in SCHEDULES else name,
        accept_new_options=True,
        key=key,
        help=gettext(
            "Choose, or type five fields of cron in UTC: {example} is every Monday at 4:30.",
            example="`30 4 * * 1`",
        ),
    )
    return chosen.strip()
