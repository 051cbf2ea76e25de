"""Spans as a collector receives them: a real exporter, real bytes over loopback."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from chatbot.chatbot import Chatbot
from chatbot.errors import GeneratorError
from chatbot.models.served import ServedChatModel
from chatbot.runtime.spans import send_spans, stop_spans
from chatbot.settings import read_settings
from ingestion.errors import BadSettings
from tests.chatbot import lamp
from tests.chatbot.small_server import refuses, serving, words
from tests.loopback import Asked, Reply, listening

MakeChatbot = Callable[..., Chatbot]
QUESTION = "How many lumen does the lamp give?"
WRITTEN = "The lamp gives 800 lumen [1]."
CLIENT, ERROR = 3, 2
"""The numbers of a kind and of a status in the protocol."""


class Collector:
    """What was received, span by span."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[bytes] = []
        self.paths: list[str] = []

    @property
    def resources(self) -> list[dict[str, Any]]:
        return [attributes(r.resource) for r in self._resource_spans()]

    def spans(self) -> list[Any]:
        stop_spans()
        found = [s for r in self._resource_spans() for of in r.scope_spans for s in of.spans]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def _resource_spans(self) -> list[Any]:
        requests = (ExportTraceServiceRequest.FromString(body) for body in self.bodies)
        return [r for request in requests for r in request.resource_spans]


def attributes(of: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in of.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    def reply(asked: Asked) -> Reply:
        collector.bodies.append(asked.body)
        collector.paths.append(asked.path)
        return Reply(headers={"Content-Type": "application/x-protobuf"})

    with listening(reply) as collector.url:
        try:
            yield collector
        finally:
            stop_spans()


def test_a_question_its_steps_and_its_calls_arrive_without_their_text(
    lamp_chatbot: MakeChatbot,
) -> None:
    reading = lamp.reading(QUESTION, search="lumen").reply or ""
    with collecting() as collector, serving(words(reading), words(WRITTEN)) as server:
        send_spans(collector.url)
        model = ServedChatModel(url=server.url, model="m", temperature=0.5)
        lamp_chatbot(model, "direct", backend="server", answer_ahead="off").ask(QUESTION)
        spans = collector.spans()
    assert set(collector.paths) == {"/v1/traces"}
    assert {resource["service.name"] for resource in collector.resources} == {"strata"}
    by_id = {span.span_id: span for span in spans}
    question, *inside = spans
    assert question.name == "invoke_workflow direct"
    assert attributes(question)["gen_ai.operation.name"] == "invoke_workflow"
    assert not question.parent_span_id
    assert {span.trace_id for span in inside} == {question.trace_id}
    steps = [span.name for span in inside if by_id[span.parent_span_id] is question]
    assert steps[0] == "question_reading"
    assert steps[-1] == "answer_generation"
    assert "context_retrieval" in steps
    calls = [span for span in inside if span.name == "chat m"]
    assert [by_id[span.parent_span_id].name for span in calls] == [
        "question_reading",
        "answer_generation",
    ]
    reading_call, answer_call = map(attributes, calls)
    host, port = server.server_address[:2]
    assert reading_call["gen_ai.output.type"] == "json"
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.output.type": "text",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "server.address": host,
        "server.port": port,
        "strata.step": "answer_generation",
    }
    assert {name: answer_call[name] for name in expected} == expected
    assert answer_call["gen_ai.response.time_to_first_chunk"] > 0
    assert {span.kind for span in calls} == {CLIENT}
    sent = b"".join(collector.bodies)
    for text in (QUESTION, WRITTEN, "lumen"):
        assert text.encode() not in sent


def test_what_fails_is_told_by_its_kind_alone(lamp_chatbot: MakeChatbot) -> None:
    with collecting() as collector, serving(refuses(500, f"cannot read {QUESTION}")) as server:
        send_spans(f"{collector.url}/v1/traces")
        model = ServedChatModel(url=server.url, model="m", retries=0)
        with pytest.raises(GeneratorError, match="lumen"):
            lamp_chatbot(model, "direct", backend="server", answer_ahead="off").ask(QUESTION)
        spans = collector.spans()
    failed = [span for span in spans if span.status.code == ERROR]
    assert {attributes(span)["error.type"] for span in failed} == {"500"}
    assert {"chat m", "question_reading", "invoke_workflow direct"} <= {s.name for s in failed}
    assert b"lumen" not in b"".join(collector.bodies)


def test_without_the_setting_nothing_is_imported_or_sent(lamp_chatbot: MakeChatbot) -> None:
    code = (
        "import sys\n"
        "from chatbot.runtime.spans import span\n"
        "with span('x'): pass\n"
        "print(*[name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == ""
    with collecting() as collector:
        model = lamp.model(lamp.answer("It is 5 %. [1]"))
        lamp_chatbot(model, "embedded").ask("What is the default of dim_step?")
        assert collector.spans() == []


def test_without_its_packages_the_setting_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    monkeypatch.delitem(
        sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", raising=False
    )
    with pytest.raises(BadSettings, match="extra `telemetry`"):
        send_spans("http://127.0.0.1:1")
    with pytest.raises(BadSettings, match="telemetry_url"):
        read_settings(telemetry_url="collector:4318")
