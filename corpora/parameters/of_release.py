"""The parameters of a whole release, held in memory as long as its generation serves."""

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

from corpora.indexing.corpus import Corpus
from corpora.parameters.extraction import read_parameters
from corpora.parameters.parameter import Parameter, Replacement

HELD = 64
"""Releases whose parameters are held; the one asked about longest ago goes first."""


class ReleaseParameters:
    """What one release states about its parameters, in the order of its documents.

    `replacements` are what its release notes say of names that took the place of others.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.product, self.release = corpus.product, corpus.release
        read = [read_parameters(corpus.pages_of(document.id)) for document in corpus.documents()]
        self.parameters: tuple[Parameter, ...] = tuple(p for found, _ in read for p in found)
        self.replacements: tuple[Replacement, ...] = tuple(r for _, told in read for r in told)
        named: defaultdict[str, dict[Parameter, None]] = defaultdict(dict)
        owned: defaultdict[str, list[Parameter]] = defaultdict(list)
        for parameter in self.parameters:
            owned[parameter.owner].append(parameter)
            for name in (parameter.name, *parameter.aliases):
                named[name.casefold()][parameter] = None
        self._named = {name: tuple(found) for name, found in named.items()}
        self._owned = {owner: tuple(found) for owner, found in owned.items()}

    def named(self, name: str) -> tuple[Parameter, ...]:
        """The parameters with this name or spelling, whatever they belong to."""
        return self._named.get(name.casefold(), ())

    def of_owner(self, owner: str) -> tuple[Parameter, ...]:
        """The parameters of a function, a command or a section."""
        return self._owned.get(owner, ())


OpenParameters = Callable[[str, str], ReleaseParameters]
"""Gives the parameters of a product's release; raises NoCorpus where there is none."""


def opened_by(open_corpus: Callable[[str, str], Corpus]) -> OpenParameters:
    """What gives the parameters of a product's release, read when they are first asked for."""

    @lru_cache(HELD)
    def of_generation(product: str, release: str, generation: int) -> ReleaseParameters:
        return ReleaseParameters(open_corpus(product, release))

    def open_parameters(product: str, release: str) -> ReleaseParameters:
        return of_generation(product, release, open_corpus(product, release).generation)

    return open_parameters
