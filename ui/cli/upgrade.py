"""`strata upgrade-guide`, `strata releases gaps`: what an upgrade changes, what was lost."""

import sys
from pathlib import Path
from typing import Annotated

from rich.table import Table
from typer import Argument, BadParameter, Option

from ui.cli.terminal import AsJson, open_chatbot, output, print_result, printable, progress_bars

_MOST = 1_000_000
"""Characters that are read of a file; the guide says what is too long for it."""


def upgrade_guide(
    product: Annotated[str, Argument(help="The product.")],
    older: Annotated[str, Option("--from", help="The release in use.")],
    newer: Annotated[str, Option("--to", help="The release to upgrade to.")] = "latest",
    uses: Annotated[
        list[str] | None,
        Option(
            "--for",
            metavar="FILE|-|WORDS",
            help="What is used: a configuration or code in a file or from standard input (-), "
            "or features in words; default: everything. Repeatable.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_markdown: Annotated[bool, Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """List what must change from one release to a later one, for what you use, with pages."""
    from chatbot.upgrading import wording
    from chatbot.upgrading.steps import Need
    from ui.api.service import upgrade_out

    if as_json and as_markdown:
        raise BadParameter("choose --json or --markdown")
    used = "\n".join(map(_read, uses or ()))
    with progress_bars() as show:
        told = lambda done, of: show("releases", done, of)  # noqa: E731 - two words of code
        guide = open_chatbot().upgrade_guide(product, older, newer, used, told=told)
    if as_markdown:
        output.print(wording.as_markdown(guide), markup=False, soft_wrap=True)
        return
    table = Table("", "Name", "What", "Pages", box=None)
    for need in Need:
        for item in guide.of(need):
            said = [*filter(None, [item.words]), *map(wording.step_line, item.steps)]
            pages = dict.fromkeys(map(wording.place_of, item.citations))
            row = need, wording.name_of(item), "\n".join(said), "\n".join(pages)
            table.add_row(*map(printable, row))
    print_result(as_json, upgrade_out(guide), wording.summary(guide), table)


def _read(used: str) -> str:
    """The text of a file, of standard input, or the words themselves."""
    if used == "-":
        return sys.stdin.read(_MOST)
    path = Path(used)
    # Words are longer than a name may be, and are no path then.
    if len(used) < 1_000 and "\n" not in used and path.is_file():
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST)
    return used


def gaps(
    product: Annotated[str, Argument(help="The product.")],
    as_json: AsJson = False,
    as_csv: Annotated[bool, Option("--csv", help="Print CSV.")] = False,
) -> None:
    """List what the releases lost, only announce, or state in two ways."""
    from chatbot.accounts.people import LOCAL
    from chatbot.review.exports import Exports, Format
    from chatbot.upgrading.release_gaps import release_gap_rows

    if as_json and as_csv:
        raise BadParameter("choose --json or --csv")
    chatbot = open_chatbot()
    with progress_bars() as show:
        told = lambda done, of: show("releases", done, of)  # noqa: E731 - two words of code
        found = chatbot.release_gaps.of(LOCAL, chatbot.catalog.product(product), told=told)
    if as_csv:
        rows, exports = release_gap_rows(found), Exports(chatbot.database)
        exported = exports.of(LOCAL, "release gaps", rows, Format.CSV, product=product)
        sys.stdout.writelines(exported)
        return
    table = Table("Release", "", "Name", "What", "Pages", box=None)
    for gap in found:
        pages = "\n".join(f"{c.release} {c.file}, page {c.page}" for c in gap.citations)
        table.add_row(*map(printable, (gap.release, gap.kind, gap.name, gap.says, pages)))
    print_result(as_json, found, table if found else "No gaps between the releases were found.")
