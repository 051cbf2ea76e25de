"""Spans of questions, steps and model calls for OpenTelemetry; nothing where none are sent.

Names and attributes are those of the semantic conventions for generative AI. Spans hold no text of
prompts, answers or errors: only models, servers, numbers of tokens, times and kinds of error.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from ingestion.errors import BadSettings

Attributes = Mapping[str, Any]
"""Attributes by name; those that are None are left out."""
_SPANS = "/v1/traces"
_provider: Any = None


def send_spans(url: str) -> None:
    """Send spans to an OTLP/HTTP collector from now on; another call replaces the first.

    `url` is its address, to which `/v1/traces` is added if it has no path. Raises BadSettings
    without the packages of the extra `telemetry`.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise BadSettings(
            f"the setting telemetry_url needs another package ({error}): install the extra "
            "`telemetry`, or unset STRATA_TELEMETRY_URL"
        ) from error
    global _provider
    stop_spans()
    address = url if urlsplit(url).path.strip("/") else url.rstrip("/") + _SPANS
    resource = Resource.create({"service.name": "strata", "service.version": _version()})
    # Not the global one: libraries that have spans of their own would send them along.
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    _provider = provider


def stop_spans() -> None:
    """Send the spans that are left, and no more."""
    global _provider
    provider, _provider = _provider, None
    if provider is not None:
        provider.shutdown()


@contextmanager
def span(
    name: str, attributes: Attributes | None = None, *, client: bool = False
) -> Iterator[Callable[[Attributes], None]]:
    """A span of the block, inside the one that is open; yields a function that adds attributes.

    `client` says that the block asks a server. Of an error only the kind is recorded: its message
    may repeat what a person wrote.
    """
    if _provider is None:
        yield _no_span
        return
    from opentelemetry.trace import SpanKind, StatusCode

    tracer = _provider.get_tracer("strata")
    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
        attributes=_given(attributes or {}),
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield lambda more: current.set_attributes(_given(more))
        except BaseException as error:
            current.set_attribute("error.type", getattr(error, "kind", type(error).__name__))
            current.set_status(StatusCode.ERROR)
            raise


def _no_span(attributes: Attributes) -> None:
    pass


def _given(attributes: Attributes) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def _version() -> str:
    return version("strata-docs")
