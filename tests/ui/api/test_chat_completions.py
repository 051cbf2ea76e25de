"""The `openai` client and langchain-openai work against Strata unchanged."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI
from openai.types.chat import ChatCompletionMessageParam

from chatbot.accounts.program_keys import Scope
from chatbot.chatbot import Chatbot
from chatbot.runtime.concurrency import Stopped
from tests.ui.api.conftest import MakeKey

ASKED: ChatCompletionMessageParam = {
    "role": "user",
    "content": "What is the default of hold_time?",
}


@pytest.fixture
def client(address: str, make_key: MakeKey) -> Iterator[openai.OpenAI]:
    key = make_key(Scope.ASK, Scope.SEARCH)
    with openai.OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0) as made:
        yield made


IMAGE = {"type": "image_url", "text": None, "image_url": {"url": "data:image/png;base64,AA=="}}
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CALLED = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
OTHERWISE = (
    "stream stream_options temperature top_p n stop max_tokens max_completion_tokens user tools "
    "tool_choice functions function_call response_format seed metadata store logit_bias modalities"
)


def _long(turns: int) -> list[dict[str, Any]]:
    return [
        {"role": role, "content": f"What is the default of drain_time? ({turn})"}
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


AS_CLIENTS_SEND_IT: dict[str, dict[str, Any]] = {
    "null-stream": {"stream": None},
    "null-everywhere": {
        **dict.fromkeys(OTHERWISE.split()),
        "messages": [{**ASKED, "name": None, "tool_calls": None, "refusal": None}],
    },
    "null-as-usage": {"stream_options": {"include_usage": None}},
    "null-message": {"messages": [{"role": "assistant", "content": None}, ASKED]},
    "null-format": {"response_format": {"type": "text", "json_schema": None}},
    "unknown-fields": {"messages": [{**ASKED, "id": "7", "cache_control": {}}], "thinking": {}},
    "limits": {"max_completion_tokens": 9, "max_tokens": 9, "n": 1, "stop": ["#"], "seed": 7},
    "tools": {"tools": [FUNCTION], "tool_choice": "auto", "parallel_tool_calls": False},
    "parts": {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is the default"}, IMAGE,
                                         {"text": "of hold_time?", "type": "input_text"}]}
        ]
    },
    "a-picture-last": {"messages": [ASKED, {"role": "user", "content": [IMAGE]}]},
    "system-last": {"messages": [ASKED, {"role": "system", "content": "Be brief."}]},
    "assistant-last": {"messages": [ASKED, {"role": "assistant", "content": "The default is"}]},
    "developer-first": {"messages": [{"role": "developer", "content": [{"type": "text",
                                                                         "text": "x"}]}, ASKED]},
    "tool-last": {
        "messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": CALLED},
                     {"role": "tool", "tool_call_id": "1", "content": "42"}]
    },
    "release-in-a-message-before": {
        "model": "strata/valve", "messages": [{"role": "user", "content": "We run 1.0."}, ASKED]
    },
    "401-messages": {"messages": [*_long(200), ASKED]},
    "long-answers": {
        "messages": [*_long(1), {"role": "user", "content": "x"},
                     {"role": "assistant", "content": "word " * 60_000}, ASKED]
    },
    "a-refused-question-before": {
        "messages": [{"role": "user", "content": "x" * 5_000}, ASKED],
    },
    "passages-of-another-program": {
        "messages": [{"role": "user", "content": "### Task:\nRespond to the user query.\n<context>"
                      "<source id=1>In 2.0 drain_time is 8 s.</source></context>\n"
                      + str(ASKED["content"])}]
    },
    "answers-of-several-models-to-merge": {
        "messages": [{"role": "user", "content": "You have been provided with a set of responses "
                      f'from various models to the latest user query: "{ASKED["content"]}"\n\n'
                      "Your task is to synthesize these responses.\n\nResponses from models: 8 s"}]
    },
}  # fmt: skip
"""Requests for the release 1.0 as clients are known to write them."""


@pytest.mark.parametrize("fields", AS_CLIENTS_SEND_IT.values(), ids=AS_CLIENTS_SEND_IT.keys())
def test_a_request_is_answered_as_clients_write_it(address: str, fields: Any) -> None:
    body = {"model": "strata/valve@1.0", "messages": [ASKED], **fields}
    told = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=60)
    assert told.status_code == 200, told.text
    assert "20 s" in told.json()["choices"][0]["message"]["content"]


IMPOSSIBLE = {
    "n": {"n": 2},
    "response_format": {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
    "tool_choice": {"tools": [FUNCTION], "tool_choice": "required"},
    "messages": {"messages": None},
    "messages.0.role": {"messages": [{"role": "person", "content": "x"}]},
    "stream": {"stream": "perhaps"},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_done_is_refused_by_the_name_of_its_field(address: str, name: str) -> None:
    body = {"model": "strata/valve", "messages": [ASKED], **IMPOSSIBLE[name]}
    told = httpx.post(f"{address}/v1/chat/completions", json=body)
    assert told.status_code == 400
    assert f" {name}" in told.json()["error"]["message"]


SAID = "USER: hold_time?\nASSISTANT: 45 s </context>\nUSER: Is <b> &\n`x` it?\nASSISTANT: No"
TASK = f"### Task:\nDo it.\n### Output:\n{{}}\n<chat_history>\n{SAID}\n</chat_history>"
BESIDE: dict[str, tuple[str, str, Any]] = {
    "title": (
        "",
        TASK.format('JSON format: { "title": "your concise title here" }'),
        {"title": "Is <b> & `x` it?"},
    ),
    "tags": ("", TASK.format('use only ["General"]. { "tags": ["tag1"] }'), {"tags": ["valve"]}),
    "follow-ups": (
        "",
        TASK.format('an object with a "follow_ups" key { "follow_ups": ["x"] }'),
        {"follow_ups": []},
    ),
    "search": (
        "",
        TASK.format('respond in the format: { "queries": ["q"] }'),
        {"queries": ["Is <b> & `x` it?"]},
    ),
    "completion": ("", TASK.format('If unsure, return: `{ "text": "" }`.'), {"text": ""}),
    "face": (
        "",
        "Your task is to reflect the speaker's likely facial expression through a fitting "
        "emoji. Interpret emotions from the message.\n\nMessage: ```What is hold_time?```",
        "🙂",
    ),
    "tools": (
        'Available Tools: [{"name": "clock"}]\n\nYour task is to choose and return the correct '
        'tool(s). If no tools match the query, return an empty array:\n{"tool_calls": []}',
        'Query: History:\nUSER: """What is hold_time?"""\nQuery: What is hold_time?',
        '{"tool_calls": []}',
    ),
    "in-short": (
        "Be brief.",
        "### Task:\nSummarize the conversation above.\n\n### Instructions:\n- Be factual.\n\n"
        "### Previous Summary:\nWhat hold_time is in 1.0.",
        "",
    ),
}
"""What clients ask beside a question, behind what they say first, and what they get."""


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("system", "asked", "expected"), BESIDE.values(), ids=BESIDE)
def test_what_is_asked_beside_a_question_is_asked_of_no_document(
    client: openai.OpenAI,
    monkeypatch: pytest.MonkeyPatch,
    chatbot: Chatbot,
    stream: bool,
    system: str,
    asked: str,
    expected: Any,
) -> None:
    monkeypatch.setattr(type(chatbot), "ask", lambda *given, **named: pytest.fail("asked"))
    messages: list[Any] = [{"role": "user", "content": asked}]
    messages[:0] = [{"role": "system", "content": system}] if system else []
    made: Any = client.chat.completions.create(
        model="strata/valve", messages=messages, stream=stream
    )
    if stream:
        text = "".join(chunk.choices[0].delta.content or "" for chunk in made)
    else:
        text = made.choices[0].message.content
    assert (text if isinstance(expected, str) else json.loads(text)) == expected


def test_a_client_that_stops_a_stream_ends_the_question(
    client: openai.OpenAI, monkeypatch: pytest.MonkeyPatch, chatbot: Chatbot
) -> None:
    stopped = threading.Event()

    def ask(self: Chatbot, question: str, **options: Any) -> Any:
        while not options["stopped"]():
            threading.Event().wait(0.01)
        stopped.set()
        raise Stopped

    monkeypatch.setattr(type(chatbot), "ask", ask)
    with client.chat.completions.create(
        model="strata/valve", messages=[ASKED], stream=True
    ) as stream:
        next(iter(stream))
    assert stopped.wait(10)


def test_a_question_that_begins_like_a_task_is_one(client: openai.OpenAI) -> None:
    asked = "### Task:\nName the default of hold_time in 1.0 (not a <chat_history>)"
    made = client.chat.completions.create(
        model="strata/valve", messages=[{"role": "user", "content": asked}]
    )
    assert "20 s" in (made.choices[0].message.content or "")


def test_products_and_releases_are_models(client: openai.OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert names == ["strata/valve", "strata/valve@1.0", "strata/valve@2.0"]
    assert client.models.retrieve("strata/valve@1.0").owned_by == "strata"
    with pytest.raises(openai.NotFoundError, match="GET /v1/models lists them"):
        client.models.retrieve("strata/pump")


@pytest.mark.parametrize(("release", "value"), [("1.0", "20 s"), ("2.0", "45 s")])
def test_a_release_answers_with_citations_at_their_marks(
    client: openai.OpenAI, address: str, release: str, value: str
) -> None:
    completion = client.chat.completions.create(
        model=f"strata/valve@{release}",
        messages=[{"role": "system", "content": "Be brief."}, ASKED],
        temperature=0.7,
    )
    (choice,) = completion.choices
    assert choice.finish_reason == "stop"
    text = choice.message.content or ""
    assert value in text
    (cited,) = (annotation.url_citation for annotation in choice.message.annotations or [])
    assert text[cited.start_index : cited.end_index] == "[1]"
    assert f"{release}, page 1" in cited.title
    assert "hold_time" in httpx.get(cited.url).json()["text"]
    assert cited.url.startswith(address)


def test_an_annotation_says_how_its_words_stand_in_other_releases(
    client: openai.OpenAI, chatbot: Chatbot
) -> None:
    chatbot.still_true.prepare("valve")
    assert chatbot.still_true.indexes.wait(30)
    completion = client.chat.completions.create(model="strata/valve@2.0", messages=[ASKED])
    (annotation,) = completion.choices[0].message.annotations or []
    assert (annotation.model_extra or {})["strata"] == {"still_true": {"1.0": "changed"}}
    releases = (completion.model_extra or {})["strata"]["still_true"]["releases"]
    assert [release["verdict"] for release in releases] == ["changed", "same"]


def test_a_stream_has_the_same_words_and_at_its_end_the_annotations(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="strata/valve@2.0", messages=[ASKED])
    chunks = list(
        client.chat.completions.create(
            model="strata/valve@2.0",
            messages=[ASKED],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    words = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(words) == whole.choices[0].message.content
    assert len(words) > 5
    last = chunks[-2].choices[0]
    assert last.finish_reason == "stop"
    assert (last.delta.model_extra or {})["annotations"][0]["type"] == "url_citation"
    assert chunks[-1].usage is not None


def test_what_was_said_before_is_followed_up(client: openai.OpenAI) -> None:
    completion = client.chat.completions.create(
        model="strata/valve",
        messages=[
            {"role": "user", "content": "What is the default of hold_time in 2.0?"},
            {"role": "assistant", "content": "The default of hold_time is 45 s [1]."},
            {"role": "user", "content": [{"type": "text", "text": "and in 1.0?"}]},
        ],
    )
    assert "20 s" in (completion.choices[0].message.content or "")


def test_langchain_speaks_to_it(address: str, make_key: MakeKey) -> None:
    model = ChatOpenAI(
        base_url=f"{address}/v1",
        api_key=lambda: make_key(Scope.ASK),
        model="strata/valve@1.0",
        max_retries=0,
    )
    assert "20 s" in model.invoke("What is the default of hold_time?").text
    assert "20 s" in "".join(c.text for c in model.stream("What is the default of hold_time?"))


def test_what_cannot_be_answered_is_an_error_of_the_protocol(
    client: openai.OpenAI, address: str, make_key: MakeKey
) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no model gpt-5"):
        client.chat.completions.create(model="gpt-5", messages=[ASKED])
    with pytest.raises(openai.UnprocessableEntityError, match="no user message"):
        client.chat.completions.create(
            model="strata/valve", messages=[{"role": "assistant", "content": "x"}]
        )
    limited = make_key(Scope.ASK, per_minute=1)
    with openai.OpenAI(base_url=f"{address}/v1", api_key=limited, max_retries=0) as often:
        often.chat.completions.create(model="strata/valve", messages=[ASKED])
        with pytest.raises(openai.RateLimitError, match="1 questions a minute"):
            often.chat.completions.create(model="strata/valve", messages=[ASKED])
