"""The `openai` client and langchain-openai work against Strata unchanged."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI
from openai.types.chat import ChatCompletionMessageParam

from chatbot.accounts.program_keys import Scope
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
    with pytest.raises(openai.UnprocessableEntityError, match="last message"):
        client.chat.completions.create(
            model="strata/valve", messages=[ASKED, {"role": "assistant", "content": "x"}]
        )
    limited = make_key(Scope.ASK, per_minute=1)
    with openai.OpenAI(base_url=f"{address}/v1", api_key=limited, max_retries=0) as often:
        often.chat.completions.create(model="strata/valve", messages=[ASKED])
        with pytest.raises(openai.RateLimitError, match="1 questions a minute"):
            often.chat.completions.create(model="strata/valve", messages=[ASKED])
