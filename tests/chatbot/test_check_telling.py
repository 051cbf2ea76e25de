"""What a check found is told by mail and webhook, to real servers on this machine."""

import hashlib
import hmac
import json
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_string
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from chatbot.release_check.reports import CheckReport, Finding
from chatbot.release_check.settings import CheckSettings
from chatbot.release_check.telling import counts, tell
from chatbot.release_check.verdicts import Verdict
from chatbot.settings import read_settings
from corpora.database.check_tables import ReleaseCheckRow
from corpora.database.engine import Database
from corpora.database.tables import EmbeddingModelRow, GenerationRow
from ingestion.errors import BadSettings
from tests.chatbot.made_memory import new_release

SECRET = "a secret"


class MailServer(socketserver.StreamRequestHandler):
    """Takes mails as RFC 5321 says, without TLS."""

    extensions = ("250 size",)

    def handle(self) -> None:
        self.say("220 test")
        for line in self.rfile:
            match line.decode().split()[0].upper():
                case "EHLO":
                    self.say("250-test", *self.extensions)
                case "DATA":
                    self.say("354 go on")
                    lines = iter(lambda: self.rfile.readline().decode(), ".\r\n")
                    self.server.mails.append("".join(lines))  # type: ignore[attr-defined]
                    self.say("250 taken")
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 fine")

    def say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


