import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.releases.rules import resolve_release
from chatbot.understanding.clarification import resolve_turn
from corpora.catalog.release import Product, Release
from eval.releases import Outcome, outcome_of
from tests.chatbot.release_cases import ReleaseCase, read_cases
from tests.chatbot.release_catalogs import CATALOGS, MPI4PY, SQLALCHEMY

HERE = Path(__file__).parent
CONTRACT = read_cases(HERE / "release_contract.jsonl", CATALOGS)
"""What nobody could take for another release: names as written, unknown ones, prefixes, numbers."""
CASES = [*CONTRACT, *read_cases(HERE / "release_cases.jsonl", CATALOGS)]
RIGHT_OR_ASKED_BACK, ASKED_BACK = 0.97, 0.12
"""The least and the greatest share of all cases."""


@pytest.mark.parametrize("case", CONTRACT, ids=lambda c: c.turn.question[:60])
def test_a_release_that_is_named_is_the_one(case: ReleaseCase) -> None:
    resolution = resolve_turn(case.turn, case.products)
    assert (resolution.status, resolution.releases) == (case.meant.status, case.meant.releases)


def test_hardly_a_question_is_taken_for_another_release_and_none_in_silence() -> None:
    outcomes = Counter[Outcome]()
    wrong = []
    for case in CASES:
        resolution = resolve_turn(case.turn, case.products)
        assert_sound(case.turn.question, case.products, resolution)
        outcome = outcome_of(case.meant, resolution)
        outcomes[outcome] += 1
        if outcome in (Outcome.SILENTLY_WRONG, Outcome.WRONG_BUT_SAID):
            wrong.append(f"{case.turn.question}: {resolution.releases}, not {case.meant.releases}")
    shown = "\n".join(wrong)
    assert not outcomes[Outcome.SILENTLY_WRONG], shown
    assert 1 - len(wrong) / len(CASES) >= RIGHT_OR_ASKED_BACK, shown
    assert outcomes[Outcome.ASKED_BACK] / len(CASES) <= ASKED_BACK


def assert_sound(question: str, products: Sequence[Product], resolution: Resolution) -> None:
    """Releases come from the catalog of one product, mentions lie in the question, in order."""
    known = {p.name: {r.name for r in p.releases} for p in products}
    for part in resolution.apart:
        assert_sound(question, products, part)
    if resolution.product is None:
        assert bool(resolution.releases) == bool(resolution.apart)
        listed = {f"{product} {name}" for product, names in known.items() for name in names}
        assert set(resolution.available) <= listed
    else:
        own = known[resolution.product]
        assert {*resolution.releases, *resolution.available} <= own
    match resolution.status:
        case ReleaseStatus.COMPARED:
            assert len(set(resolution.releases)) > 1
        case ReleaseStatus.UNKNOWN | ReleaseStatus.AMBIGUOUS:
            assert not resolution.releases
            assert resolution.available or not any(known.values())
        case ReleaseStatus.NONE:
            assert not resolution.releases
        case _:
            assert len(resolution.releases) == 1
    end = 0
    for mention in resolution.mentions:
        assert end <= mention.start < mention.end <= len(question)
        assert question[mention.start : mention.end] == mention.text
        end = mention.end


