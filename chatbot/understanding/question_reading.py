"""The reading of a question by a model: its kind, its releases, and the queries.

It takes the place of release extraction and rewriting (QAMR III-B, step 1) in one call. The code
keeps the wall: `check_versions`, and the catalog, decide what is believed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ConfigDict, Field

from chatbot.releases.product_names import find_product, product_spans
from chatbot.releases.reading_check import check_versions, places
from chatbot.releases.release_choice import (
    ask_order,
    ask_whether_release,
    ask_which_release,
    read_choice,
    unknown_release,
)
from chatbot.releases.release_names import release_names
from chatbot.releases.release_numbers import find_numbers
from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution, cut
from chatbot.releases.rules import searched_alone
from chatbot.releases.words_beside import words_before
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.text.languages import gettext
from chatbot.text.words import filtered, listed
from chatbot.turn import ModelStep, Queries, Remembered, Route, Turn
from chatbot.understanding.catalog_answers import answer_from_catalog, without_documents
from chatbot.understanding.clarification import ask_back, resolve_turn
from corpora.catalog.languages import ENGLISH, LANGUAGES
from corpora.catalog.release import Product, Release
from corpora.indexing.corpus import Corpus
from prompts import Fenced, fenced, fenced_list, render

STEP = "question_reading"
_TURNS, _OF_A_TURN = 4, 1_500
"""The number of earlier turns that the model sees, and of characters of each of their texts."""
_SAME = (
    "These questions were answered before, each for the release in front of it. Add one more field "
    'to the object: "same": the number of the one that asks for exactly the same, so that one '
    "complete and correct answer is that to both, and of the release that is asked; 0 where none "
    "does, and in doubt. It does not if it names another thing, value, unit, command or condition, "
    "asks for more or for less, or says the opposite."
)
_IN_ITS_LANGUAGE = (
    'Give "search" and "other_words" in the language of the documents of the product, as the list '
    "of releases says it; in English where it says none; where it says several, in each of them, "
    "one after the other."
)
_CATALOG = 6_000
"""Characters of products and releases that it sees."""


class NamedRelease(BaseModel):
    """Words of the question that name a release, and its name in the catalog; empty if unknown."""

    model_config = ConfigDict(extra="forbid")
    words: str = Field(max_length=200)
    release: str = Field(max_length=200)
    asked: bool


class QuestionReading(BaseModel):
    """What a model reads in a question; the prompt says what each field holds."""

    asks: Literal[
        "documentation",
        "which_products",
        "which_releases",
        "which_documents",
        "greeting",
        "thanks",
        "off_topic",
    ]
    product: str = Field(max_length=200)
    releases: list[NamedRelease] = Field(max_length=30)
    every_release: bool
    changes: bool
    other_numbers: list[str] = Field(max_length=200)
    question: str = Field(min_length=1, max_length=6000)
    search: str = Field(max_length=2000)
    other_words: str = Field(max_length=2000)


class ReadingBesideSaved(QuestionReading):
    """A reading that also says which saved question, by its number, asks the same; 0: none."""

    same: int = Field(ge=0)


def read_question(
    model: BaseChatModel,
    products: Callable[[], Sequence[Product]],
    open_corpus: Callable[[str, str], Corpus],
    by_rules: ModelStep,
    saved: Callable[[Turn, Sequence[Product]], Sequence[tuple[str, Remembered]]] | None = None,
    *,
    max_tokens: int = 700,
) -> ModelStep:
    """Read the question in one structured call; after two unusable replies `by_rules` reads it.

    Small talk and questions about the catalog are answered at once; an unknown or ambiguous
    release is asked back, never guessed. Questions that were `saved`, each with its release, are
    shown with it; which one asks the same is for the memory to believe.
    """

    async def read_turn(turn: Turn) -> Turn:
        known = await in_thread(products)
        if not any(product.releases for product in known):
            return await by_rules(turn)
        shown = await in_thread(saved, turn, known) if saved and turn.same_as is None else ()

        read: list[QuestionReading] = []

        def check(made: QuestionReading) -> None:
            read.append(made)
            resolution = _resolved(made, turn, known)
            asks_none = not any(named.asked for named in made.releases)
            # What a second reading does not settle either is asked back.
            if resolution.status is ReleaseStatus.AMBIGUOUS and asks_none and len(read) == 1:
                raise ValueError(f"{resolution.explanation}: say whether its release is asked")

        reply, calls = await ask_for(
            model,
            render(
                STEP,
                releases=fenced("releases", _catalog(turn, known)),
                conversation=fenced("conversation", _conversation(turn)),
                question=fenced("question", turn.question),
                saved=_saved(shown),
                language=_language(known),
            ),
            ReadingBesideSaved if shown else QuestionReading,
            step=STEP,
            max_tokens=max_tokens,
            check=check,
        )
        turn = replace(turn, calls=(*turn.calls, *calls))
        if reply is None:
            turn = turn.without(STEP, calls[-1].problem)
            return await by_rules(turn)
        if isinstance(reply, ReadingBesideSaved) and 0 < reply.same <= len(shown):
            turn = replace(turn, same_as=shown[reply.same - 1][1].id)
        return await in_thread(_taken_up, reply, turn, known, open_corpus)

    return read_turn


def _catalog(turn: Turn, known: Sequence[Product]) -> str:
    """The products with their releases, oldest first; those of a chosen product always."""
    chosen = find_product(turn.product, known) if turn.product else None
    lines = [_listing(product) for product in known if product is not chosen]
    while lines and sum(map(len, lines)) > _CATALOG:
        lines.pop()
    first = f"{_listing(chosen)} – chosen by the asker" if chosen else ""
    return "\n".join(filter(None, (first, *lines)))


def _language(known: Sequence[Product]) -> Fenced:
    """In which language the documentation is searched; empty where all of it is English."""
    return Fenced(f"\n{_IN_ITS_LANGUAGE}" if any(map(_foreign, known)) else "")


def _foreign(product: Product) -> str:
    """The languages of a product's documents by name; empty where they are English alone."""
    codes = dict.fromkeys(chain.from_iterable(r.languages for r in reversed(product.releases)))
    return listed(LANGUAGES[code] for code in codes) if codes.keys() - {ENGLISH} else ""


