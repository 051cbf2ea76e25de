"""The questions of the page Evaluation: decided on, edited, imported; hostile text is text."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.chatbot import Chatbot
from corpora.building.removal import delete_release
from corpora.errors import IngestCancelled, JobError
from corpora.generations.progress import Progress
from corpora.jobs.jobs import DRAFTS, Job, JobKind, Jobs, JobState
from eval.sets.drafting import propose
from eval.sets.proposals import Draft, Proposals, State, StatedOn
from tests.eval.made_gold import gold
from tests.job_work import worker_of
from tests.ui.admin_pages import errors, plain, press, run, shown
from tests.ui.payloads import PAYLOADS
from ui.serving.drafting import draft

pytestmark = pytest.mark.database


def view() -> AppTest:
    """The view of one product, as a page for admins of its own."""

    def questions() -> None:
        from chatbot.accounts.people import Person
        from ui.elements.frame import Access, page
        from ui.evaluation.drafts_view import show

        @page("wide", Access.ADMINS)
        def alone(person: Person) -> None:
            show(person, "valve")

        alone()

    return run(AppTest.from_function(questions, default_timeout=60))


def listed(page: AppTest, name: str) -> AppTest:
    page.segmented_control[0].set_value(name)
    return run(page)


def order(chatbot: Chatbot, since: str | None = None, number: int = 20) -> Job:
    admin = Administration(chatbot.database, LOCAL)
    return Jobs(chatbot.database).get(admin.draft("valve", "2.0", since, number, with_model=False))


def worked_off(chatbot: Chatbot) -> Job:
    """The newest order, after a worker has done it."""
    tasks = {JobKind.DRAFT: partial(draft, chatbot.settings)}
    assert worker_of(chatbot, tasks=tasks).do_next()
    (job,) = Jobs(chatbot.database).recent(1, kinds=DRAFTS)
    return job


def asked(chatbot: Chatbot, state: State) -> list[str]:
    kept = Proposals(chatbot.database).page(LOCAL, state, limit=100)
    return [proposal.draft.gold.question for proposal in kept]


def test_questions_are_proposed_and_decided_on(chatbot: Chatbot) -> None:
    page = view()
    assert "No question waits for a decision." in shown(page)
    page.number_input[0].set_value(3)
    page = press(page, "Propose")
    assert [b.disabled for b in page.button if b.label == "Propose"] == [True]
    assert "**Proposing questions** · valve 2" in shown(page)
    with pytest.raises(JobError, match="are being proposed"):
        order(chatbot)
    assert worked_off(chatbot).message == "3 questions proposed."
    page = view()
    assert "3 questions proposed." in [plain(c.value) for c in page.caption]
    first, second, third = asked(chatbot, State.PROPOSED)
    assert first in shown(page)
    press(press(view(), "Accept"), "Drop")
    assert asked(chatbot, State.ACCEPTED) == [first]
    assert asked(chatbot, State.DROPPED) == [second]
    assert asked(chatbot, State.PROPOSED) == [third]
    page = listed(view(), "In the set")
    assert "1 question" in shown(page)
    assert first in shown(page)
    press(page, "Take out")
    press(listed(view(), "Dropped"), "Put back")
    assert len(asked(chatbot, State.PROPOSED)) == 2
    actions = [row["action"] for row in AuditLog(chatbot.database).rows(LOCAL)]
    assert actions == [
        *("question proposed", "question dropped", "question dropped"),
        *("question accepted", "propose questions", "order questions"),
    ]


def test_the_differences_of_two_releases_are_proposed(chatbot: Chatbot) -> None:
    page = view()
    release, since = page.selectbox[0], page.selectbox[1]
    assert (release.value, since.options) == ("2.0", ["1.0"])
    since.set_value("1.0")
    press(page, "Propose")
    assert worked_off(chatbot).order["since"] == "1.0"
    assert any("differ between 1.0 and 2.0" in text for text in asked(chatbot, State.PROPOSED))


def test_what_was_stopped_goes_on_with_what_is_missing(chatbot: Chatbot) -> None:
    job = order(chatbot, number=4)
    reported: list[Progress] = []

    def stops() -> bool:
        return bool(reported and reported[-1].done >= 2)

    propose(chatbot, LOCAL, "valve", "2.0", number=2)
    with pytest.raises(IngestCancelled):
        draft(chatbot.settings, job, reported.append, stops)
    assert (reported[0].done, reported[0].total) == (2, 4)
    assert draft(chatbot.settings, job, reported.append, lambda: False) == "4 questions proposed."
    assert len(asked(chatbot, State.PROPOSED)) == 4


def test_a_job_that_was_stopped_keeps_its_order(chatbot: Chatbot) -> None:
    jobs, job = Jobs(chatbot.database), order(chatbot, since="1.0")
    jobs.cancel(job.id)
    page = view()
    assert "cancelled" in shown(page)
    press(page, "Try again")
    again = jobs.get(job.id)
    assert (again.state, again.order) == (JobState.WAITING, job.order)
    assert job.order == {"since": "1.0", "number": 20, "with_model": False}


def test_a_release_that_is_gone_is_said(chatbot: Chatbot) -> None:
    press(view(), "Propose")
    (job,) = Jobs(chatbot.database).recent(kinds=DRAFTS)
    delete_release(chatbot.database, chatbot.settings.data_dir, "valve", "2.0", lambda p: None)
    assert worked_off(chatbot).state is JobState.FAILED
    assert "2.0" in Jobs(chatbot.database).get(job.id).message


def test_an_edited_question_is_saved_and_accepted(chatbot: Chatbot) -> None:
    propose(chatbot, LOCAL, "valve", "2.0", number=1)
    assert any(button.label == "Edit …" for button in view().button)
    page = run(AppTest.from_function(edited, default_timeout=30))
    question, answer = page.text_area
    question.set_value("How long does the valve hold in 2.0?")
    answer.set_value("")
    page = press(page, "Save")
    assert "no question with an answer" in errors(page)
    page.text_area[1].set_value("45 s")
    press(page, "Save")
    assert asked(chatbot, State.ACCEPTED) == ["How long does the valve hold in 2.0?"]


def edited() -> None:
    """The dialog of the one question that waits, opened as if by its button."""
    from chatbot.accounts.people import LOCAL
    from eval.sets.proposals import State
    from ui.evaluation.drafts_view import edit
    from ui.serving import services

    for proposal in services.proposals().page(LOCAL, State.PROPOSED):
        edit(proposal.id, proposal.draft.gold)


def test_a_file_is_imported_with_its_columns_mapped(chatbot: Chatbot) -> None:
    page = view()
    rows = (
        *("Text;Lösung;Stand;Produkt;Must include", "How long?;45 s;2.0;;(x+x+)+y"),
        *("Why?;so;9.9;;", "Who?;we;2.0;relay;"),
    )
    data = "\n".join(rows).encode("cp1252")
    page.file_uploader[0].upload("own.csv", data, "text/csv")
    page = run(page)
    assert "no column 'question'" in errors(page)
    for label, column in (("question", "Text"), ("answer", "Lösung"), ("release", "Stand")):
        next(b for b in page.selectbox if b.label == f"Column with the {label}").set_value(column)
    page = run(page)
    told = plain(page.warning[0].value)
    assert "there is no release '9.9' of valve" in told
    assert "it is about another product: 'relay'" in told
    assert any("Ignored columns: Must include" in plain(c.value) for c in page.caption)
    press(page, "Add 1 question")
    assert asked(chatbot, State.ACCEPTED) == ["In 2.0: How long?"]


@pytest.mark.parametrize("text", PAYLOADS[:-1])
def test_hostile_text_is_shown_as_text(chatbot: Chatbot, text: str) -> None:
    place = StatedOn("2.0", text, 1, 1, "00" * 32, text, None, text, text)
    draft = Draft(
        gold(product="valve", question=f"{text} ?", gold_answer=text or "x"), text, (place,)
    )
    Proposals(chatbot.database).add(LOCAL, [draft])
    page = view()
    told = plain("\n".join([*(m.value for m in page.markdown), *(b.label for b in page.button)]))
    assert all(not m.allow_html for m in page.markdown)
    assert len(page.button) > 3
    assert told
