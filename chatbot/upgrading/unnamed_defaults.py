"""Defaults that the older release has in a layout of its own, in which nothing calls them so."""

import re
from collections.abc import Iterator

from chatbot.retrieval.support import cite_words, plain
from chatbot.upgrading.steps import Need, UpgradeStep, What, cite_fact
from chatbot.upgrading.usage import folded
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from corpora.parameters.parameter import ARGUMENT, DEFAULT
from corpora.parameters.releases import ReleaseParameters
from ingestion.page import Block, BlockKind, DocumentKind

_LEAST, _USUAL = 10, 0.9
"""Sections from which a manual is known to have defaults, and the share of them that has."""
_PART = re.compile(r"\w[\w.+-]*")


def new_defaults(
    older: ReleaseParameters, newer: ReleaseParameters, before: Corpus
) -> Iterator[UpgradeStep]:
    """Steps for parameters whose default the older release's section on them does not have.

    Only where nearly all such sections have the default that the newer release states: then the
    older one states them too, whatever its layout, and those that it lacks are new. `before` is
    the corpus of the older release.
    """
    wanted = {
        folded(parameter.name): parameter
        for parameter in newer.parameters
        if parameter.kind != ARGUMENT
        and _words(parameter.value(DEFAULT))
        and not any(old.value(DEFAULT) for old in older.named(parameter.name))
    }
    sections: dict[str, list[tuple[StoredPage, Block]]] = {}
    for page, block in _blocks(before) if len(wanted) >= _LEAST else ():
        name = folded(block.path[-1]) if block.path else ""
        if name in wanted and block.kind is not BlockKind.HEADING:
            sections.setdefault(name, []).append((page, block))
    lacking = [
        name
        for name, section in sections.items()
        if _words(wanted[name].value(DEFAULT)).isdisjoint(
            _words("\n".join(block.text for _, block in section))
        )
    ]
    if len(sections) < _LEAST or len(sections) - len(lacking) < _USUAL * len(sections):
        return
    for name in lacking:
        parameter, (page, block) = wanted[name], sections[name][0]
        yield UpgradeStep(
            *(Need.DEFAULT, What.VALUE, parameter.name, parameter.owner),
            *(f"default: {parameter.value(DEFAULT)}", older.release, newer.release),
            before=cite_words(page, block.text, block.path, block.anchor, older.release),
            after=cite_fact(parameter.fact(DEFAULT) or parameter, newer.release),
            names=frozenset([name]),
            spelt=(parameter.name,),
        )


def _blocks(corpus: Corpus) -> Iterator[tuple[StoredPage, Block]]:
    for document in corpus.documents():
        if document.kind is not DocumentKind.RELEASE_NOTES:
            for page in corpus.pages_of(document.id):
                yield from ((page, block) for block in page.blocks)


def _words(text: str) -> set[str]:
    return {word.rstrip(".-+") for word in _PART.findall(plain(text))}
