"""For whoever operates Strata: health, readiness, and figures for Prometheus.

The figures are counted in SQL when they are asked for, so they are the same from every process that
shares the database, and outlive each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry
from sqlalchemy import func, select

from chatbot.accounts.program_keys import Scope
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, OpenQuestionRow, TurnRow
from corpora.database.job_tables import JobRow
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ReleaseRow
from ingestion.errors import StrataError
from ui.api.dependencies import Calling, Serving, serving

_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


router = APIRouter()
"""The routes."""


@router.get("/health")
def health() -> dict[str, str]:
    """Say that this process is there."""
    return {"status": "ok"}


@router.get("/ready")
def ready(request: Request) -> JSONResponse:
    """Say whether the database and the model's file are there."""
    try:
        chatbot = serving(request).chatbot
        products = len(chatbot.products())
        if chatbot.settings.backend == "embedded":
            _ = chatbot.settings.generator_file
    except StrataError as error:
        told = {"status": "not ready", "message": str(error)}
        return JSONResponse(told, HTTPStatus.SERVICE_UNAVAILABLE)
    return JSONResponse({"status": "ready", "products": products})


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(service: Serving, caller: Calling) -> PlainTextResponse:
    """Tell the figures in Prometheus' text format."""
    caller.require(Scope.ADMIN)
    return PlainTextResponse(exposition(service.chatbot.database), media_type=_EXPOSITION)


class StrataCollector(Collector):
    """Reads what the database holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """Yield the figures, all of one moment."""
        with self._database.reading() as session:
            asked = session.execute(
                select(
                    TurnRow.route,
                    TurnRow.abstained,
                    func.count(),
                    func.sum(TurnRow.seconds),
                    func.sum(TurnRow.model_calls),
                ).group_by(TurnRow.route, TurnRow.abstained)
            ).all()
            thumbs = session.execute(
                select(FeedbackRow.thumbs, func.count()).group_by(FeedbackRow.thumbs)
            ).all()
            jobs = session.execute(
                select(JobRow.state, JobRow.kind, func.count()).group_by(JobRow.state, JobRow.kind)
            ).all()
            pairs = session.execute(
                select(MemoryPairRow.store, func.count()).group_by(MemoryPairRow.store)
            ).all()
            waiting = session.scalar(select(func.count()).select_from(OpenQuestionRow)) or 0
            serving = session.scalar(
                select(func.count())
                .select_from(ReleaseRow)
                .where(ReleaseRow.published_generation_id.is_not(None), ~ReleaseRow.retired)
            )
        yield _family(
            CounterMetricFamily("strata_questions", "Kept questions.", labels=["route", "refused"]),
            [((str(route), str(bool(no)).lower()), n) for route, no, n, _, _ in asked],
        )
        yield _family(
            CounterMetricFamily("strata_answer_seconds", "Time spent on them.", labels=["route"]),
            _summed((route, seconds) for route, _, _, seconds, _ in asked),
        )
        yield CounterMetricFamily(
            "strata_model_calls", "Calls of the model for them.", sum(r[4] or 0 for r in asked)
        )
        yield _family(
            GaugeMetricFamily("strata_feedback", "Thumbs on answers.", labels=["thumbs"]),
            [(("up" if up > 0 else "down",), n) for up, n in thumbs],
        )
        yield _family(
            GaugeMetricFamily("strata_jobs", "Jobs.", labels=["state", "kind"]),
            [((str(state), str(kind)), n) for state, kind, n in jobs],
        )
        yield _family(
            GaugeMetricFamily("strata_remembered_answers", "The memory.", labels=["store"]),
            [((str(store),), n) for store, n in pairs],
        )
        yield GaugeMetricFamily(
            "strata_open_questions", "Questions of the page without an answer.", waiting
        )
        yield GaugeMetricFamily("strata_releases", "Releases that can be asked.", serving)


def exposition(database: Database) -> bytes:
    """The figures in Prometheus' text format, with those of this process."""
    registry = CollectorRegistry()
    for collector in (StrataCollector(database), PROCESS_COLLECTOR, PLATFORM_COLLECTOR):
        registry.register(collector)
    registry.register(GC_COLLECTOR)
    return generate_latest(registry)


Labelled = tuple[tuple[str, ...], float]


def _family(
    family: CounterMetricFamily | GaugeMetricFamily, values: list[Labelled]
) -> CounterMetricFamily | GaugeMetricFamily:
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def _summed(values: Iterator[tuple[str, float | None]]) -> list[Labelled]:
    sums: dict[str, float] = {}
    for label, value in values:
        sums[str(label)] = sums.get(str(label), 0.0) + (value or 0.0)
    return [((label,), value) for label, value in sums.items()]
