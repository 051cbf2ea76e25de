"""Known edits to real documentation, and whether they are seen: `python -m eval.seeded_edits`.

Takes the documentation in a folder, changes some of its passages in known ways, and asks how the
original ones stand in the changed release. What it takes is read as any release is; the edit is
made in the blocks that were read. An edit that leaves the words as they are must be told the same.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from chatbot.comparison.standing import Verdict
from chatbot.retrieval.records import LIST_MARK, sentences
from eval.standings import Score, every_passage, index_of, passage_id, scored, stands
from ingestion.listing import list_files
from ingestion.page import Block, BlockKind, Document, Page, Rejected
from ingestion.reading import read_files

Edit = Callable[[str, random.Random], str | None]
"""Gives the text anew; None where it does not lend itself to the edit."""
_FIGURE = re.compile(r"(?<![\w.])\d+(?![\w.]*\w)")
_VERB = re.compile(r"\b(is|are|can|will|must|should|does)\b(?! not)")
_NAME = re.compile(r"(?<![\w-])(?:--[a-z][\w-]+|[a-z]+_[a-z_]+)(?![\w-])")
_LETTERS = re.compile(r"\w+")


def value(text: str, rng: random.Random) -> str | None:
    """Another figure in the place of one."""
    mark = LIST_MARK.match(text)
    found = list(_FIGURE.finditer(text, mark.end() if mark else 0))
    if not found:
        return None
    match = rng.choice(found)
    other = str(int(match[0]) + rng.choice((1, 2, 5, 10)))
    return text[: match.start()] + other + text[match.end() :]


def negation(text: str, rng: random.Random) -> str | None:
    """A verb with "not" behind it."""
    return _VERB.sub(r"\1 not", text, count=1) if _VERB.search(text) else None


def rename(text: str, rng: random.Random) -> str | None:
    """An option or a name as in code with another ending."""
    return (
        _NAME.sub(lambda m: f"{m[0]}_v{rng.randint(3, 9)}", text, count=1)
        if _NAME.search(text)
        else None
    )


def condition(text: str, rng: random.Random) -> str | None:
    """A sentence that goes on with a condition."""
    is_sentence = text.endswith(".") and len(text.split()) > 5
    return f"{text[:-1]} on systems with two disks." if is_sentence else None


def reworded(text: str, rng: random.Random) -> str | None:
    """A sentence with its halves in another order and a word more."""
    words = text.rstrip(".").split()
    if len(words) < 8:
        return None
    middle = len(words) // 2
    return f"Moreover {' '.join(words[middle:])} {' '.join(words[:middle])}."


def reflow(text: str, rng: random.Random) -> str | None:
    """Lines broken elsewhere, and quotes and dashes as another generator writes them."""
    words = text.split()
    lines = [" ".join(words[i : i + 7]) for i in range(0, len(words), 7)]
    return "\n".join(lines).replace("'", "’").replace(" - ", " – ")


def markup(text: str, rng: random.Random) -> str | None:
    """A word in bold, and one as code."""
    words = text.split(" ")
    plain_ones = [i for i, word in enumerate(words) if word.isalpha()]
    if len(plain_ones) < 4:
        return None
    bold, code = rng.sample(plain_ones, 2)
    words[bold], words[code] = f"**{words[bold]}**", f"`{words[code]}`"
    return " ".join(words)


CHANGES: dict[str, Edit] = {
    edit.__name__: edit for edit in (value, negation, rename, condition, reworded)
}
"""Edits after which the words are others."""
FORMS: dict[str, Edit] = {edit.__name__: edit for edit in (reflow, markup)}
"""Edits after which they are the same."""
REMOVED, MOVED, UNTOUCHED = "removed", "moved", "untouched"
_EDITABLE = {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.DEFINITION, BlockKind.TABLE_ROW}


def main(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False)],
    each: Annotated[int, typer.Option(min=1, help="Edits of each kind.")] = 60,
    seed: Annotated[int, typer.Option()] = 1,
    wrong: Annotated[bool, typer.Option(help="Print every edit that is judged wrong.")] = False,
) -> None:
    """Print how many edits of each kind are seen, with precision and recall of all."""
    documents = [d for d in read_files(list_files([folder])) if not isinstance(d, Rejected)]
    rng = random.Random(seed)  # noqa: S311 - edits are drawn, not secrets
    edited, planned = _edited(documents, rng, each)
    older = index_of("product", "1.0", documents)
    newer = index_of("product", "2.0", edited)
    there = defaultdict(list)
    for passage in every_passage(older):
        there[passage.document.file, passage_id(passage.quote)].append(passage)
    all_words = "".join(_spaced(passage.words) for passage in every_passage(older))
    judged: list[tuple[Verdict, Verdict]] = []
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for (file, quote), kind in planned.items():
        found = there[file, passage_id(quote)]
        # What stands twice, or in pieces, is no passage of which one edit is known.
        if len(found) != 1 or all_words.count(_spaced(found[0].words)) != 1:
            continue
        is_same = kind in FORMS or kind in (MOVED, UNTOUCHED)
        verdict = stands(found[0], older, newer).verdict
        judged.append((Verdict.SAME if is_same else Verdict.CHANGED, verdict))
        total[kind] += 1
        right[kind] += (verdict is Verdict.SAME) == is_same
        if wrong and (verdict is Verdict.SAME) != is_same:
            typer.echo(f"{kind}: told {verdict}: {file}: {quote[:200]}")
    table = Table("edit", "right", "of")
    for kind, number in sorted(total.items()):
        table.add_row(kind, str(right[kind]), str(number))
    Console().print(table)
    score: Score = scored(judged)
    typer.echo(
        f"changed or gone: precision {score.precision:.3f}, recall {score.recall:.3f} "
        f"of {score.found + score.missed}; {score.total} edits, seed {seed}"
    )


def _edited(
    documents: list[Document], rng: random.Random, each: int
) -> tuple[list[Document], dict[tuple[str, str], str]]:
    """The documents with edits, and the kind of edit by file and original text."""
    places = [
        (d, p, b)
        for d, document in enumerate(documents)
        for p, page in enumerate(document.pages)
        for b, block in enumerate(page.blocks)
        if block.kind in _EDITABLE and 25 <= len(block.text) <= 400 and _one_sentence(block)
    ]
    rng.shuffle(places)
    kinds = [*CHANGES, *FORMS, REMOVED, MOVED, UNTOUCHED]
    left = Counter(dict.fromkeys(kinds, each))
    anew: dict[tuple[int, int, int], str | None] = {}
    moved: list[Block] = []
    planned: dict[tuple[str, str], str] = {}
    for place in places:
        d, p, b = place
        block = documents[d].pages[p].blocks[b]
        for kind in rng.sample(kinds, len(kinds)):
            edit = (CHANGES | FORMS).get(kind)
            text = edit(block.text, rng) if edit else None
            is_row = block.kind is BlockKind.TABLE_ROW
            if not left[kind] or (edit and text is None) or (is_row and kind in ("moved", *FORMS)):
                continue
            if kind in (REMOVED, MOVED) or text is not None:
                anew[place] = text
            if kind == MOVED:
                moved.append(replace(block, path=("Elsewhere", "Elsewhere")))
            planned[documents[d].file, block.text] = kind
            left[kind] -= 1
            break
    return [_with(document, d, anew) for d, document in enumerate(documents)] + [
        Document("elsewhere.md", "Elsewhere", documents[0].kind, "", (Page(1, tuple(moved)),))
    ], planned


def _with(document: Document, d: int, anew: dict[tuple[int, int, int], str | None]) -> Document:
    pages = []
    for p, page in enumerate(document.pages):
        blocks = []
        for b, block in enumerate(page.blocks):
            text = anew.get((d, p, b), block.text)
            if text is not None:
                blocks.append(replace(block, text=text))
        pages.append(replace(page, blocks=tuple(blocks)))
    return replace(document, pages=tuple(pages))


def _spaced(words: tuple[str, ...]) -> str:
    return f" {' '.join(words)} "


def _one_sentence(block: Block) -> bool:
    """Whether the block is one passage; those of several have no one verdict."""
    return block.kind in (BlockKind.DEFINITION, BlockKind.TABLE_ROW) or (
        len(sentences(block.text)) == 1 and len(_LETTERS.findall(block.text)) > 4
    )


if __name__ == "__main__":
    typer.run(main)
