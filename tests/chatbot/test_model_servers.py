"""Two servers: the second stands in for the first, the reply says so, and all is counted."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from chatbot.accounts.people import LOCAL
from chatbot.assembly import open_model
from chatbot.chatbot import Chatbot
from chatbot.errors import GeneratorError, NotAllowed, TookTooLong
from chatbot.models import server_calls
from chatbot.models.served import ServedChatModel
from chatbot.models.server_calls import keep_attempts
from chatbot.review.model_servers import server_figures
from chatbot.runtime.concurrency import within
from chatbot.runtime.events import Token, heard_by
from chatbot.runtime.model_calls import Attempt, call, noted_attempts
from chatbot.settings import read_settings
from chatbot.turn import ModelCall
from corpora.database.engine import Database
from corpora.database.history_tables import ServerCallRow
from ingestion.errors import BadSettings
from tests.browser.conftest import free_port
from tests.chatbot.small_server import Answer, raw, refuses, serving, words

MakeChatbot = Callable[..., Chatbot]
HALF = 'data: {"choices": [{"delta": {"content": "half of"}}]}\n\n'


def closed_port() -> str:
    return f"http://127.0.0.1:{free_port()}/v1"


def two(first: str, second: str, **options: Any) -> ServedChatModel:
    spare = ServedChatModel(url=second, model="spare")
    return ServedChatModel(url=first, model="main", second=spare, retries=0, **options)


def asked(model: ServedChatModel) -> tuple[ModelCall, list[Attempt]]:
    with noted_attempts() as attempts:
        return asyncio.run(call(model, [("user", "hello")], step="check")), attempts


@pytest.mark.parametrize(
    ("fails", "kind"),
    [
        (refuses(503, "Loading model"), "503"),
        (refuses(401), "401"),
        (refuses(404, "no such model"), "404"),
        (raw(HALF), "broken_off"),
        (raw("", pause=1.0), "timeout"),
    ],
)
def test_the_second_stands_in_and_is_named(fails: Answer, kind: str) -> None:
    with serving(fails) as first, serving(words("ninety days")) as second:
        model = two(first.url, second.url, timeout=0.3)
        made, attempts = asked(model)
        assert (made.reply, made.model, made.server) == ("ninety days ", "spare", second.url)
        assert made.instead_of.startswith(f"main: {first.url}")
        assert [(a.server, a.model, a.error) for a in attempts] == [
            (first.url, "main", kind),
            (second.url, "spare", ""),
        ]
        assert attempts[1].first_token is not None
        assert (attempts[1].prompt_tokens, attempts[1].completion_tokens) == (7, 3)
        # For half a minute it is not waited for.
        again, attempts = asked(model)
        assert again.instead_of == "main failed a moment ago"
        assert [a.model for a in attempts] == ["spare"]
        assert len(first.bodies) == 1


def test_the_first_is_asked_again_where_the_second_fails_too() -> None:
    with serving(refuses(500), words("ninety days")) as first, serving(refuses(500)) as second:
        model = two(first.url, second.url)
        with pytest.raises(GeneratorError, match=second.url):
            asked(model)
        made, attempts = asked(model)
        assert (made.model, made.instead_of) == ("main", "")
        assert [a.model for a in attempts] == ["spare", "main"]
        assert asked(model)[0].model == "main"


def test_a_prompt_that_is_too_long_is_no_failure_of_the_server() -> None:
    with serving(refuses(400, "maximum context length is 10")) as first:
        made, attempts = asked(two(first.url, closed_port()))
        assert made.problem
        assert made.model == "main"
        assert [a.error for a in attempts] == ["prompt_too_long"]


def test_what_the_first_had_written_is_no_part_of_the_answer() -> None:
    heard: list[Any] = []
    with (
        serving(raw(HALF)) as first,
        serving(words("ninety days")) as second,
        heard_by(heard.append),
    ):
        model = two(first.url, second.url)
        shown = {"shown": True, "behind": "In 2.0: "}
        asyncio.run(call(model, [("user", "hello")], step="answer_generation", **shown))
    kinds = [e.text if isinstance(e, Token) else type(e).__name__ for e in heard]
    begun, whole = ["ModelAsked", "In 2.0: "], ["ninety ", "days "]
    assert kinds == [*begun, "half of", "StepStarted", "StepFinished", *begun, *whole]


def test_whether_a_server_answers_is_asked_without_a_question() -> None:
    with serving(raw('{"data": []}', "application/json")) as server:
        assert two(server.url, "http://127.0.0.1:1/v1").problem() == ""
    with serving(refuses(404)) as server:
        assert two(server.url, "http://127.0.0.1:1/v1").problem() == ""
    with serving(refuses(503, "Loading model")) as server:
        assert "fails (503: Loading model)" in two(server.url, server.url).problem()
    assert "does not answer" in two(closed_port(), "http://127.0.0.1:1/v1").problem()


def test_the_reply_and_its_trace_say_which_model_answered(lamp_chatbot: MakeChatbot) -> None:
    reading = (
        '{"asks": "documentation", "product": "", "releases": [], "every_release": false, '
        '"changes": false, "other_numbers": [], "question": "How many lumen does the lamp give?", '
        '"search": "lumen", "other_words": ""}'
    )
    with serving(words(reading), words("The lamp gives 800 lumen [1].")) as second:
        model = two(closed_port(), second.url)
        bot = lamp_chatbot(model, "direct", backend="server", answer_ahead="off")
        bot = replace(bot, settings=bot.settings.model_copy(update={"model": "main"}))
        answered = bot.ask("How many lumen does the lamp give?")
    reply = answered.content
    assert reply.answer.startswith("The lamp gives 800 lumen [1]")
    assert reply.model == "spare"
    assert "The language model main failed: spare stood in for it." in reply.warnings
    assert [call.model for call in answered.turn.calls] == ["spare", "spare"]
    assert all(call.instead_of for call in answered.turn.calls)
    figures = {f.model: f for f in server_figures(bot.database, LOCAL)}
    assert figures["main"].errors == (("unreachable", 1),)
    assert figures["main"].last_error is not None
    assert (figures["spare"].calls, figures["spare"].failed) == (2, 0)


def test_a_question_that_fails_is_counted(lamp_chatbot: MakeChatbot) -> None:
    with serving(refuses(500)) as server:
        model = ServedChatModel(url=server.url, model="failing", retries=0)
        bot = lamp_chatbot(model, "direct", backend="server", answer_ahead="off")
        with pytest.raises(GeneratorError):
            bot.ask("How many lumen does the lamp give?")
        (figures,) = [f for f in server_figures(bot.database, LOCAL) if f.server == server.url]
    assert figures.errors == (("500", 1),)
    assert figures.median is None


@pytest.mark.parametrize(("said", "kind"), [("", "timeout"), (HALF, "stopped")])
def test_a_server_that_hangs_until_the_question_ends_has_failed(said: str, kind: str) -> None:
    async def ask(url: str) -> None:
        async with within(0.5):
            await call(ServedChatModel(url=url, model="main"), [("user", "hello")], step="check")

    hanging = serving(raw(said, pause=1.5))
    with hanging as server, noted_attempts() as attempts, pytest.raises(TookTooLong):
        asyncio.run(ask(server.url))
    assert [attempt.error for attempt in attempts] == [kind]


@pytest.mark.database
def test_the_calls_of_all_processes_are_counted_by_server(database: Database) -> None:
    made = [Attempt("http://a", "m", "", n, n / 10) for n in range(1, 21)]
    failed = [Attempt("http://a", "m", kind, 9.0, None) for kind in ("500", "500", "timeout")]
    keep_attempts(database, [*made, *failed])
    keep_attempts(database, [Attempt("", "tiny", "", 1.0, 0.5)])
    keep_attempts(database, [])
    served, own = server_figures(database, LOCAL)
    assert (served.server, served.calls, served.failed) == ("http://a", 23, 3)
    assert served.errors == (("500", 2), ("timeout", 1))
    assert (served.first_token, served.median, served.p95) == (1.0, 10.0, 19.0)
    assert served.last_error == max(attempt.at for attempt in failed)
    assert (own.server, own.model, own.calls, own.errors) == ("", "tiny", 1, ())
    after = max(attempt.at for attempt in made)
    assert server_figures(database, LOCAL, until=min(a.at for a in made)) == []
    assert {f.model for f in server_figures(database, LOCAL, since=after)} == {"m", "tiny"}
    with pytest.raises(NotAllowed):
        server_figures(database, replace(LOCAL, is_admin=False))


def test_old_calls_are_added_up_and_counted_all_the_same(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_calls, "_AT_ONCE", 10)
    now = datetime.now(UTC)
    kinds = ("", "", "503")
    keep_attempts(
        database,
        [
            Attempt("http://a", "main", kinds[day % 3], 2.0, 0.5, 7, 3, now - timedelta(days=day))
            for day in range(300, 450)
        ],
    )
    keep_attempts(database, [Attempt("", "own", "", 1.0, 0.5, at=now - timedelta(days=400))])
    before = server_figures(database, LOCAL)
    within = now - timedelta(days=366)
    newer = server_figures(database, LOCAL, within)
    summed = select(func.sum(ServerCallRow.seconds), func.sum(ServerCallRow.prompt_tokens))
    with database.reading() as session:
        told = session.execute(summed).all()
    for _ in range(2):
        server_calls.add_up_old_calls(database, now)
    with database.reading() as session:
        assert session.execute(summed).all() == told
        rows = select(func.count()).where(ServerCallRow.at < within)
        assert (session.scalar(rows) or 0) < 10
    assert server_figures(database, LOCAL, within) == newer
    after = server_figures(database, LOCAL)
    assert [(f.calls, f.errors, f.last_error) for f in after] == [
        (f.calls, f.errors, f.last_error) for f in before
    ]


def test_settings_name_the_second() -> None:
    of = {"backend": "server", "model": "main", "server_url": "http://127.0.0.1:1/v1"}
    alone = open_model(read_settings(**of))
    assert isinstance(alone, ServedChatModel)
    assert (alone.second, alone.retries) == (None, 4)
    model = open_model(read_settings(**of, fallback_model="spare", server_key="k"))
    assert isinstance(model, ServedChatModel)
    assert model.second is not None
    assert (model.retries, model.second.retries) == (1, 4)
    assert (model.second.url, model.second.key) == (model.url, model.key)
    elsewhere = {"fallback_url": "http://127.0.0.1:2/v1", "server_key": "k"}
    model = open_model(read_settings(**of, fallback_model="spare", **elsewhere))
    assert isinstance(model, ServedChatModel)
    assert model.second is not None
    # The key of one server does not go to another.
    assert (model.second.url, model.second.key) == ("http://127.0.0.1:2/v1", None)
    by_provider = {"backend": "server", "model": "openai:gpt", "fallback_model": "spare"}
    with pytest.raises(BadSettings, match="STRATA_FALLBACK_URL"):
        open_model(read_settings(**by_provider))
