from __future__ import annotations

from rich.console import Console, RenderableType

from chatbot.reply import Reply
from eval.answer_summary import answer_tables, score_answers
from eval.gold import GoldQuestion, GoldSource, QuestionKind
from eval.likeness import Likeness
from eval.retrieval import RankedPage, among_first, retrieval_table, score_search, searches

LIKE = Likeness(bert_score=0.75, rouge_1=0.5, rouge_l=0.25, entity_jaccard=1.0, fact_overlap=None)
SAYS_NOTHING = Likeness(
    bert_score=0.0, rouge_1=0.0, rouge_l=0.0, entity_jaccard=0.0, fact_overlap=None
)
SECRET = "how long until it gives up?"
QUESTIONS = [
    GoldQuestion(
        id=f"q-{number}",
        product="router",
        question=SECRET,
        kind=kind,
        gold_answer="60",
        must_include=("60",),
        sources=(GoldSource(release="2.0", file="guide.pdf", page=4),) if number < 3 else (),
        release="2.0",
        releases=("1.0", "2.0") if kind is QuestionKind.COMPARE else (),
    )
    for number, kind in enumerate(
        [QuestionKind.ALIAS, QuestionKind.ALIAS, QuestionKind.COMPARE, QuestionKind.UNANSWERABLE]
    )
]


def rendered(renderable: RenderableType) -> list[list[str]]:
    console = Console(width=80, no_color=True)
    with console.capture() as capture:
        console.print(renderable)
    return [
        [cell.strip() for cell in line.split("  ") if cell.strip()]
        for line in capture.get().splitlines()
    ]


def test_answers_are_counted_in_eighty_columns() -> None:
    replies = {
        "q-0": Reply(answer="60", release="2.0", seconds=2.25),
        "q-1": Reply(answer="30", release="1.0", seconds=4.0),
    }
    lines = rendered(answer_tables(score_answers(QUESTIONS, replies)))

    assert lines[4] == ["silently wrong release", "0/2", "0.0%"]
    assert ["right, own words", "1/4", "25.0%"] in lines
    assert ["failed or missing", "2/4", "50.0%"] in lines
    assert ["seconds an answer, median", "of 2", "3.1"] in lines
    assert ["alias", "0/2", "1/2", "–", "–", "0/2", "0/2", "3.1"] in lines
    assert ["unanswerable", "–", "0/1", "–", "–", "–", "–", "–"] in lines
    assert SECRET not in str(lines)


def test_what_decides_nothing_stands_in_the_same_table_as_means() -> None:
    replies = {"q-0": Reply(answer="60"), "q-3": Reply(answer="60")}
    measured: list[tuple[str, str]] = []

    def alike(said: str, gold: str) -> Likeness:
        measured.append((said, gold))
        return LIKE if said else SAYS_NOTHING

    lines = rendered(answer_tables(score_answers(QUESTIONS, replies, alike=alike)))

    # Of the four the last cannot be answered, and two have no reply.
    assert measured == [("60", "60"), ("", "60"), ("", "60")]
    assert ["BERTScore F1, decides nothing", "of 3", "0.250"] in lines
    assert ["ROUGE-1 F1, decides nothing", "of 3", "0.167"] in lines
    assert ["ROUGE-L F1, decides nothing", "of 3", "0.083"] in lines
    assert ["entity overlap (Jaccard), decides nothing", "of 3", "0.333"] in lines
    assert ["fact overlap, by rule, decides nothing", "of 0", "–"] in lines


def test_retrieval_is_counted_at_every_cutoff() -> None:
    pages = [RankedPage("guide.pdf", 5), RankedPage("guide.pdf", 4)]
    scores = [score_search(*search, pages) for search in searches(QUESTIONS)]
    lines = rendered(retrieval_table(among_first(scores)))

    assert ["kind", "1", "3", "5", "10"] in lines
    assert ["all", "0/3 (0%)", "3/3 (100%)", "3/3 (100%)", "3/3 (100%)"] in lines
    assert ["compare", "0/1 (0%)", "1/1 (100%)", "1/1 (100%)", "1/1 (100%)"] in lines