class Receiver(BaseHTTPRequestHandler):
    """Keeps what is posted; answers what the server is told to."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.posted.append((self.path, dict(self.headers), body))
        for _ in range(server.drops):
            try:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            except OSError:
                return
            time.sleep(0.1)
        self.send_response(server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(server: Any) -> Iterator[Any]:
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def mail_server() -> Iterator[Any]:
    server: Any = socketserver.ThreadingTCPServer(("127.0.0.1", 0), MailServer)
    server.mails = []
    with served(server):
        yield server


@pytest.fixture
def receiver() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.posted, server.status, server.drops = [], 204, 0
    with served(server):
        yield server


@pytest.fixture
def report(database: Database) -> CheckReport:
    release = new_release(database)
    now = datetime.now(UTC)
    with database.writing() as session:
        model = EmbeddingModelRow(name="none", dimension=3)
        session.add(model)
        session.flush()
        generation = GenerationRow(
            release_id=release, model_id=model.id, chunking="", builder="", heartbeat=now,
            created=now, waiting=now,
        )  # fmt: skip
        session.add(generation)
        session.flush()
        session.add(
            ReleaseCheckRow(
                generation_id=generation.id, against="1.0", created=now, finished=now, told=""
            )
        )
    changed = Finding(
        1, "What is the default of hold_time?", Verdict.CHANGED, "20 s", (), "45 s", (),
        ("20",), ("45",),
    )  # fmt: skip
    holds = Finding(2, "How long is the log kept?", Verdict.HOLDS, "30 days", ())
    counts = dict.fromkeys(Verdict, 0) | {Verdict.CHANGED: 1, Verdict.HOLDS: 1}
    return CheckReport(
        "relay", "2.0\nBcc: x@example.org", generation.id, True, "1.0", now, now, "", counts, 1,
        (changed, holds),
    )  # fmt: skip


def told(database: Database) -> str:
    with database.reading() as session:
        return session.get_one(ReleaseCheckRow, 1).told


def mailing(server: Any) -> dict[str, Any]:
    port = server.server_address[1]
    return {"mail_to": "ann@example.org, bo@example.org", "mail_server": f"smtp://127.0.0.1:{port}"}


def posting(server: Any) -> dict[str, Any]:
    port = server.server_address[1]
    return {"webhook": f"http://127.0.0.1:{port}/hook", "webhook_secret": SECRET}


def test_a_mail_names_what_changed_once(
    database: Database, report: CheckReport, mail_server: Any
) -> None:
    settings = CheckSettings(**mailing(mail_server))
    went = tell(database, settings, report, "https://strata.example.org/releases")
    assert went == told(database) == "Mailed to ann@example.org, bo@example.org."
    (sent,) = mail_server.mails
    mail = message_from_string(sent)
    # A name of a release adds no header.
    assert mail["Bcc"] is None
    assert mail["To"] == "ann@example.org, bo@example.org"
    assert "waits to be published: 1 changed, 0 no longer documented" in " ".join(
        mail["Subject"].split()
    )
    body = mail.get_payload()
    assert "What is the default of hold_time?: changed" in body
    assert "https://strata.example.org/releases" in body
    # Who was told is not told again.
    assert tell(database, settings, replace(report, told=went)) == went
    assert len(mail_server.mails) == 1


def test_a_webhook_gets_signed_json(database: Database, report: CheckReport, receiver: Any) -> None:
    went = tell(database, CheckSettings(**posting(receiver)), report)
    assert went == told(database) == "Sent to the webhook at 127.0.0.1."
    ((path, headers, body),) = receiver.posted
    assert path == "/hook"
    at = headers["X-Strata-Timestamp"]
    assert abs(int(at) - time.time()) < 60
    signed = hmac.new(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    assert headers["X-Strata-Signature"] == f"sha256={signed}"
    sent = json.loads(body)
    assert sent["counts"]["changed"] == 1
    assert [f["question"] for f in sent["findings"]] == ["What is the default of hold_time?"]
    assert sent["summary"] == counts(report)


def test_what_fails_is_told_and_the_other_way_is_tried(
    database: Database, report: CheckReport, receiver: Any
) -> None:
    # A redirect may lead anywhere: it is no success, and is not followed.
    receiver.status = 302
    nobody = {"mail_to": "ann@example.org", "mail_server": "smtp://127.0.0.1:9"}
    went = tell(database, CheckSettings(**posting(receiver), **nobody), report)
    assert "The mail could not be sent: " in went
    assert "The webhook at 127.0.0.1 could not be reached: it answers 302." in went
    assert [path for path, *_ in receiver.posted] == ["/hook"]
    assert told(database) == went


def test_a_webhook_that_answers_drop_by_drop_is_given_up(
    database: Database, report: CheckReport, receiver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.release_check.telling._SECONDS", 0.5)
    receiver.drops = 40
    began = time.monotonic()
    went = tell(database, CheckSettings(**posting(receiver)), report)
    assert "could not be reached: it did not answer within 0.5 seconds." in went
    # All its drops would take four seconds.
    assert time.monotonic() - began < 3


def test_one_answer_still_holds_and_two_still_hold(report: CheckReport) -> None:
    one = "Of the accepted answers of 1.0: 1 still holds, 1 changed."
    assert counts(report) == one
    two = replace(report, counts=report.counts | {Verdict.HOLDS: 2})
    assert counts(two) == one.replace("1 still holds", "2 still hold")


def test_without_tls_nothing_is_sent_to_another_machine(
    database: Database, report: CheckReport, mail_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.release_check.telling.LOOPBACK", ())
    went = tell(database, CheckSettings(**mailing(mail_server)), report)
    assert "offers no TLS, so nothing was sent" in went
    assert mail_server.mails == []


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"mail_to": "ann@example.org"}, "needs mail_server"),
        ({"mail_to": "ann"}, "no address"),
        ({"mail_server": "smtp://ann:secret@mail.example.org"}, "STRATA_MAIL_PASSWORD"),
        ({"mail_server": "mail.example.org"}, "smtps://"),
        ({"webhook": "https://example.org/x"}, "needs webhook_secret"),
        ({"webhook": "http://example.org/x", "webhook_secret": "x"}, "https"),
        ({"webhook": "https://u:p@example.org/x", "webhook_secret": "x"}, "logs"),
        ({"webhook": "file:///etc/passwd", "webhook_secret": "x"}, "https://HOST"),
    ],
)
def test_half_a_setting_is_refused(
    given: dict[str, str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadSettings, match=why):
        read_settings(**given)
