"""`python -m eval.upgrade_guide FOLDER`: seeded keys that the guide names, and others, by product.

The documentation of each product is fetched into FOLDER and checked by its SHA-256, or taken from
archives (`--from`). `seeds.json` has the keys of a configuration: affected by the upgrade from the
first to the last release, or not, as somebody decided who read both; `--labels` names a folder with
others. No model takes part, but with `--model` the capable one of the settings, which reads what
concerns the keys. It also counts the steps of the guides between neighbouring releases that the
guide over all of them lacks. With `--ablate` each pattern of `chatbot/upgrading` is left out in
turn.
"""

import argparse
import importlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict
from sqlalchemy import func, select

from chatbot.assembly import open_chatbot
from chatbot.chatbot import Chatbot
from chatbot.memory.suspending import open_database
from chatbot.settings import Settings, read_settings
from chatbot.upgrading.guide import Guide, OpenCorpus, UpgradeGuides
from chatbot.upgrading.steps import Need
from chatbot.upgrading.usage import EVERYTHING, folded, read_usage
from corpora.building.building import Builder
from corpora.catalog.catalog import Catalog
from corpora.database.history_tables import ServerCallRow
from corpora.indexing.corpus import Corpus, OpenCorpora
from corpora.parameters.releases import OpenParameters, opened_by
from eval.ablate import NEVER
from eval.benchmark.documents import places
from eval.benchmark.fetching import fetched_by
from eval.gold import GoldError

_MODULES = ("notes", "steps", "usage")


class Seeds(BaseModel):
    """Keys that are written below `input`, separated by blanks; `section/key` below a section."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    affected: str
    unaffected: str
    input: str = ""

    @property
    def text(self) -> str:
        """The configuration that is pasted."""
        lines, section = [self.input], ""
        for place in sorted(f"{self.affected} {self.unaffected}".split()):
            above, _, key = place.rpartition("/")
            lines += [f"[{above}]\n"] if above != section else []
            lines.append(f"{key} = 1\n")
            section = above
        return "".join(lines)


@dataclass(frozen=True)
class Figures:
    """What a guide named: of the affected keys those found and missed, and the others.

    `lists` are the names with the list that each stands in.
    """

    found: tuple[str, ...]
    missed: tuple[str, ...]
    false: tuple[str, ...]
    lists: frozenset[tuple[str, str]]
    unread: int

    @classmethod
    def of(cls, guide: Guide, seeds: Seeds) -> "Figures":
        """Count what a guide makes of the keys."""
        named = {folded(n) for i in guide.items for s in i.steps for n in (*s.names, i.name)}
        affected = seeds.affected.split()

        def told(key: str) -> bool:
            return not named.isdisjoint((folded(key), folded(key.rpartition("/")[2])))

        return cls(
            tuple(key for key in affected if told(key)),
            tuple(key for key in affected if not told(key)),
            tuple(key for key in seeds.unaffected.split() if told(key)),
            frozenset((item.name, item.need) for item in guide.items),
            guide.unread,
        )


@dataclass(frozen=True)
class Product:
    """The documentation of a product's releases, read once."""

    name: str
    releases: tuple[str, ...]
    catalog: Catalog
    open_corpus: OpenCorpus
    parameters: OpenParameters
    seeds: Seeds

    def guides(self) -> UpgradeGuides:
        """Guides that have computed nothing yet."""
        return UpgradeGuides(self.open_corpus, self.parameters)

    def figures(self, chatbot: Chatbot | None = None) -> Figures:
        """How the guide over all releases does on the seeds, with a chatbot's model or without."""
        first, *_, last = self.releases
        if chatbot is not None:
            guide = chatbot.upgrade_guide(self.name, first, last, self.seeds.text)
            return Figures.of(guide, self.seeds)
        used = read_usage(self.seeds.text)
        guide = self.guides().guide(self.catalog.product(self.name), first, last, used)
        return Figures.of(guide, self.seeds)

    def lacking(self) -> int:
        """Steps between neighbours that the guide over all has not; with the seeds, and without."""
        first, *_, last = self.releases
        guides, product = self.guides(), self.catalog.product(self.name)
        lacking = 0
        for used in (read_usage(self.seeds.text), EVERYTHING):
            whole = set(_said(guides.guide(product, first, last, used)))
            for pair in pairwise(self.releases):
                lacking += len(set(_said(guides.guide(product, *pair, used))) - whole)
        return lacking


def _said(guide: Guide) -> Iterator[tuple[str, ...]]:
    return ((s.need, s.what, s.name, s.says, s.older, s.newer) for s in guide.steps)


