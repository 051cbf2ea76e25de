"""The upgrade guide: one list over all releases between two, for what somebody uses."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from chatbot.comparison.pages import same_page
from chatbot.errors import BadQuestion
from chatbot.retrieval.support import cite_words, plain
from chatbot.runtime.concurrency import Stopped
from chatbot.turn import Citation
from chatbot.upgrading.commands import Command, commands_of, gone_commands
from chatbot.upgrading.notes import Note, read_notes
from chatbot.upgrading.steps import Need, UpgradeStep, What, notes_of_step, steps_between
from chatbot.upgrading.unnamed_defaults import new_defaults
from chatbot.upgrading.usage import EVERYTHING, Usage, folded
from corpora.catalog.release import Product, is_among
from corpora.errors import UnknownRelease
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.parameters.releases import OpenParameters

_HELD = 32
_PAGES_LOOKED_UP = 200
"""Steps of a guide whose page in the other release is looked for; it takes some milliseconds."""
_NEEDS, _WHATS = list(Need), list(What)

OpenCorpus = Callable[[str, str], Corpus]
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Item:
    """What becomes of one thing over all steps, the oldest first.

    A capable model may add a `group` and `words`; both are empty without one.
    """

    name: str
    owner: str
    steps: tuple[UpgradeStep, ...]
    group: str = ""
    words: str = ""

    @property
    def need(self) -> Need:
        """The most urgent of its steps."""
        return min((step.need for step in self.steps), key=_NEEDS.index)

    @property
    def need_place(self) -> int:
        """The place of its list."""
        return _NEEDS.index(self.need)

    @property
    def what(self) -> What:
        """What became of it above all."""
        return min((s.what for s in self.steps if s.need is self.need), key=_WHATS.index)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every page that it rests on, each once."""
        return tuple(dict.fromkeys(c for step in self.steps for c in step.citations))


@dataclass(frozen=True)
class Guide:
    """The upgrade from a release of a product to a later one, over those between (`releases`).

    `looked_up` names of the input were looked for, of which `documented` are in one of the
    releases; both are 0 where nothing was given. `unread` portions of the documentation should have
    been read by a model and were not: what they concern is told by the rules.
    """

    product: str
    releases: tuple[str, ...]
    items: tuple[Item, ...]
    looked_up: int = 0
    documented: int = 0
    unread: int = 0

    def of(self, need: Need) -> tuple[Item, ...]:
        """The items of one list."""
        return tuple(item for item in self.items if item.need is need)

    @property
    def steps(self) -> tuple[UpgradeStep, ...]:
        """The steps of all items."""
        return tuple(step for item in self.items for step in item.steps)


