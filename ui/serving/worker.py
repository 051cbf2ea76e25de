"""The worker process: it does the jobs that admins order, and cleans up the data folder.

Jobs stand in the database (`corpora.jobs.jobs`), where any number of workers look for one that
waits; that of a worker that died is found within a minute. `strata serve` keeps one running.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from chatbot.accounts.people import LOCAL
from chatbot.conversations.personal_data import sweep
from chatbot.memory.suspending import open_database
from chatbot.models.embedders import open_embedders
from chatbot.models.server_calls import add_up_old_calls
from chatbot.runtime.ingest_throttle import pauses_for_answers
from chatbot.settings import Settings
from corpora.database.engine import Database
from corpora.documents.embedding_anew import order_embedding
from corpora.documents.uploads import sweep_uploads
from corpora.documents.worker import JobWork
from corpora.errors import EmbedderFailed, UnreachableDatabase, UnusableDatabase
from corpora.generations.generations import sweep_folders
from corpora.generations.processes import HEARTBEAT_SECONDS, this_process
from corpora.jobs.jobs import Claims, JobKind
from corpora.sources.ordering import order_due
from corpora.sources.run_report import ReleaseRun
from corpora.sources.source import Secrets
from eval.runs.forgetting import forget_runs
from ingestion.plugins import BadPlugin
from ui.serving.checking import check
from ui.serving.drafting import draft
from ui.serving.evaluating import evaluate
from ui.serving.packing import make_pack, take_pack

_LOOK_SECONDS = 0.5
_UPKEEP_SECONDS = 60.0
_END_SECONDS = 20.0
_DATABASE_SECONDS = 60.0
"""How long a worker that begins waits for a database that does not answer."""
_NICE = 10
_HEALTHY_SECONDS = 60.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0

_log = logging.getLogger("strata.worker")


def start_keeper() -> None:
    """Keep a worker running; it ends by itself when this process is gone."""
    threading.Thread(target=_keep, name="worker", daemon=True).start()


def _keep() -> None:
    command = [sys.executable, "-m", "ui.cli.main", "worker", "--parent", str(os.getpid())]
    pause = _SHORTEST_PAUSE
    while True:
        started = time.monotonic()
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        # A worker that cannot start, for lack of disk for instance, is not restarted at once.
        if time.monotonic() - started > _HEALTHY_SECONDS:
            pause = _SHORTEST_PAUSE
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def run_worker(settings: Settings, parent: int | None = None) -> None:
    """Do jobs, one at a time, until this process is told to stop or is no child of `parent`.

    The job that is being done then goes back to those that wait.
    """
    # Answering questions goes first. Not at the lowest priority there is: a worker that holds the
    # database's lock must get done.
    os.nice(_NICE)
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    stopping = threading.Event()
    database, claims = _open(settings)
    work = JobWork(
        claims,
        database,
        settings.data_dir,
        open_embedders(settings, database, threads=1),
        settings.chunking,
        stopping.is_set,
        settings.reading_limits,
        partial(pauses_for_answers, settings.data_dir),
        waits=settings.publishing_waits,
        unpack=partial(take_pack, settings),
    )
    # An evaluation takes hours: what else is ordered meanwhile does not wait for it.
    evaluations = replace(work, tasks={JobKind.EVALUATE: partial(evaluate, settings)})
    drafts = replace(work, tasks={JobKind.DRAFT: partial(draft, settings)})
    checks = replace(work, tasks={JobKind.CHECK: partial(check, settings)})
    packs = replace(work, tasks={JobKind.PACK: partial(make_pack, settings)})
    # A source is waited for: that is no reason for uploads to wait, too.
    opened = settings.source_tokens, settings.source_files, settings.source_folders
    sources = replace(work, secrets=Secrets(*opened), tell=partial(_mail, settings))
    lines = [
        (line, threading.Event()) for line in (work, evaluations, drafts, checks, packs, sources)
    ]
    threads = [
        *(threading.Thread(target=_do_jobs, args=(*of, stopping), daemon=True) for of in lines),
        threading.Thread(
            target=_keep_in_order, args=(settings, database, claims, stopping), daemon=True
        ),
    ]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _signal, _frame: stopping.set())
    for thread in threads:
        thread.start()
    _log.info("worker %s waits for jobs in %s", this_process(), settings.data_dir)
    _watch(claims, lines, stopping, parent)
    _log.info("worker %s stops", this_process())
    for thread in threads:
        thread.join(_END_SECONDS)
    claims.end()
    database.close()


def _mail(settings: Settings, product: str, withdrawn: Sequence[ReleaseRun]) -> str:
    # Few sources ever lose a release.
    from chatbot.release_check.telling import mail_withdrawn

    page = f"{settings.public_url}/sources" if settings.public_url else ""
    return mail_withdrawn(settings, product, withdrawn, page)


def _open(settings: Settings) -> tuple[Database, Claims]:
    """Open the database and say that this worker lives; one that is being started is waited for."""
    end = time.monotonic() + _DATABASE_SECONDS
    while True:
        try:
            database = open_database(settings)
            claims = Claims(database, this_process())
            claims.beat()
        except UnreachableDatabase as error:
            if time.monotonic() > end:
                raise
            _log.warning("the database is waited for: %s", error)
            time.sleep(_LOOK_SECONDS)
        else:
            return database, claims


def _do_jobs(work: JobWork, is_wanted: threading.Event, stopping: threading.Event) -> None:
    """Do one job after another; where none waits, wait until one may."""
    lost = False
    while not stopping.is_set():
        is_wanted.clear()
        try:
            if lost:
                work.claims.let_go(work.kinds)
                lost = False
            is_found = work.do_next()
        except (SQLAlchemyError, UnusableDatabase) as error:
            _log.warning("the database failed, and the next job is looked for again: %s", error)
            lost = True
            stopping.wait(_LOOK_SECONDS)
        else:
            if not is_found:
                is_wanted.wait()


def _watch(
    claims: Claims,
    lines: Sequence[tuple[JobWork, threading.Event]],
    stopping: threading.Event,
    parent: int | None,
) -> None:
    """Look for jobs twice a second, for all lines at once, and say that this worker lives."""
    due = time.monotonic() + HEARTBEAT_SECONDS
    while not stopping.wait(_LOOK_SECONDS):
        if parent is not None and os.getppid() != parent:
            stopping.set()
        try:
            waiting = claims.kinds_waiting()
            for work, is_wanted in lines:
                if not waiting.isdisjoint(work.kinds):
                    is_wanted.set()
            if time.monotonic() >= due:
                due = time.monotonic() + HEARTBEAT_SECONDS
                claims.beat()
        except (SQLAlchemyError, UnusableDatabase) as error:
            # A missed beat does no harm; a lasting problem makes the job itself fail too.
            _log.warning("the database failed, and is looked at again: %s", error)
    for _, is_wanted in lines:
        is_wanted.set()


def _order_embedding(settings: Settings, database: Database) -> bool:
    """Order that what another embedder embedded is embedded anew; say that this is done."""
    try:
        count = order_embedding(database, open_embedders(settings, database).name, LOCAL.id)
    except (EmbedderFailed, BadPlugin) as error:
        _log.error("nothing can be embedded: %s", error)
        return False
    if count:
        _log.info("%d releases are embedded anew by %s", count, settings.embedder)
    return True


def _keep_in_order(
    settings: Settings, database: Database, claims: Claims, stopping: threading.Event
) -> None:
    """Once a minute, free the jobs of dead workers and delete what nobody needs any more."""
    ordered = False
    while True:
        try:
            claims.recover()
            if not ordered:
                ordered = _order_embedding(settings, database)
            if due := order_due(database, datetime.now(UTC)):
                _log.info("sources are due: jobs %s", ", ".join(map(str, due)))
            sweep_folders(database, settings.data_dir)
            sweep_uploads(database, settings.data_dir)
            if deleted := sweep(database, settings):
                _log.info("%d old conversations are deleted", deleted)
            add_up_old_calls(database)
            if forgotten := forget_runs(database, settings.data_dir):
                _log.info("%d runs of deleted questions are deleted", forgotten)
        except (SQLAlchemyError, UnusableDatabase, OSError) as error:
            _log.warning("keeping things in order failed and is tried again: %s", error)
        if stopping.wait(_UPKEEP_SECONDS):
            return
