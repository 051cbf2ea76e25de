import pytest

from chatbot.retrieval.question_types import QuestionType
from chatbot.retrieval.records import records
from chatbot.retrieval.reranking import rank_records
from chatbot.text.parts import parts_named
from corpora.indexing.lexical import tokens
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What does section 3.2 of the manual say?", [("section", "3.2")]),
        ("Tables 4 and fig. 2-1", [("table", "4"), ("fig", "2-1")]),
        ("see Appendix B and chapter IV.", [("appendix", "B"), ("chapter", "IV")]),
        ("Abschnitt 3.2, § 5, Schritt 7a", [("abschnitt", "3.2"), ("§", "5"), ("schritt", "7a")]),
        ("第3章和3.2节,表 4", [("章", "3"), ("节", "3.2"), ("表", "4")]),
        ("3.2 节说什么, 第4条, 第3步", [("节", "3.2"), ("条", "4"), ("步", "3")]),
        ("2.1 节能模式, 2.1 步骤, 报表 2.1, 2.1 章程", []),
        ("which step I need, a table of 4 rows, in 3.2", []),
    ],
)
def test_parts_are_named_by_their_numbers(text: str, named: list[tuple[str, str]]) -> None:
    assert [(part.word, part.number) for part in parts_named(text)] == named


@pytest.mark.parametrize(
    ("part", "path", "words", "is_of"),
    [
        ("section 3.2", ("3 Records", "3.2 Retention"), "Kept for 14 days.", True),
        ("section 3", ("3 Records", "3.2 Retention"), "Kept for 14 days.", True),
        ("section 3.2", ("3.20 Limits", "3.2.1 Most"), "Kept for 3.2 days.", False),
        ("section 3", ("Steps",), "3. Close it.", False),
        ("step 3", ("Steps",), "3. Close it.", True),
        ("Table 4", ("Ports",), "Table 4: Rates", True),
        ("table 4", ("Ports",), "Rates are these.\n\nTable 4: Rates", True),
        ("table 4", ("4 Ports",), "4. Close it.", False),
        ("chapter II", ("Chapter II Use",), "Press the key.", True),
        ("第3章", ("第3章 维护",), "每年一次。", True),
    ],
)
def test_words_are_of_a_part_by_heading_caption_or_step(
    part: str, path: tuple[str, ...], words: str, is_of: bool
) -> None:
    assert parts_named(part)[0].is_of(path, words) is is_of


def test_the_section_that_is_asked_for_is_ranked_first() -> None:
    texts = {"2.2 Spares": "Kept for 45 days, see section 3.2.", "3.2 Logs": "Removed at last."}
    page = stored_page(*(Block(BlockKind.PARAGRAPH, t, (path,)) for path, t in texts.items()))
    ranked = rank_records(
        "What does section 3.2 say?",
        QuestionType.VALUE,
        "1.0",
        {"3.2": 1.0},
        [(1.0, records(page))],
        lambda _, texts: [0.5] * len(texts),
        tokens,
    )
    assert ranked[0].path == ("3.2 Logs",)
