"""One source: what it brings, what its last run changed, when it runs, and its end."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from chatbot.administration.sources import ListedSource, Sources
from chatbot.text.languages import figure, gettext, gettext_noop
from corpora.errors import NoSuchSource
from corpora.jobs.jobs import SYNCS
from ui.documents.jobs_view import show_running
from ui.elements.address import go
from ui.elements.frame import button, confirmed, done, failures_shown, in_a_row, show_facts, when
from ui.elements.table import first_of, show_table
from ui.syncing.left_out import show_left_out
from ui.syncing.options_form import option_label
from ui.syncing.schedule_form import schedule_field
from ui.wording.amounts import how_many_changed, how_many_more, with_names
from ui.wording.escaping import as_label, as_text
from ui.wording.sources import changed_files, kind_name, left_out, schedule_in_words

_BADGES = {
    "failed": ("red", gettext_noop("failed")),
    "partly": ("orange", gettext_noop("some releases failed")),
}
_OUTCOMES = {
    "published": gettext_noop("published"),
    "waits": gettext_noop("waits to be published"),
    "unchanged": gettext_noop("unchanged"),
    "failed": gettext_noop("failed"),
    "gone": gettext_noop("gone"),
}
_NAMED = 6
_FILES = 20
_REVISION = 12
_MADE = "webhook secret"


def show_one(sources: Sources, number: int) -> None:
    """Show a source, and what can be done with it."""
    button(gettext("All sources"), go, icon="arrow_back", type="tertiary", kwargs={"source": None})
    try:
        source = sources.show(number)
    except NoSuchSource:
        st.markdown(gettext("There is no such source any more."))
        return
    with in_a_row(key="sources-heading"):
        st.title(as_label(source.product), anchor=False)
        run_now(sources, source)
        if button(gettext("Schedule …"), icon="schedule"):
            dialog = st.dialog(gettext("Schedule"), icon=":material/schedule:")
            dialog(edit_schedule)(sources, source)
        if sources.person.is_admin and button(
            gettext("Remove …"), icon="delete", key=f"delete-source-{source.id}"
        ):
            dialog = st.dialog(gettext("Remove this source"), icon=":material/delete:")
            dialog(remove)(sources, source)
    show_running(SYNCS)
    options = {
        as_label(option_label(name)): ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
        for name, value in source.options.items()
    }
    facts = {_numbered(source): kind_name(source.kind), **options}
    facts[gettext("Runs")] = schedule_in_words(source.schedule)
    if source.next_run:
        facts[gettext("Next run")] = when(source.next_run)
    show_facts(facts, longest=300)
    st.subheader(gettext("Last run"), anchor=False)
    st.markdown(last_run(source))
    _show_releases(source)
    _show_files(source.report)
    show_left_out(left_out(source.report))
    with st.expander(gettext("Webhook"), expanded=_MADE in st.session_state):
        _show_hook(sources, source)


def heading(source: ListedSource) -> str:
    """Product, kind, place and releases of a source."""
    releases = [one["release"] for one in source.releases][::-1]
    named = as_label(", ".join(first_of(releases, _NAMED)) or gettext("no release yet"), 200)
    return (
        f"**{as_label(source.product)}** · {as_label(kind_name(source.kind))}\\\n"
        f"{as_label(source.place, 200)}\\\n:gray[{named}]"
    )


def named(source: ListedSource) -> str:
    """What tells a source apart where only its name is heard."""
    return f"{source.product}, {_numbered(source)}"


def last_run(source: ListedSource) -> str:
    """What came of the last run; errors and names are those of the source."""
    if source.last_run is None:
        never = gettext("Running for the first time") if source.job else gettext("Never run")
        return f":gray[{never}]"
    color, said = _BADGES.get(source.outcome, ("", "")) if not source.job else ("", "")
    badge = f":{color}-badge[{gettext(said)}]" if said else ""
    moment = as_label(when(source.last_run))
    return f":gray[{moment}] {badge} {as_text(source.message)}"


def next_run(source: ListedSource) -> str:
    """When it runs next."""
    runs = gettext("Only when somebody starts it")
    if source.next_run is not None:
        runs = gettext("Next run: {moment}", moment=as_label(when(source.next_run)))
    return f"{_numbered(source)} · {runs}"


def _numbered(source: ListedSource) -> str:
    return gettext("Source {number}", number=source.id)


def run_now(sources: Sources, source: ListedSource) -> None:
    """A button that orders a run; a run that goes on is stopped where its progress is shown."""
    button(
        gettext("Running …") if source.job else gettext("Run now"),
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
            gettext("Release"): lambda row: row["release"],
            **({gettext("Last run"): lambda row: _came_to(row["ran"])} if ran else {}),
            gettext("Published"): lambda row: when(row["published"]) if row["published"] else "",
            gettext("Revision"): lambda row: row["revision"][:_REVISION],
            gettext("Problem"): ("large", lambda row: row["error"]),
        },
        name=gettext("Releases of this source"),
        height="auto",
    )


def _came_to(ran: Mapping[str, Any]) -> str:
    outcome = ran.get("outcome", "")
    said = gettext(_OUTCOMES[outcome]) if outcome in _OUTCOMES else str(outcome)
    counted = [
        how_many_changed(what, ran[what])
        for what in ("added", "changed", "removed")
        if outcome in ("published", "waits") and ran.get(what)
    ]
    return ", ".join([*counted, *([said] if outcome == "waits" or not counted else [])])


def _show_files(report: Mapping[str, Any]) -> None:
    changed = list(changed_files(report))
    if not changed:
        return
    count = sum(number for *_, number in changed)
    with st.expander(gettext("Changed files ({number})", number=figure(count))):
        for release, what, names, number in reversed(changed):
            shown = [as_label(name, 200) for name in names[:_FILES]]
            more = how_many_more(number - len(shown))
            files = with_names(how_many_changed(what, number), [*shown, *more])
            st.markdown(f"**{as_label(release)}** · {files}")


def _show_hook(sources: Sources, source: ListedSource) -> None:
    st.markdown(
        gettext(
            "A push at GitHub or GitLab, or a script, can start a run. Give the secret to GitHub "
            "or GitLab as that of the webhook; a script sends it as `Authorization: Bearer`."
        )
    )
    server = urlsplit(st.context.url or "")
    path = f"/api/v1/sources/{source.id}/hook"
    st.caption(gettext("Address (POST)"))
    st.code(
        urlunsplit((server.scheme, server.netloc, path, "", "")), language=None, wrap_lines=True
    )
    made = st.session_state.get(_MADE)
    if made and made[0] == source.id:
        st.caption(gettext("Secret. It is shown only now; keep it where it is needed."))
        st.code(made[1], language=None, wrap_lines=True)
    elif source.has_hook:
        in_use = gettext("A secret is in use. It is not shown again; a new one replaces it.")
        st.markdown(f":gray[{in_use}]")
    with in_a_row():
        label = gettext("Make a new secret") if source.has_hook else gettext("Make a secret")
        button(label, _make_hook, sources, source.id, icon="key")
        if source.has_hook:
            button(gettext("Turn off"), _end_hook, sources, source.id, icon="link_off")


def _make_hook(sources: Sources, number: int) -> None:
    with failures_shown(as_toast=True):
        st.session_state[_MADE] = number, sources.make_hook(number)


def _end_hook(sources: Sources, number: int) -> None:
    st.session_state.pop(_MADE, None)
    with failures_shown(as_toast=True):
        sources.end_hook(number)


def edit_schedule(sources: Sources, source: ListedSource) -> None:
    """Change when a source is run by itself."""
    with st.form("schedule", border=False):
        chosen = schedule_field(source.schedule, f"source {source.id}")
        saves = st.form_submit_button(gettext("Save"), type="primary")
    if saves:
        with failures_shown():
            changed = sources.set_schedule(source.id, chosen)
            due = gettext("Only when somebody starts it")
            if changed.next_run:
                due = gettext("Next run: {moment}", moment=when(changed.next_run))
            done(f"{gettext('Saved.')} {due}")


def remove(sources: Sources, source: ListedSource) -> None:
    """Ask whether to remove a source, and whether its documents go with it."""
    st.markdown(
        gettext(
            "{place} will no longer be looked at. What it brought stays and can be asked about.",
            place=as_label(source.place, 300),
        )
    )
    documents = st.checkbox(
        gettext(
            "Also remove the documents that it brought to {product}",
            product=as_label(source.product),
        ),
        key=f"with documents {source.id}",
    )
    if documents:
        left = gettext("Releases that hold nothing else are deleted. Uploaded documents stay.")
        st.caption(left)
    if confirmed(gettext("Remove")):
        with failures_shown():
            jobs = sources.remove(source.id, documents=documents)
            go(source=None)
            removed = gettext("The source is removed.")
            if jobs:
                removed = gettext("The source is removed, and its documents are being removed.")
            done(removed)