class UpgradeGuides:
    """Writes upgrade guides; what it computed from one release to the next is kept in memory."""

    def __init__(self, open_corpus: OpenCorpus, open_parameters: OpenParameters) -> None:
        self.open_corpus, self.parameters = open_corpus, open_parameters
        # By generations: a release that is built anew is another one.
        self._notes = lru_cache(_HELD)(self._read_notes)
        self._steps = lru_cache(_HELD)(self._read_steps)
        self._commands = lru_cache(_HELD)(self._read_commands)

    def guide(
        self,
        product: Product,
        older: str,
        newer: str,
        usage: Usage = EVERYTHING,
        *,
        told: Told = lambda done, of: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Guide:
        """The guide for what is used; `told(done, of)` hears of each step that is done.

        Raises UnknownRelease, and BadQuestion where the second release is not after the first.
        """
        names = _between(product, older, newer)
        matched: list[UpgradeStep] = []
        using = usage = usage.without(product.name, *product.aliases)
        for number, (before, after) in enumerate(pairwise(names)):
            if stopped():
                raise Stopped
            told(number, len(names) - 1)
            for step in self._between(product.name, before, after):
                if using.is_everything or _is_used(step, using):
                    matched.append(step)
            matched += self._gone_commands(product.name, before, after, using, matched)
            # What is used goes on under the name that it has from here on.
            new = [name for step in matched if step.newer == after for name in step.successors]
            using = using.with_names(new) if not using.is_everything else using
        told(len(names) - 1, len(names) - 1)
        documented, spoken = self._documented(product.name, names, usage)
        items = self.items(product.name, matched)
        # Commands of several words are found in the text by the names that are documented.
        more = spoken - set(map(plain, usage.topics))
        looked_up = usage.looked_up + len(more)
        return Guide(product.name, tuple(names), items, looked_up, documented + len(spoken))

    def items(self, product: str, steps: Sequence[UpgradeStep]) -> tuple[Item, ...]:
        """The steps by the thing that they are about, the most urgent first, with their pages."""
        items = sorted(_items(steps), key=_urgency)
        return tuple(self._with_both_pages(product, items))

    def _documented(self, product: str, names: Sequence[str], usage: Usage) -> tuple[int, set[str]]:
        """How many used names are documented, and the used ones of several words."""
        if usage.is_everything:
            return 0, set()
        known: set[str] = set()
        spoken: set[str] = set()
        for name in names:
            for parameter in self.parameters(product, name).parameters:
                known.update(map(folded, (parameter.name, *parameter.aliases)))
                if " " in parameter.name.strip() and usage.has(parameter.name):
                    spoken.add(plain(parameter.name))
            spoken |= usage.phrases & self._commands_in(product, name).keys()
        return len(known.intersection(usage.names)), spoken

    def _gone_commands(
        self, product: str, older: str, newer: str, using: Usage, told: Sequence[UpgradeStep]
    ) -> list[UpgradeStep]:
        """The used commands of several words that a release has no more, if no step tells that."""
        stated = self.parameters(product, older), self.parameters(product, newer)
        there, then = (self._commands_in(product, release) for release in (older, newer))
        own = self.notes_between(product, older, newer)
        gone = gone_commands(there, then, stated, own, using)
        known = {name for step in told if step.newer == newer for name in step.names}
        return [step for step in gone if step.names.isdisjoint(known)]

    def _commands_in(self, product: str, release: str) -> Mapping[str, Command]:
        return self._commands(product, release, self.open_corpus(product, release).generation)

    def _read_commands(self, product: str, release: str, generation: int) -> Mapping[str, Command]:
        return commands_of(self.open_corpus(product, release))

    def _between(self, product: str, older: str, newer: str) -> tuple[UpgradeStep, ...]:
        generations = (self.open_corpus(product, name).generation for name in (older, newer))
        return self._steps(product, older, newer, *generations)

    def _read_steps(
        self, product: str, older: str, newer: str, before: int, after: int
    ) -> tuple[UpgradeStep, ...]:
        stated = self.parameters(product, older), self.parameters(product, newer)
        steps = steps_between(*stated, self.notes_between(product, older, newer))
        known = {name for step in steps if step.need is Need.DEFAULT for name in step.names}
        unnamed = new_defaults(*stated, self.open_corpus(product, older))
        return (*steps, *(step for step in unnamed if known.isdisjoint(step.names)))

    def notes_between(self, product: str, older: str, newer: str) -> tuple[Note, ...]:
        """The notes on what is new in a release since another one."""
        notes = (self.notes(product, release) for release in (older, newer))
        return tuple(notes_of_step(older, newer, *notes))

    def notes(self, product: str, release: str) -> tuple[Note, ...]:
        """The notes of a release's documentation."""
        return self._notes(product, release, self.open_corpus(product, release).generation)

    def _read_notes(self, product: str, release: str, generation: int) -> tuple[Note, ...]:
        return read_notes(self.open_corpus(product, release))

    def _with_both_pages(self, product: str, items: Iterable[Item]) -> Iterator[Item]:
        """The items; where a step has a page of one release only, with that of the other."""
        left = _PAGES_LOOKED_UP
        for item in items:
            steps = []
            for step in item.steps:
                lacks = step.before is None or (step.after is None and step.note is None)
                if lacks and left > 0:
                    left -= 1
                    step = self._other_page(product, step)
                steps.append(step)
            yield replace(item, steps=tuple(steps))

    def _other_page(self, product: str, step: UpgradeStep) -> UpgradeStep:
        here = step.after or step.note or step.before
        assert here is not None
        is_newer = here.release == step.newer
        release = step.older if is_newer else step.newer
        own, there = self.open_corpus(product, here.release), self.open_corpus(product, release)
        page = same_page(own.page(here.page_id), own, there)
        if page is None:
            return step
        words = next((b.text for b in page.blocks if b.text.strip()), "")
        cited = cite_words(page, words, page.heading_path, page.anchor, release)
        return replace(step, before=cited) if is_newer else replace(step, after=cited)


def _between(product: Product, older: str, newer: str) -> list[str]:
    """The releases of a product from one to another, both among them, the oldest first."""
    places = []
    for wanted in (older, newer):
        if is_among(wanted, "latest") and product.newest:
            wanted = product.newest.name
        named = (is_among(wanted, r.name, *r.aliases) for r in product.releases)
        place = next((i for i, is_it in enumerate(named) if is_it), None)
        if place is None:
            there = ", ".join(r.name for r in product.releases) or "none"
            raise UnknownRelease(
                "{product} has no release {wanted!r}. There are: {there}.",
                product=product.name,
                wanted=wanted,
                there=there,
            )
        places.append(place)
    first, last = places
    if first >= last:
        raise BadQuestion(
            "{later} does not come after {earlier}: name the older release first",
            later=product.releases[last].name,
            earlier=product.releases[first].name,
        )
    return [release.name for release in product.releases[first : last + 1]]


def _is_used(step: UpgradeStep, usage: Usage) -> bool:
    if step.owner and usage.has_elsewhere(step.owner, step.names):
        return False
    if usage.has(*step.names, *step.spelt):
        return True
    ends = step.what in (What.REMOVED, What.RENAMED, What.DEPRECATED)
    if ends and not usage.values.isdisjoint(step.names):
        return True
    # A new thing is of use to whoever uses what it belongs to.
    if step.need is Need.NEW and step.owner and usage.has(step.owner):
        return True
    return bool(_topics_of(step, usage))


def uses_of(step: UpgradeStep, usage: Usage) -> set[str]:
    """Which used things a step is about: names, values, what a new thing is of, and topics."""
    new_of = {folded(step.owner)} if step.need is Need.NEW else set()
    named = {*step.names, *map(folded, step.spelt)} | new_of
    return named & {*usage.names, *usage.values} | _topics_of(step, usage)


def _topics_of(step: UpgradeStep, usage: Usage) -> set[str]:
    words = set(tokens(" ".join((step.name, step.owner, step.says))))
    wanted = ((topic, set(tokens(topic))) for topic in usage.topics)
    return {topic for topic, its_words in wanted if its_words and its_words <= words}


def _items(steps: Sequence[UpgradeStep]) -> list[Item]:
    """The steps put together by the thing that they are about."""
    grouped: dict[tuple[str, str], list[UpgradeStep]] = {}
    for number, step in enumerate(steps):
        key = (folded(step.name), "") if step.name else ("", str(number))
        grouped.setdefault(key, []).append(step)
    return [
        Item(of[-1].name, next((s.owner for s in reversed(of) if s.owner), ""), tuple(of))
        for of in grouped.values()
    ]


def _urgency(item: Item) -> tuple[int, int, bool, str]:
    return (
        _NEEDS.index(item.need),
        _WHATS.index(item.what),
        not item.name,
        item.name.casefold().lstrip("-"),
    )
