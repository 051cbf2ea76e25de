"""`strata releases`: what can be asked, and what an administrator says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ui.terminal import output, print_json, printable

if TYPE_CHECKING:
    from corpora.catalog import Catalog

app = typer.Typer(
    help="List the releases; name, retire or roll them back.", invoke_without_command=True
)

Product = Annotated[str, typer.Argument(help="The product.")]
Release = Annotated[str, typer.Argument(help="The release.")]


@app.callback()
def list_releases(
    context: typer.Context,
    product: Annotated[str | None, typer.Option(help="Only this product.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the releases that can be asked, oldest first."""
    if context.invoked_subcommand is not None:
        return
    catalog = _catalog()
    products = [catalog.product(product)] if product else catalog.products()
    if as_json:
        print_json(
            [
                {
                    "product": p.name,
                    "aliases": list(p.aliases),
                    "latest": p.newest.name if p.newest else None,
                    "releases": [
                        {"name": r.name, "aliases": list(r.aliases), "prerelease": r.prerelease}
                        for r in p.releases
                    ],
                }
                for p in products
            ]
        )
        return
    if not products:
        output.print("No documentation yet: ingest some with `strata ingest`.")
    for p in products:
        output.print(f"[bold]{printable(p.name)}[/]", highlight=False)
        for r in p.releases:
            notes = [f"also called {', '.join(r.aliases)}"] if r.aliases else []
            notes += ["pre-release"] if r.prerelease else []
            notes += ["latest"] if r == p.newest else []
            output.print(
                printable(f"  {r.name}")
                + (f"  [dim]{printable('; '.join(notes))}[/]" if notes else ""),
                highlight=False,
            )


@app.command()
def alias(
    product: Product,
    release: Release,
    name: Annotated[str, typer.Argument(help="The other name, for instance a code name.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take the name away.")] = False,
) -> None:
    """Let a release be called by another name too; "latest" says which one that is."""
    catalog = _catalog()
    if name.strip().lower() == "latest":
        catalog.set_latest(product, None if remove else release)
    elif remove:
        catalog.remove_alias(product, release, name)
    else:
        catalog.add_alias(product, release, name)
    done = "is no longer called" if remove else "is also called"
    output.print(printable(f"{product} {release} {done} {name}"), highlight=False)


@app.command()
def retire(
    product: Product,
    release: Release,
    restore: Annotated[bool, typer.Option("--restore", help="Offer it again.")] = False,
) -> None:
    """Offer a release no longer; its documents stay and can be restored."""
    catalog = _catalog()
    (catalog.restore if restore else catalog.retire)(product, release)
    done = "is offered again" if restore else "is retired"
    output.print(printable(f"{product} {release} {done}"), highlight=False)


@app.command()
def rollback(product: Product, release: Release) -> None:
    """Let the generation before the present one serve a release again."""
    generation = _catalog().rollback(product, release)
    output.print(printable(f"{product} {release} is served by generation {generation}"))


def _catalog() -> Catalog:
    from chatbot.settings import read_settings
    from corpora.catalog import Catalog
    from corpora.database import open_database

    return Catalog(open_database(read_settings().database))
