"""`strata glossary`: which words of a product mean the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.terminal import output, print_json, printable
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from corpora.catalog.glossary import Glossaries

app = typer.Typer(
    help="Manage the synonyms of a product's terms.",
    no_args_is_help=True,
)

Product = Annotated[str, typer.Option("--product", help="The product.")]


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="A CSV file: a term and its synonyms per row.")],
    product: Product,
) -> None:
    """Replace the glossary of a product with a file; it applies from the next question."""
    from corpora.catalog.glossary_file import read_glossary

    entries = read_glossary(file)
    changes = _glossaries().replace(product, entries)
    told = f"{product}: {how_many(len(entries), 'term')}"
    for done, terms in (
        ("added", changes.added),
        ("changed", changes.changed),
        ("removed", changes.removed),
    ):
        told += f", {len(terms):,} {done}"
    if changes.removed:
        told += f" ({', '.join(changes.removed)})"
    output.print(printable(told), highlight=False)


@app.command("list")
def list_terms(
    product: Product,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the terms of a product and their synonyms."""
    entries = _glossaries().entries(product)
    if as_json:
        print_json([{"term": e.term, "synonyms": list(e.synonyms)} for e in entries])
        return
    if not entries:
        output.print("No terms yet. Add some with `strata glossary import`.")
    for entry in entries:
        output.print(printable(f"{entry.term}: {', '.join(entry.synonyms)}"), highlight=False)


@app.command()
def export(
    product: Product,
    file: Annotated[Path | None, typer.Argument(help="Output file (default: print it).")] = None,
) -> None:
    """Write the glossary of a product as a CSV file that a spreadsheet opens."""
    from corpora.catalog.glossary_file import written_glossary

    text = written_glossary(_glossaries().entries(product))
    if file is None:
        sys.stdout.write(text)
        return
    # With the mark at its beginning, spreadsheets take the file for UTF-8.
    file.write_text(text, "utf-8-sig")
    output.print(printable(f"Wrote {file}"), highlight=False)


@app.command()
def remove(term: Annotated[str, typer.Argument(help="The term.")], product: Product) -> None:
    """Remove a term and its synonyms."""
    _glossaries().remove(product, term)
    output.print(printable(f"{product}: removed {term}"), highlight=False)


def _glossaries() -> Glossaries:
    from chatbot.settings import read_settings
    from corpora.catalog.glossary import Glossaries
    from corpora.database.engine import open_database

    return Glossaries(open_database(read_settings().database))
