"""The instruction set of accepted answers, on the documentation of a lamp."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, update

from chatbot.accounts.people import LOCAL, Person
from chatbot.administration.exchange import Exchange
from chatbot.administration.faq_file import FaqFile, FaqRow
from chatbot.administration.overview import EVERYTHING, ReleaseFilter
from chatbot.answering.lead_prompt import UNKNOWN
from chatbot.errors import NotAllowed, TuningError
from chatbot.memory.pairs import MemoryQuestion
from chatbot.review.ratings import Ratings
from chatbot.settings import Settings
from chatbot.tuning.export import ExportReport, InstructionExport, groups, split_of
from chatbot.tuning.instructions import Instruction, Split, read_instructions
from corpora.database.history_tables import AuditRow
from corpora.database.memory_tables import MemoryPairRow
from tests.chatbot import lamp
from tests.chatbot.memory_bots import Bot, remembering, says

BRIGHT = {"question": "How bright is the lamp?", "answer": "The lamp gives 600 lumen."}
FUSE = {"question": "What is the fuse rated?", "answer": "The fuse is rated 2 A."}
CABLE = "How long may the cable of the lamp be?"


@pytest.fixture
def bot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Bot]:
    bot = remembering(lamp_settings, tmp_path, lamp.model(lamp.answer(UNKNOWN)))
    yield bot
    bot.close()


def known(bot: Bot, *rows: dict[str, Any], release: str = "1.0") -> None:
    of = {"product": "lamp", "release": release}
    faq = FaqFile("faq", tuple(FaqRow(**{"line": 1, **of, **row}) for row in rows))
    assert Exchange(bot.chatbot, LOCAL).bring_in(faq).added == len(rows)


def exported(
    bot: Bot, within: ReleaseFilter = EVERYTHING, **options: Any
) -> tuple[list[Instruction], ExportReport]:
    report = ExportReport()
    lines = InstructionExport(bot.chatbot, LOCAL).lines(report, within, **options)
    return [Instruction.model_validate_json(line) for line in lines], report


QAMR = (
    lamp.reading(BRIGHT["question"]),
    lamp.reduction("Brightness", "The lamp gives 600 lumen."),
    lamp.answer(BRIGHT["answer"]),
)


@pytest.mark.parametrize(
    ("profile", "rules"), [("embedded", (lamp.answer(UNKNOWN),)), ("qamr", QAMR)]
)
def test_an_accepted_answer_becomes_the_prompt_of_the_chain_and_its_lead(
    lamp_settings: Settings, tmp_path: Path, profile: str, rules: Any
) -> None:
    bot = remembering(lamp_settings, tmp_path, lamp.model(*rules), profile=profile)
    known(bot, BRIGHT)
    (instruction,), report = exported(bot)
    place = (instruction.product, instruction.release, instruction.pair)
    assert place == ("lamp", "1.0", bot.pair.id)
    assert (instruction.origin, instruction.abstains) == ("imported", False)
    assert instruction.reply == "The lamp gives 600 lumen."
    assert (sum(report.written.values()), report.left_out) == (1, {})
    # Asked afresh, the model gets this very prompt.
    turn = bot.chatbot.ask(BRIGHT["question"], product="lamp", release="1.0", afresh=True).turn
    (call,) = [call for call in turn.calls if call.step == "answer_generation"]
    assert list(call.prompt) == instruction.prompt_messages
    bot.close()


def test_what_the_release_does_not_bear_is_left_out_and_counted(bot: Bot) -> None:
    known(bot, BRIGHT, FUSE)
    bright, fuse = bot.pairs
    foreign = {**bright.answer, "citations": [{**bright.answer["citations"][0], "release": "2.0"}]}
    with bot.chatbot.database.writing() as session:
        session.get_one(MemoryPairRow, bright.id).answer = foreign
        session.get_one(MemoryPairRow, fuse.id).suspended = "changed"
    known(
        bot,
        {"question": "How much light is that?", "answer": "The lamp gives 800 lumen."},
        {"question": "Which fuse is in it?", "answer": "Since 2.0 the fuse is rated 2 A."},
        {"question": "What is in the box?", "answer": "The box holds the lamp.", "score": 0.1},
        {"question": "How is it cleaned?", "answer": "\n\n".join(["Wipe the lamp."] * 7)},
    )
    found, report = exported(bot)
    assert found == []
    assert report.left_out == {
        "the passages found do not support it": 1,
        "names another release, which its evidence does not": 1,
        "rated or measured as poor": 1,
        "has no lead of a few sentences": 1,
        "cites another release": 1,
        "suspended, since the pages behind it changed": 1,
    }


def test_the_evidence_and_the_answer_are_of_one_release(bot: Bot) -> None:
    known(bot, BRIGHT, FUSE)
    known(bot, {**BRIGHT, "answer": "The lamp gives 800 lumen."}, release="2.0")
    found, _ = exported(bot)
    bright = {i.release: i for i in found if "bright" in i.question}
    assert {release: i.reply for release, i in bright.items()} == {
        "1.0": "The lamp gives 600 lumen.",
        "2.0": "The lamp gives 800 lumen.",
    }
    for release, other in (("1.0", "800 lumen"), ("2.0", "600 lumen")):
        assert other not in bright[release].prompt_messages[-1][1]
    # One question in two releases: on one side.
    assert len({i.split for i in bright.values()}) == 1
    only, _ = exported(bot, ReleaseFilter("lamp", "2.0"))
    assert [i.release for i in only] == ["2.0"]


def test_only_refusals_that_people_call_right_are_taken(bot: Bot) -> None:
    reply = bot.ask(CABLE, product="lamp", release="1.0")
    assert reply.content.abstained
    assert exported(bot)[0] == []
    assert reply.kept_as is not None
    Ratings(bot.chatbot.database).change(LOCAL, reply.kept_as, rating="good")
    (refusal,), report = exported(bot)
    assert (refusal.abstains, refusal.reply, refusal.turn) == (True, UNKNOWN, reply.kept_as)
    assert report.abstentions == 1
    assert "<chunk" in refusal.prompt_messages[-1][1]
    Ratings(bot.chatbot.database).change(LOCAL, reply.kept_as, rating="bad")
    assert exported(bot)[0] == []


def test_what_nobody_rated_is_taken_on_demand(lamp_settings: Settings, tmp_path: Path) -> None:
    said = "The pairing command opens a window of 180 seconds in which a remote can join."
    bot = remembering(lamp_settings, tmp_path, says(said))
    reply = bot.ask("Why does the pairing command open a window?", product="lamp", release="1.0")
    assert not reply.content.abstained
    with bot.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(store="high", score=0.9))
    _, report = exported(bot)
    assert report.left_out == {"rated by nobody (--measured takes these too)": 1}
    assert [i.reply for i in exported(bot, measured=True)[0]] == [said]
    with bot.chatbot.database.writing() as session:
        session.execute(update(MemoryPairRow).values(origin="thumbs"))
    (accepted,), _ = exported(bot)
    assert (accepted.origin, accepted.reply) == ("thumbs", said)
    bot.close()


def test_an_export_is_for_admins_and_stands_in_the_audit_log(bot: Bot) -> None:
    known(bot, BRIGHT)
    exported(bot, ReleaseFilter("lamp"))
    with bot.chatbot.database.reading() as session:
        row = session.scalars(select(AuditRow).order_by(AuditRow.id.desc())).first()
        assert row is not None
        assert (row.action, row.subject) == ("export", "instruction set")
    with pytest.raises(NotAllowed):
        InstructionExport(bot.chatbot, Person("u@example.org", "U", is_admin=False))


def question(asks: str, *vector: float) -> MemoryQuestion:
    return MemoryQuestion(asks, asks, np.array(vector, dtype=np.float32), "e")


def test_a_group_holds_whatever_is_near_a_member() -> None:
    directions = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (0.6, 0.8), "d": (0.95, 0.31225)}
    asked = [question(text, *vector) for text, vector in directions.items()]
    asked.append(question("b", -1.0, 0.0))
    assert groups(asked, 0.9) == [0, 1, 2, 0, 1]
    assert groups(asked, 0.79) == [0, 0, 0, 0, 0]
    assert groups([], 0.9) == []


def test_the_split_follows_from_the_key_alone_and_holds_its_shares() -> None:
    splits = [split_of(f"question {i}", 0.1, 0.2) for i in range(4000)]
    assert splits == [split_of(f"question {i}", 0.1, 0.2) for i in range(4000)]
    shares = {split: splits.count(split) / 4000 for split in Split}
    assert shares[Split.HELD_BACK] == pytest.approx(0.2, abs=0.03)
    assert shares[Split.VALIDATION] == pytest.approx(0.1, abs=0.03)


def test_a_file_that_is_no_instruction_set_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text('\n{"messages": []}\n')
    with pytest.raises(TuningError, match=r"line 2 is not an instruction: messages"):
        read_instructions(file)
