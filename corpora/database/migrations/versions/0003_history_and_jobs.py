"""What the web application keeps: whose conversations, what was said of answers, jobs, an audit."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NOTHING = sa.text("''")
_NO = sa.false()


def upgrade() -> None:
    """Add columns to releases, conversations and turns, fill them, and create the new tables."""
    op.add_column("releases", sa.Column("end_of_life", sa.Date))
    _extend_conversations()
    _create_turn_tables()
    _create_search()
    _create_opinions()
    _create_people()
    _create_audit_log()
    _create_jobs()
    _fill()


def _extend_conversations() -> None:
    op.add_column("conversations", _text("owner"))
    op.create_index("ix_conversations_owner_updated", "conversations", ["owner", "updated"])
    for column in (
        sa.Column("superseded", sa.Boolean, nullable=False, server_default=_NO),
        _text("owner"),
        sa.Column("product", sa.Text),
        sa.Column("route", sa.String(32), nullable=False, server_default=_NOTHING),
        sa.Column("abstained", sa.Boolean, nullable=False, server_default=_NO),
        sa.Column("seconds", sa.Double, nullable=False, server_default=sa.text("0")),
        sa.Column("profile", sa.String(32), nullable=False, server_default=_NOTHING),
        _text("model"),
        sa.Column("model_calls", sa.Integer, nullable=False, server_default=sa.text("0")),
    ):
        op.add_column("turns", column)
    op.create_index(
        "ix_turns_facts",
        "turns",
        [
            *("created", "product", "release", "owner", "route", "abstained", "superseded"),
            *("seconds", "model_calls"),
        ],
    )
    op.create_index("ix_turns_owner", "turns", ["owner"])


def _create_turn_tables() -> None:
    op.create_table("turn_texts", _turn(), sa.Column("text", sa.Text, nullable=False))
    op.create_table("turn_traces", _turn(), sa.Column("trace", sa.LargeBinary, nullable=False))
    op.create_table(
        "turn_citations",
        _turn(),
        sa.Column("release", sa.Text, primary_key=True),
        sa.Column("file", sa.Text, primary_key=True, index=True),
    )
    op.create_table(
        "open_questions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "conversation_id",
            sa.String(64),
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("after", sa.Integer, nullable=False),
        sa.Column("product", sa.Text),
        sa.Column("release", sa.Text),
        sa.Column("instead_of", sa.Integer),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("refused", sa.Boolean, nullable=False),
        sa.Column("server", sa.Text, nullable=False),
        sa.Column("seen", sa.DateTime, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )


def _create_search() -> None:
    """A full-text index over `turn_texts` that follows it by itself."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE INDEX turn_search ON turn_texts USING gin (to_tsvector('simple', text))")
        return
    op.execute(
        "CREATE VIRTUAL TABLE turn_search USING fts5("
        # The beginnings of words have doclists too: without them each is merged from hundreds.
        "text, content='turn_texts', content_rowid='turn_id', tokenize='unicode61', prefix='1 2 3')"
    )
    op.execute(
        "CREATE TRIGGER turn_texts_added AFTER INSERT ON turn_texts BEGIN "
        "INSERT INTO turn_search(rowid, text) VALUES (new.turn_id, new.text); END"
    )
    op.execute(
        "CREATE TRIGGER turn_texts_gone AFTER DELETE ON turn_texts BEGIN "
        "INSERT INTO turn_search(turn_search, rowid, text) "
        "VALUES ('delete', old.turn_id, old.text); END"
    )


def _create_opinions() -> None:
    op.create_table(
        "feedback",
        _turn(),
        sa.Column("thumbs", sa.Integer, nullable=False, index=True),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "reviews",
        _turn(),
        sa.Column("rating", sa.String(32), nullable=False, index=True),
        sa.Column("corrected_answer", sa.Text, nullable=False),
        sa.Column("corrected_release", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False, index=True),
        sa.Column("assignee", sa.Text, nullable=False),
        sa.Column("in_regression_set", sa.Boolean, nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("updated", sa.DateTime, nullable=False),
    )


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "uses",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_uses_owner_kind_at", "uses", ["owner", "kind", "at"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime, nullable=False, index=True),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_log_no_{change.lower()} BEFORE {change} ON audit_log "
            "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
        )
    # Replacing a row fires no trigger for deleting it.
    op.execute(
        "CREATE TRIGGER audit_log_no_replace BEFORE INSERT ON audit_log "
        "WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = new.id) "
        "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    )


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("product", sa.Text, nullable=False),
        sa.Column("release", sa.Text, nullable=False),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("cancelling", sa.Boolean, nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("report", sa.JSON, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False, index=True),
        sa.Column("started", sa.DateTime),
        sa.Column("stage_started", sa.DateTime),
        sa.Column("finished", sa.DateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"])
    op.create_table(
        "job_files",
        sa.Column(
            "job_id", sa.Integer, sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("file", sa.Text, primary_key=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.String(255), primary_key=True),
        sa.Column("heartbeat", sa.DateTime, nullable=False),
    )


def _fill() -> None:
    """Let the columns and tables about turns say what the stored payloads say."""
    turns = sa.table(
        "turns",
        *(sa.column(n) for n in ("id", "question", "product", "route", "abstained", "seconds")),
        sa.column("answer", sa.JSON),
        sa.column("profile"),
        sa.column("model_calls"),
    )
    texts = sa.table("turn_texts", sa.column("turn_id"), sa.column("text"))
    citations = sa.table("turn_citations", *map(sa.column, ("turn_id", "release", "file")))
    connection = op.get_bind()
    for row in connection.execute(sa.select(turns.c.id, turns.c.question, turns.c.answer)).all():
        reply: dict[str, Any] = (
            row.answer if isinstance(row.answer, dict) else json.loads(row.answer)
        )
        connection.execute(
            sa.update(turns)
            .where(turns.c.id == row.id)
            .values(
                product=reply.get("product"),
                route=reply.get("route", ""),
                abstained=bool(reply.get("abstained")),
                seconds=sum(reply.get("timings", {}).values()),
                profile=reply.get("profile", ""),
                model_calls=reply.get("model_calls", 0),
            )
        )
        text = f"{row.question}\n{reply.get('answer', '')}"
        connection.execute(sa.insert(texts).values(turn_id=row.id, text=text))
        cited = {(c["release"], c["file"]) for c in reply.get("citations", ())}
        for release, file in sorted(cited):
            connection.execute(
                sa.insert(citations).values(turn_id=row.id, release=release, file=file)
            )


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default=_NOTHING)


def _turn() -> sa.Column[int]:
    return sa.Column(
        "turn_id", sa.Integer, sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True
    )
