"""What is known about the entities of a context (GraphContextGen 4.3): the documentation itself.

The paper asks Wikidata (`chatbot.graph.wikidata`). What a release states of its parameters is
exact, and of that release.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol

from chatbot.graph.triplets import Triplet
from chatbot.turn import Citation, Origin
from corpora.parameters.parameter import ARGUMENT, DEFAULT, Fact, Parameter, Replacement
from corpora.parameters.releases import OpenParameters, ReleaseParameters

_LONGEST_QUOTE = 600


class KnowledgeGraph(Protocol):
    """Whatever knows how things are related."""

    async def between(self, entities: Collection[str]) -> Sequence[Triplet]:
        """The triplets whose both ends are entities of a context (Algorithm 1, 12-13)."""
        ...


class DocumentationGraph:
    """The relations that one release states of its parameters, each with the words that state it.

    A parameter is related to what its row, its signature or its definition says of it; a function
    to its arguments, and these to their defaults in it. All are strings as they stand.
    """

    def __init__(self, release: ReleaseParameters) -> None:
        self._release = release

    async def between(self, entities: Collection[str]) -> tuple[Triplet, ...]:
        """The triplets whose both ends are entities of a context, by head."""
        stated = (triplet for entity in sorted(entities) for triplet in self.neighbours(entity))
        return tuple(dict.fromkeys(triplet for triplet in stated if triplet.tail in entities))

    def neighbours(self, entity: str) -> tuple[Triplet, ...]:
        """The triplets whose head is the entity, in the order of the documents."""
        own = (p for p in self._release.named(entity) if entity in (p.name, *p.aliases))
        below = (p for p in self._release.of_owner(entity) if p.kind == ARGUMENT)
        stated = (triplet for parameter in own for triplet in self._stated(entity, parameter))
        arguments = (self._triplet(entity, "parameter", p.name, p) for p in below)
        return tuple(dict.fromkeys((*stated, *arguments)))

    def _stated(self, entity: str, parameter: Parameter) -> Iterator[Triplet]:
        for fact in parameter.facts:
            # Two owners may have an argument of one name with different defaults.
            of = f" in {parameter.owner}" if parameter.kind == ARGUMENT else ""
            relation = f"{fact.relation}{of if fact.relation == DEFAULT else ''}"
            yield self._triplet(entity, relation, fact.value, fact)

    def _triplet(self, head: str, relation: str, tail: str, stated: Fact | Parameter) -> Triplet:
        return Triplet(head, relation, tail, cited(stated, self._release.release))


def cited(stated: Fact | Parameter | Replacement, release: str) -> Citation:
    """The citation of what the graph of a release has from one of its pages."""
    place, quote = stated.place, stated.quote
    if len(quote) > _LONGEST_QUOTE:
        quote = quote[:_LONGEST_QUOTE].rsplit(" ", 1)[0]
    return Citation(
        document=place.document,
        file=place.file,
        release=release,
        page=place.page,
        section=place.section,
        anchor=place.anchor,
        quote=quote,
        page_id=place.page_id,
        origin=Origin.GRAPH,
    )


def documentation_graphs(
    open_parameters: OpenParameters,
) -> Callable[[str, str], DocumentationGraph]:
    """What opens the graph of a product's release."""
    return lambda product, release: DocumentationGraph(open_parameters(product, release))
