import pytest

from chatbot.reply import Reply
from chatbot.turn import Route
from chatbot.understanding.clarification import about_release
from corpora.catalog.release import Product, Release
from ui.answers.actions import choices, with_chosen_release

VALVE = Product("valve", (), tuple(Release("valve", name) for name in ("1.0", "2.0")))
PUMP = Product("pump", (), tuple(Release("pump", name) for name in ("2.0", "3.0")))


@pytest.mark.parametrize(
    ("route", "product", "available", "offered"),
    [
        ("clarify", "valve", "2.0 1.0 0.9", ["2.0", "1.0"]),
        ("clarify", None, "valve-2.0 pump-2.0", ["valve 2.0", "pump 2.0"]),
        # What the catalog tells asks for nothing.
        ("inventory", "valve", "2.0 1.0", []),
    ],
)
def test_the_releases_are_offered_in_the_order_of_the_reply(
    route: str, product: str | None, available: str, offered: list[str]
) -> None:
    names = tuple(name.replace("-", " ") for name in available.split())
    reply = Reply(answer="", route=Route(route), product=product, available_releases=names)
    meant = [(f"{product} {name}" if product else name).split() for name in offered]
    assert list(choices(reply, [PUMP, VALVE]).items()) == [
        (name, tuple(of)) for name, of in zip(offered, meant, strict=True)
    ]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is hold_time in 1.0?", "What is hold_time in 2.0?"),
        ("What is hold_time in valve 1.0?", "What is hold_time in valve 2.0?"),
        ("In release 1.0, what is hold_time?", "In release 2.0, what is hold_time?"),
        ("Is it in the latest release?", "Is it in 2.0?"),
        ("What is hold_time?", "What is hold_time?"),
    ],
)
def test_a_question_is_asked_of_another_release(question: str, asked: str) -> None:
    assert about_release(question, "2.0", "valve", [VALVE, PUMP]) == asked


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is hold_time in release 7.5?", "What is hold_time in release 2.0?"),
        ("What changed between 1.0 and 7.5?", "What changed between 1.0 and 2.0?"),
        ("What is hold_time?", "What is hold_time?"),
        ("What is hold_time in 1.0?", "What is hold_time in 1.0?"),
    ],
)
def test_a_release_that_is_not_there_gives_way_to_the_choice(question: str, asked: str) -> None:
    assert with_chosen_release(question, "valve", "2.0", [VALVE, PUMP]) == asked
