"""Known relations of a context's entities (GraphContextGen 4.3), from the documentation.

The paper asks Wikidata (`chatbot.graph.wikidata`). What a release states of its parameters is
exact, and of that release.
"""

from collections.abc import Collection, Iterator

from chatbot.retrieval.support import cite_stated
from chatbot.turn import Triplet
from corpora.parameters.parameter import ARGUMENT, DEFAULT
from corpora.parameters.releases import ReleaseParameters


class DocumentationGraph:
    """The relations that one release states of its parameters, each with the words that state it.

    A parameter is related to its stated values; a function to its arguments, these to their
    defaults.
    """

    def __init__(self, release: ReleaseParameters) -> None:
        self._release = release

    def between(self, entities: Collection[str]) -> tuple[Triplet, ...]:
        """The triplets whose both ends are entities of a context (Algorithm 1, 12-13), by head."""
        stated = (triplet for entity in sorted(entities) for triplet in self.neighbours(entity))
        return tuple(triplet for triplet in stated if triplet.tail in entities)

    def neighbours(self, entity: str) -> tuple[Triplet, ...]:
        """The triplets whose head is the entity, in the order of the documents."""
        return tuple(dict.fromkeys(self._neighbours(entity)))

    def _neighbours(self, entity: str) -> Iterator[Triplet]:
        release = self._release.release
        for parameter in self._release.named(entity):
            for fact in parameter.facts if entity in (parameter.name, *parameter.aliases) else ():
                # Two owners may have an argument of one name with different defaults.
                of_owner = parameter.kind == ARGUMENT and fact.relation == DEFAULT
                relation = f"{fact.relation} in {parameter.owner}" if of_owner else fact.relation
                yield Triplet(entity, relation, fact.value, cite_stated(fact, release))
        for parameter in self._release.of_owner(entity):
            if parameter.kind == ARGUMENT:
                yield Triplet(entity, "parameter", parameter.name, cite_stated(parameter, release))