VOCABULARY = """
    in the release version 1.4 2.0 2.0.57 1.9 17 3.8 Python python MySQL sqlalchemy mpi4py and or vs
    / , . ? ( ) not since from to before after latest newest previous one that all x.x releases 1.x
    1.4.* v2 R1 3.1.6 upgrade compare point four N-1 = == < >= 5 MB seconds of
"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(max_examples=400, derandomize=True)
@given(
    st.lists(WORDS, max_size=25),
    st.sampled_from([" ", "", ", "]),
    st.sampled_from([None, "sqlalchemy", "mpi4py"]),
    st.sampled_from([None, ("sqlalchemy", "1.3.24"), ("mpi4py", "3.0.3")]),
)
def test_any_words_resolve_within_the_catalog(
    words: list[str], between: str, product: str | None, before: tuple[str, str] | None
) -> None:
    question = between.join(words)
    products = [SQLALCHEMY, MPI4PY]
    resolution = resolve_release(question, products, product=product, conversation_release=before)
    assert_sound(question, products, resolution)


@settings(max_examples=300, derandomize=True)
@given(st.text(max_size=300))
def test_any_text_resolves_within_the_catalog(question: str) -> None:
    for products in CATALOGS.values():
        assert_sound(question, products, resolve_release(question, products))


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40)),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    st.data(),
)
@settings(max_examples=200, derandomize=True)
def test_a_release_named_in_full_is_always_the_one(
    numbers: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    names = [".".join(map(str, parts)) for parts in sorted(numbers)]
    wanted = data.draw(st.sampled_from(names))
    written = data.draw(st.sampled_from(["{}", "v{}", "release {}", "R{}", "Switchboard {}"]))
    product = Product("Switchboard", (), tuple(Release("Switchboard", name) for name in names))
    said = written.format(wanted)
    resolution = resolve_release(f"What is the default VLAN in {said}?", [product])
    assert (resolution.status, resolution.releases) == ("stated", (wanted,))


@pytest.mark.parametrize(
    ("question", "explanation"),
    [
        ("echo in 1.4", 'you said "1.4" → 1.4.54'),
        ("echo in 1.4.54", 'you said "1.4.54"'),
        ("echo in the version before 2.0", 'you said "in the version before 2.0" → 1.4.54'),
        ("echo", "the latest"),
        ("echo in Foo 17.20?", 'the latest, as "Foo 17.20" names no release of sqlalchemy'),
        (
            f"echo in {', '.join(f'Fo{letter} 17.20' for letter in 'abcdefgh')}?",
            'the latest, as "Foa 17.20", "Fob 17.20", "Foc 17.20", "…" names no release of '
            "sqlalchemy",
        ),
        ("echo: a timeout of 2.5 s, as in section 3.2", "the latest"),
        ("echo in SQLAlchemy 1.0", 'no release "1.0" of sqlalchemy'),
        ("echo 1.3 vs 1.4", "compared: 1.3.24, 1.4.54"),
        ("migrate from 1.4 to 2.0", "Using 2.0.57, your target release"),
        (
            "migrate from 0.9 to 2.0",
            "0.9 is not documented; using 2.0.57, your target release",
        ),
        (
            "Is sqlalchemy 2.0 faster than mpi4py?",
            'you said "2.0" → 2.0.57; sqlalchemy alone was searched, not mpi4py',
        ),
        (
            "Is mpi4py faster than sqlalchemy 1.4?",
            'you said "1.4" → 1.4.54; sqlalchemy alone was searched, not mpi4py',
        ),
    ],
)
def test_the_explanation_says_how_the_release_was_found(question: str, explanation: str) -> None:
    products = [SQLALCHEMY, MPI4PY]
    assert resolve_release(question, products, product="sqlalchemy").explanation == explanation


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([("echo in 1.3", "False.")], ("conversation", ("1.3.24",))),
        ([("echo in 1.3", "False."), ("and in the latest?", "No.")], ("latest", ("2.1.9",))),
        ([("echo", "False.")], ("latest", ("2.1.9",))),
        ([("echo", "In SQLAlchemy 1.4.54 it is False.")], ("conversation", ("1.4.54",))),
        ([("echo", "In SQLAlchemy 2.1.9 it is False.")], ("latest", ("2.1.9",))),
        ([("echo", "False; it was True before 1.4.")], ("latest", ("2.1.9",))),
        ([("echo in 1.3 vs 1.4", "The same.")], ("conversation", ("1.4.54",))),
    ],
)
def test_a_follow_up_stays_with_the_conversation(
    history: list[tuple[str, str]], expected: tuple[str, tuple[str, ...]]
) -> None:
    resolution = resolve_release("Why is that?", [SQLALCHEMY], history=history)
    assert (resolution.status, resolution.releases) == expected


LONG = ("1.4 ", "a", " ", "17.20 and ", "in the ", "\n", "1.1.", "one point ", "x=(", "v")


@pytest.mark.parametrize("piece", LONG)
def test_a_very_long_question_stays_fast(piece: str) -> None:
    question = (piece * 50_000)[:50_000] + " in release 1.4?"
    started = time.process_time()
    assert_sound(question, [SQLALCHEMY], resolve_release(question, [SQLALCHEMY]))
    assert time.process_time() - started < 5


def test_a_long_product_name_between_releases_stays_fast() -> None:
    name = "Interdepartmentalswitchboardsystem"
    product = Product(name, (), (Release(name, "1.4"), Release(name, "2.0")))
    started = time.process_time()
    resolve_release(f"1.4 {name}; 2.0", [product])
    assert time.process_time() - started < 5


def test_the_ends_of_a_long_question_are_read_and_its_mentions_lie_right() -> None:
    question = "In SQLAlchemy 1.4, why does this fail?" + " log 2.0" * 5_000
    first = resolve_release(question, [SQLALCHEMY]).mentions[0]
    assert first.text == "In SQLAlchemy 1.4"
    question = "log line " * 5_000 + "Why does this fail in SQLAlchemy 1.4?"
    resolution = resolve_release(question, [SQLALCHEMY])
    assert resolution.releases == ("1.4.54",)
    assert [mention.text for mention in resolution.mentions] == ["in SQLAlchemy 1.4"]
