"""`strata releases` and `changes`: what can be asked, what is said about it, what differs."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table
from typer import Argument, Context, Option, Typer

from chatbot.settings import read_settings
from corpora.building.removal import delete_release
from corpora.catalog.catalog import Catalog, check_name
from corpora.catalog.release import is_among
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.catalog.rights import Rights
from corpora.documents.impact import impact_of_deleting
from corpora.errors import UnknownRelease
from ui.cli.terminal import (
    AsJson,
    WithoutAsking,
    open_chatbot,
    open_database,
    print_result,
    printable,
    say,
)
from ui.wording.amounts import how_many
from ui.wording.changes import change_lines
from ui.wording.rights import kept_after_deleting

app = Typer(
    name="releases",
    help="List, rename, hide, roll back or delete releases.",
    invoke_without_command=True,
)

Product = Annotated[str, Argument(help="The product.")]
Release = Annotated[str, Argument(help="The release.")]


@app.callback()
def list_releases(
    context: Context,
    product: Annotated[str | None, Option(help="Only this product.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the releases that can be asked about, oldest first."""
    if context.invoked_subcommand is not None:
        return
    database = open_database()
    catalog = Catalog(database)
    listed, shown = [], []
    for p in [catalog.product(product)] if product else catalog.products():
        listed.append({**asdict(p), "latest": p.newest and p.newest.name})
        shown.append(p.name)
        for r in p.releases:
            notes = [f"also known as {', '.join(r.aliases)}"] if r.aliases else []
            notes += ["pre-release"] if r.prerelease else []
            notes += [f"end of support {r.end_of_life:%Y-%m-%d}"] if r.end_of_life else []
            notes += ["latest"] if r == p.newest else []
            shown.append(f"  {r.name}  {'; '.join(notes)}".rstrip())
    none = "No documentation yet. Add some with `strata ingest`."
    print_result(as_json, listed, *(shown or [none]))


@app.command()
def alias(
    product: Product,
    release: Release,
    name: Annotated[str, Argument(help="Another name, such as a code name.")],
    remove: Annotated[bool, Option("--remove", help="Remove the name.")] = False,
) -> None:
    """Add or remove another name of a release; the name "latest" makes it the latest."""
    administration = ReleaseAdministration(open_database())
    if name.strip().lower() == "latest":
        product_said = administration.overview(product).settings
        new = replace(product_said, latest=None if remove else release)
        administration.change_product(product, new)
    else:
        check_name("alias", name)

        def revised(settings: ReleaseSettings) -> ReleaseSettings:
            others = tuple(alias for alias in settings.aliases if not is_among(name, alias))
            if remove and others == settings.aliases:
                raise UnknownRelease(
                    f"{product} {release} is not known as {name!r}. "
                    f"Its aliases: {', '.join(settings.aliases) or 'none'}."
                )
            return replace(settings, aliases=others if remove else (*others, name))

        administration.revise_release(product, release, revised)
    done = "is no longer known as" if remove else "is also known as"
    say(f"{product} {release} {done} {name}")


@app.command()
def retire(
    product: Product,
    release: Release,
    restore: Annotated[bool, Option("--restore", help="Show it again.")] = False,
) -> None:
    """Hide a release; its documents are kept, and --restore brings it back."""
    administration = ReleaseAdministration(open_database())
    summary = administration.hide(product, release, hidden=not restore)
    done = "is available again" if restore else "is hidden"
    say(f"{product} {release} {done}\n{summary}".rstrip())


@app.command("end-of-life")
def end_of_life(
    product: Product,
    release: Release,
    day: Annotated[
        datetime | None,
        Argument(formats=["%Y-%m-%d"], help="The day; leave it out to clear it."),
    ] = None,
) -> None:
    """Set the day on which support of a release ends; it can still be asked about."""
    administration = ReleaseAdministration(open_database())
    date = day.date() if day else None
    administration.revise_release(product, release, lambda old: replace(old, end_of_life=date))
    what = f"reaches its end of support on {day:%Y-%m-%d}" if day else "has no end of support"
    say(f"{product} {release} {what}")


@app.command()
def rollback(product: Product, release: Release) -> None:
    """Roll back to the previous version of a release's documents."""
    summary = Catalog(open_database()).rollback(product, release)
    say(f"{product} {release} now uses its previous version\n{summary}".rstrip())


@app.command()
def delete(product: Product, release: Release, yes: WithoutAsking = False) -> None:
    """Delete a release with all versions of its documents; conversations are kept."""
    database = open_database()
    impact = impact_of_deleting(database, product, release)
    say(
        f"{product} {release}: {how_many(impact.documents, 'document')} with "
        f"{how_many(impact.pages, 'page')}, cited by {how_many(impact.answers, 'answer')} in "
        f"{how_many(impact.conversations, 'conversation')}; the saved answers go with it"
    )
    for line in kept_after_deleting(Rights(database).of(product), *impact.releases):
        say(line)
    if not yes:
        typer.confirm("Delete it permanently?", abort=True)
    delete_release(database, read_settings().data_dir, product, release)
    say(f"Deleted {product} {release}")


def changes(
    product: Product,
    older: Annotated[str, Argument(help="The release to start from.")],
    newer: Annotated[str, Argument(help="The release to compare it with.")],
    as_json: AsJson = False,
) -> None:
    """List the parameters that are new, changed and gone between two releases."""
    from ui.api.service import changes_between

    changes, compared = changes_between(open_chatbot(), product, older, newer)
    table = Table("", "Name", "Section", "What", box=None)
    for change in compared:
        shown = change.shown
        row = change.outcome.value, shown.name, shown.owner, "; ".join(change_lines(change))
        table.add_row(*map(printable, row))
    print_result(as_json, changes, table)
