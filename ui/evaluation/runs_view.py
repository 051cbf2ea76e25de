"""The runs on a product: one is started, the share of right answers over time, all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.accounts.people import Person
from corpora.jobs.jobs import EVALUATIONS, Jobs
from eval.reports.history import PastRun, asked_the_same, past_runs
from eval.reports.outcomes import Outcome, Outcomes, share
from eval.sets.regression import regression_set
from ui.documents.jobs_view import show_ended, show_running
from ui.elements.charts import chart_over_time
from ui.elements.frame import button, done, failures_shown, in_a_row, when
from ui.elements.table import Columns, show_table
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

_SYSTEMS = ("good", "bad", "fair", "other")
"""The colors of the systems that are drawn; more lines could not be told apart."""
_WHAT_IT_DOES = "Asks the {} of the regression set as users do. Their own questions go first."
_NOTHING_TO_ASK = (
    "The regression set is empty. Add questions on the tab **Questions**, or put rated answers "
    "into it on the page **Review**."
)


def show_runs(person: Person, product: str) -> None:
    """Show those that somebody may see; the newest comes first."""
    show_running(EVALUATIONS)
    _start(product)
    data_dir = services.administered().settings.data_dir
    runs = past_runs(data_dir, product, alone=not person.is_admin)
    if not runs:
        st.markdown("No run yet. Its figures appear here as soon as one is done.")
        return
    _over_time(asked_the_same(runs))
    columns: Columns[PastRun] = {
        "Open": (190, lambda run: run.folder.name),
        "Right": (280, lambda run: _by_system(run.outcomes, Outcome.RIGHT)),
        "Wrong release": (280, lambda run: _by_system(run.outcomes, Outcome.WRONG_RELEASE)),
        "Questions": (NumberColumn(width=90), lambda run: run.manifest.questions),
        "Started": (160, lambda run: when(run.manifest.started)),
        "State": lambda run: run.manifest.state,
    }
    show_table(runs, columns, key="evaluation-runs", opens="run", name="Runs", height="auto")


def _start(product: str) -> None:
    database = services.administered().database
    questions = regression_set(database, product)
    (newest,) = Jobs(database).recent(1, kinds=EVALUATIONS) or (None,)
    with in_a_row(key="evaluation-start"):
        is_open = newest is not None and newest.is_open
        if button("Run now", icon="play_arrow", type="primary", disabled=is_open or not questions):
            with failures_shown():
                services.administration().evaluate(product)
                done("The run has started.")
        asked = how_many(len(questions), "question")
        st.markdown(_WHAT_IT_DOES.format(asked) if questions else _NOTHING_TO_ASK)
    if newest is not None and newest.product == product and newest.state in ("failed", "cancelled"):
        show_ended(newest)


def _over_time(runs: Sequence[PastRun]) -> None:
    systems = Counter(system for run in runs for system in run.outcomes)
    drawn = [system for system, times in systems.most_common(len(_SYSTEMS)) if times > 1]
    if not drawn:
        return
    of = as_label(runs[-1].manifest.questions_file.removesuffix(".jsonl"))
    st.subheader(f"Right answers in percent: {of}", anchor=False)
    series = {
        system: (color, [_percent(run.outcomes.get(system), Outcome.RIGHT) for run in runs])
        for system, color in zip(drawn, _SYSTEMS, strict=False)
    }
    starts = [run.manifest.started for run in runs]
    chart_over_time(starts, series, lines=True, height=220, none="None was right.")


def _percent(outcomes: Outcomes | None, outcome: Outcome) -> float | None:
    of_all = share(outcome, outcomes) if outcomes else None
    return None if of_all is None else round(100 * of_all, 1)


def _by_system(outcomes: Mapping[str, Outcomes], outcome: Outcome) -> str:
    shares = ((system, _percent(found, outcome)) for system, found in outcomes.items())
    return ", ".join(
        f"{system} {percent:.0f} %" for system, percent in shares if percent is not None
    )
