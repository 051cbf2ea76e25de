"""What a manual says of the names and topics that are used: its blocks about each of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

_MOST_OF_A_LABEL = 3
_BELOW_A_LABEL = {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.CODE}

Entry = tuple[StoredPage, Block]
Said = Mapping[str, Sequence[Entry]]
"""The blocks of a manual about each used thing, those of its own entry first."""


def read_of(pages: Iterable[StoredPage]) -> Iterator[Entry]:
    """The blocks of pages that are read: no headings, heads of tables or listings."""
    for page, blocks in labelled(pages):
        yield from ((page, block) for block in blocks if block.kind not in _PASSED_OVER)


def labelled(pages: Iterable[StoredPage]) -> Iterator[tuple[StoredPage, list[Block]]]:
    """The pages of a document with their blocks, those below a label as if it were a heading.

    A label is a paragraph of a name alone, or of up to three words with one, and of what stands in
    brackets behind it: `limit`, "limit or MILL_LIMIT", "MILL_LIMIT (5 by default)".
    """
    path: tuple[str, ...] = ()
    label = ""
    for page in pages:
        blocks = []
        for block in page.blocks:
            goes_on = block.path == path and block.kind in _BELOW_A_LABEL
            path, label = block.path, _label(block) or (label if goes_on else "")
            blocks.append(replace(block, path=(*path, label)) if label else block)
        yield page, blocks


def _label(block: Block) -> str:
    head, _, rest = block.text.partition(" (")
    is_one = (
        block.kind is BlockKind.PARAGRAPH
        and len(head.split()) <= _MOST_OF_A_LABEL
        and (block.text.endswith(")") if rest else not head.endswith((".", ":")))
        and not forms.labelled(head)
        and any(forms.is_name(word) and forms.IN_A_LIST.match(word) for word in head.split())
    )
    return head if is_one else ""


def said_of(corpus: Corpus, wanted: frozenset[str], topics: Sequence[str]) -> tuple[Said, Said]:
    """What a manual says of each used name and topic, and what stands around names in listings."""
    own: defaultdict[str, list[Entry]] = defaultdict(list)
    beside: defaultdict[str, list[Entry]] = defaultdict(list)
    listed: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    for document in corpus.documents():
        if document.kind is DocumentKind.RELEASE_NOTES:
            continue
        for page, blocks in labelled(corpus.pages_of(document.id)):
            text = page.text.casefold().replace("-", "_")
            headings = {h for block in blocks for h in block.path[-1:]}
            near = frozenset(
                name
                for name in wanted
                if name.casefold() in text or any(name in named_by(h) for h in headings)
            )
            for block in blocks if near else ():
                if block.kind is BlockKind.CODE:
                    for name, part in _keys_in(block, near):
                        listed[name].setdefault(part.text, (page, part))
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
    told = {use: (*own[use], *beside[use]) for use in dict.fromkeys((*own, *beside))}
    return told, {use: [*entries.values()] for use, entries in listed.items()}


def _keys_in(listing: Block, names: frozenset[str]) -> Iterator[tuple[str, Block]]:
    """The keys and options of a listing among some names, with the lines around up to blank ones.

    A line in square brackets begins a section of the listing.
    """
    section = ""
    for text in listing.text.split("\n\n"):
        for line in map(str.strip, text.splitlines()):
            section = line[1:-1] if line[:1] + line[-1:] == "[]" else section
            for place, match in enumerate(PIECE.finditer(line)):
                is_key = not place and line[match.end() :].lstrip(" \"'").startswith(("=", ":"))
                if (is_key or match[0].startswith("-")) and (name := folded(match[0])) in names:
                    below = (f"{section}/{match[0]}",) if section else ()
                    yield name, replace(listing, text=text, path=(*listing.path, *below))


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
