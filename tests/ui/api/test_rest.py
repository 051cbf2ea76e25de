import html
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from markdown_it import MarkdownIt

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import Scope
from chatbot.chatbot import Chatbot
from chatbot.comparison.still_true import StillTrue
from chatbot.conversations.export import conversation_markdown
from chatbot.models.scripted import ScriptedChatModel
from chatbot.reply import Reply
from corpora.documents.uploads import lay_out_upload
from corpora.jobs.jobs import Jobs
from strata_client import Reply as ClientReply
from strata_client import Strata, StrataFailure
from tests.ui.api.conftest import Client, MakeKey
from tests.ui.conftest import MakeChatbot
from tests.ui.valve_corpus import QUESTION


def test_products_and_releases_are_listed(strata: Strata) -> None:
    (valve,) = strata.products()
    assert valve["name"] == "valve"
    assert [(r["name"], r["latest"]) for r in valve["releases"]] == [("1.0", False), ("2.0", True)]


def test_what_changed_between_two_releases_is_told_with_its_pages(strata: Strata) -> None:
    (change,) = strata.changes("valve", "1.0", "2.0")["changes"]
    assert (change["change"], change["name"]) == ("changed", "hold_time")
    assert change["differences"] == [{"relation": "default", "before": "20 s", "after": "45 s"}]
    assert [change[side]["release"] for side in ("before", "after")] == ["1.0", "2.0"]
    after = change["after"]
    assert after["quote"] in strata.page(after["page_id"])["text"]
    with pytest.raises(StrataFailure) as missing:
        strata.changes("valve", "1.0", "9.9")
    assert missing.value.status == 404


def test_a_question_gets_the_reply_of_its_release_with_citations(strata: Strata) -> None:
    for release in ("1.0", "2.0"):
        reply = strata.ask("What is the default of hold_time?", product="valve", release=release)
        assert reply.release == release
        assert {citation["release"] for citation in reply.citations} == {release}
        assert reply.turn is None
        Reply.model_validate(reply.data)
    assert "45 s" in strata.ask(QUESTION).answer


def test_it_is_told_whether_an_answer_is_still_true_in_other_releases(
    strata: Strata, chatbot: Chatbot, client: Client, make_key: MakeKey
) -> None:
    chatbot.still_true.prepare("valve")
    assert chatbot.still_true.indexes.wait(30)
    reply = strata.ask(QUESTION, product="valve", conversation="new")
    found = StillTrue.model_validate(reply.data["still_true"])
    before, own = found.releases
    assert (before.release, before.verdict, own.answered) == ("1.0", "changed", True)
    (there,) = before.citations[0].there
    assert there.release == "1.0"
    assert "20" in there.quote
    assert "20" not in reply.answer
    assert reply.turn is not None
    assert StillTrue.model_validate(strata.still_true(reply.turn)) == found
    with pytest.raises(StrataFailure) as another_s:
        client(make_key(Scope.ASK)).still_true(reply.turn)
    assert another_s.value.status == 404


def test_a_conversation_is_kept_continued_rated_and_deleted(strata: Strata) -> None:
    first = strata.ask(QUESTION, product="valve", conversation="new")
    second = strata.ask("and in 1.0?", conversation=first.conversation)
    assert (first.release, second.release) == ("2.0", "1.0")
    (listed,) = strata.conversations()
    assert (listed["id"], listed["turns"]) == (first.conversation, 2)
    turns = strata.turns(listed["id"])
    assert [turn["id"] for turn in turns] == [first.turn, second.turn]
    assert turns[0]["reply"]["answer"] == first.answer
    assert first.turn is not None
    strata.rate(first.turn, -1, reason="incomplete", comment="which one?")
    strata.delete(listed["id"])
    assert strata.conversations() == []
    with pytest.raises(StrataFailure) as gone:
        strata.turns(listed["id"])
    assert gone.value.status == 404


def test_what_happens_is_told_while_it_happens(
    valve: MakeChatbot, strata_of: Callable[[Chatbot], Strata]
) -> None:
    model = ScriptedChatModel(replies=["The pressure log is kept for 14 days."])
    strata = strata_of(valve(model))
    events = list(strata.stream("How long is the pressure log kept?", product="valve"))
    names = [name for name, _ in events]
    assert names[-1] == "reply"
    assert {"step", "found", "words"} <= set(names)
    words = "".join(data["text"] for name, data in events if name == "words")
    assert words == "The pressure log is kept for 14 days."
    assert ClientReply.of(events[-1][1]).release == "2.0"


