"""Answers from the catalog alone, without a model: the documentation there is, and courtesies."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from chatbot.releases.installed import release_of_version
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.sanitizer import as_code, as_words
from chatbot.text.words import listed, word_set
from chatbot.turn import Answer, Route, Turn
from chatbot.understanding.clarification import ask_back, resolve_turn
from corpora.catalog.release import Product, Release
from corpora.indexing.corpus import Corpus
from ingestion.page import DocumentKind

YES_NO = word_set("is are do does have")


def without_documents(turn: Turn, products: Sequence[Product], kind: str) -> Turn:
    """The turn with the reply to a "greeting", "thanks", or "off_topic" question."""
    offered = [p for p in products if turn.product is None or p.name == turn.product]
    named = (f"{p.name} {listed(r.name for r in p.releases)}" for p in offered if p.releases)
    documented = "; ".join(named) or "a product, once some is added"
    text = {
        "greeting": f"Hello! I answer questions from the documentation of {documented}, and link "
        "to the exact passage.",
        "thanks": "You're welcome.",
        "off_topic": f"I can only answer from the documentation of {documented}.",
    }[kind]
    name = products[0].name if len(products) == 1 else None
    resolution = Resolution(ReleaseStatus.NONE, name, explanation="no document needed")
    answer = Answer(text, abstained=kind == "off_topic")
    return replace(turn, resolved=resolution, route=Route.CHAT, answer=answer)


def answer_from_catalog(
    turn: Turn,
    known: Sequence[Product],
    open_corpus: Callable[[str, str], Corpus],
    *,
    documents: bool,
    every: bool,
) -> Turn:
    """The turn with the catalog's answer on its release, or on `every` one.

    With `documents` it lists those of the release; an unclear release is asked back.
    """
    resolution = turn.resolution
    product = next((p for p in known if p.name == resolution.product), None)
    unclear = resolution.status is ReleaseStatus.AMBIGUOUS and product and not every
    if unclear or (documents and not resolution.releases):
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))
    if documents:
        text = "\n\n".join(
            _documents(resolution, name, open_corpus) for name in resolution.releases
        )
    elif product is None:
        of = [f"**{p.name}**: {_releases(p)}" for p in known]
        text = _listing(f"There is documentation of {listed(p.name for p in known)}", of)
        resolution = Resolution(ReleaseStatus.NONE, None)
    else:
        unknown = resolution.status is ReleaseStatus.UNKNOWN
        direct = "" if every and not unknown else _direct_answer(turn.question, resolution, product)
        number = len(product.releases)
        counted = f"{number} release{'' if number == 1 else 's'} of {product.name}"
        text = direct or f"{counted} documented here: {_releases(product)}."
        if not direct or len(resolution.releases) > 1:
            resolution = Resolution(ReleaseStatus.NONE, product.name)
    value = f"{text.splitlines()[0].rstrip('.:')}."
    answer = Answer(text, abstained=False, value=value)
    return replace(turn, resolved=resolution, route=Route.INVENTORY, answer=answer)


def answer_own_release(turn: Turn, printed: str, known: Sequence[Product]) -> Turn:
    """The turn with the release that the asker has, as what a program printed says."""
    read = resolve_turn(replace(turn, question=printed, history=()), known)
    product = next((p for p in known if p.name == read.product), None)
    written = read.mentions[0].name if read.mentions else turn.release or ""
    release = release_of_version(written, product) if product and written else None
    if release and product:
        noted = f"{product.name} {_noted(release, product)}"
        by = turn.chosen_by or f'the text that you pasted says "{as_words(written)}"'
        text, abstained = f"You are on {noted}: {by}.", False
        read = Resolution(ReleaseStatus.STATED, product.name, (release.name,), explanation=by)
    else:
        there = "; ".join(f"{p.name} {_releases(p)}" for p in known if product in (None, p))
        text = "I cannot see which release you have: paste what it prints of its version, or a"
        text = f"{text} lock file that names it. Documented here: {there}."
        if product and written:
            text = f'"{as_words(written)}" is not documented here, only {there}.'
        abstained, read = True, Resolution(ReleaseStatus.NONE, product.name if product else None)
    answer = Answer(text, abstained=abstained, value="" if abstained else text)
    return replace(turn, resolved=read, route=Route.INVENTORY, answer=answer)


def _direct_answer(question: str, resolution: Resolution, product: Product) -> str:
    """The answer whether a named release exists, or which one is described; "" for neither."""
    if resolution.status is ReleaseStatus.UNKNOWN:
        no = "No, there" if question.split()[0].lower() in YES_NO else "There"
        return f"{no} is {resolution.explanation} here, only {_releases(product)}."
    named = [mention for mention in resolution.mentions if mention.release in resolution.releases]
    release = next((r for r in product.releases if named and r.name == named[-1].release), None)
    if release is None:
        return ""
    name = as_words(named[-1].text.strip())
    names = any(map(str.isdigit, name)) or name.casefold() in map(str.casefold, release.aliases)
    if len(resolution.releases) == 2 and release == product.newest and not names:
        return f"No, {name} is {product.name} {release.name}."
    if len(resolution.releases) != 1:
        return ""
    if question.split()[0].lower() in YES_NO:
        return f"Yes, {product.name} {_noted(release, product)} is documented here."
    return f"{name[0].upper()}{name[1:]}: {product.name} {_noted(release, product)}."


def _documents(of: Resolution, release: str, open_corpus: Callable[[str, str], Corpus]) -> str:
    documents = open_corpus(of.product or "", release).documents()
    # Listings of source code are many and looked for by nobody: they come last.
    order = sorted(documents, key=lambda d: d.kind is DocumentKind.SOURCE_LISTING)
    lines = (f"{as_words(d.title)} ({as_code(d.file)})" for d in order)
    return _listing(f"Documents of {of.product} {release} ({len(documents)})", lines)


def _releases(product: Product) -> str:
    noted = [_noted(release, product) for release in reversed(product.releases)]
    return listed(noted) if noted else "none"


def _noted(release: Release, product: Product) -> str:
    notes = ["the latest"] * (release == product.newest)
    notes += ["a pre-release"] * release.prerelease
    return f"{release.name} ({', '.join(notes)})" if notes else release.name


def _listing(lead: str, lines: Iterable[str]) -> str:
    return "\n".join((f"{lead}:\n", *(f"- {line}" for line in lines)))
