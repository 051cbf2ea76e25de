"""AsciiDoc's blocks: headings, lists, listings, notes and tables, one after the other, as HTML."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from ingestion.asciidoc.inline import inline, quoted_code
from ingestion.asciidoc.marks import (
    ATTRIBUTES,
    CHECK,
    DELIMITER,
    HEADING,
    ITEM,
    MACRO,
    NOTE,
    NOTES,
    RULE,
    TITLE,
    anchor_of,
    attribute_list,
    kind_of,
    section_titles,
    term_of,
)
from ingestion.asciidoc.tables import table
from ingestion.ordinals import NUMERATIONS
from ingestion.page import UnreadableFile

_DEEPEST = 40
_QUOTED = re.compile(r"(?<![\w-])\+?(?:quotes|normal)\b")
_CALLOUTS = re.compile(
    r"(?<![ \t\\])[ \t]*(?:(?://|#|--|;;) ?)?(?: ?<(?:\d{1,3}|\.)>| ?<!--\d{1,3}-->)+[ \t]*$",
    re.MULTILINE,
)
"""At the ends of lines, with the sign of a comment that hides them from whoever copies the line."""


def html(lines: Sequence[str], *, anchors: tuple[str, str] = ("_", "_")) -> str:
    """Return lines that were preprocessed as HTML.

    `anchors` are what the anchors of headings begin with and what parts their words. Raises
    UnreadableFile where blocks are nested too deeply.
    """
    return _Blocks(lines, section_titles(lines, anchors), anchors, 0).all()


class _Blocks:
    def __init__(
        self, lines: Sequence[str], titles: Mapping[str, str], anchors: tuple[str, str], depth: int
    ) -> None:
        if depth > _DEEPEST:
            raise UnreadableFile("its elements are nested too deeply to be read")
        self._lines = lines
        self._at = 0
        self._titles = titles
        self._anchors = anchors
        self._depth = depth
        explained = (n for n in reversed(range(len(lines))) if lines[n].startswith("<"))
        self._last_callout = next((n for n in explained if _is_callout(lines[n])), -1)

    def all(self) -> str:
        parts = []
        while self._skip_blank():
            parts.append(self._block(()))
        return "\n".join(parts)

    @property
    def _line(self) -> str:
        return self._lines[self._at] if self._at < len(self._lines) else ""

    def _skip_blank(self) -> bool:
        while self._at < len(self._lines) and not self._line.strip():
            self._at += 1
        return self._at < len(self._lines)

    def _inner(self, lines: Sequence[str]) -> str:
        return _Blocks(lines, self._titles, self._anchors, self._depth + 1).all()

    def _inline(self, text: str) -> str:
        return inline(text, self._titles)

    def _block(self, marks: tuple[str, ...]) -> str:
        """Read the block that begins here; `marks` are those of the lists that it lies in."""
        given: dict[str, str] = {}
        while self._at < len(self._lines):
            if above := ATTRIBUTES.match(self._line):
                given |= {"id": above["id"]} if above["id"] else attribute_list(above["list"] or "")
            elif title := TITLE.match(self._line):
                given["title"] = title["title"]
            else:
                break
            self._at += 1
            self._skip_blank()
        line = self._line
        style = given.get("1", "")
        if heading := HEADING.match(line):
            self._at += 1
            anchor = given.get("id") or anchor_of(heading["text"], self._anchors)
            level = len(heading["level"])
            number = escape(given.get("sectnum", ""))
            words = f"{number} {self._inline(heading['text'])}"
            return f'<h{level} id="{escape(anchor)}">{words}</h{level}>'
        if delimiter := DELIMITER.match(line):
            return self._delimited(delimiter, given)
        if RULE.match(line):
            self._at += 1
            return ""
        if macro := MACRO.match(line):
            self._at += 1
            return self._macro(macro, given)
        if item := ITEM.match(line):
            return self._titled(given) + self._list(kind_of(item["mark"]), marks, given)
        if term := term_of(line):
            return self._titled(given) + self._terms(term["mark"], marks)
        if style in {"source", "listing", "literal"} or line[:1] in {" ", "\t"}:
            return self._titled(given) + self._listing(self._until_blank(()), given.get("subs", ""))
        if note := NOTE.match(line):
            words = "\n".join([note["text"], *self._until_blank(marks)[1:]])
            return self._note(note["kind"], given, f"<p>{self._inline(words)}</p>")
        words = self._inline("\n".join(self._until_blank(marks)))
        return self._styled(style, given, f"<p>{words}</p>")

    def _until_blank(self, marks: tuple[str, ...]) -> list[str]:
        """Take the lines up to a blank one, or to what cannot go on a paragraph."""
        taken = [self._line]
        self._at += 1
        while self._at < len(self._lines) and self._line.strip():
            is_new = DELIMITER.match(self._line) or ATTRIBUTES.match(self._line)
            in_list = marks and (self._line == "+" or ITEM.match(self._line) or term_of(self._line))
            if is_new or in_list:
                break
            taken.append(self._line)
            self._at += 1
        return taken

    def _listing(self, lines: Sequence[str], subs: str) -> str:
        """Write a listing, without the marks in it where a list below explains such."""
        text = "\n".join(lines)
        text = _CALLOUTS.sub("", text) if self._at <= self._last_callout else text
        return f"<pre>{quoted_code(text)}</pre>" if _QUOTED.search(subs) else _listing([text])

    def _titled(self, given: Mapping[str, str]) -> str:
        title = given.get("title")
        return f"<p>{escape(given.get('caption', ''))} {self._inline(title)}</p>" if title else ""

    def _note(self, kind: str, given: Mapping[str, str], content: str) -> str:
        label = f'<p class="admonition-title">{kind.capitalize()}</p>'
        return f'<div class="admonition">{label}{self._titled(given)}{content}</div>'

    def _styled(self, style: str, given: Mapping[str, str], content: str) -> str:
        """What the style above a block or a paragraph makes of its content."""
        if style in NOTES:
            return self._note(style, given, content)
        if "collapsible" in given.get("options", "") or style == "tabs":
            title = self._inline(given.get("title", "") if style != "tabs" else "")
            return f'<section><p class="rubric">{title}</p>{content}</section>'
        by = ", ".join(given[key] for key in ("2", "3") if given.get(key))
        author = f"<p>{self._inline(by)}</p>" if by and style in {"quote", "verse"} else ""
        return f"<div>{self._titled(given)}{content}{author}</div>"

    def _delimited(self, delimiter: re.Match[str], given: Mapping[str, str]) -> str:
        end = delimiter["fence"] or delimiter[0]
        inside: list[str] = []
        self._at += 1
        while self._at < len(self._lines) and self._line != end:
            inside.append(self._line)
            self._at += 1
        self._at += 1
        style = given.get("1", "")
        if delimiter["table"]:
            return table(inside, dict(given), end[0], self._inline, self._inner)
        if end.startswith(("----", "....", "```")) or style in {"source", "listing", "literal"}:
            return self._titled(given) + self._listing(inside, given.get("subs", ""))
        if end.startswith("++++"):
            is_formula = style in {"stem", "latexmath", "asciimath"}
            return _listing(inside) if is_formula else "\n".join(inside)
        if style == "tabs":
            return _Blocks(inside, self._titles, self._anchors, self._depth + 1).tabs()
        if style == "verse":
            text = "<br>".join(map(self._inline, inside))
            return self._styled(style, given, f"<p>{text}</p>")
        return self._styled(style, given, self._inner(inside))

    def tabs(self) -> str:
        """Read a list of terms as parts, each of which is seen once its term is chosen."""
        parts = []
        while self._skip_blank() and (term := term_of(self._line)):
            self._at += 1
            label = self._inline(term["term"])
            content = self._attached(term["text"] or "", (term["mark"],))
            parts.append(f'<section><p class="rubric">{label}</p>{content}</section>')
        return "".join(parts) + self.all()

    def _macro(self, macro: re.Match[str], given: Mapping[str, str]) -> str:
        if macro["name"] != "image":
            return ""
        words = attribute_list(macro["words"])
        alt = words.get("alt") or words.get("1", "")
        shown = f'<img src="{escape(macro["target"])}" title="{escape(alt)}">'
        picture = f"<p>{self._inline(alt)}{shown}</p>"
        return picture + self._titled(given)

    def _list(self, kind: str, marks: tuple[str, ...], given: Mapping[str, str]) -> str:
        tag = "ul" if kind[0] in "*-" else "ol"
        start = given.get("start", "")
        number = re.match(r"\s*<?(\d+)", self._line)
        start = start or (number[1] if number else "")
        form = given.get("1", "")
        if form not in NUMERATIONS:
            depth = len(kind) - 1 if kind[0] == "." else int(kind == "a.")
            form = NUMERATIONS[depth % len(NUMERATIONS)]
        parts = [f'<ol class="{form}" start="{escape(start or "1")}">' if tag == "ol" else "<ul>"]
        while (item := ITEM.match(self._line)) and kind_of(item["mark"]) == kind:
            self._at += 1
            text = item["text"]
            if check := CHECK.match(text):
                text = f"[{'x' if check['state'] != ' ' else ' '}] {text[check.end() :]}"
            parts.append(f"<li>{self._attached(text, (*marks, kind))}</li>")
            if not self._goes_on(kind):
                break
        return "".join([*parts, f"</{tag}>"])

    def _terms(self, mark: str, marks: tuple[str, ...]) -> str:
        parts = ["<dl>"]
        while (term := term_of(self._line)) and term["mark"] == mark:
            self._at += 1
            parts.append(f"<dt>{self._inline(term['term'])}</dt>")
            begun = self._at
            if not (term["text"] or "").strip() and self._goes_on(mark):
                continue
            self._at = begun
            parts.append(f"<dd>{self._attached(term['text'] or '', (*marks, mark))}</dd>")
            if not self._goes_on(mark):
                break
        return "".join([*parts, "</dl>"])

    def _goes_on(self, kind: str) -> bool:
        """Step to the next line that is not blank if it belongs to the same list, and say so."""
        begun = self._at
        if self._skip_blank():
            item = ITEM.match(self._line)
            term = None if item else term_of(self._line)
            if (item and kind_of(item["mark"]) == kind) or (term and term["mark"] == kind):
                return True
        self._at = begun
        return False

    def _attached(self, text: str, marks: tuple[str, ...]) -> str:
        """Read what belongs to an item: its text, what "+" ties to it, the lists inside it."""
        parts = []
        if not text.strip():
            self._skip_blank()
            begins = self._line == "+" or ITEM.match(self._line) or DELIMITER.match(self._line)
            if not begins and not ATTRIBUTES.match(self._line) and self._line:
                text = self._line.strip()
                self._at += 1
        if text.strip():
            lines = [text]
            self._at -= 1
            lines += [line.strip() for line in self._until_blank(marks)[1:]]
            parts.append(f"<p>{self._inline(chr(10).join(lines))}</p>")
        while True:
            begun = self._at
            blanks = 0
            while self._at < len(self._lines) and not self._line.strip():
                self._at += 1
                blanks += 1
            item = ITEM.match(self._line)
            term = None if item else term_of(self._line)
            if self._at >= len(self._lines):
                break
            if self._line == "+" and (not blanks or len(marks) == 1):
                self._at += 1
                if self._skip_blank():
                    parts.append(self._block(marks))
                continue
            kind = kind_of(item["mark"]) if item else term["mark"] if term else ""
            inner = kind and kind not in marks
            literal = bool(blanks) and self._line[:1] in {" ", "\t"} and not kind
            if not inner and not literal:
                self._at = begun
                break
            parts.append(self._block(marks))
        return "".join(parts)


def _is_callout(line: str) -> bool:
    item = ITEM.match(line)
    return item is not None and kind_of(item["mark"]) == "<>"


def _listing(lines: Sequence[str]) -> str:
    return f"<pre>{escape(chr(10).join(lines), quote=False)}</pre>"
