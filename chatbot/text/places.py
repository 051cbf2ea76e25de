"""Where a page stands in its document, in the language of the reader."""

from chatbot.text.languages import gettext
from ingestion.page import numbered_place


def place_in_file(file: str, number: int, *, short: bool = False) -> str:
    """A page or slide by its number, where the file itself numbers them; else ""."""
    kind = numbered_place(file, number).partition(" ")[0]
    if kind == "page":
        page = gettext("p. {number}") if short else gettext("page {number}")
        return page.format(number=number)
    return gettext("slide {number}", number=number) if kind == "slide" else ""
