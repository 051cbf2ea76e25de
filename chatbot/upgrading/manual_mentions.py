"""What a manual says of the names and topics that are used: its blocks about each of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from chatbot.comparison.pages import pages_with
from chatbot.retrieval.records import sentences
from chatbot.upgrading.notes import PIECE, release_above
from chatbot.upgrading.usage import Usage, folded
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from corpora.parameters import forms
from ingestion.page import Block, BlockKind, DocumentKind

PAGES_OF_A_TOPIC = 12
_BEHIND_A_TERM = tuple(":=(,|–—")
"""What stands behind the term of an entry."""
_PASSED_OVER = {BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.CODE}

Entry = tuple[StoredPage, Block]
Said = Mapping[str, Sequence[Entry]]
"""The blocks of a manual about each used thing, those of its own entry first."""


def read_of(page: StoredPage) -> Iterator[Block]:
    """The blocks of a page that are read: no headings, heads of tables or listings."""
    return (block for block in page.blocks if block.kind not in _PASSED_OVER)


def said_of(corpus: Corpus, wanted: frozenset[str], topics: Sequence[str]) -> Said:
    """What a manual says of each used name and topic."""
    own: defaultdict[str, list[Entry]] = defaultdict(list)
    beside: defaultdict[str, list[Entry]] = defaultdict(list)
    for document in corpus.documents():
        if document.kind is DocumentKind.RELEASE_NOTES:
            continue
        for page in corpus.pages_of(document.id):
            text = page.text.casefold().replace("-", "_")
            headings = {h for block in page.blocks for h in block.path[-1:]}
            near = frozenset(
                name
                for name in wanted
                if name.casefold() in text or any(name in named_by(h) for h in headings)
            )
            for block in page.blocks if near else ():
                if block.kind in _PASSED_OVER or release_above(block.path, corpus.release):
                    continue
                headed = near & named_by(block.path[-1]) if block.path else frozenset()
                for name in headed:
                    own[name].append((page, block))
                if near & _named_in(block.text) - headed:
                    for part in _parts(block):
                        for name in near & _named_in(part.text) - headed:
                            beside[name].append((page, part))
    for topic in topics:
        words = set(tokens(topic))
        for page in pages_with(corpus, words, PAGES_OF_A_TOPIC) if words else ():
            is_manual = page.document.kind is not DocumentKind.RELEASE_NOTES
            for block in page.blocks if is_manual else ():
                if block.kind not in _PASSED_OVER and has_words(words, block):
                    beside[topic].append((page, block))
    return {use: (*own[use], *beside[use]) for use in dict.fromkeys((*own, *beside))}


def _parts(block: Block) -> Iterator[Block]:
    """The sentences of a paragraph and the arguments of a signature; an entry or a row is one."""
    match block.kind:
        case BlockKind.PARAGRAPH:
            texts = sentences(block.text)
        case BlockKind.SIGNATURE:
            texts = [text.strip() for text in forms.arguments(block.text.partition("(")[2])]
        case _:
            texts = [block.text]
    yield from (replace(block, text=text) for text in texts)


def in_sections(manuals: Sequence[Said], usage: Usage) -> list[Said]:
    """Manuals without a name's entries in other sections, if one has it in its own."""

    def is_inside(name: str, block: Block) -> bool:
        above = (*block.path[:-1], *(heading.rpartition("/")[0] for heading in block.path[-1:]))
        return not usage.names.get(name, frozenset()).isdisjoint(map(folded, above))

    def is_entry(name: str, block: Block) -> bool:
        return bool(block.path) and name in named_by(block.path[-1])

    told = {
        name
        for said in manuals
        for name, entries in said.items()
        if any(is_entry(name, block) and is_inside(name, block) for _, block in entries)
    }
    return [
        {
            name: [
                (page, block)
                for page, block in entries
                if name not in told or is_inside(name, block) or not is_entry(name, block)
            ]
            for name, entries in said.items()
        }
        for said in manuals
    ]


def has_words(words: set[str], block: Block) -> bool:
    """Whether a block, with the heading right above it, has all words of a topic."""
    return words <= set(tokens(" ".join((*block.path[-1:], block.text))))


@lru_cache(4_096)
def named_by(heading: str) -> frozenset[str]:
    """The names whose entry a heading begins: "type", "auth/type", "-v / --verbose"."""
    key = heading if " " in heading.strip() else heading.rpartition("/")[2]
    pieces = [match[0].rstrip(".-") for match in PIECE.finditer(key)]
    return _named_in(heading) | (frozenset(map(folded, pieces)) if len(pieces) == 1 else set())


@lru_cache(4_096)
def _named_in(text: str) -> frozenset[str]:
    """The names in a text: written as one, or as the term of an entry."""
    names = set()
    for place, match in enumerate(PIECE.finditer(text)):
        written = match[0].rstrip(".-")
        is_term = not place and text[match.end() :].lstrip(" `\"'*").startswith(_BEHIND_A_TERM)
        is_acronym = written.isalpha() and written.isupper()
        is_name = written.startswith("-") or (forms.is_name(written) and not is_acronym)
        if is_term or is_name:
            names.add(folded(written))
    return frozenset(names)
