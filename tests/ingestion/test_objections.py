"""What pydantic objects to, in English by its own words and in other languages."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field, ValidationError

from chatbot.text.languages import in_words, spoken
from corpora.sources.options import GitOptions, SiteOptions
from ingestion.messages import kept, read
from ingestion.objections import first_objection, objections


class Form(BaseModel):
    number: int = Field(ge=1, le=9)


def error_of(model: type[BaseModel], **given: object) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        model.model_validate(given)
    return raised.value


@pytest.mark.parametrize(
    ("given", "german"),
    [
        ({}, "number: Angabe fehlt"),
        ({"number": 0}, "number: muss mindestens 1 sein"),
        ({"number": 10}, "number: darf höchstens 9 sein"),
        ({"number": "x"}, "number: muss eine ganze Zahl sein"),
    ],
)
def test_an_objection_is_pydantics_in_english_and_has_other_languages(
    given: dict[str, object], german: str
) -> None:
    error = error_of(Form, **given)
    told = first_objection(error)
    assert told == f"number: {error.errors()[0]['msg']}"
    with spoken("de"):
        assert in_words(told) == german


def test_a_check_of_our_own_is_told_as_it_says_itself() -> None:
    error = error_of(SiteOptions, url="ftp://host")
    assert first_objection(error) == "url: must be an address that begins with https:// or http://"
    with spoken("fr"):
        assert in_words(first_objection(error)).startswith("url : doit être une adresse")


def test_objections_stay_messages_in_the_database() -> None:
    told = objections(error_of(GitOptions, url=5, unknown="x"), whole="git")
    assert told == "url: Input should be a valid string; unknown: Extra inputs are not permitted"
    with spoken("ja"):
        assert (
            in_words(read(kept(told))) == "url：文字列にしてください；unknown：この項目はありません"
        )


def test_what_nobody_has_translated_stays_as_it_is() -> None:
    assert first_objection(error_of(Form, number=float("inf"))).startswith(
        "number: Input should be"
    )
