"""What an upgrade changes of the things that somebody uses, as a capable model reads it.

The model decides and the rules propose: of a thing that it is asked about, a step of theirs stays
where the model tells of such a change, too. It is believed as far as what it copies stands in the
documentation.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ConfigDict, Field

from chatbot.errors import GeneratorError, TookTooLong
from chatbot.retrieval.support import cite_words, find_verbatim, is_verbatim, names
from chatbot.runtime.concurrency import Stopped, together, within
from chatbot.runtime.model_calls import ask_for
from chatbot.settings import Settings
from chatbot.turn import Citation
from chatbot.upgrading.guide import Guide, Told, UpgradeGuides, uses_of
from chatbot.upgrading.material import Passage, Portion, Use, portions
from chatbot.upgrading.steps import NEED_OF, UpgradeStep, What, cite_fact, documented
from chatbot.upgrading.usage import Usage, folded
from corpora.catalog.release import Product
from corpora.indexing.pages import StoredPage
from ingestion.page import Block
from prompts import fenced, fenced_list, render

STEP = "upgrade_reading"
_LARGEST = 9_000
"""Characters of passages in a prompt."""
_MOST_CALLS = 100
"""Portions of a guide that are read, in all rounds; what is left is told by the rules."""
_TOKENS = 4_000
_REPLIES_HELD = 500
_LONGEST = 300


class Change(BaseModel):
    """What a model tells of a used thing; the prompt says what each field holds."""

    model_config = ConfigDict(extra="forbid")

    use: str
    why: str
    what: Literal[
        What.REMOVED,
        What.RENAMED,
        What.CHANGED,
        What.VALUE,
        What.DEPRECATED,
        What.ADDED,
        "nothing",
    ]
    successor: str
    was: str
    now: str


class Changes(BaseModel):
    """What a model tells of a portion."""

    changes: list[Change] = Field(max_length=200)


_Read = tuple[tuple["_Found", ...], bool]
"""What is told of a portion, and whether all of it can be used."""


@dataclass(frozen=True)
class _Found:
    """A change of a used thing, with the places of the words that say so."""

    use: Use
    what: What
    successor: str
    before: Citation | None
    after: Citation | None
    is_note: bool

    @property
    def cited(self) -> tuple[Citation, ...]:
        return tuple(filter(None, (self.before, self.after)))


@dataclass(frozen=True)
class _Hop:
    """From one release to the next: what the rules propose for what is used, and what is read."""

    older: str
    newer: str
    using: Usage
    proposed: tuple[UpgradeStep, ...]
    portions: tuple[Portion, ...]


@dataclass(frozen=True)
class GuideReader:
    """Has a capable model read what concerns the used things.

    `run` runs work that calls it, and asks from time to time whether it is to be stopped. `replies`
    are kept by their prompts from one guide to the next.
    """

    guides: UpgradeGuides
    model: BaseChatModel
    settings: Settings
    run: Callable[[Coroutine[Any, Any, list[_Read]], Callable[[], bool]], list[_Read]]
    told: Told
    stopped: Callable[[], bool]
    replies: dict[str, Changes]
    _done: list[Portion] = field(default_factory=list)
    _followed: dict[str, int] = field(default_factory=dict)
    """The names that have guides of their own, and for how many steps: each once, or with a name
    for each step the guides would double with it."""

    def read(self, product: Product, guide: Guide, usage: Usage) -> Guide:
        """The guide for what is used as the model has it, of the one that the rules made.

        Of a step with a portion that was not read the rules' steps stay; `unread` counts these
        portions. Raises Stopped when `stopped` says so.
        """
        using = usage.without(product.name, *product.aliases)
        self._followed.clear()
        steps, unread = self._read(product, guide, using)
        items = self.guides.items(product.name, steps)
        return replace(guide, items=items, unread=unread)

    def _read(self, product: Product, guide: Guide, using: Usage) -> tuple[list[UpgradeStep], int]:
        hops: list[_Hop] = []
        for older, newer in pairwise(guide.releases):
            if self.stopped():
                raise Stopped
            hops.append(self._hop(product.name, older, newer, using, guide))
            successors = (name for step in hops[-1].proposed for name in step.successors)
            using = using.with_names(successors)
        wanted = [portion for hop in hops for portion in hop.portions]
        made = iter(self._read_all(product.name, wanted))
        steps: list[UpgradeStep] = []
        unread = 0
        for hop, then in zip(hops, [*(hop.using for hop in hops[1:]), using], strict=True):
            replies = [next(made) for _ in hop.portions]
            lacking = [p for p, (_, whole) in zip(hop.portions, replies, strict=True) if not whole]
            unread += len(lacking)
            told = [found for changes, _ in replies for found in changes]
            own = self._decided(product.name, hop, told, _asked(lacking))
            steps += own
            # A name that the rules do not follow from there on has a guide of its own.
            successors = (folded(n) for step in own for n in step.successors if not then.has(n))
            left = len(guide.releases) - 1 - guide.releases.index(hop.newer)
            later = [name for name in successors if self._followed.get(name, 0) < left]
            if later:
                self._followed.update(dict.fromkeys(later, left))
                used = Usage(dict.fromkeys(later, frozenset()))
                of_later = self.guides.guide(product, hop.newer, guide.releases[-1], used)
                more, more_unread = self._read(product, of_later, used)
                steps += more
                unread += more_unread
        return list(dict.fromkeys(steps)), unread

    def _hop(self, product: str, older: str, newer: str, using: Usage, guide: Guide) -> _Hop:
        before, after = (self.guides.open_corpus(product, release) for release in (older, newer))
        notes = self.guides.notes_between(product, older, newer)
        largest = min(self.settings.evidence_limit, _LARGEST)
        material = portions(before, after, notes, using, largest)
        proposed = (step for step in guide.steps if (step.older, step.newer) == (older, newer))
        return _Hop(older, newer, using, tuple(proposed), tuple(material))

    def _read_all(self, product: str, wanted: Sequence[Portion]) -> list[_Read]:
        """What is told of each portion, as many at once as questions are answered."""
        read_now = wanted[: _MOST_CALLS - len(self._done)]
        of = len(self._done) + len(read_now)

        async def read_together() -> list[_Read]:
            places = asyncio.Semaphore(self.settings.at_once)

            async def read(portion: Portion) -> _Read:
                async with places:
                    result = await self._read_one(product, portion)
                self._done.append(portion)
                return result

            return await together(map(read, read_now))

        def stopped() -> bool:
            # A page hears of progress in its own thread only.
            self.told(len(self._done), of)
            return self.stopped()

        made = self.run(read_together(), stopped) if read_now else []
        self.told(len(self._done), of)
        return [*made, *(((), False) for _ in wanted[len(read_now) :])]

    async def _read_one(self, product: str, portion: Portion) -> _Read:
        """What is told of a portion, and whether all of it can be used.

        What a guide that was stopped has read is not asked again.
        """
        prompt = self._prompt(product, portion)
        key = "\n".join(text for _, text in prompt)
        usable: tuple[_Found, ...] = ()

        def check(reply: Changes) -> None:
            nonlocal usable
            objections: list[str] = []
            usable = tuple(_believed(reply.changes, portion, objections))
            if objections:
                raise ValueError(objections[0])

        if (kept := self.replies.get(key)) is not None:
            return tuple(_believed(kept.changes, portion, [])), True
        try:
            async with within(self.settings.question_seconds):
                reply, _ = await ask_for(
                    self.model, prompt, Changes, step=STEP, max_tokens=_TOKENS, check=check
                )
        except (GeneratorError, TookTooLong):
            return (), False
        if reply is not None:
            self.replies[key] = reply
            while len(self.replies) > _REPLIES_HELD:
                self.replies.pop(next(iter(self.replies)), None)
        return usable, reply is not None

    def _prompt(self, product: str, portion: Portion) -> list[tuple[str, str]]:
        tags = {portion.older: "excerpts", portion.newer: "passage"}
        passages = (
            fenced(
                tags.get(passage.release, "documentation"),
                passage.text,
                number=number,
                **{"use": passage.use} if passage.use else {},
                **{"release": passage.release} if passage.release else {},
                section=passage.section,
            )
            for number, passage in enumerate(portion.passages, 1)
        )
        return render(
            STEP,
            product=product,
            older=portion.older,
            newer=portion.newer,
            uses="\n".join(use.written for use in portion.uses),
            passages=fenced_list(passages),
        )

    def _decided(
        self, product: str, hop: _Hop, told: Sequence[_Found], unread: set[str]
    ) -> list[UpgradeStep]:
        """The steps that the rules propose and the model confirms, and those of the model alone.

        Those on what is `unread` stay, too.
        """
        asked = _asked(hop.portions)
        kept: list[tuple[UpgradeStep, set[str]]] = []
        for step in hop.proposed:
            about = uses_of(step, hop.using) & asked
            if not about or about & unread or any(_confirms(found, step, about) for found in told):
                kept.append((step, about))
        for found in told:
            need = NEED_OF[found.what]
            same = (s for s, about in kept if s.need is need and found.use.name in about)
            if not any(_shares_words(found, step) for step in same):
                kept.append((self._step(product, hop, found), {found.use.name}))
        return [step for step, _ in kept]

    def _step(self, product: str, hop: _Hop, found: _Found) -> UpgradeStep:
        sections = hop.using.names.get(found.use.name, frozenset())
        releases, entries = (hop.older, hop.newer), found.use.entries
        stated = [
            documented(found.use.name, self.guides.parameters(product, release), sections)
            for release in releases
        ]
        before, after = (
            cite_fact(fact, release) if fact else entry and _cite_block(*entry, release)
            for fact, entry, release in zip(stated, entries, releases, strict=True)
        )
        shown = stated[1] or stated[0]
        words = [" ".join(cited.quote.split()) for cited in found.cited]
        return UpgradeStep(
            *(NEED_OF[found.what], found.what),
            shown.name if shown else found.use.name,
            shown.owner if shown else "",
            " → ".join(words if found.after else (*words, "–"))[:_LONGEST],
            *releases,
            before=found.before or before,
            after=after if found.is_note else found.after or after,
            note=found.after if found.is_note else None,
            names=frozenset([found.use.name]),
            spelt=(shown.name if shown else found.use.name,),
            successors=(found.successor,) if found.successor else (),
        )


def _asked(portions: Sequence[Portion]) -> set[str]:
    return {use.name for portion in portions for use in portion.uses}


def _cite_block(page: StoredPage, block: Block, release: str) -> Citation:
    return cite_words(page, block.text, block.path, block.anchor or page.anchor, release)


def _confirms(found: _Found, step: UpgradeStep, about: set[str]) -> bool:
    """Whether the model tells of what a step says; of a topic it has to be by the same words."""
    if found.use.name not in about or NEED_OF[found.what] is not step.need:
        return False
    if step.what is What.REMOVED and found.what not in (What.REMOVED, What.RENAMED):
        return False
    return found.use.name in step.names or _shares_words(found, step)


def _shares_words(found: _Found, step: UpgradeStep) -> bool:
    return any(
        own.release == other.release
        and (is_verbatim(own.quote, other.quote) or is_verbatim(other.quote, own.quote))
        for own in found.cited
        for other in step.citations
    )


def _believed(
    changes: Sequence[Change], portion: Portion, objections: list[str]
) -> Iterator[_Found]:
    """The changes that can be used; what cannot be is objected to."""
    uses = {folded(spelt): use for use in portion.uses for spelt in (use.written, use.name)}
    for change in changes:
        if change.what == "nothing":
            continue
        use = uses.get(folded(change.use))
        before = _cited(change.was, portion.older, portion.passages)
        after = _cited(change.now, portion.newer, portion.passages)
        if use is None:
            objections.append(f'"{change.use}" is not in the list of what is used')
        elif change.was and before is None:
            objections.append(f'"was" of {change.use} does not stand in its excerpts')
        elif change.now and after is None:
            objections.append(f'"now" of {change.use} does not stand in a passage')
        elif before is None and after is None:
            objections.append(f'"was" and "now" of {change.use} are empty')
        else:
            texts = [cited[0].quote for cited in (before, after) if cited]
            # It may be told with its section: "section/key".
            told = (change.successor, change.successor.rpartition("/")[2])
            successor = next((s for s in told if s and names("\n".join(texts), s)), "")
            yield _Found(
                use,
                change.what,
                successor,
                before and before[0],
                after and after[0],
                is_note=after is not None and after[1],
            )


def _cited(copied: str, release: str, passages: Sequence[Passage]) -> tuple[Citation, bool] | None:
    """Where copied words of a release stand, and whether in release notes; None if nowhere."""
    for passage in (passage for passage in passages if passage.release == release):
        for page in passage.pages if is_verbatim(copied, passage.text) else ():
            # Lines that the page has more of between them are cited by the first.
            for words in (copied, copied.strip().partition("\n")[0]):
                if found := find_verbatim(words, page.text):
                    at = page.text.index(found)
                    block = [block for start, _, block in page.spans() if start <= at][-1]
                    cited = _cite_block(page, replace(block, text=found), release)
                    return cited, not passage.use
    return None
