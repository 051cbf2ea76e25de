"""The runs on a product: one is started, the share of right answers over time, all of them."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.text.languages import figure, gettext, gettext_noop, ngettext
from corpora.jobs.jobs import EVALUATIONS, Jobs
from eval.reports.history import PastRun, asked_the_same, past_runs
from eval.reports.outcomes import Outcome, Outcomes, share
from eval.runs.folder import RunState
from eval.sets.regression import regression_set
from ui.documents.jobs_view import show_ended, show_running
from ui.elements.charts import chart_over_time
from ui.elements.frame import button, done, failures_shown, in_a_row, when
from ui.elements.table import Columns, Number, show_table
from ui.serving import services
from ui.wording.escaping import as_label

_SYSTEMS = ("good", "bad", "fair", "other")
"""The colors of the systems that are drawn; more lines could not be told apart."""
_STATES = {
    RunState.PLANNED: gettext_noop("planned"),
    RunState.ASKING: gettext_noop("asking"),
    RunState.JUDGING: gettext_noop("judging"),
    RunState.DONE: gettext_noop("done"),
    RunState.STOPPED: gettext_noop("stopped"),
}


def show_runs(person: Person, product: str) -> None:
    """Show those that somebody may see; the newest comes first."""
    show_running(EVALUATIONS)
    _start(product)
    data_dir = services.administered().settings.data_dir
    runs = past_runs(data_dir, product, alone=not person.is_admin)
    if not runs:
        st.markdown(gettext("No run yet. Its figures appear here as soon as one is done."))
        return
    _over_time(asked_the_same(runs))
    columns: Columns[PastRun] = {
        gettext("Open"): (190, lambda run: run.folder.name),
        gettext("Right"): (280, partial(_share, Outcome.RIGHT)),
        gettext("Wrong release"): (280, partial(_share, Outcome.WRONG_RELEASE)),
        gettext("Questions"): (Number(width=90), lambda run: run.manifest.questions),
        gettext("Started"): (160, lambda run: when(run.manifest.started)),
        gettext("State"): lambda run: gettext(_STATES[run.manifest.state]),
    }
    show_table(
        runs, columns, key="evaluation-runs", opens="run", name=gettext("Runs"), height="auto"
    )


def _start(product: str) -> None:
    database = services.administered().database
    questions = regression_set(database, product)
    (newest,) = Jobs(database).recent(1, kinds=EVALUATIONS) or (None,)
    with in_a_row(key="evaluation-start"):
        is_open = newest is not None and newest.is_open
        is_disabled = is_open or not questions
        if button(gettext("Run now"), icon="play_arrow", type="primary", disabled=is_disabled):
            with failures_shown():
                services.administration().evaluate(product)
                done(gettext("The run has started."))
        st.markdown(_what_it_does(len(questions)))
    if newest is not None and newest.product == product and newest.state in ("failed", "cancelled"):
        show_ended(newest)


def _what_it_does(questions: int) -> str:
    if not questions:
        return gettext(
            "The regression set is empty. Add questions on the tab **Questions**, or put rated "
            "answers into it on the page **Review**."
        )
    return ngettext(
        "Asks the {number} question of the regression set as users do. Their own go first.",
        "Asks the {number} questions of the regression set as users do. Their own go first.",
        questions,
    )


def _over_time(runs: Sequence[PastRun]) -> None:
    systems = Counter(system for run in runs for system in run.outcomes)
    drawn = [system for system, times in systems.most_common(len(_SYSTEMS)) if times > 1]
    if not drawn:
        return
    of = as_label(runs[-1].manifest.questions_file.removesuffix(".jsonl"))
    st.subheader(gettext("Right answers in percent: {set}", set=of), anchor=False)
    series = {
        system: (color, [_percent(run.outcomes.get(system), Outcome.RIGHT) for run in runs])
        for system, color in zip(drawn, _SYSTEMS, strict=False)
    }
    starts = [run.manifest.started for run in runs]
    chart_over_time(starts, series, lines=True, height=220, none=gettext("None was right."))


def _percent(outcomes: Outcomes | None, outcome: Outcome) -> float | None:
    of_all = share(outcome, outcomes) if outcomes else None
    return None if of_all is None else round(100 * of_all, 1)


def _share(outcome: Outcome, run: PastRun) -> str:
    shares = ((system, _percent(found, outcome)) for system, found in run.outcomes.items())
    return ", ".join(
        f"{system} {figure(percent)} %" for system, percent in shares if percent is not None
    )