def _listing(product: Product) -> str:
    def noted(release: Release) -> str:
        notes = [*release.aliases, *["the newest"] * (release == product.newest)]
        return f"{release.name} ({', '.join(notes)})" if notes else release.name

    called = f"{product.name} (also {', '.join(product.aliases)})" if product.aliases else ""
    told = f"; documents in {languages}" if (languages := _foreign(product)) else ""
    releases = ", ".join(map(noted, product.releases)) or "no release"
    return f"{called or product.name}: {releases}{told}"


def _saved(shown: Sequence[tuple[str, Remembered]]) -> Fenced:
    """The section of saved questions, each with its release; empty where there is none."""
    if not shown:
        return Fenced("")
    listed = fenced_list(
        fenced("answered", f"{release}: {pair.question}", number=number)
        for number, (release, pair) in enumerate(shown, 1)
    )
    return Fenced(f"{_SAME}\n{listed}")


def _conversation(turn: Turn) -> str:
    # A turn is one line each: a line end within a reply would let it speak for the user.
    pairs = (
        (" ".join(user.split())[:_OF_A_TURN], " ".join(reply.split())[:_OF_A_TURN])
        for user, reply in turn.history[-_TURNS:]
    )
    return "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in pairs)


def _taken_up(
    reading: QuestionReading,
    turn: Turn,
    known: Sequence[Product],
    open_corpus: Callable[[str, str], Corpus],
) -> Turn:
    if reading.asks == "off_topic" and turn.product is not None:
        # Nothing is off the documents of a product before somebody has looked into them.
        reading = reading.model_copy(update={"asks": "documentation"})
    if reading.asks in ("greeting", "thanks", "off_topic"):
        return without_documents(turn, known, reading.asks)
    resolution = _resolved(reading, turn, known)
    turn = replace(turn, resolved=resolution, asks_changes=reading.changes)
    if reading.asks == "which_products":
        turn = replace(turn, resolved=Resolution(ReleaseStatus.NONE, None))
    if reading.asks != "documentation":
        documents, every = reading.asks == "which_documents", reading.every_release
        return answer_from_catalog(turn, known, open_corpus, documents=documents, every=every)
    if not resolution.releases:
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))
    base = " ".join(reading.question.split())
    named = [span for r in reading.releases for span in places(r.words, base)]
    # With the words that belong to it: "in release 18.00".
    spans = [Mention(words_before(base, start).start(), end, "") for start, end in named]
    subject = cut(base, spans) or base
    search = reading.search or filtered(base)
    return replace(turn, rewritten=Queries(base, search, reading.other_words or None, subject))


def _resolved(reading: QuestionReading, turn: Turn, known: Sequence[Product]) -> Resolution:
    """The releases to answer from. Raises ValueError for a reading that cannot be believed."""
    if reading.product and find_product(reading.product, known) is None:
        raise ValueError(f'"product" must be one of the list, or ""; it is "{reading.product}"')
    product = _product(reading, turn, known)
    of = replace(turn, product=product.name if product else turn.product)
    default = resolve_turn(replace(of, question=""), known)
    if product is None or not product.releases:
        return default
    check_versions(
        turn.question, [named.words for named in reading.releases], reading.other_numbers, product
    )
    mentions: list[Mention] = []
    releases: list[Release] = []
    open_ones: list[Resolution] = []
    for named in reading.releases:
        release = _release(named, turn, product, default)
        name = None if isinstance(release, Resolution) else release.name
        for start, end in places(named.words, turn.question):
            mentions.append(Mention(start, end, turn.question[start:end], name))
        if named.asked and isinstance(release, Resolution):
            open_ones.append(release)
        elif named.asked and isinstance(release, Release):
            releases.append(release)
    resolution = open_ones[0] if open_ones else _chosen(reading, releases, product, default)
    if reading.asks == "documentation":
        resolution = _not_overruled(reading, of, known, resolution, default)
        resolution = searched_alone(resolution, product_spans(turn.question, known))
    return replace(resolution, mentions=tuple(mentions))


