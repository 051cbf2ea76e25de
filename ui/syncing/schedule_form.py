"""When a source is run by itself, as fields of a form."""

import streamlit as st

from ui.wording.sources import CRON, SCHEDULES


def schedule_fields(schedule: str, key: str) -> str:
    """Show the fields with a schedule in them; return the one that was chosen."""
    named = [*SCHEDULES, CRON]
    is_cron = schedule not in SCHEDULES
    chosen = st.selectbox(
        "Look for what is new",
        named,
        index=len(SCHEDULES) if is_cron else named.index(schedule),
        format_func=lambda name: SCHEDULES.get(name, name),
        key=f"{key} schedule",
    )
    cron = st.text_input(
        "Cron expression",
        schedule if is_cron else "",
        placeholder="30 4 * * 1",
        key=f"{key} cron",
        help="Five fields: minute, hour, day, month, weekday, in UTC. It counts only if cron is "
        "chosen above.",
    )
    return cron.strip() if chosen == CRON else chosen
