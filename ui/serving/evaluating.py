"""An evaluation that an admin ordered: the worker asks the regression set of a product."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.ingest_throttle import wait_for_answers
from chatbot.settings import Settings
from corpora.catalog.rights import Rights
from corpora.errors import IngestCancelled
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import Job
from eval.gold import GoldError, gold_lines, read_gold
from ingestion.messages import message

if TYPE_CHECKING:
    from chatbot.chatbot import Chatbot
    from eval.runs.running import Running

_UNSAFE = re.compile(r"[^\w.-]+")
_CHANGED = (
    "Documents, model or settings have changed since this run began, so it cannot go on. Start a "
    "new one."
)


def evaluate(
    settings: Settings,
    job: Job,
    report: Callable[[Progress], None],
    is_to_stop: Callable[[], bool],
) -> str:
    """Ask the regression set of the job's product of the profile in use; say what it came to.

    A job that is done again goes on where it stopped, as long as nothing has changed. People's
    questions go first. Raises GoldError where there is no question, and IngestCancelled.
    """
    from chatbot.assembly import open_chatbot
    from eval.reports.outcomes import Outcome
    from eval.reports.writing import write_reports

    whole = open_chatbot(settings)
    with closing(whole.database), closing(whole.corpora):
        # What an admin of products is shown says nothing of others.
        alone = Rights(whole.database).alone(job.product) if job.order.get("alone") else None
        run = _opened(whole.limited(alone), job)

        def on_progress(what: str, done: int, total: int) -> None:
            stage = Stage.SCORING if what == "scoring" else Stage.ASKING
            report(Progress(stage, done, total))

        run.on_progress, run.stopped = on_progress, is_to_stop
        run.pause = partial(wait_for_answers, settings.data_dir, is_to_stop)
        try:
            run.finish()
        except Stopped as stopped:
            raise IngestCancelled from stopped
    outcomes = write_reports(run.folder).systems[0].outcomes
    right, of_all = outcomes[Outcome.RIGHT], sum(outcomes.values())
    return message("{number} of {all} answers are right.", number=right, all=of_all)


def _opened(chatbot: Chatbot, job: Job) -> Running:
    """The run of a job: a new one, or what there is of it; with a judge that is configured."""
    from eval.judging.metrics import JUDGE_METRICS
    from eval.judging.opening import judge_settings, open_judge
    from eval.runs.folder import RunFolder, runs_folder
    from eval.runs.manifest import Plan
    from eval.runs.running import open_run
    from eval.sets.regression import regression_set

    settings = chatbot.settings
    product = _UNSAFE.sub("-", job.product).strip("-.")[:60] or "product"
    # Two jobs of one second must not go on with each other's run.
    name = f"{job.created:%Y%m%d-%H%M%S}-{job.id}-{product}"
    folder = runs_folder(settings.data_dir) / name
    with TemporaryDirectory() as place:
        gold = Path(place) / f"Regression set of {product}.jsonl"
        if (kept := RunFolder(folder).questions).exists():
            gold.write_bytes(kept.read_bytes())
        else:
            questions = regression_set(chatbot.database, job.product)
            if not questions:
                raise GoldError(
                    "There is no question on {product} to ask. Add some first.", product=job.product
                )
            gold.write_text("".join(gold_lines(questions)), "utf-8")
        plan = Plan(gold, read_gold(gold), (settings.profile_in_use,))
        if settings.judge_model:
            name = judge_settings(settings).model_name
            plan = replace(plan, metrics=tuple(JUDGE_METRICS), judge=name)
        try:
            run = open_run(plan, chatbot, folder)
        except GoldError as error:
            if kept.exists():
                raise GoldError(_CHANGED) from error
            raise
    if settings.judge_model:
        run.judge = open_judge(settings, run.files.judge_calls)
    return run