def _not_overruled(
    reading: QuestionReading,
    turn: Turn,
    known: Sequence[Product],
    resolution: Resolution,
    default: Resolution,
) -> Resolution:
    """The resolution, unless it silently overrules the asker's choice or words.

    Another release than the one chosen has to be named by the question, else ValueError is raised.
    Where a reading asks for no release and the rules read one in the question, it is asked back.
    """
    is_named = any(r.asked and any(map(str.isdigit, r.words)) for r in reading.releases)
    if is_named or reading.every_release:
        return resolution
    by_rules = resolve_turn(turn, known)
    same = (by_rules.status, by_rules.releases) == (resolution.status, resolution.releases)
    if turn.release is not None and resolution.releases != default.releases and not same:
        raise ValueError(f"the asker chose {turn.release}: the question names no other release")
    asks_none = not any(r.asked for r in reading.releases)
    if asks_none and by_rules.mentions and by_rules.releases != default.releases:
        product = next(product for product in known if product.name == by_rules.product)
        return ask_whether_release(product, by_rules.mentions[-1].text.strip())
    return resolution


def _product(reading: QuestionReading, turn: Turn, known: Sequence[Product]) -> Product | None:
    """The product that is asked about: one that the question names, else the one chosen."""
    named = [product for _, _, product in product_spans(turn.question, known)]
    read = find_product(reading.product, known) if reading.product else None
    if read in named or not turn.product:
        return read or (known[0] if len(known) == 1 else None)
    return find_product(turn.product, known)


def _release(
    named: NamedRelease, turn: Turn, product: Product, default: Resolution
) -> Release | Resolution:
    """The release that words stand for, or the resolution that asks back.

    Words with a figure are read by the code; other words are believed if the catalog has the
    release, and no words only for the newest release and the conversation's.
    """
    claimed = next((r for r in product.releases if r.name == named.release), None)
    if named.release and claimed is None:
        raise ValueError(
            f'the list of {product.name} has no "{named.release}": copy its name, or ""'
        )
    if not named.words:
        expected = {product.newest and product.newest.name, *default.releases}
        if claimed is None or claimed.name not in expected:
            raise ValueError(f'"words" of {named.release or "a release"} must be copied')
        return claimed
    if not places(named.words, turn.question):
        raise ValueError(f'"{named.words}" does not stand in the question as copied')
    reading = read_choice(named.words, product)
    if not any(map(str.isdigit, named.words)):
        if claimed and product.unordered and claimed not in (*reading.covers, product.newest):
            # Named by its place in an order that is not known: "the latest".
            return ask_order(product)
        return claimed or unknown_release(product, named.words)
    if reading.release is None and claimed:
        # "2.4er", "the 2.4 line from 2022": the number alone, if it is that release.
        numbers = find_numbers(named.words, release_names(product))
        reading = numbers[0].reading if numbers else reading
        if reading.release != claimed:
            raise ValueError(f'"{named.words}" is not how {claimed.name} is written')
    if reading.release is None:
        if reading.covers:
            return ask_which_release(product, named.words, reading.covers)
        return unknown_release(product, named.words)
    return reading.release


def _chosen(
    reading: QuestionReading, wanted: Sequence[Release], product: Product, default: Resolution
) -> Resolution:
    releases = (
        product.releases if reading.every_release and not wanted else tuple(dict.fromkeys(wanted))
    )
    names = tuple(r.name for r in product.releases if r in releases)
    if len(names) > 1:
        why = gettext("compared: {releases}", releases=", ".join(names))
        return Resolution(ReleaseStatus.COMPARED, product.name, names, explanation=why)
    if not names:
        return default
    words = next((r.words for r in reading.releases if r.asked and r.words), "")
    status, why = ReleaseStatus.STATED, gettext('you said "{words}"', words=words)
    if releases[0] == product.newest and not any(map(str.isdigit, words)):
        status, why = ReleaseStatus.LATEST, gettext("the latest")
    elif words.casefold() != names[0].casefold():
        why = f"{why} → {names[0]}" if words else gettext("from the conversation")
    return Resolution(status, product.name, names, explanation=why)
