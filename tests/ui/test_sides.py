from __future__ import annotations

from typing import Any

from ui.chat.sides import Compared, Side, compared

SAME = "- **2.0**: 45 s — “hold_time — 45 — s” [2]"


def reply(answer: str, **cited: list[int]) -> dict[str, Any]:
    sides = [{"release": f"{r[1:]}.0", "citations": numbers} for r, numbers in cited.items()]
    return {"answer": answer, "sides": sides}


def test_each_release_has_its_value_its_words_and_its_citations() -> None:
    answer = f"It differs:\n\n- **1.0**: 20 s — “hold_time — 20 — s” [1]\n{SAME}\n\nAnd more."
    assert compared(reply(answer, r1=[1], r2=[2])) == Compared(
        "It differs:\n",
        (
            Side("1.0", (1,), "20 s", "“hold_time — 20 — s” [1]"),
            Side("2.0", (2,), "45 s", "“hold_time — 45 — s” [2]"),
        ),
        "\nAnd more.",
    )


def test_a_release_without_a_find_stands_beside_the_others() -> None:
    sides = compared(reply(f"Since 2.0.\n\n- **1.0**: not found\n{SAME}", r1=[], r2=[2]))
    assert sides is not None
    assert sides.sides[0] == Side("1.0", (), "not found")


def test_sentences_are_no_value() -> None:
    said = "The valve holds for 20 s when it is cold, and somewhat longer when it is not."
    sides = compared(
        reply(f"By release:\n\n- **1.0**: {said} — “20 s” [1]\n{SAME}", r1=[1], r2=[2])
    )
    assert sides is not None
    assert (sides.sides[0].value, sides.sides[0].text) == ("", f"{said}\n\n“20 s” [1]")


def test_differences_stay_together_above_the_sources_of_each_release() -> None:
    answer = "What differs from 1.0 to 2.0:\n\n- **hold_time**: 20 s → 45 s [1] [2]"
    assert compared(reply(answer, r1=[1], r2=[2])) == Compared(
        answer, (Side("1.0", (1,)), Side("2.0", (2,)))
    )
    assert compared(reply("The notes of 2.0 say:\n\n- “quieter” [1]", r1=[], r2=[1])) is None


def test_a_line_that_only_looks_like_that_of_a_release_loses_nothing() -> None:
    answer = f"By release:\n\n- **1.0**: 20 s [1]\nin between\n{SAME}"
    assert compared(reply(answer, r1=[1], r2=[2])) == Compared(
        answer, (Side("1.0", (1,)), Side("2.0", (2,)))
    )


def test_any_number_of_releases_is_told_apart() -> None:
    lines = "\n".join(f"- **{n}.0**: not found" for n in range(1, 12))
    sides = compared(reply(lines, **{f"r{n}": [] for n in range(1, 12)}))
    assert sides is not None
    assert [side.release for side in sides.sides] == [f"{n}.0" for n in range(1, 12)]
    assert {side.value for side in sides.sides} == {"not found"}


def test_the_sources_of_more_releases_than_fit_stay_a_list() -> None:
    assert compared(reply("It differs.", r1=[1], r2=[2], r3=[3])) is not None
    assert compared(reply("It differs.", r1=[1], r2=[2], r3=[3], r4=[4])) is None


def test_an_answer_that_does_not_tell_its_sides_stays_as_it_is() -> None:
    assert compared({"answer": "It differs."}) is None
