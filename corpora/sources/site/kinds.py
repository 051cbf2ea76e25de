"""Which answers of a site are pages, and of which format."""

import codecs
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import unquote

import httpx

from corpora.sources.site.fetching import Answer

HTML = (".html", ".htm", ".xhtml")
MARKDOWN = (".md", ".markdown", ".mdx")
_TEXT = (".txt", ".text", ".rst", ".adoc", ".asciidoc", *MARKDOWN)
_PDF = (".pdf",)
_SUFFIXES = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "text/markdown": MARKDOWN,
    "text/x-markdown": MARKDOWN,
    "text/plain": _TEXT,
    "application/pdf": _PDF,
}
_UNSTATED = ("", "application/octet-stream", "binary/octet-stream")
_ENCODINGS = {
    *("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"),
    *(f"iso8859-{part}" for part in range(1, 17)),
    *(f"cp{page}" for page in (437, 850, 852, 855, 858, 866, 874, 932, 949, 950)),
    *(f"cp{page}" for page in range(1250, 1259)),
    *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "mac-latin2", "tis-620"),
    *("gb2312", "gbk", "gb18030", "big5", "big5hkscs"),
    *("shift_jis", "euc_jp", "iso2022_jp", "euc_kr", "iso2022_kr", "johab"),
}
"""What pages are written in, as Python calls it: each is decoded in one pass, which others that it
knows (punycode) are not."""
_SOURCES = "_sources"
"""Where Sphinx keeps what its pages were made of."""


def suffixes_of(answer: Answer) -> tuple[str, ...]:
    """The suffixes that a page of this content type may have, the usual one first; () if none.

    Where a server states no type, the address's own suffix says it. llms-full.txt is Markdown.
    """
    if answer.url.path.endswith("/llms-full.txt"):
        return MARKDOWN
    if answer.kind in _UNSTATED:
        name = answer.url.path.lower()
        return next((s for s in (MARKDOWN, _TEXT, _PDF, HTML) if name.endswith(s)), ())
    return _SUFFIXES.get(answer.kind, ())


def is_worth_asking(url: httpx.URL) -> bool:
    """Say whether a link may lead to a page: not if its name says that it is something else."""
    path = unquote(url.raw_path.decode())
    if f"/{_SOURCES}/" in path:
        return False
    name = path.rpartition("/")[2]
    if not name.rpartition(".")[2].isalpha() or name.lower().endswith((*HTML, *_TEXT, *_PDF)):
        return True
    kind = guess_type(name)[0]
    return kind is None or kind in _SUFFIXES


def in_utf8(file: Path, charset: str) -> None:
    """Write a text that its server says to be in another encoding anew, with a mark that it is."""
    try:
        if not charset or (name := codecs.lookup(charset).name) not in _ENCODINGS:
            return
        text = file.read_bytes().decode(name)
    except (LookupError, UnicodeError):
        return
    file.write_text(text, "utf-8-sig", newline="")
