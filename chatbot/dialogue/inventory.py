"""Questions about what is documented here: computed from the catalog, without a model."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from chatbot.dialogue.catalog_questions import Inquiry, Kind, read_inquiry
from chatbot.queries.release_extraction import ask_back, resolve_turn
from chatbot.releases.release_choice import read_choice
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Route, RuleStep, Turn
from corpora.catalog.release import Product, Release
from corpora.indexing.corpus import Corpus
from ingestion.page import DocumentKind

Found = tuple[str, Resolution]
"""What the catalog says and which release it is about; no text where that is to be asked back."""


def answer_inventory(
    products: Callable[[], Sequence[Product]], open_corpus: Callable[[str, str], Corpus]
) -> RuleStep:
    """Answer a question about products, releases and documents themselves, or ask back."""

    def answer(turn: Turn) -> Turn:
        known = products()
        inquiry = read_inquiry(turn.question, known, turn.history)
        return take_stock(turn, inquiry, known, open_corpus) if inquiry else turn

    return answer


def take_stock(
    turn: Turn,
    inquiry: Inquiry,
    known: Sequence[Product],
    open_corpus: Callable[[str, str], Corpus],
) -> Turn:
    """The turn with what the catalog says to an inquiry, or with the question what is meant."""
    resolution = resolve_turn(turn, known)
    if resolution.product is None and turn.product is not None:
        return turn
    # Those named, else the one spoken of, else all.
    spoken_of = tuple(p for p in known if p.name == resolution.product)
    scope = inquiry.products or spoken_of or tuple(known)
    text, resolution = _look_up(turn, inquiry, scope, known, open_corpus)
    turn = replace(turn, resolution=resolution)
    if not text:
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))
    value = f"{text.splitlines()[0].rstrip('.:')}."
    answer = Answer(text, abstained=False, value=value)
    return replace(turn, route=Route.INVENTORY, answer=answer)


def _look_up(
    turn: Turn,
    inquiry: Inquiry,
    scope: tuple[Product, ...],
    known: Sequence[Product],
    open_corpus: Callable[[str, str], Corpus],
) -> Found:
    match inquiry.kind:
        case Kind.PRODUCTS:
            lead = f"There is documentation of {listed(product.name for product in known)}"
            return _by_product(lead, known), _about()
        case Kind.RELEASES:
            return _releases(scope)
        case Kind.NEWEST:
            return _extreme("newest", [(p, p.newest.name) for p in scope if p.newest])
        case Kind.OLDEST:
            return _extreme("oldest", [(p, p.releases[0].name) for p in scope if p.releases])
    only = replace(turn, product=scope[0].name if len(scope) == 1 else turn.product)
    if inquiry.kind is not Kind.DOCUMENTS:
        only = replace(only, question=f"release {inquiry.release}" if inquiry.release else "")
    anchor = resolve_turn(only, known)
    if inquiry.kind is Kind.IS_THERE:
        return _is_there(inquiry.release, scope, anchor)
    if inquiry.kind is Kind.DOCUMENTS:
        return "\n\n".join(_documents(anchor, open_corpus)), anchor
    product = next((p for p in known if p.name == anchor.product), None)
    if product is None or len(anchor.releases) != 1:
        return "", anchor
    return _beside(anchor.releases[0], product, inquiry.kind)


def _releases(scope: Sequence[Product]) -> Found:
    number = sum(len(product.releases) for product in scope)
    total = f"There {'is' if number == 1 else 'are'} {_count(number, 'release')} of"
    if len(scope) > 1:
        return _by_product(f"{total} {len(scope)} products", scope), _about()
    return f"{total} {scope[0].name}: {_named(scope[0])}.", _about(scope[0])


def _extreme(word: str, ends: Sequence[tuple[Product, str]]) -> Found:
    if len(ends) != 1:
        told = listed(f"{product.name} {name}" for product, name in ends)
        return f"The {word} releases are {told}.", _about()
    product, name = ends[0]
    status = ReleaseStatus.LATEST if word == "newest" else ReleaseStatus.STATED
    return f"The {word} release of {product.name} is {name}.", _about(product, name, status)


def _is_there(written: str, scope: Sequence[Product], anchor: Resolution) -> Found:
    read = [(product, read_choice(written, product)) for product in scope]
    there = [(product, reading.release.name) for product, reading in read if reading.release]
    if there:
        named = listed(f"{product.name} {name}" for product, name in there)
        text = f"Yes, {named} {'is' if len(there) == 1 else 'are'} documented here."
        return text, _about(*there[0]) if len(there) == 1 else _about()
    if any(reading.covers for _, reading in read):
        return "", anchor
    missing = f'no release "{written}"'
    unknown = replace(anchor, status=ReleaseStatus.UNKNOWN, explanation=missing)
    if len(scope) > 1:
        text = _by_product(f"No, there is {missing}. There is documentation of", scope)
        return text, replace(unknown, product=None)
    return f"No, there is {missing} of {scope[0].name}. There are {_named(scope[0])}.", unknown


def _beside(asked: str, product: Product, kind: Kind) -> Found:
    names = [release.name for release in product.releases]
    at = names.index(asked)
    if kind is Kind.IS_NEWEST and product.newest:
        newest = product.newest.name
        said = f"Yes, {asked} is the newest release of {product.name}."
        text = said if asked == newest else f"No, the newest release of {product.name} is {newest}."
        return text, _about(product, asked)
    before = kind is Kind.BEFORE
    word, side = ("before", names[:at][::-1]) if before else ("after", names[at + 1 :])
    if not side:
        end = f"the {'oldest' if before else 'newest'} of {product.name} documented here"
        return f"No release came {word} {asked}: it is {end}.", _about(product, asked)
    further = f", {word} that {listed(side[1:])}" if side[1:] else ""
    text = f"Right {word} {product.name} {asked} came {side[0]}{further}."
    return text, _about(product, side[0])


def _documents(of: Resolution, open_corpus: Callable[[str, str], Corpus]) -> Iterator[str]:
    for release in of.releases:
        documents = open_corpus(of.product or "", release).documents()
        lead = f"{of.product} {release} has {_count(len(documents), 'document')}"
        # Listings of source code are many and looked for by nobody: they come last.
        order = sorted(documents, key=lambda d: d.kind is DocumentKind.SOURCE_LISTING)
        yield _list(lead, (f"{as_words(d.title)} ({as_code(d.file)})" for d in order))


def _about(
    product: Product | None = None,
    release: str = "",
    status: ReleaseStatus = ReleaseStatus.STATED,
) -> Resolution:
    status, releases = (status, (release,)) if release else (ReleaseStatus.NONE, ())
    name = product.name if product else None
    return Resolution(status, name, releases, explanation="from the catalog")


def _by_product(lead: str, products: Sequence[Product]) -> str:
    return _list(lead, (f"**{p.name}**: {_named(p)}" for p in products))


def _named(product: Product) -> str:
    def noted(release: Release) -> str:
        notes = ["the latest"] * (release == product.newest)
        notes += ["a pre-release"] * release.prerelease
        return f"{release.name} ({', '.join(notes)})" if notes else release.name

    return listed(map(noted, reversed(product.releases)))


def _list(lead: str, lines: Iterable[str]) -> str:
    return "\n".join((f"{lead}:\n", *(f"- {line}" for line in lines)))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
