"""What is known about the entities of a context (GraphContextGen 4.3): the documentation itself.

The paper asks Wikidata. A release's tables and signatures are exact, and of that release.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Protocol

from chatbot.graph.triplets import Triplet
from chatbot.retrieval.records import records
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from ingestion.page import BlockKind

GRAPHS_HELD = 8
"""Releases whose edges are held; the one asked about longest ago goes first."""
_OWNER = re.compile(r"(?P<name>[\w.]+)\s*\((?P<inside>.*)", re.S)
_PARAMETER = re.compile(
    r"\s*\*{0,2}(?P<name>\w[\w-]*)\s*(?::[^=]*)?(?:=\s*(?P<default>.+?)\s*)?", re.S
)
_OPENING, _CLOSING = "([{", ")]}"


class KnowledgeGraph(Protocol):
    """Whatever knows the relations of an entity."""

    def neighbours(self, entity: str) -> Iterable[Triplet]:
        """The triplets whose head is the entity."""
        ...


class DocumentationGraph:
    """The relations that the tables and signatures of one release state, each with its page.

    A row relates its first cell to every other one by the header of its column; a signature relates
    its owner to its parameters, and these to their defaults in it. All are strings as they stand.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._of: defaultdict[str, dict[Triplet, None]] = defaultdict(dict)
        for document in corpus.documents():
            for page in corpus.pages_of(document.id):
                for record in records(page, together=0):
                    for triplet in stated(record):
                        self._of[triplet.head][triplet] = None

    def neighbours(self, entity: str) -> Iterable[Triplet]:
        """The triplets whose head is the entity, in the order of the documents."""
        return tuple(self._of.get(entity, ()))


def stated(record: Record) -> Iterator[Triplet]:
    """The triplets that one row of a table or one signature states."""
    page = record.page.id
    if record.cells:
        (_, head), *others = record.cells
        for header, cell in others:
            if head and header and cell.strip(" –-"):
                yield Triplet(head, header, cell, page)
    elif record.kind is BlockKind.SIGNATURE and (owner := _OWNER.search(record.quote)):
        name = owner["name"]
        for parameter in _parameters(owner["inside"]):
            if match := _PARAMETER.fullmatch(parameter):
                yield Triplet(name, "parameter", match["name"], page)
                if match["default"]:
                    # Two owners may have a parameter of one name with different defaults.
                    yield Triplet(match["name"], f"default in {name}", match["default"], page)


def one_hop(graph: KnowledgeGraph, entities: Collection[str]) -> tuple[Triplet, ...]:
    """The triplets of a graph whose both ends are entities of the context (Algorithm 1, 12-13)."""
    found = (
        triplet
        for entity in sorted(entities)
        for triplet in graph.neighbours(entity)
        if triplet.tail in entities
    )
    return tuple(dict.fromkeys(found))


def documentation_graphs(
    open_corpus: Callable[[str, str], Corpus],
) -> Callable[[str, str], KnowledgeGraph]:
    """What opens the graph of a product's release, read from its corpus when first asked for."""

    @lru_cache(GRAPHS_HELD)
    def of_generation(product: str, release: str, generation: int) -> DocumentationGraph:
        return DocumentationGraph(open_corpus(product, release))

    def open_graph(product: str, release: str) -> KnowledgeGraph:
        return of_generation(product, release, open_corpus(product, release).generation)

    return open_graph


def _parameters(inside: str) -> Iterator[str]:
    """The parameters behind an opening bracket, up to the one that closes it."""
    depth, first = 0, 0
    for place, character in enumerate(inside):
        if depth == 0 and character in f",{_CLOSING}":
            yield inside[first:place]
            first = place + 1
            if character != ",":
                return
        depth += (character in _OPENING) - (character in _CLOSING)
