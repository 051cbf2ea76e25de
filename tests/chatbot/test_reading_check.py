import pytest

from chatbot.releases.reading_check import check_versions
from corpora.catalog.release import Product, Release

RELAY = Product("relay", (), tuple(Release("relay", n) for n in ("17.10", "17.20", "18.00")))
MAJORS = Product("kite", (), tuple(Release("kite", n) for n in ("4", "5", "5.1")))


@pytest.mark.parametrize(
    ("question", "releases", "others"),
    [
        ("What is the MTU in 17.20?", ["17.20"], []),
        ("What is the MTU in R17.2, after 30 minutes?", ["R17.2"], ["30"]),
        ("Does it start in 18.00 ms?", [], ["18.00"]),
        ("Does Python 17.10 work?", [], ["17.10"]),
        ("Compare 17.10/17.20", ["17.10", "17.20"], []),
        ("Is utf-8 or /api/v1 or --retries=3 or ipv6 known?", [], []),
        ("Does it reach 10.0.0.1?", [], ["10.0.0.1"]),
        ("Wie groß ist die MTU in der 17.20er Version?", ["17.20"], []),
        ("17.20版本里怎么设置", ["17.20"], []),
        ("we pin relay>=17.10,<17.30 in setup.cfg", [">=17.10", "<17.30"], []),
        ("do I need glibc 17.5 for it", [], ["17.5"]),
        ("Is `mtu`=17.20 allowed, and does it run on macOS 14.2?", [], ["17.20"]),
    ],
)
def test_numbers_that_are_accounted_for(
    question: str, releases: list[str], others: list[str]
) -> None:
    check_versions(question, releases, others, RELAY)


@pytest.mark.parametrize(
    ("question", "releases", "others"),
    [
        ("What is the MTU in 17.20?", [], []),
        ("What is the MTU in 17.20?", [], ["17.20"]),
        ("What is the MTU in 17.30?", [], ["17.30"]),
        ("What is the max_payload of 17.1?", [], ["17.1"]),
        ("What is maxPayload v17.1?", [], ["v17.1"]),
        ("MAX_PAYLOAD 17.1", [], []),
        ("What is hold_time in der Version nach 17.10?", [], []),
        ("Is the upgrade 17.10 to 18.00 safe?", ["18.00"], ["17.10"]),
        ("Does relay==17.20 need a key?", [], []),
        ("Does it work in v18?", [], ["v18"]),
        ("Is 17.2 in 17.20?", ["17.20"], []),
        ("What changed, 17.10→17.20?", ["17.10"], []),
    ],
)
def test_a_release_is_never_taken_for_something_else(
    question: str, releases: list[str], others: list[str]
) -> None:
    with pytest.raises(ValueError, match="release"):
        check_versions(question, releases, others, RELAY)


def test_a_release_of_one_number_is_told_from_a_count() -> None:
    check_versions("Which of the 5 steps needs a key?", [], ["5"], MAJORS)
    with pytest.raises(ValueError, match="may be a release"):
        check_versions("How do I install it on kite 5?", [], ["5"], MAJORS)
