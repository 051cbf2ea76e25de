"""One source: what it brings, what its last run changed, when it runs, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from chatbot.administration.sources import ListedSource, Sources
from corpora.errors import NoSuchSource
from corpora.jobs.jobs import SYNCS
from ui.documents.jobs_view import show_running
from ui.elements.address import go
from ui.elements.frame import button, confirmed, done, failures_shown, in_a_row, show_facts, when
from ui.elements.table import bullets, first_of, show_table
from ui.syncing.options_form import option_label
from ui.syncing.schedule_form import schedule_field
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.sources import changed_files, kind_name, left_out, schedule_in_words

_BADGES = {
    "failed": ":red-badge[failed]",
    "partly": ":orange-badge[some releases failed]",
}
_NAMED = 6
_REMARKS = 50
_FILES = 20
_REVISION = 12
_MADE = "webhook secret"


def show_one(sources: Sources, number: int) -> None:
    """Show a source, and what can be done with it."""
    button("All sources", go, icon="arrow_back", type="tertiary", kwargs={"source": None})
    try:
        source = sources.show(number)
    except NoSuchSource:
        st.markdown("There is no such source any more.")
        return
    with in_a_row(key="sources-heading"):
        st.title(as_label(source.product), anchor=False)
        run_now(sources, source)
        if button("Schedule …", icon="schedule"):
            edit_schedule(sources, source)
        if sources.person.is_admin and button(
            "Remove …", icon="delete", key=f"delete-source-{source.id}"
        ):
            remove(sources, source)
    show_running(SYNCS)
    options = {
        as_label(option_label(name)): ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
        for name, value in source.options.items()
    }
    facts = {"Source": f"{source.id}, {kind_name(source.kind)}", **options}
    facts["Runs"] = schedule_in_words(source.schedule)
    if source.next_run:
        facts["Next run"] = when(source.next_run)
    show_facts(facts, longest=300)
    st.subheader("Last run", anchor=False)
    st.markdown(last_run(source))
    _show_releases(source)
    _show_files(source.report)
    if remarks := left_out(source.report):
        with st.expander(f"Left out ({len(remarks):,})"):
            st.markdown(bullets(remarks, _REMARKS))
    with st.expander("Webhook", expanded=_MADE in st.session_state):
        _show_hook(sources, source)


def heading(source: ListedSource) -> str:
    """Product, kind, place and releases of a source."""
    releases = [one["release"] for one in source.releases][::-1]
    named = as_label(", ".join(first_of(releases, _NAMED)) or "no release yet", 200)
    return (
        f"**{as_label(source.product)}** · {as_label(kind_name(source.kind))}\\\n"
        f"{as_label(source.place, 200)}\\\n:gray[{named}]"
    )


def named(source: ListedSource) -> str:
    """What tells a source apart where only its name is heard."""
    return f"{source.product}, source {source.id}"


def last_run(source: ListedSource) -> str:
    """What came of the last run; errors and names are those of the source."""
    if source.last_run is None:
        return ":gray[Running for the first time]" if source.job else ":gray[Never run]"
    badge = "" if source.job else _BADGES.get(source.outcome, "")
    moment = as_label(when(source.last_run))
    return f":gray[{moment}] {badge} {as_text(source.message)}"


def next_run(source: ListedSource) -> str:
    """When it runs next."""
    number = f"Source {source.id}"
    if source.next_run is None:
        return f"{number} · runs only when somebody starts it"
    return f"{number} · next run {as_label(when(source.next_run))}"


def run_now(sources: Sources, source: ListedSource) -> None:
    """A button that orders a run; a run that goes on is stopped where its progress is shown."""
    button(
        "Running …" if source.job else "Run now",
        _run,
        sources,
        source.id,
        icon="sync",
        of=named(source),
        key=f"run source {source.id}",
        disabled=source.job is not None,
    )


def _run(sources: Sources, number: int) -> None:
    with failures_shown(as_toast=True):
        sources.sync(number)


def _show_releases(source: ListedSource) -> None:
    ran = {one["release"]: one for one in source.report.get("releases", ())}
    rows = [{**known, "ran": ran.get(known["release"], {})} for known in reversed(source.releases)]
    if not rows:
        return
    show_table(
        rows,
        {
            "Release": lambda row: row["release"],
            **({"Last run": lambda row: _came_to(row["ran"])} if ran else {}),
            "Published": lambda row: when(row["published"]) if row["published"] else "",
            "Revision": lambda row: row["revision"][:_REVISION],
            "Problem": ("large", lambda row: row["error"]),
        },
        name="Releases of this source",
        height="auto",
    )


def _came_to(ran: Mapping[str, Any]) -> str:
    if ran.get("outcome") not in ("published", "waits"):
        return str(ran.get("outcome", ""))
    counted = [f"{ran[what]:,} {what}" for what in ("added", "changed", "removed") if ran.get(what)]
    waits = ["waits to be published"] if ran["outcome"] == "waits" else []
    return ", ".join([*counted, *waits]) or "published"


def _show_files(report: Mapping[str, Any]) -> None:
    changed = list(changed_files(report))
    if not changed:
        return
    count = sum(number for *_, number in changed)
    with st.expander(f"Changed files ({count:,})"):
        for release, what, names, number in reversed(changed):
            shown = [as_label(name, 200) for name in names[:_FILES]]
            more = [f"and {number - len(shown):,} more"] if number > len(shown) else []
            st.markdown(f"**{as_label(release)}**, {number:,} {what}: {', '.join(shown + more)}")


def _show_hook(sources: Sources, source: ListedSource) -> None:
    st.markdown(
        "A push at GitHub or GitLab, or a script, can start a run. Give the secret to GitHub or "
        "GitLab as that of the webhook; a script sends it as `Authorization: Bearer`."
    )
    server = urlsplit(st.context.url or "")
    path = f"/api/v1/sources/{source.id}/hook"
    st.caption("Address (POST)")
    st.code(
        urlunsplit((server.scheme, server.netloc, path, "", "")), language=None, wrap_lines=True
    )
    made = st.session_state.get(_MADE)
    if made and made[0] == source.id:
        st.caption("Secret. It is shown only now; keep it where it is needed.")
        st.code(made[1], language=None, wrap_lines=True)
    elif source.has_hook:
        st.markdown(":gray[A secret is in use. It is not shown again; a new one replaces it.]")
    with in_a_row():
        label = "Make a new secret" if source.has_hook else "Make a secret"
        button(label, _make_hook, sources, source.id, icon="key")
        if source.has_hook:
            button("Turn off", _end_hook, sources, source.id, icon="link_off")


def _make_hook(sources: Sources, number: int) -> None:
    with failures_shown(as_toast=True):
        st.session_state[_MADE] = number, sources.make_hook(number)


def _end_hook(sources: Sources, number: int) -> None:
    st.session_state.pop(_MADE, None)
    with failures_shown(as_toast=True):
        sources.end_hook(number)


@st.dialog("Schedule", icon=":material/schedule:")
def edit_schedule(sources: Sources, source: ListedSource) -> None:
    """Change when a source is run by itself."""
    with st.form("schedule", border=False):
        chosen = schedule_field(source.schedule, f"source {source.id}")
        saves = st.form_submit_button("Save", type="primary")
    if saves:
        with failures_shown():
            changed = sources.set_schedule(source.id, chosen)
            due = when(changed.next_run) if changed.next_run else "only when somebody starts it"
            done(f"Saved. Next run: {due}")


@st.dialog("Remove this source", icon=":material/delete:")
def remove(sources: Sources, source: ListedSource) -> None:
    """Ask whether to remove a source, and whether its documents go with it."""
    st.markdown(
        f"{as_label(source.place, 300)} will no longer be looked at. What it brought stays and can "
        "be asked about."
    )
    documents = st.checkbox(
        f"Also remove the documents that it brought to {as_label(source.product)}",
        key=f"with documents {source.id}",
    )
    if documents:
        st.caption("Releases that hold nothing else are deleted. Uploaded documents stay.")
    if confirmed("Remove"):
        with failures_shown():
            jobs = sources.remove(source.id, documents=documents)
            go(source=None)
            leaving = f" Its documents are removed by {how_many(len(jobs), 'job')}." if jobs else ""
            done(f"The source is removed.{leaving}")
