"""For whoever operates Strata: health, readiness, and figures for Prometheus.

The figures are counted in SQL when they are asked for, so they are the same from every process that
shares the database, and outlive each of them.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client.core import CounterMetricFamily as Counter
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from sqlalchemy import ColumnElement, and_, case, func, select

from corpora.catalog.rights import NOBODY
from corpora.database.engine import Database
from corpora.database.history_tables import (
    FeedbackRow,
    OpenQuestionRow,
    ServerCallRow,
    TurnRow,
)
from corpora.database.job_tables import JobRow
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ReleaseRow
from ingestion.errors import StrataError
from ui.api.service import OfAll, opened

_EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"

_Labels = dict[str, Any]
_ROUTE: _Labels = {"route": TurnRow.route}
_ROUTE_AND_REFUSED = _ROUTE | {"refused": case((TurnRow.abstained, "true"), else_="false")}
_THUMBS = {"thumbs": case((FeedbackRow.thumbs > 0, "up"), else_="down")}
_SERVER: _Labels = {"server": ServerCallRow.server, "model": ServerCallRow.model}
_JOBS = {"state": JobRow.state, "kind": JobRow.kind}
_STORE = {"store": MemoryPairRow.store}
_OFFERED = and_(ReleaseRow.published_generation_id.is_not(None), ~ReleaseRow.retired)
_RELEASES = case((_OFFERED, ReleaseRow.id))
_FIGURES: tuple[tuple[type[Counter | Gauge], str, str, ColumnElement[Any], _Labels], ...] = (
    (Counter, "questions", "Kept questions.", func.count(TurnRow.id), _ROUTE_AND_REFUSED),
    (Counter, "answer_seconds", "Time spent on them.", func.sum(TurnRow.seconds), _ROUTE),
    (Counter, "model_calls", "Calls of the model for them.", func.sum(TurnRow.model_calls), {}),
    (
        Counter,
        "model_server_calls",
        "Requests to models, by their errors.",
        func.sum(ServerCallRow.calls),
        _SERVER | {"error": ServerCallRow.error},
    ),
    (
        Counter,
        "model_server_seconds",
        "Time until they were answered.",
        func.sum(case((ServerCallRow.error == "", ServerCallRow.seconds), else_=0.0)),
        _SERVER,
    ),
    (Gauge, "feedback", "Thumbs on answers.", func.count(FeedbackRow.thumbs), _THUMBS),
    (Gauge, "jobs", "Jobs.", func.count(JobRow.id), _JOBS),
    (Gauge, "remembered_answers", "The memory.", func.count(MemoryPairRow.id), _STORE),
    (
        Gauge,
        "open_questions",
        "Questions of the page without an answer.",
        func.count(OpenQuestionRow.id),
        {},
    ),
    (Gauge, "releases", "Releases that can be asked.", func.count(_RELEASES), {}),
)
"""Each figure's kind, name and description, what is counted or summed, and its labels."""

router = APIRouter()
"""The routes."""


@router.get("/health")
def health() -> dict[str, str]:
    """Say that this process runs."""
    return {"status": "ok"}


@router.get("/ready")
def ready(request: Request) -> JSONResponse:
    """Say whether the database and the model's file are there."""
    try:
        chatbot = opened(request)
        # Who asks is not known.
        products = len(chatbot.seen_by(NOBODY).products())
        if chatbot.settings.backend == "embedded":
            _ = chatbot.settings.generator_file, chatbot.settings.adapter_file
    except StrataError as error:
        body = {"status": "not ready", "message": str(error)}
        return JSONResponse(body, HTTPStatus.SERVICE_UNAVAILABLE)
    return JSONResponse({"status": "ready", "products": products})


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(service: OfAll) -> PlainTextResponse:
    """Tell the figures in Prometheus' text format."""
    kept = generate_latest(_Figures(service.chatbot.database))
    # The default registry has the figures of this process.
    return PlainTextResponse(kept + generate_latest(), media_type=_EXPOSITION)


class _Figures(Collector):
    """Reads what the database holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """Yield the figures, all from one read transaction."""
        with self._database.reading() as session:
            for kind, name, description, value, labels in _FIGURES:
                family = kind(f"strata_{name}", description, labels=list(labels))
                by = labels.values()
                for *of, number in session.execute(select(*by, value).group_by(*by)):
                    family.add_metric([str(label) for label in of], number or 0)
                yield family
