import pytest

from chatbot.understanding.glossary import terms_in
from corpora.catalog.glossary import Entry

ENTRIES = (
    Entry("performance monitoring", ("PM",)),
    Entry("wait-to-restore", ("WTR",)),
    Entry("loss of signal", ("LOS",)),
    Entry("information technology", ("IT",)),
    Entry("threshold crossing alert", ("TCA", "TCA policy")),
    Entry("1+1 protection", ("linear",)),
    Entry("fan module", ("fan tray", "fan assemblies")),
    Entry("millisecond", ("ms",)),
)
ORDINARY = {"pm", "it", "los"}


def found(text: str) -> list[str]:
    return [term.written for term in terms_in(text, ENTRIES, ORDINARY.__contains__)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("What is the PM interval?", ["PM"]),
        ("(PM) and the WTR's", ["PM", "WTR"]),
        ("are the PMs kept?", ["PMs"]),
        ("default wtr", ["wtr"]),
        ("performance-monitoring", ["performance-monitoring"]),
        ("Wait to restore", ["Wait to restore"]),
        ("a fan tray, fan trays, fan modules", ["fan tray", "fan trays", "fan modules"]),
        ("is 1+1 protection there?", ["1+1 protection"]),
        ("a few ms", ["ms"]),
    ],
)
def test_a_wording_is_found(text: str, written: list[str]) -> None:
    assert found(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "the window ends at 3 pm",
        "los of light",
        "where pm is an ordinary word",
        "PM-1, X-PM, pm.xml, PM_ALL, RPM and spam",
        "performance of monitoring",
        "the operator monitors performance",
        "version 1.1 protection",
    ],
)
def test_what_only_looks_like_a_wording_is_not_found(text: str) -> None:
    assert found(text) == []


def test_a_term_of_two_meanings_brings_both() -> None:
    entries = [*ENTRIES, Entry("power module", ("PM",))]
    (term,) = terms_in("PM", entries, ORDINARY.__contains__)
    assert term.synonyms == ("performance monitoring", "power module")


def test_of_two_that_overlap_the_longer_one_is_taken() -> None:
    (term,) = terms_in("a TCA policy", ENTRIES, ORDINARY.__contains__)
    assert term.written == "TCA policy"
    assert term.synonyms == ("threshold crossing alert", "TCA")


def test_a_pattern_in_a_wording_is_text() -> None:
    assert terms_in("aaa", [Entry("a.*", ("b",))], ORDINARY.__contains__) == []
    assert (
        terms_in("C++ and C#", [Entry("C++", ("cpp",))], ORDINARY.__contains__)[0].written == "C++"
    )
    assert terms_in("C", [Entry("C++", ("cpp",))], ORDINARY.__contains__) == []
