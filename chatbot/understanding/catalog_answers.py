"""Answers from the catalog alone, without a model: the documentation there is, and courtesies."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from chatbot.releases.installed import release_of_version
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.asked_words import asks_whether
from chatbot.text.languages import gettext, ngettext, shown_list
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Route, Turn
from chatbot.understanding.clarification import ask_back, resolve_turn
from corpora.catalog.release import Product, Release
from corpora.indexing.corpus import Corpus
from ingestion.page import DocumentKind


def without_documents(turn: Turn, products: Sequence[Product], kind: str) -> Turn:
    """The turn with the reply to a "greeting", "thanks", or "off_topic" question."""
    offered = [p for p in products if turn.product is None or p.name == turn.product]
    named = (f"{p.name} {shown_list(r.name for r in p.releases)}" for p in offered if p.releases)
    documented = "; ".join(named) or gettext("a product, once some is added")
    text = {
        "greeting": gettext(
            "Hello! I answer questions from the documentation of {documented}, and link "
            "to the exact passage.",
            documented=documented,
        ),
        "thanks": gettext("You're welcome."),
        "off_topic": gettext(
            "I can only answer from the documentation of {documented}.", documented=documented
        ),
    }[kind]
    name = products[0].name if len(products) == 1 else None
    resolution = Resolution(ReleaseStatus.NONE, name, explanation=gettext("no document needed"))
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
        named = shown_list(p.name for p in known)
        text = _listing(gettext("There is documentation of {products}:", products=named), of)
        resolution = Resolution(ReleaseStatus.NONE, None)
    else:
        unknown = resolution.status is ReleaseStatus.UNKNOWN
        direct = "" if every and not unknown else _direct_answer(turn.question, resolution, product)
        text = direct or ngettext(
            "{number} release of {product} documented here: {releases}.",
            "{number} releases of {product} documented here: {releases}.",
            len(product.releases),
            product=product.name,
            releases=_releases(product),
        )
        if not direct or len(resolution.releases) > 1:
            resolution = Resolution(ReleaseStatus.NONE, product.name)
    first = text.splitlines()[0].rstrip(".:：")
    value = first if first.endswith("。") else f"{first}."
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
        by = turn.chosen_by or gettext(
            'the text that you pasted says "{words}"', words=as_words(written)
        )
        text = gettext("You are on {release}: {why}.", release=noted, why=by)
        abstained = False
        read = Resolution(ReleaseStatus.STATED, product.name, (release.name,), explanation=by)
    else:
        there = "; ".join(f"{p.name} {_releases(p)}" for p in known if product in (None, p))
        if product and written:
            text = gettext(
                '"{words}" is not documented here, only {there}.',
                words=as_words(written),
                there=there,
            )
        else:
            text = gettext(
                "I cannot see which release you have: paste what it prints of its version, or a "
                "lock file that names it. Documented here: {there}.",
                there=there,
            )
        abstained, read = True, Resolution(ReleaseStatus.NONE, product.name if product else None)
    answer = Answer(text, abstained=abstained, value="" if abstained else text)
    return replace(turn, resolved=read, route=Route.INVENTORY, answer=answer)


def _direct_answer(question: str, resolution: Resolution, product: Product) -> str:
    """The answer whether a named release exists, or which one is described; "" for neither."""
    if resolution.status is ReleaseStatus.UNKNOWN:
        of = {"missing": resolution.explanation, "releases": _releases(product)}
        if asks_whether(question):
            return gettext("No, there is {missing} here, only {releases}.", **of)
        return gettext("There is {missing} here, only {releases}.", **of)
    named = [mention for mention in resolution.mentions if mention.release in resolution.releases]
    release = next((r for r in product.releases if named and r.name == named[-1].release), None)
    if release is None:
        return ""
    name = as_words(named[-1].text.strip())
    names = any(map(str.isdigit, name)) or name.casefold() in map(str.casefold, release.aliases)
    if len(resolution.releases) == 2 and release == product.newest and not names:
        own = f"{product.name} {release.name}"
        return gettext("No, {name} is {release}.", name=name, release=own)
    if len(resolution.releases) != 1:
        return ""
    if asks_whether(question):
        own = f"{product.name} {_noted(release, product)}"
        return gettext("Yes, {release} is documented here.", release=own)
    if not name.casefold().startswith(product.name.casefold()):
        name = f"{name[0].upper()}{name[1:]}"
    own = f"{product.name} {_noted(release, product)}"
    return gettext("{name}: {release}.", name=name, release=own)


def _documents(of: Resolution, release: str, open_corpus: Callable[[str, str], Corpus]) -> str:
    documents = open_corpus(of.product or "", release).documents()
    # Listings of source code are many and looked for by nobody: they come last.
    order = sorted(documents, key=lambda d: d.kind is DocumentKind.SOURCE_LISTING)
    lines = (f"{as_words(d.title)} ({as_code(d.file)})" for d in order)
    lead = gettext(
        "Documents of {product} {release} ({number}):",
        product=of.product,
        release=release,
        number=len(documents),
    )
    return _listing(lead, lines)


def _releases(product: Product) -> str:
    noted = [_noted(release, product) for release in reversed(product.releases)]
    return shown_list(noted) if noted else gettext("none")


def _noted(release: Release, product: Product) -> str:
    notes = [gettext("the latest")] * (release == product.newest)
    notes += [gettext("a pre-release")] * release.prerelease
    return f"{release.name} ({', '.join(notes)})" if notes else release.name


def _listing(lead: str, lines: Iterable[str]) -> str:
    return "\n".join((f"{lead}\n", *(f"- {line}" for line in lines)))