class _Kept:
    """A corpus whose pages are read once: patterns are left out one after the other."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.documents = lru_cache(corpus.documents)
        self.pages_of = lru_cache(None)(corpus.pages_of)
        self.original = lru_cache(None)(corpus.original)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._corpus, name)


class _NoVectors:
    """An embedder that knows one direction: parameters and notes are found without vectors."""

    name, dimension, setting = "none", 4, ""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.full((len(texts), self.dimension), 0.5, dtype=np.float32)

    embed_queries = embed

    def knows_word(self, word: str) -> bool:
        return True


def main() -> None:
    """Measure the products that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m eval.upgrade_guide", description=__doc__)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--ablate", action="store_true", help="leave out each pattern in turn")
    how.add_argument("--model", action="store_true", help="with the model of the settings")
    given, products = fetched_by(parser, Path(__file__).parent)
    seeds = json.loads((given.labels / "seeds.json").read_text(encoding="utf-8"))
    data = given.folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    database = open_database(Settings(data_dir=data))
    corpora = OpenCorpora(database, data)
    with closing(database), closing(corpora):
        catalog = Catalog(database)
        there = {(p.name, r.name) for p in catalog.products() for r in p.releases}
        builder = Builder(database, data, _NoVectors(), workers=1)
        for name, release, folder in places(given.folder, products):
            if (name, release) not in there:
                builder.ingest([folder], product=name, release=release)
        parameters = opened_by(corpora.corpus)

        @lru_cache
        def open_corpus(product: str, release: str) -> Corpus:
            return cast("Corpus", _Kept(corpora.corpus(product, release)))

        opened = [
            Product(
                name,
                tuple(product.releases),
                catalog,
                open_corpus,
                parameters,
                Seeds.model_validate(seeds[name]),
            )
            for name, product in products.items()
        ]
        if given.model:
            _measure_with_model(opened, data)
            return
        for product in opened:
            _tell(product.name, product.figures())
            if not given.ablate:
                sys.stdout.write(f"  A → C lacks {product.lacking()} steps\n")
                sys.stdout.flush()
        if given.ablate:
            _ablate(opened)


def _measure_with_model(products: list[Product], data: Path) -> None:
    chatbot = open_chatbot(read_settings(data_dir=data))
    if chatbot.model is None or not chatbot.settings.has_capable_model:
        raise GoldError("the settings name no capable model: see docs/configuration.md")
    with closing(chatbot.database), closing(chatbot.corpora):
        for product in products:
            before = _requests(chatbot)
            figures = product.figures(chatbot)
            _tell(product.name, figures)
            lists = [(f"{need}:", *(n for n, of in figures.lists if of == need)) for need in Need]
            lines = ["  " + " ".join((need, *sorted(names))) for need, *names in lists]
            made = f"  {_requests(chatbot) - before} requests, {figures.unread} portions unread"
            sys.stdout.write("\n".join((*lines, made, "")))
            sys.stdout.flush()


def _requests(chatbot: Chatbot) -> int:
    with chatbot.database.reading() as session:
        return session.scalar(select(func.count(ServerCallRow.id))) or 0


def _tell(what: str, figures: Figures) -> None:
    found, missed, false = figures.found, figures.missed, figures.false
    sys.stdout.write(
        f"{what}: found {len(found)} of {len(found) + len(missed)}, false {len(false)}\n"
        f"  missed: {' '.join(missed)}\n  false: {' '.join(false)}\n"
    )
    sys.stdout.flush()


def _ablate(products: list[Product]) -> None:
    """Say what each pattern earns: keys found without it and false ones, where they differ."""
    whole = [product.figures() for product in products]
    for holder, key, place in _patterns():
        kept = holder[key]
        holder[key] = NEVER if place is None else (*kept[:place], NEVER, *kept[place + 1 :])
        try:
            told = [
                f"{p.name} loses {sorted({*a.found} - {*b.found})}, "
                f"finds {sorted({*b.found} - {*a.found})}, "
                f"false {sorted({*b.false} - {*a.false})}, "
                f"no longer false {sorted({*a.false} - {*b.false})}, "
                f"{len(a.lists - b.lists)} names elsewhere or gone"
                for p, a in zip(products, whole, strict=True)
                if (b := p.figures()) != a
            ]
        finally:
            holder[key] = kept
        name = f"{key}{'' if place is None else place}"
        sys.stdout.write(f"{name}: {'; '.join(told) or 'earns nothing'}\n")
        sys.stdout.flush()


def _patterns() -> Iterator[tuple[dict[Any, Any], Any, int | None]]:
    """Where each pattern stands: a module or a table of one, its key, its place in a tuple."""
    for module in _MODULES:
        names = vars(importlib.import_module(f"chatbot.upgrading.{module}"))
        for name, value in list(names.items()):
            if isinstance(value, re.Pattern):
                yield names, name, None
            elif isinstance(value, dict) and name[0] == "_":
                yield from ((value, k, None) for k, v in value.items() if type(v) is re.Pattern)
            elif isinstance(value, tuple) and any(type(v) is re.Pattern for v in value):
                yield from ((names, name, n) for n in range(len(value)))


if __name__ == "__main__":
    main()
