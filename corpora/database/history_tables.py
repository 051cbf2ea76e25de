"""The tables of conversations, what people say of them, and what admins did.

A person is known by `owner`: the address or subject that signed in, empty where nobody has to.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    DDL,
    Index,
    String,
    UniqueConstraint,
    event,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from corpora.database.tables import Base, Told, ToldJson, owned_by


class ConversationRow(Base):
    """A conversation of one person about one product."""

    __table_args__ = (Index(None, "owner", "updated"),)

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner: Mapped[str]
    product: Mapped[str]
    title: Mapped[str]
    created: Mapped[datetime]
    updated: Mapped[datetime] = mapped_column(index=True)
    said: Mapped[list[TurnRow]] = relationship(
        primaryjoin="and_(ConversationRow.id == TurnRow.conversation_id, ~TurnRow.superseded)",
        order_by="TurnRow.position",
        viewonly=True,
    )

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return len(self.said)

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases that answered."""
        return tuple(sorted({turn.release for turn in self.said if turn.release}))


class TurnRow(Base):
    """A question and its answer; what follows `created` repeats what `answer` says, for searching.

    A `superseded` turn was asked anew and is no longer part of its conversation. `named` are the
    products and releases that the answer names, as `sight.named_in` tells them; None in those of an
    earlier Strata.
    """

    __table_args__ = (
        UniqueConstraint("conversation_id", "position"),
        # Holds all that numbers are counted from: a payload is long, and SQLite would have to
        # read through each of them to come to the columns behind it.
        Index(
            "ix_turns_facts",
            *("created", "product", "release", "owner", "route", "abstained", "superseded"),
            *("seconds", "model_calls"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    conversation_id: Mapped[str] = owned_by("conversations")
    position: Mapped[int]
    question: Mapped[str]
    answer: Mapped[dict[str, Any]]
    release: Mapped[str | None]
    created: Mapped[datetime]
    superseded: Mapped[bool]
    owner: Mapped[str] = mapped_column(index=True)
    product: Mapped[str | None]
    route: Mapped[str] = mapped_column(String(32))
    abstained: Mapped[bool]
    seconds: Mapped[float]
    profile: Mapped[str] = mapped_column(String(32))
    model: Mapped[str]
    model_calls: Mapped[int] = mapped_column(default=0)
    named: Mapped[str | None]
    conversation: Mapped[ConversationRow] = relationship(viewonly=True)
    feedback: Mapped[FeedbackRow | None] = relationship(viewonly=True)
    review: Mapped[ReviewRow | None] = relationship(viewonly=True)
    trace: Mapped[TurnTraceRow | None] = relationship(viewonly=True)


class TurnTextRow(Base):
    """The words of a turn, for searching; on SQLite this is a full-text index (`turn_search`)."""

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    text: Mapped[str]


class TurnTraceRow(Base):
    """The trace of a turn (`chatbot.reply.Trace`) as compressed JSON."""

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    trace: Mapped[bytes]


class TurnCitationRow(Base):
    """A document that the answer of a turn cites."""

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    release: Mapped[str] = mapped_column(primary_key=True)
    file: Mapped[str] = mapped_column(primary_key=True, index=True)


class OpenQuestionRow(Base):
    """A question without an answer: on its way in `server`, which was `seen` then, or ended so.

    `after` counts the turns before it; `instead_of` is the turn that its answer replaces.
    """

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = owned_by("conversations", index=True)
    text: Mapped[str]
    after: Mapped[int]
    product: Mapped[str | None]
    release: Mapped[str | None]
    instead_of: Mapped[int | None]
    afresh: Mapped[bool]
    state: Mapped[str] = mapped_column(String(16))
    message: Mapped[str] = mapped_column(Told)
    refused: Mapped[bool]
    server: Mapped[str]
    seen: Mapped[datetime]
    created: Mapped[datetime]
    conversation: Mapped[ConversationRow] = relationship(viewonly=True)


class FeedbackRow(Base):
    """What the person who asked thinks of an answer: thumbs 1 or -1, a reason, a comment."""

    __tablename__ = "feedback"

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    thumbs: Mapped[int] = mapped_column(index=True)
    reason: Mapped[str] = mapped_column(String(32))
    comment: Mapped[str]
    created: Mapped[datetime]


class ReviewRow(Base):
    """What an admin thinks of a turn; `rating` is empty as long as there is none."""

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    rating: Mapped[str] = mapped_column(String(32), index=True)
    corrected_answer: Mapped[str]
    corrected_release: Mapped[str]
    note: Mapped[str]
    status: Mapped[str] = mapped_column(String(16), index=True)
    assignee: Mapped[str]
    in_regression_set: Mapped[bool]
    reviewer: Mapped[str]
    updated: Mapped[datetime]


class PersonRow(Base):
    """Somebody who signed in: the subject, which never changes hands, and the `id` given to it."""

    __tablename__ = "people"

    subject: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime]


class PreferenceRow(Base):
    """What a person, by their id, chose for the page; an empty language is the browser's."""

    __tablename__ = "preferences"

    owner: Mapped[str] = mapped_column(primary_key=True)
    language: Mapped[str] = mapped_column(String(16))


class UseRow(Base):
    """A question or an upload of a person, as far as a limit still counts it."""

    __table_args__ = (Index(None, "owner", "kind", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner: Mapped[str]
    kind: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime]


class ProgramKeyRow(Base):
    """A key by which a program asks; of the key itself only its SHA-256 is kept.

    `groups` are those that it is in; None: those of its owner. One that is `of_products` uploads to
    what its owner administers, and to nothing else.
    """

    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[str]]
    questions_per_minute: Mapped[int]
    owner: Mapped[str] = mapped_column(index=True)
    created: Mapped[datetime]
    used: Mapped[datetime | None]
    groups: Mapped[list[str] | None]
    of_products: Mapped[bool] = mapped_column(default=False)


class AuditRow(Base):
    """Something that an admin did; rows are only ever added, which the database sees to."""

    __tablename__ = "audit_log"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    person: Mapped[str]
    action: Mapped[str] = mapped_column(String(64))
    subject: Mapped[str] = mapped_column(Told)
    details: Mapped[dict[str, Any]] = mapped_column(ToldJson)


class ServerCallRow(Base):
    """A request to a language model, as Numbers counts it: no text, no person.

    `server` is empty for a model of the process; `error` is its kind, empty where it was answered.
    `first_token` and `seconds` are seconds. Old ones are added up: a row is then of several
    `calls`, the last of them at its moment.
    """

    __tablename__ = "server_calls"
    __table_args__ = (
        # Holds all that is counted, so that no row is read.
        Index(
            "ix_server_calls_facts",
            *("at", "server", "model", "error", "calls", "first_token", "seconds"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    server: Mapped[str]
    model: Mapped[str]
    error: Mapped[str] = mapped_column(String(64))
    seconds: Mapped[float]
    first_token: Mapped[float | None]
    prompt_tokens: Mapped[int]
    completion_tokens: Mapped[int]
    calls: Mapped[int] = mapped_column(default=1)


def _also_create(table: type[Base], dialect: str, *statements: str) -> None:
    """Have statements run after a table is created that the models have no words for."""
    for statement in statements:
        ddl: DDL = DDL(statement)  # type: ignore[no-untyped-call]
        event.listen(table.__table__, "after_create", ddl.execute_if(dialect=dialect))


_also_create(
    TurnTextRow,
    "postgresql",
    "CREATE INDEX turn_search ON turn_texts USING gin (to_tsvector('simple', text))",
)
_also_create(
    TurnTextRow,
    "sqlite",
    # The beginnings of words have doclists too: without them each is merged from hundreds.
    "CREATE VIRTUAL TABLE turn_search USING fts5("
    "text, content='turn_texts', content_rowid='turn_id', tokenize='unicode61', prefix='1 2 3')",
    "CREATE TRIGGER turn_texts_added AFTER INSERT ON turn_texts BEGIN "
    "INSERT INTO turn_search(rowid, text) VALUES (new.turn_id, new.text); END",
    "CREATE TRIGGER turn_texts_gone AFTER DELETE ON turn_texts BEGIN "
    "INSERT INTO turn_search(turn_search, rowid, text) "
    "VALUES ('delete', old.turn_id, old.text); END",
)
_also_create(
    AuditRow,
    "postgresql",
    "CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
    "CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
    "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()",
)
_also_create(
    AuditRow,
    "sqlite",
    "CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log "
    "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log "
    "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    # Replacing a row fires no trigger for deleting it.
    "CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log "
    "WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = new.id) "
    "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
)
