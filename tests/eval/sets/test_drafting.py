"""Questions proposed from documentation: each answer stands on its page, letter for letter."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.accounts.people import LOCAL, Person
from chatbot.chatbot import Chatbot
from chatbot.errors import NotAllowed
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.releases.rules import resolve_release
from corpora.errors import NoCorpus
from eval.gold import QuestionKind
from eval.sets.drafting import propose, stands
from eval.sets.proposals import Draft, Proposals, State

ALL = 200


def proposed(
    chatbot: Chatbot, since: str | None, product: str = "tessaline", release: str = "17.20"
) -> list[Draft]:
    propose(chatbot, LOCAL, product, release, since, ALL)
    kept = Proposals(chatbot.database).page(LOCAL, State.PROPOSED, limit=ALL)
    return [proposal.draft for proposal in kept]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("since", [None, "17.10"])
def test_every_answer_on_the_sample_stands_on_its_page(sample: Chatbot, since: str | None) -> None:
    drafts = proposed(sample, since)
    assert len(drafts) > 100
    for draft in drafts:
        assert draft.pages
        for place in draft.pages:
            page = sample.corpora.corpus("tessaline", place.release).page(place.page_id)
            assert place.quote
            assert place.quote in page.text
            assert page.document.file == place.file
        if draft.gold.answerable and not draft.gold.releases:
            quoted = " ".join(place.quote for place in draft.pages)
            assert set(words(draft.gold.gold_answer)) <= set(words(quoted))
        assert draft.gold.accepts(draft.gold.gold_answer) is not False
    assert len({draft.gold.question.casefold() for draft in drafts}) == len(drafts)


@pytest.mark.parametrize("since", [None, "17.10"])
def test_every_question_is_read_as_one_about_its_releases(
    sample: Chatbot, since: str | None
) -> None:
    for draft in proposed(sample, since):
        gold = draft.gold
        read = resolve_release(gold.question, sample.products(), product=gold.product)
        assert set(read.releases) == set(gold.gold_releases), gold.question


def test_what_changed_is_asked_of_both_and_what_is_new_or_gone_of_the_other(relay: Chatbot) -> None:
    drafts = {d.gold.question: d for d in proposed(relay, "1.0", "relay", "2.0")}
    default = drafts["What is the default of the parameter hold_time in 2.0?"]
    assert default.gold.gold_answer == "300 s"
    differs = drafts["How does the default of the parameter hold_time differ between 1.0 and 2.0?"]
    assert differs.gold.gold_answer == "1.0: 5 s. 2.0: 300 s."
    assert differs.gold.releases == ("1.0", "2.0")
    assert len(differs.gold.sources) == 2
    log = drafts["What changed in “Event log” from 1.0 to 2.0?"]
    assert "30 days" in log.gold.gold_answer
    assert "60 days" in log.gold.gold_answer
    new = drafts["What is the default of the parameter new_time in 1.0?"].gold
    gone = drafts["What is the default of the parameter old_time in 2.0?"].gold
    assert {new.kind, gone.kind} == {QuestionKind.UNANSWERABLE}
    assert (new.release, gone.release) == ("1.0", "2.0")
    assert drafts["What is the default of the parameter new_time in 2.0?"].gold.answerable


def test_as_many_as_asked_for_and_never_the_same_again(sample: Chatbot) -> None:
    told: list[tuple[int, int]] = []
    ask = ("tessaline", "17.20", "17.10", 7)
    assert propose(sample, LOCAL, *ask, on_progress=lambda *now: told.append(now)) == 7
    assert told[-1] == (7, 7)
    kept = Proposals(sample.database)
    first = {p.draft.gold.question for p in kept.page(LOCAL, State.PROPOSED)}
    for proposal in kept.page(LOCAL, State.PROPOSED):
        kept.decide(LOCAL, proposal.id, State.DROPPED)
    assert propose(sample, LOCAL, *ask) == 7
    assert not first & {p.draft.gold.question for p in kept.page(LOCAL, State.PROPOSED)}


def test_what_is_not_there_is_refused(relay: Chatbot) -> None:
    for release, since in (("3.0", None), ("2.0", "3.0")):
        with pytest.raises(NoCorpus):
            propose(relay, LOCAL, "relay", release, since)
    with pytest.raises(NotAllowed):
        propose(relay, Person("bo", "Bo", is_admin=False), "relay", "2.0")


def scripted(*worded: tuple[str, str, str]) -> ScriptedChatModel:
    questions = [{"question": q, "quote": quote, "answer": a} for q, quote, a in worded]
    return ScriptedChatModel(
        rules=(Rule(step="question_draft", reply=json.dumps({"questions": questions})),)
    )


KEPT = ("How long are events kept?", "The relay keeps its event log for 60 days.", "For 60 days.")


@pytest.mark.parametrize(
    ("worded", "kept"),
    [
        (KEPT, True),
        ((KEPT[0], "The relay keeps\n its event log for 60 days.", KEPT[2]), True),
        ((KEPT[0], "The relay keeps its event log for 61 days.", "For 61 days."), False),
        (("How long are \u202eevents\u200b kept?", KEPT[1], "For 60\u200b days.\x1b"), True),
        ((KEPT[0], KEPT[1], "For 60 hours."), False),
        ((KEPT[0], KEPT[1], "For 60 days, or 90 with `log_days`."), False),
        (("What does warp_drive do?", KEPT[1], KEPT[2]), False),
        (("In 1.0, how long are events kept?", KEPT[1], KEPT[2]), False),
    ],
)
def test_what_a_model_words_is_kept_if_the_page_says_it(
    with_model: Callable[[BaseChatModel], Chatbot], worded: tuple[str, str, str], *, kept: bool
) -> None:
    chatbot = with_model(scripted(worded))
    propose(chatbot, LOCAL, "relay", "2.0", number=ALL, with_model=True)
    found = [
        p.draft
        for p in Proposals(chatbot.database).page(LOCAL, State.PROPOSED, limit=ALL)
        if "model" in p.draft.came_from
    ]
    assert len(found) == kept
    if kept:
        (draft,) = found
        assert draft.gold.question == "In 2.0: How long are events kept?"
        assert draft.gold.gold_answer == KEPT[2]
        assert draft.pages[0].quote == KEPT[1]
        assert draft.gold.accepts("It is 60 days.") is True


def test_an_unreadable_reply_costs_its_page_only(
    with_model: Callable[[BaseChatModel], Chatbot],
) -> None:
    chatbot = with_model(ScriptedChatModel(rules=(Rule(step="question_draft", reply="no"),)))
    assert propose(chatbot, LOCAL, "relay", "2.0", number=ALL, with_model=True) > 0


def test_the_page_is_data_to_the_model(
    with_model: Callable[[BaseChatModel], Chatbot],
) -> None:
    model = scripted(KEPT)
    chatbot = with_model(model)
    propose(chatbot, LOCAL, "relay", "2.0", "1.0", number=ALL, with_model=True)
    (call, *_) = model.calls
    (_, prompt) = call.messages[-1]
    assert '<documentation document="Relay guide">' in prompt
    assert '<passage new="2.0">' in prompt


def test_a_draft_whose_words_are_elsewhere_does_not_stand(relay: Chatbot) -> None:
    (draft, *_) = proposed(relay, None, "relay", "2.0")
    page = relay.corpora.corpus("relay", "2.0").page(draft.pages[0].page_id)

    def holds(draft: Draft) -> bool:
        return stands(draft, lambda release, page_id: page)

    assert holds(draft)
    assert not holds(replace(draft, pages=()))
    assert not holds(replace(draft, pages=(replace(draft.pages[0], quote="not there"),)))
    wrong = draft.gold.model_copy(update={"gold_answer": "301 s"})
    assert not holds(replace(draft, gold=wrong))
