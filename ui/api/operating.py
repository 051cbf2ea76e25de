"""For whoever operates Strata: health, readiness, and figures for Prometheus.

The figures are counted in SQL when they are asked for, so they are the same from every process that
shares the database, and outlive each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import GC_COLLECTOR, PLATFORM_COLLECTOR, PROCESS_COLLECTOR
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry
from sqlalchemy import ColumnElement, case, func, select

from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, OpenQuestionRow, TurnRow
from corpora.database.job_tables import JobRow
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ReleaseRow
from ingestion.errors import StrataError
from ui.api.dependencies import Operating, Serving, serving

_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class _Figure:
    """A figure: what is counted or summed of the rows of a table, for each value of its labels."""

    kind: type[CounterMetricFamily] | type[GaugeMetricFamily]
    name: str
    told: str
    value: ColumnElement[Any]
    labels: Mapping[str, Any] = field(default_factory=dict)
    where: tuple[Any, ...] = ()


_FIGURES = (
    _Figure(
        CounterMetricFamily,
        "strata_questions",
        "Kept questions.",
        func.count(TurnRow.id),
        {"route": TurnRow.route, "refused": case((TurnRow.abstained, "true"), else_="false")},
    ),
    _Figure(
        CounterMetricFamily,
        "strata_answer_seconds",
        "Time spent on them.",
        func.sum(TurnRow.seconds),
        {"route": TurnRow.route},
    ),
    _Figure(
        CounterMetricFamily,
        "strata_model_calls",
        "Calls of the model for them.",
        func.sum(TurnRow.model_calls),
    ),
    _Figure(
        GaugeMetricFamily,
        "strata_feedback",
        "Thumbs on answers.",
        func.count(FeedbackRow.thumbs),
        {"thumbs": case((FeedbackRow.thumbs > 0, "up"), else_="down")},
    ),
    _Figure(
        GaugeMetricFamily,
        "strata_jobs",
        "Jobs.",
        func.count(JobRow.id),
        {"state": JobRow.state, "kind": JobRow.kind},
    ),
    _Figure(
        GaugeMetricFamily,
        "strata_remembered_answers",
        "The memory.",
        func.count(MemoryPairRow.id),
        {"store": MemoryPairRow.store},
    ),
    _Figure(
        GaugeMetricFamily,
        "strata_open_questions",
        "Questions of the page without an answer.",
        func.count(OpenQuestionRow.id),
    ),
    _Figure(
        GaugeMetricFamily,
        "strata_releases",
        "Releases that can be asked.",
        func.count(ReleaseRow.id),
        where=(ReleaseRow.published_generation_id.is_not(None), ~ReleaseRow.retired),
    ),
)

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
def metrics(service: Serving, caller: Operating) -> PlainTextResponse:
    """Tell the figures in Prometheus' text format."""
    return PlainTextResponse(exposition(service.chatbot.database), media_type=_EXPOSITION)


class StrataCollector(Collector):
    """Reads what the database holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """Yield the figures, all of one moment."""
        with self._database.reading() as session:
            for figure in _FIGURES:
                by = list(figure.labels.values())
                family = figure.kind(figure.name, figure.told, labels=list(figure.labels))
                counted = select(*by, figure.value).where(*figure.where).group_by(*by)
                for *labels, value in session.execute(counted):
                    family.add_metric([str(label) for label in labels], value or 0)
                yield family


def exposition(database: Database) -> bytes:
    """The figures in Prometheus' text format, with those of this process."""
    registry = CollectorRegistry()
    for collector in (StrataCollector(database), PROCESS_COLLECTOR, PLATFORM_COLLECTOR):
        registry.register(collector)
    registry.register(GC_COLLECTOR)
    return generate_latest(registry)