def test_who_hangs_up_stops_the_question(
    chatbot: Chatbot, strata_of: Callable[[Chatbot], Strata], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def ask(self: Chatbot, question: str, **options: Any) -> Any:
        from chatbot.runtime.concurrency import Stopped
        from chatbot.runtime.events import StepStarted

        options["listener"](StepStarted("small_talk"))
        while not options["stopped"]():
            threading.Event().wait(0.01)
        stopped.set()
        raise Stopped

    monkeypatch.setattr(type(chatbot), "ask", ask)
    strata = strata_of(chatbot)
    next(strata.stream(QUESTION))
    strata.close()
    assert stopped.wait(10)


def test_passages_are_found_without_an_answer(strata: Strata) -> None:
    found = strata.search("torque of the cover screw", product="valve", release="1.0", limit=2)
    assert (found["release"], found["release_status"]) == ("1.0", "stated")
    best = found["passages"][0]
    assert "4.5 N m" in best["text"]
    page = strata.page(best["page_id"], quote="4.5 N m")
    assert [page["text"][first:last] for first, last in page["marks"]] == ["4.5 N m"]
    assert (page["file"], page["number"]) == ("mounting.pdf", 2)
    nothing = strata.search("hold_time in 9.9", product="valve")
    assert nothing["passages"] == []
    assert "9.9" in nothing["message"]


@pytest.mark.parametrize(
    ("request_", "status", "told"),
    [
        (lambda s: s.ask(""), 422, "the question is empty"),
        (lambda s: s.ask("x" * 50_000), 422, "the limit is"),
        (lambda s: s.ask("x", product="pump"), 404, "Available: valve"),
        (lambda s: s.ask("x", conversation="0" * 32), 404, "conversation"),
        (lambda s: s.search("1.0 or 2.0: hold_time", product="valve"), 422, "several releases"),
        (lambda s: s.search("x", limit=0), 422, "limit"),
        (lambda s: s.page(987654), 404, "There is no page 987654"),
        (lambda s: s.rate(987654, 1), 404, "no answer"),
        (lambda s: s.rate(1, 7), 422, "thumbs"),
        (lambda s: s.job(99), 422, "99"),
    ],
)
def test_what_cannot_be_done_is_told(
    strata: Strata, request_: Callable[[Strata], object], status: int, told: str
) -> None:
    with pytest.raises(StrataFailure, match=told) as failure:
        request_(strata)
    assert failure.value.status == status


def test_files_are_uploaded_and_their_job_is_followed_and_stopped(
    strata: Strata, chatbot: Chatbot, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe valve 3.0 has a lamp.\n")
    job = strata.upload("valve", "3.0", [notes])
    assert (job["state"], job["files"]) == ("waiting", [{"file": "notes.md", "reason": ""}])
    assert Jobs(chatbot.database).get(job["id"]).release == "3.0"
    assert strata.cancel(job["id"])["state"] == "cancelled"
    assert strata.wait(job["id"])["state"] == "cancelled"
    assert [j["id"] for j in strata.jobs()] == [job["id"]]

    wrong = tmp_path / "notes.exe"
    wrong.write_bytes(b"MZ")
    with pytest.raises(StrataFailure, match=r"notes\.exe"):
        strata.upload("valve", "3.0", [wrong, notes])
    with pytest.raises(StrataFailure, match=r"notes\.exe"):
        strata.upload("valve", "3.0", [wrong], anyway=True)

    job = strata.upload("valve", "3.0", [notes, wrong], anyway=True)
    told = {file["file"]: file["reason"] for file in job["files"]}
    assert told["notes.md"] == ""
    assert told["notes.exe"]
    assert strata.cancel(job["id"])["state"] == "cancelled"
    Jobs(chatbot.database).retry(job["id"])
    again = {file["file"]: file["reason"] for file in strata.job(job["id"])["files"]}
    assert again == told, "what was never taken is not taken by trying again"
    kept = lay_out_upload(chatbot.database, tmp_path / "data", job["id"])
    assert [path.name for path in kept[0].rglob("*.*")] == ["notes.md"]
    strata.cancel(job["id"])


def test_an_upload_is_refused_before_it_is_read(address: str, make_key: MakeKey) -> None:
    url = f"{address}/api/v1/jobs?product=valve&release=3.0"
    form = {"content-type": "multipart/form-data; boundary=x"}
    asks = {**form, "authorization": f"Bearer {make_key(Scope.ASK)}"}

    host = urlsplit(address).netloc

    def refused(headers: dict[str, str]) -> int:
        # Nothing of the body is sent, so that whoever waits for it would wait for ever.
        fields = [f"{name}: {value}" for name, value in {"host": host, **headers}.items()]
        lines = [f"POST {url.removeprefix(address)} HTTP/1.1", *fields, "", ""]
        with socket.create_connection(("127.0.0.1", int(host.split(":")[1])), timeout=10) as raw:
            raw.sendall("\r\n".join(lines).encode())
            return int(raw.recv(100).split()[1])

    assert refused({**asks, "content-length": "1000"}) == 403
    assert refused({**form, "content-length": str(10**12)}) == 422
    assert refused({**form, "transfer-encoding": "chunked"}) == 422


def test_the_openapi_document_names_every_route_and_fits_them(address: str) -> None:
    document = httpx.get(f"{address}/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.")
    wanted = {"/products", "/ask", "/search", "/pages/{page}", "/conversations", "/jobs", "/ready"}
    assert wanted <= document["paths"].keys()


def test_health_readiness_and_figures(address: str, strata: Strata) -> None:
    strata.ask(QUESTION, conversation="new")
    assert httpx.get(f"{address}/api/v1/health").json() == {"status": "ok"}
    assert httpx.get(f"{address}/api/v1/ready").json() == {"status": "ready", "products": 1}
    figures = httpx.get(f"{address}/api/v1/metrics").text
    assert 'strata_questions_total{refused="false",route="documents"} 1.0' in figures
    assert "strata_releases 2.0" in figures


def test_a_monitor_may_ask_for_the_head_alone(address: str, make_key: MakeKey) -> None:
    key = {"authorization": f"Bearer {make_key(Scope.SEARCH)}"}
    for path, headers, status in (
        ("/api/v1/health", {}, 200),
        ("/api/v1/ready", {}, 200),
        ("/api/v1/products", key, 200),
        ("/v1/models", key, 200),
        ("/api/v1/jobs", key, 403),
        ("/api/v1/ask", key, 405),
    ):
        told = httpx.head(address + path, headers=headers)
        assert (told.status_code, told.content) == (status, b""), path


STREAMS = {
    "/api/v1/ask": {"question": "hold_time\u2028", "product": "valve", "stream": True},
    "/v1/chat/completions": {
        "model": "strata/valve", "stream": True, "messages": [{"role": "user", "content": QUESTION}]
    },
    "/api/v1/ask?": {"question": "x", "product": "pump", "stream": True},
    "/v1/chat/completions?": {
        "model": "strata/pump", "stream": True, "messages": [{"role": "user", "content": QUESTION}]
    },
}  # fmt: skip


@pytest.mark.parametrize("path", STREAMS)
def test_a_stream_is_one_for_clients_that_look_for_bare_lines(address: str, path: str) -> None:
    told = httpx.post(address + path, json=STREAMS[path], timeout=60)
    assert told.headers["content-type"].startswith("text/event-stream")
    assert b"\r" not in told.content
    assert told.content.isascii()
    events = told.text.removesuffix("\n\n").split("\n\n")
    data = [event.partition("data: ")[2] for event in events]
    assert (data[-1] == "[DONE]") == path.startswith("/v1")
    assert all(isinstance(json.loads(d), dict) for d in data if d != "[DONE]")


def test_a_key_that_is_none_of_ours_is_none_where_nobody_signs_in(address: str) -> None:
    def status(authorization: str) -> int:
        headers = {"authorization": authorization}
        return httpx.get(f"{address}/api/v1/products", headers=headers).status_code

    assert status("Bearer none") == status("Bearer sk-no-key") == status("Bearer") == 200
    assert status("Bearer strata_x") == status("bearer  strata_x") == status("Basic eDp4") == 401


def test_code_in_a_question_is_kept_as_it_was_written(strata: Strata, chatbot: Chatbot) -> None:
    asked = "What is hold_time?\n\n    Map<String, List<Lease>> m = f(<name> && *p);\n~~~"
    told = strata.ask(asked, product="valve", conversation="new")
    (listed,) = strata.conversations()
    assert listed["title"] == " ".join(asked.split())
    assert strata.turns(listed["id"])[0]["question"] == asked
    wide = strata.ask(f"What is{' ' * 100_000}hold_time?", product="valve", conversation="new")
    assert strata.turns(wide.conversation or "")[0]["question"] == "What is hold_time?"
    again = strata.ask("And in 1.0?", conversation=told.conversation)
    assert (told.release, again.release) == ("2.0", "1.0")
    conversations = chatbot.conversations.of(LOCAL.id)
    written = conversation_markdown(conversations, told.conversation or "")
    shown = MarkdownIt().render(written).replace("\u00a0", " ")
    assert html.escape(asked.splitlines()[2]) in shown
    assert "<name>" not in shown


def test_programs_see_only_their_own_conversations(client: Client, make_key: MakeKey) -> None:
    """tests/ui/attacks/test_roles.py tries every route without a key and with the wrong ones."""
    one, other = (client(make_key(Scope.ASK, Scope.SEARCH)) for _ in range(2))
    kept = one.ask(QUESTION, conversation="new").conversation
    assert [c["id"] for c in one.conversations()] == [kept]
    assert other.conversations() == client().conversations() == []
    for door in (other.turns, other.delete, lambda c: other.ask("and?", conversation=c)):
        with pytest.raises(StrataFailure) as refused:
            door(kept or "")
        assert refused.value.status == 404


def test_the_client_says_when_nobody_answers() -> None:
    with Strata("http://127.0.0.1:9") as nobody:
        with pytest.raises(StrataFailure, match="does not answer"):
            nobody.products()
        with pytest.raises(StrataFailure, match="does not answer"):
            list(nobody.stream("x"))


def test_a_failure_in_the_stream_is_its_last_event(strata: Strata) -> None:
    with pytest.raises(StrataFailure, match="Available: valve"):
        list(strata.stream("x", product="pump"))


def test_an_upgrade_guide_names_what_changes_of_what_is_used(strata: Strata) -> None:
    guide = strata.upgrade_guide("valve", "1.0", "2.0", "hold_time = 1\ndrain_time = 2\n")
    (item,) = guide["items"]
    assert (item["name"], item["need"], item["change"]) == ("hold_time", "new default", "value")
    (step,) = item["steps"]
    assert step["says"] == "default: 20 s → 45 s"
    for cited in step["citations"]:
        assert cited["quote"] in strata.page(cited["page_id"])["text"]
    assert guide["releases"] == ["1.0", "2.0"]
    for older, newer, status in (("2.0", "1.0", 422), ("1.0", "9.9", 404)):
        with pytest.raises(StrataFailure) as refused:
            strata.upgrade_guide("valve", older, newer)
        assert refused.value.status == status
    with pytest.raises(StrataFailure) as large:
        strata.upgrade_guide("valve", "1.0", "2.0", "x" * 200_001)
    assert large.value.status == 422


def test_gaps_between_releases_are_listed(strata: Strata) -> None:
    assert strata.release_gaps("valve") == []


def test_a_reply_is_in_the_language_that_the_header_asks_for(address: str) -> None:
    def asked(question: str, accepted: str) -> str:
        body = {"question": question, "product": "valve"}
        head = {"Accept-Language": accepted}
        told = httpx.post(f"{address}/api/v1/ask", json=body, headers=head, timeout=60)
        answer: str = told.json()["answer"]
        return answer

    assert asked("hold_time v9.9", "fr-FR, en;q=0.5").startswith("Je ne sais pas")
    assert asked("hold_time v9.9", "pt").startswith("I don't know")
    assert asked("Wie hoch ist hold_time in 9.9?", "fr").startswith("Das weiß ich nicht")
