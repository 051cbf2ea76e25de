"""`strata rights`: who may see a product or a release, and who administers a product."""

from dataclasses import asdict
from typing import Annotated

from typer import Argument, BadParameter, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from corpora.catalog.rights import GROUP, Audience, ProductRights, Right, Rights
from ui.cli.terminal import AsJson, open_database, print_result, say
from ui.wording.rights import to_whom

app = Typer(
    name="rights",
    help="Say who may see a product or a release, and who administers a product.",
    no_args_is_help=True,
)

Product = Annotated[str, Argument(help="The product.")]
OfRelease = Annotated[str, Option("--release", help="Only this release of it.")]


@app.command("list")
def list_rights(as_json: AsJson = False) -> None:
    """List the products, to whom each is open, and who administers it."""
    every = Rights(open_database()).every()
    lines = [line for rights in every for line in _lines(rights)]
    none = "No documentation yet. Add some with `strata ingest`."
    print_result(as_json, list(map(asdict, every)), *(lines or [none]))


@app.command("set")
def set_right(
    product: Product,
    audience: Annotated[Audience, Argument(help="Who may see it.")],
    groups: Annotated[list[str] | None, Argument(help="The groups, with “groups”.")] = None,
    release: OfRelease = "",
) -> None:
    """Open a product, or a release of it, to all, to groups, or to admins alone."""
    if groups and audience is not Audience.GROUPS:
        raise BadParameter(f"groups are named with “{Audience.GROUPS}” only")
    right = Right(audience, tuple(groups or ()))
    _administration().change_right(product, release, right)
    say(f"{f'{product} {release}'.strip()} is open to {to_whom(right)}")


@app.command()
def reset(product: Product, release: OfRelease = "") -> None:
    """Take back what was said: a release is as its product, and a product open to all."""
    _administration().change_right(product, release, None)
    what = f"{product} {release} is as its product" if release else f"{product} is open to all"
    say(what)


@app.command()
def admins(
    product: Product,
    names: Annotated[
        list[str] | None,
        Argument(help=f"All of them, by address or as {GROUP}NAME; none: only admins of Strata."),
    ] = None,
) -> None:
    """Say who administers a product: sees it, uploads to it and reviews its answers."""
    _administration().change_admins(product, names or ())
    say(f"{product} is administered by {', '.join(names or ()) or 'the admins of Strata'}")


def _administration() -> Administration:
    return Administration(open_database(), LOCAL)


def _lines(rights: ProductRights) -> list[str]:
    by = f"; administered by {', '.join(rights.admins)}" if rights.admins else ""
    said = [("", f"{to_whom(rights.right)}{by}")]
    said += [(name, to_whom(right)) for name, right in rights.releases]
    gone = dict.fromkeys(rights.deleted, " (deleted)")
    return [
        f"{f'  {name}' if name else rights.product}{gone.get(name, '')}: {open_to}"
        for name, open_to in said
    ]
