"""The indexes of a generation in PostgreSQL itself, where its extension `vector` is installed.

Each generation has a schema of its own with a table for pgvector (HNSW) and one of tsvectors (GIN).
It is written in one transaction, so that it is complete or not there, and serves every machine.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql
from sqlalchemy import (
    ARRAY,
    REAL,
    Integer,
    Select,
    TextClause,
    cast,
    column,
    func,
    select,
    table,
    text,
)
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.types import UserDefinedType

from corpora.catalog.languages import ENGLISH
from corpora.database.engine import Database
from corpora.errors import BrokenIndex
from corpora.generations.generations import generation_schema
from corpora.indexing.lexical import FIELD_WEIGHTS, LexicalIndex, LexicalRow, tokens
from corpora.indexing.vectors import HNSW, Batch

_HNSW_DIMENSIONS = 2000
"""pgvector indexes no more; longer vectors are compared one by one."""
_LAST_POSITION = 16_383
"""PostgreSQL counts no further in one tsvector."""
K1, B = 1.2, 0.75
"""BM25's constants, those of SQLite's FTS5."""
_SAME = 0.999
_MOST_TERMS = 50
"""Each is ranked by itself for every chunk that holds one of them; the rarest tell the most."""
_TABLES = """
SET LOCAL maintenance_work_mem = '512MB';
CREATE SCHEMA {schema};
CREATE TABLE {schema}.vectors (chunk_id bigint, vector vector({dimension}));
CREATE TABLE {schema}.chunks (chunk_id bigint, words tsvector, length integer);
"""
_INDEXES = """
CREATE INDEX ON {schema}.chunks USING gin (words);
CREATE TABLE {schema}.vocabulary AS SELECT word, ndoc FROM ts_stat({words});
CREATE UNIQUE INDEX ON {schema}.vocabulary (word);
ANALYZE {schema}.vectors;
ANALYZE {schema}.chunks;
"""
_HNSW = """
CREATE INDEX ON {schema}.vectors USING hnsw (vector vector_ip_ops)
WITH (m = {neighbors}, ef_construction = {effort})
"""


class Vector(UserDefinedType[str]):
    """pgvector's type, written as text."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Return its name in SQL."""
        return "vector"


def hold_indexes(database: Database) -> bool:
    """Return whether indexes are kept in the database: it is a PostgreSQL with pgvector."""
    if database.engine.dialect.name != "postgresql":
        return False
    with database.reading() as session:
        return bool(session.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")))


def is_built(database: Database, generation_id: int) -> bool:
    """Return whether the indexes of a generation are there, which means that they are complete."""
    with database.reading() as session:
        found = session.scalar(
            text("SELECT to_regnamespace(:name) IS NOT NULL"),
            {"name": f'"{generation_schema(generation_id)}"'},
        )
    return bool(found)


def build(
    database: Database,
    generation_id: int,
    dimension: int,
    batches: Iterable[Batch],
    rows: Iterable[LexicalRow],
    on_progress: Callable[[int], None],
) -> None:
    """Write both indexes of a generation; what was there is replaced.

    `on_progress` gets how many vectors are written. Others who build the same wait.
    """
    schema = sql.Identifier(generation_schema(generation_id))
    # A transaction that writes beside the one writer of all other tables.
    with closing(database.engine.raw_connection()) as pooled:
        connection = pooled.driver_connection
        assert isinstance(connection, psycopg.Connection)
        cursor = connection.cursor()
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (str(schema),))
        cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(schema))
        cursor.execute(sql.SQL(_TABLES).format(schema=schema, dimension=sql.Literal(dimension)))
        with cursor.copy(sql.SQL("COPY {}.vectors FROM STDIN").format(schema)) as copy:
            written = 0
            for ids, vectors in batches:
                for chunk_id, vector in zip(ids, vectors.tolist(), strict=True):
                    copy.write_row((chunk_id, str(vector)))
                written += len(ids)
                on_progress(written)
        with cursor.copy(sql.SQL("COPY {}.chunks FROM STDIN").format(schema)) as copy:
            for row in rows:
                copy.write_row((row.chunk_id, *_words(row)))
        if dimension <= _HNSW_DIMENSIONS:
            cursor.execute(
                sql.SQL(_HNSW).format(
                    schema=schema,
                    neighbors=sql.Literal(HNSW["max_neighbors"]),
                    effort=sql.Literal(HNSW["ef_construction"]),
                )
            )
        words = sql.SQL("SELECT words FROM {}.chunks").format(schema).as_string(cursor)
        cursor.execute(sql.SQL(_INDEXES).format(schema=schema, words=sql.Literal(words)))
        connection.commit()


