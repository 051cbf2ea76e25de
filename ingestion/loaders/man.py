"""Manual pages become documents, by way of the HTML that their macros stand for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingestion.decoding import decode
from ingestion.loaders.html import fragment_document
from ingestion.mdoc import Mdoc
from ingestion.page import Document, NotDocumentation, NothingToRead
from ingestion.roff import Roff, arguments
from ingestion.roff_tables import table

_PAGE = re.compile(r"^[.'][ \t]*(?P<macro>TH|Dd|so)[ \t]", re.MULTILINE)
_LOOKED_AT = 30_000
"""Characters in which a page has to begin: generators put hundreds of definitions before it."""
_JOINED = {"BR", "BI", "IR", "IB", "RB", "RI"}
_SPACED = {"B", "I", "SM", "SB", "R"}
_BREAKS = {"PP", "P", "LP", "HP"}
_VERBATIM = {"nf": True, "EX": True, "Vb": True, "fi": False, "EE": False, "Ve": False}
_BULLET = re.compile(r"^(?:[•·*+o-]|\d{1,3}[.)])$")
_BARE_TERM = re.compile(r"[^•].{0,199}[^.:;,!?]|[^•]", re.DOTALL)
_DEEPEST = 50


def load(data: bytes, file: str) -> Document:
    """Read a manual page, in the macros of `man` or of `mdoc`, into pages cut along its headings.

    Raises NotDocumentation for other files with a number as their suffix, NothingToRead for a
    page that only names another.
    """
    text = decode(data)
    page = _PAGE.search(text[:_LOOKED_AT])
    if page is None:
        raise NotDocumentation("no manual page, though its suffix may mean one")
    if page["macro"] == "so":
        raise NothingToRead("it only names another manual page")
    html = Mdoc().html(text) if page["macro"] == "Dd" else _Page().html(text)
    return fragment_document(data, file, "", html)


@dataclass
class _Level:
    """What is open between .RS and .RE: a list, an item whose text has not begun."""

    list: str = ""
    waits: bool = False


class _Page:
    def __init__(self) -> None:
        self._roff = Roff()
        self._parts: list[str] = []
        self._words: list[str] = []
        self._code: list[str] | None = None
        self._levels = [_Level()]

    def html(self, text: str) -> str:
        lines = self._roff.lines(text)
        for line in lines:
            name, given = arguments(line)
            if name:
                self._macro(name, given, lines)
            elif line.startswith((".", "'")):
                continue
            elif self._code is not None:
                self._code.append(self._roff.text(line))
            elif line.strip():
                self._words.append(self._roff.text(line))
            else:
                self._end()
        self._end_all()
        return "\n".join(self._parts)

    def _macro(self, name: str, given: list[str], lines: Iterator[str]) -> None:
        shown = self._shown(name, given)
        if shown is not None:
            (self._words if self._code is None else self._code).append(shown)
        elif name == "TH" and given:
            section = f"({given[1]})" if len(given) > 1 else ""
            self._heading("h1", given[0] + section)
        elif name in {"SH", "SS"}:
            title = " ".join(given) or next(lines, "")
            self._heading("h2" if name == "SH" else "h3", title)
        elif name in _BREAKS:
            self._end()
            self._end_list()
        elif name in {"sp", "Sp"}:
            if self._code is None:
                self._end()
            else:
                self._code.append("")
        elif name in {"TP", "TQ"}:
            self._term(self._next_text(lines))
        elif name == "IP":
            self._item(self._roff.text(given[0]) if given else "")
        elif name in _VERBATIM:
            self._end()
            self._code = [] if _VERBATIM[name] else None
        elif name in {"RS", "RE"}:
            self._step(inside=name == "RS")
        elif name == "br" and self._words:
            self._words.append("<br>")
        elif name == "SY":
            self._end()
            self._words += [self._roff.text(word) for word in given]
        elif name == "YS":
            self._end()
        elif name == "TS":
            self._end()
            self._open()
            self._parts.append(
                table([*iter(lambda: next(lines, ".TE").rstrip(), ".TE")], self._roff)
            )

    def _shown(self, name: str, given: list[str]) -> str | None:
        """Return the text that a macro shows in its line, None for any other macro."""
        words = [self._roff.text(word) for word in given]
        if name in _SPACED:
            return " ".join(words)
        if name in _JOINED:
            return "".join(words)
        if name == "OP":
            return f"[{' '.join(words)}]"
        if name == "MR" and words:
            page, section, after = (*words, "", "")[:3]
            return f"{page}({section}){after}"
        if name in {"UR", "MT"} and words:
            return words[0]
        return None

    def _next_text(self, lines: Iterator[str]) -> str:
        """Return the line that names a term."""
        for line in lines:
            name, given = arguments(line)
            if not name:
                return self._roff.text(line)
            if (shown := self._shown(name, given)) is not None and shown:
                return shown
        return ""

    def _heading(self, tag: str, title: str) -> None:
        self._end_all()
        self._parts.append(f"<{tag}>{self._roff.text(title)}</{tag}>")

    def _term(self, term: str) -> None:
        self._end()
        self._begin("dl")
        self._parts.append(f"<dt>{term}</dt>")
        self._levels[-1].waits = True

    def _item(self, mark: str) -> None:
        self._end()
        if not mark.strip():
            return
        if not _BULLET.match(mark.strip()):
            self._term(mark)
            return
        kind = "ol" if mark.strip()[0].isdigit() else "ul"
        is_first = self._levels[-1].list != kind
        self._begin(kind)
        if kind == "ol" and is_first:
            self._parts[-1] = f'<ol start="{mark.strip()[:-1]}">'
        self._parts.append("<li>")

    def _begin(self, kind: str) -> None:
        """Begin a list of a kind, or go on with the one that is open."""
        level = self._levels[-1]
        if level.list == kind:
            if not level.waits:
                self._parts.append("</dd>" if kind == "dl" else "</li>")
        else:
            self._end_list()
            self._open()
            self._parts.append(f"<{kind}>")
            level.list = kind

    def _open(self) -> None:
        """Begin the text of a term that has none yet."""
        if self._levels[-1].waits:
            self._parts.append("<dd>")
            self._levels[-1].waits = False

    def _end(self) -> None:
        """End the paragraph or the listing that is open."""
        if self._code is not None:
            code, self._code = self._code, []
            if any(code):
                self._open()
                self._parts.append("<pre>" + "\n".join(code) + "</pre>")
        elif self._words:
            self._open()
            words, self._words = " ".join(self._words), []
            item = words.removeprefix("•")
            self._parts.append(f"<p>{words}</p>" if item == words else f"<ul><li>{item}</li></ul>")

    def _end_list(self) -> None:
        level = self._levels[-1]
        if level.list:
            self._open()
            self._parts.append("</dd></dl>" if level.list == "dl" else f"</li></{level.list}>")
        level.list, level.waits = "", False

    def _end_all(self) -> None:
        self._end()
        self._code = None
        while len(self._levels) > 1:
            self._step(inside=False)
        self._end_list()

    def _step(self, *, inside: bool) -> None:
        words = " ".join(self._words)
        if inside and words and not self._levels[-1].list and _BARE_TERM.fullmatch(words):
            # What DocBook and Asciidoctor make of a term and its meaning.
            self._words = []
            self._term(words)
        self._end()
        if inside and len(self._levels) <= _DEEPEST:
            self._open()
            self._parts.append("<div>")
            self._levels.append(_Level())
        elif not inside and len(self._levels) > 1:
            self._end_list()
            self._levels.pop()
            self._parts.append("</div>")
