import sqlite3
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer import stemmer

from corpora.errors import BrokenIndex
from corpora.indexing.lexical import LexicalFile, LexicalRow, build_index, identifiers, tokens

ROWS = [
    LexicalRow(1, "Engines > create_engine", "engines.html", "The pool size defaults to five."),
    LexicalRow(2, "Engines", "engines.html", "Call `sqlalchemy.create_engine()` once per process."),
    LexicalRow(3, "Pooling", "pooling.html", "QueuePool keeps connections; see `--max-rate`."),
    LexicalRow(4, "Changes", "changes.html", "New in 1.10.1: executemany_values_page_size."),
    LexicalRow(5, "Errors", "errors.html", "What to do when a connection is refused."),
    LexicalRow(6, "Notes", "notes.html", "Nothing of interest stands here."),
]


Make = Callable[..., LexicalFile]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes an index of rows with these bodies, numbered from 0."""
    made: list[LexicalFile] = []

    def of(*bodies: str) -> LexicalFile:
        path = tmp_path / f"{len(made)}.db"
        build_index(path, [LexicalRow(n, "", "", body) for n, body in enumerate(bodies)])
        made.append(LexicalFile.open(path))
        return made[-1]

    yield of
    for index in made:
        index.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalFile]:
    build_index(tmp_path / "lexical.db", ROWS)
    with closing(LexicalFile.open(tmp_path / "lexical.db")) as index:
        yield index


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Connections are pooled.", ["connect", "are", "pool"]),
        (
            "executemany_values_page_size",
            ["executemany_values_page_size", "executemani", "valu", "page", "size"],
        ),
        (
            "sqlalchemy.create_engine",
            ["sqlalchemy.create_engine", "create_engine", "sqlalchemi", "creat", "engin"],
        ),
        ("Query.update()", ["query.update", "update", "queri", "updat"]),
        ("--max-rate", ["--max-rate", "max-rate", "max", "rate"]),
        ("1.10.1", ["1.10.1"]),
        ("v1.4.52", ["v1.4.52", "1.4.52"]),
        ("MPI4PY_RC_ERRORS", ["mpi4py_rc_errors", "mpi", "py", "rc", "error"]),
        ("AsyncEngine", ["asyncengine", "asyncengin", "async", "engin"]),
        ("The end. Next", ["the", "end", "next"]),
        ("etc/hosts.conf", ["etc/hosts.conf", "etc", "hosts.conf", "conf", "host"]),
        ("naïve Straße", ["naïv", "straße"]),
        ("在2.1中retry_limit默认", ["在", "2.1", "中", "retry_limit", "retri", "limit", "默认"]),
        ("２．１のｍａｘ＿rate", ["2.1", "の", "max_rate", "max", "rate"]),
        (
            "参数--max-rate。バージョン",
            ["参数", "--max-rate", "max-rate", "max", "rate", "バー", "ージ", "ジョ", "ョン"],
        ),
        ("… () -- . _ ¶ \x00 \ud800", ["_"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I call Query.update() in 1.4.52?", ["query.update"]),
        ("what does --max-rate do", ["--max-rate"]),
        ("is update() the same as flush()", ["update", "flush"]),
        ("set pool_size and MPI4PY_RC_ERRORS", ["pool_size", "mpi4py_rc_errors"]),
        ("QueuePool or psycopg2", ["queuepool", "psycopg2"]),
        ("PostgreSQL-specific and read-only types", ["postgresql"]),
        ("version 2, v1.4, R17.2, release17.20, 500ms, 3rd", []),
        ("e.g. the U.S. and i.e. that", []),
        ("Plain words, TCP/IP and URLs.", []),
        ("设置max_payload后", ["max_payload"]),
    ],
)
def test_identifiers(text: str, expected: list[str]) -> None:
    assert identifiers(text) == expected


def test_chinese_documents_are_found_by_chinese_questions(make: Make) -> None:
    index = make("会话超时的默认值是三十分钟。", "任务失败后会重试三次。", "网关监听端口九千。")
    assert [chunk for chunk, _ in index.search(tokens("默认的会话超时是多少"), 1)] == [0]
    assert [chunk for chunk, _ in index.search(tokens("端口是哪个"), 1)] == [2]


@given(st.text() | st.text("aB1_.-/() ", max_size=40))
def test_identifiers_are_among_the_tokens(text: str) -> None:
    assert set(identifiers(text)) <= set(tokens(text))


@given(st.text() | st.text("aB1_.-/() ", max_size=40))
def test_every_token_is_found_again(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("index") / "lexical.db"
    others = [LexicalRow(n, "", "", "other") for n in (2, 3, 4)]
    build_index(path, [LexicalRow(1, "", "", text), *others])
    index = LexicalFile.open(path)
    for token in set(tokens(text)) - {"other"}:
        assert index.frequency(token) == 1
        assert [chunk for chunk, _ in index.search([token], 9)] == [1]
    index.close()


def test_the_best_chunk_comes_first_with_a_positive_score(index: LexicalFile) -> None:
    found = index.search(tokens("create_engine pool size"), 10)
    assert [chunk for chunk, _ in found] == [1, 2, 3, 4]
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    # A heading weighs more than the body.
    assert [chunk for chunk, _ in index.search(tokens("create_engine"), 2)] == [1, 2]


def test_parts_of_a_name_and_other_forms_of_a_word_are_found(index: LexicalFile) -> None:
    assert index.search(tokens("connection pools"), 1)[0][0] == 3
    assert index.search(tokens("values page"), 1)[0][0] == 4
    assert index.search(tokens("1.10.1"), 9) == index.search(["1.10.1"], 9)


def test_equal_scores_come_in_order_of_id_and_operators_are_words(make: Make) -> None:
    index = make("x", "same words", "x", "same words", "and or not near", "x", "x")
    assert [chunk for chunk, _ in index.search(["same"], 2)] == [1, 3]
    assert [chunk for chunk, _ in index.search(["AND", "near", "not"], 5)] == [4]


@pytest.mark.parametrize(
    "terms", [[], ["nowhere"], ['"'], ["'; DROP TABLE chunks"], ["pool OR size"], ["\x00"], ["*"]]
)
def test_terms_that_match_nothing_do_no_harm(index: LexicalFile, terms: list[str]) -> None:
    assert index.search(terms, 5) == []


def test_a_term_of_most_chunks_is_still_found_alone(index: LexicalFile) -> None:
    assert len(index.search(["html"], 9)) == len(ROWS)
    assert [chunk for chunk, _ in index.search(["html", "refus"], 9)] == [5]


def test_frequency_takes_tokens_and_words_as_written(index: LexicalFile) -> None:
    assert index.size == len(ROWS)
    assert index.frequency("connect") == index.frequency("Connections") == 2
    assert index.frequency("create_engine") == 2
    assert index.frequency("QueuePool") == 1
    assert index.frequency("--max-rate") == 1
    assert index.frequency("nowhere") == index.frequency("") == 0


def test_a_rarer_term_has_a_higher_idf(index: LexicalFile) -> None:
    assert index.idf("nowhere") > index.idf("refused") > index.idf("connection") > 0
    assert index.idf("html") > 0


def test_typing_errors_lead_to_words_of_the_index(index: LexicalFile) -> None:
    assert index.similar("conection") == ("connect",)
    assert index.similar("crokodile") == ()
    assert index.similar("sie") == ()


def test_words_are_stemmed_alike_in_several_threads() -> None:
    # Words that no other test has: what was stemmed once is remembered.
    words = [f"{a}o{b}ar{c}izations" for a in "bcdfghk" for b in "klmnpqr" for c in "tvwz"]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            stemmed = list(threads.map(tokens, words))
    finally:
        sys.setswitchinterval(usual)
    assert stemmed == [[stemmer("english").stemWord(word)] for word in words]


def test_an_index_without_chunks_answers(make: Make) -> None:
    index = make()
    assert (index.size, index.search(["word"], 3)) == (0, [])
    assert index.idf("word") >= 0


def test_building_the_same_twice_gives_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        build_index(tmp_path / name, ROWS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with pytest.raises(FileExistsError, match="exists"):
        build_index(tmp_path / "a", ROWS)


def test_what_is_no_complete_index_is_broken(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"noise" * 2000)
    (tmp_path / "empty").touch()
    build_index(tmp_path / "whole", ROWS)
    (tmp_path / "cut").write_bytes((tmp_path / "whole").read_bytes()[:8000])
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE t(x)").connection.close()
    for name in ("missing", "noise", "empty", "cut", "other"):
        with pytest.raises(BrokenIndex, match=name):
            LexicalFile.open(tmp_path / name)


def test_closing_waits_for_who_searches(tmp_path: Path) -> None:
    path = tmp_path / "lexical.db"
    build_index(path, [LexicalRow(i, "Mast", "mast.html", f"mast of {i}") for i in range(1000)])

    def search(index: LexicalFile, searching: Event) -> None:
        while True:
            index.search(["mast"], 10)
            searching.set()

    for _ in range(100):
        index = LexicalFile.open(path)
        searching = Event()
        with ThreadPoolExecutor(2) as pool:
            searches = [pool.submit(search, index, searching) for _ in range(2)]
            searching.wait(30)
            index.close()
        for ended in searches:
            assert isinstance(ended.exception(), sqlite3.ProgrammingError)