class PgVectors:
    """The vectors of a generation; `size` is their number."""

    def __init__(self, database: Database, generation_id: int) -> None:
        self._database = database
        self._vectors = table(
            "vectors",
            column("chunk_id"),
            column("vector", Vector()),
            schema=generation_schema(generation_id),
        )
        self.size: int = _rows(database, select(func.count()).select_from(self._vectors))[0][0]

    def nearest(self, vector: npt.NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return at most `k` pairs of id and cosine similarity, the nearest first."""
        query = cast(str(vector.tolist()), Vector())
        distance = self._vectors.c.vector.op("<#>")(query)
        nearest = select(self._vectors.c.chunk_id, distance).order_by(distance).limit(k)
        effort = text(f"SET LOCAL hnsw.ef_search = {max(k, HNSW['ef_search'])}")
        found = [(i, -negative) for i, negative in _rows(self._database, nearest, effort)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def nearest_of_each(
        self, vectors: npt.NDArray[np.float32], k: int
    ) -> list[list[tuple[int, float]]]:
        """Return the same for each row of `vectors`."""
        return [self.nearest(vector, k) for vector in vectors]

    def first(self) -> npt.NDArray[np.float32]:
        """Return one of the vectors."""
        one = select(cast(self._vectors.c.vector, ARRAY(REAL))).limit(1)
        return np.array(_rows(self._database, one)[0][0], dtype=np.float32)

    def close(self) -> None:
        """Nothing is held open between two searches."""


class PgLexical(LexicalIndex):
    """The words of a generation's chunks.

    `ts_rank` knows nothing of how rare a word is and of what is usual in length; so each term is
    ranked by itself, weighed by its rarity as in BM25, and the sum by BM25's factor of length.
    """

    def __init__(
        self, database: Database, generation_id: int, languages: Sequence[str] = (ENGLISH,)
    ) -> None:
        super().__init__(languages)
        self._database = database
        schema = generation_schema(generation_id)
        self._chunks = table(
            "chunks",
            column("chunk_id"),
            column("words", TSVECTOR()),
            column("length", Integer()),
            schema=schema,
        )
        self._words = table("vocabulary", column("word"), column("ndoc"), schema=schema)
        self.size, length = _rows(
            database,
            select(func.count(), func.avg(self._chunks.c.length)).select_from(self._chunks),
        )[0]
        self._usual_length = float(length or 1)

    def close(self) -> None:
        """Nothing is held open between two searches."""

    def _ranked(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        chunks = self._chunks.c
        terms = sorted(terms, key=self.idf, reverse=True)[:_MOST_TERMS]
        heading, name, body = (weight / max(FIELD_WEIGHTS) for weight in FIELD_WEIGHTS)
        weights = cast([0.0, body, name, heading], ARRAY(REAL))
        ranks = [
            self.idf(term) * func.ts_rank(weights, chunks.words, cast(_quoted(term), TSQUERY()))
            for term in terms
        ]
        of_length = (K1 + 1) / (1 + K1 * (1 - B + B * chunks.length / self._usual_length))
        score = (sum(ranks[1:], ranks[0]) * of_length).label("score")
        any_of_them = cast(" | ".join(map(_quoted, terms)), TSQUERY())
        best = (
            select(chunks.chunk_id, score)
            .where(chunks.words.op("@@")(any_of_them))
            .order_by(score.desc(), chunks.chunk_id)
            .limit(limit)
        )
        return [(chunk_id, float(found)) for chunk_id, found in _rows(self._database, best)]

    def _count(self, token: str) -> int:
        words = self._words.c
        found = _rows(self._database, select(words.ndoc).where(words.word == token))
        return found[0][0] if found else 0

    def _held(self, least: int) -> list[str]:
        words = self._words.c
        held = select(words.word).where(words.ndoc >= least)
        return [word for (word,) in _rows(self._database, held)]


def check(database: Database, generation_id: int) -> None:
    """Raise BrokenIndex unless both indexes hold as much and find something that they hold."""
    vectors, words = PgVectors(database, generation_id), PgLexical(database, generation_id)
    if vectors.size != words.size:
        raise BrokenIndex(f"There are {vectors.size} vectors for {words.size} chunks.")
    if vectors.size and vectors.nearest(vectors.first(), 1)[0][1] < _SAME:
        raise BrokenIndex("The vector index does not find a vector that it holds.")


def _words(row: LexicalRow) -> tuple[str, int]:
    """The tokens of a chunk as a tsvector, with their places and fields, and how many they are."""
    places: dict[str, list[str]] = {}
    count = 0
    for field, text_of in zip("ABC", row.texts, strict=True):
        for token in tokens(text_of, row.language):
            count += 1
            places.setdefault(token, []).append(f"{min(count, _LAST_POSITION)}{field}")
    return " ".join(f"{_quoted(t)}:{','.join(found)}" for t, found in places.items()), count


def _quoted(token: str) -> str:
    return "'" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _rows(database: Database, wanted: Select[Any], *before: TextClause) -> list[Any]:
    with database.reading() as session:
        try:
            for statement in before:
                session.execute(statement)
            return list(session.execute(wanted))
        except ProgrammingError as error:
            raise BrokenIndex(f"The indexes cannot be searched: {error.orig}") from error
