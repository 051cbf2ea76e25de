"""`strata glossary`: which words of a product mean the same."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option, Typer

from corpora.catalog.glossary import Glossaries, read_glossary, written_glossary
from ui.cli.terminal import AsJson, open_database, print_result, say, write
from ui.wording.amounts import how_many

app = Typer(name="glossary", help="Manage the synonyms of a product's terms.", no_args_is_help=True)

Product = Annotated[str, Option("--product", help="The product.")]


@app.command("import")
def import_file(
    file: Annotated[Path, Argument(help="A CSV file: a term and its synonyms per row.")],
    product: Product,
) -> None:
    """Replace the glossary of a product with a file; it applies from the next question."""
    entries = read_glossary(file)
    changes = _glossaries().replace(product, entries)
    removed = f" ({', '.join(changes.removed)})" if changes.removed else ""
    say(
        f"{product}: {how_many(len(entries), 'term')}, {len(changes.added):,} added, "
        f"{len(changes.changed):,} changed, {len(changes.removed):,} removed{removed}"
    )


@app.command("list")
def list_terms(product: Product, as_json: AsJson = False) -> None:
    """List the terms of a product and their synonyms."""
    entries = _glossaries().entries(product)
    lines = [f"{entry.term}: {', '.join(entry.synonyms)}" for entry in entries]
    none = "No terms yet. Add some with `strata glossary import`."
    print_result(as_json, entries, *(lines or [none]))


@app.command()
def export(
    product: Product,
    file: Annotated[Path | None, Argument(help="Output file (default: print it).")] = None,
) -> None:
    """Write the glossary of a product as a CSV file that a spreadsheet opens."""
    # With the mark at its beginning, spreadsheets take the file for UTF-8.
    write([written_glossary(_glossaries().entries(product))], file, "utf-8-sig")


@app.command()
def remove(term: Annotated[str, Argument(help="The term.")], product: Product) -> None:
    """Remove a term and its synonyms."""
    _glossaries().remove(product, term)
    say(f"{product}: removed {term}")


def _glossaries() -> Glossaries:
    return Glossaries(open_database())
