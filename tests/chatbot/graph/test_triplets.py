"""Relation triplets from a language model and from REBEL's output."""

import asyncio
import importlib.util
import json

import pytest

from chatbot.errors import GeneratorError
from chatbot.graph.triplets import entities, extract_triplets, in_context, open_rebel, parse_rebel
from chatbot.models.scripted import ScriptedChatModel
from chatbot.turn import Triplet

CONTEXT = "How long is hold_time?\nThe default of hold_time is 300 s; it is one of the timers."
IN_PROVINCE = "located in the administrative territorial entity"


def reply(*triplets: tuple[str, str, str]) -> str:
    keys = ("head", "relation", "tail")
    return json.dumps({"triplets": [dict(zip(keys, t, strict=True)) for t in triplets]})


def test_the_model_reads_triplets_from_the_context() -> None:
    told = (("hold_time", "default", "300 s"), ("hold_time", "part of", "timers"))
    model = ScriptedChatModel(replies=[reply(*told)])
    found, calls = asyncio.run(extract_triplets(model, CONTEXT))
    assert found == tuple(Triplet(*parts) for parts in told)
    assert entities(found) == {"hold_time", "300 s", "timers"}
    assert [call.step for call in calls] == ["triplets"]
    assert f"<answered>\n{CONTEXT}\n</answered>" in calls[0].prompt[-1][1]


def test_entities_that_do_not_stand_in_the_context_are_dropped() -> None:
    told = (("hold_time", "default", "500 s"), ("hold_time", "is", "hold_time"))
    model = ScriptedChatModel(replies=[reply(*told)])
    assert asyncio.run(extract_triplets(model, CONTEXT))[0] == ()
    # The others are spelt as in the context and told once.
    read = (Triplet("a  b", "is", "c"), Triplet("a b", "is", "c"))
    assert in_context(read, "a b is c") == (Triplet("a b", "is", "c"),)


def test_what_has_no_usable_form_is_given_up() -> None:
    hopeless = ScriptedChatModel(otherwise='{"triplets": [{"head": ""}]}')
    found, calls = asyncio.run(extract_triplets(hopeless, CONTEXT))
    assert found is None
    assert calls[-1].problem.startswith("triplets.0.head")


def test_rebel_output_that_is_padded_and_cut_off_gives_what_is_whole() -> None:
    output = (
        "</s><s><triplet> Punta Cana <subj> La Altagracia Province <obj> located in the "
        "administrative territorial entity <subj> Dominican Republic <obj> country <triplet> "
        "Higuey <subj> La Altagracia Prov</s><pad><pad>"
    )
    assert parse_rebel(output) == (
        Triplet("Punta Cana", IN_PROVINCE, "La Altagracia Province"),
        Triplet("Punta Cana", "country", "Dominican Republic"),
    )
    assert parse_rebel("<s></s>") == parse_rebel("nothing of this form") == ()


def test_without_transformers_rebel_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(GeneratorError, match=r"strata-docs\[hf\]"):
        open_rebel("rebel")
