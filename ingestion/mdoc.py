"""What the macros of BSD (mdoc) stand for: a manual page as the HTML that a reader would see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingestion.roff import Roff, arguments

_AROUND = {
    "O": ("[", "]"),
    "B": ("[", "]"),
    "Br": ("{", "}"),
    "P": ("(", ")"),
    "A": ("&lt;", "&gt;"),
    "D": ("“", "”"),
    "S": ("‘", "’"),
    "Q": ('"', '"'),
}
_ON_A_LINE = {**{f"{n}q": s for n, s in _AROUND.items()}, "Op": ("[", "]"), "Ql": ("‘", "’")}
_BEGINS = {f"{name}o": signs[0] for name, signs in _AROUND.items()}
_ENDS = {f"{name}c": signs[1] for name, signs in _AROUND.items()}
_SYSTEMS = {
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Dx": "DragonFly",
    "Ux": "UNIX",
    "At": "AT&amp;T UNIX",
    "Bsx": "BSD/OS",
}
_STYLES = {
    *("Fl", "Ar", "Nm", "Cm", "Ic", "Li", "Dv", "Ev", "Er", "Va", "Vt", "Pa", "Em", "Sy", "An"),
    *("Ad", "Fa", "Ft", "Tn", "Ms", "No", "Cd", "Sx", "Xr", "Mt", "Fn", "Fo", "Lk", "St", "Lb"),
}
_GLUE = {"Ns", "Ap", "Pf", "Sm"}
_CALLED = {*_STYLES, *_ON_A_LINE, *_BEGINS, *_ENDS, *_SYSTEMS, *_GLUE, "Fc", "Xo", "Xc"}
_UNPARSED = {"Nd", "Fd", "In"}
_CLOSING, _OPENING = frozenset(".,:;)]?!"), frozenset("([")
_LISTS = {"bullet": "ul", "dash": "ul", "hyphen": "ul", "item": "ul", "enum": "ol"}
_OWN_LINE = {"Nm", "Ft", "In", "Fd", "Vt"}
"""What begins a line of its own among the ways to call something."""
_DEEPEST = 50


@dataclass
class _Words:
    """Words on their way to a line of text: blanks between them, none where a sign says so."""

    text: str = ""
    glued: bool = True
    tight: bool | None = False
    """Whether no blank stands between words; None before the first of them."""

    def add(self, word: str, *, before: bool = True, after: bool = True) -> None:
        """Add a word; `before` and `after` say whether blanks may stand around it."""
        if word:
            self.text += word if self.glued or self.tight or not before else f" {word}"
            self.glued = not after
            self.tight = self.tight is not False


@dataclass
class _List:
    """A list that is open: the tags of its kind, and whether the item's text has begun."""

    tag: str
    waits: bool = False
    rows: list[list[_Words]] = field(default_factory=list)
    has_header: bool = False


class Mdoc:
    """Reads one page; `html` is called once."""

    def __init__(self) -> None:
        self._roff = Roff()
        self._parts: list[str] = []
        self._words = _Words()
        self._code: list[str] | None = None
        self._lists: list[_List] = []
        self._name = ""
        self._section = ""
        self._cited = False
        self._takes = 0
        """The arguments read of a function that Fo began, with one for itself; else 0."""

    def html(self, text: str) -> str:
        """Return the page as HTML, its text escaped."""
        lines = self._roff.lines(text)
        for line in lines:
            name, given = arguments(line)
            if name:
                self._macro(name, given, line, lines)
            elif line.startswith((".", "'")):
                continue
            elif self._code is not None:
                self._code.append(self._roff.text(line))
            elif line.strip():
                self._target.add(self._roff.text(line).strip())
            else:
                self._end()
        self._close(0)
        return "\n".join(self._parts)

    @property
    def _target(self) -> _Words:
        """Where words go: the paragraph, or the cell of the table that is open."""
        table = self._lists[-1] if self._lists else None
        return table.rows[-1][-1] if table and table.tag == "table" and table.rows else self._words

    def _macro(self, name: str, given: list[str], line: str, lines: Iterator[str]) -> None:
        if name == "Dt" and given:
            section = f"({given[1]})" if len(given) > 1 else ""
            self._parts.append(f"<h1>{self._roff.text(given[0])}{section}</h1>")
        elif name in {"Sh", "Ss"}:
            self._close(0)
            title = self._line(given)
            self._section = title if name == "Sh" else self._section
            tag = "h2" if name == "Sh" else "h3"
            self._parts.append(f"<{tag}>{title}</{tag}>")
        elif name in {"Pp", "Lp", "sp"}:
            self._end()
        elif name == "br":
            self._target.add("<br>")
        elif name == "Bd":
            self._end()
            self._code = [] if {"-literal", "-unfilled"} & {*given} else None
        elif name == "Ed":
            self._end()
            self._code = None
        elif name in {"Dl", "D1"}:
            self._end()
            self._show(f"<pre>{self._line(given)}</pre>")
        elif name == "Bl":
            self._begin(given)
        elif name == "El":
            self._close(max(len(self._lists) - 1, 0))
        elif name == "It" and self._lists:
            self._item(given, line, lines)
        elif name == "Ta" and self._target is not self._words:
            self._lists[-1].rows[-1].append(_Words())
            self._say(given, self._target)
        elif name in {"Ex", "Rv"}:
            self._standard(name, given)
        elif name == "Rs":
            self._cited = False
        elif name.startswith("%"):
            self._target.add("," if self._cited else "", before=False)
            self._target.add(self._roff.text(" ".join(given)))
            self._cited = True
        elif name in _CALLED or name in _UNPARSED:
            in_synopsis = self._section == "SYNOPSIS" and self._code is None
            if in_synopsis and name in _OWN_LINE:
                self._end()
            if self._code is not None:
                self._code.append(self._line([name, *given]))
            else:
                self._say([name, *given], self._target)

    def _line(self, tokens: Sequence[str]) -> str:
        words = _Words()
        self._say(tokens, words)
        return words.text

    def _say(self, tokens: Sequence[str], words: _Words) -> None:
        """Add what a line of macros shows; those that enclose end before its last signs."""
        kept = list(tokens)
        ending: list[str] = []
        while len(kept) > 1 and kept[-1] in _CLOSING:
            ending.insert(0, kept.pop())
        closing: list[str] = []
        at = 0
        while at < len(kept):
            word = kept[at]
            at += 1
            if word in _ON_A_LINE:
                opening, end = _ON_A_LINE[word]
                words.add(opening, after=False)
                closing.append(end)
            elif word in _BEGINS:
                words.add(_BEGINS[word], after=False)
            elif word in _ENDS:
                words.add(_ENDS[word], before=False)
            elif word == "Ns":
                words.glued = True
            elif word == "Ap":
                words.add("'", before=False, after=False)
            elif word == "Pf" and at < len(kept):
                words.add(self._roff.text(kept[at]), after=False)
                at += 1
            elif word == "Sm":
                words.tight = None if kept[at : at + 1] == ["off"] else False
                at += 1
            elif word in _UNPARSED:
                words.add(self._unparsed(word, kept[at:]))
                at = len(kept)
            elif word == "Fc":
                words.add(")", before=False)
                self._takes = 0
            elif word in _SYSTEMS:
                words.add(_SYSTEMS[word])
            elif word in _STYLES:
                until = at
                while until < len(kept) and kept[until] not in _CALLED:
                    until += 1
                self._styled(word, kept[at:until], words)
                at = until
            elif word not in {"Xo", "Xc"}:
                self._plain(word, words)
        for end in reversed(closing):
            words.add(end, before=False)
        for sign in ending:
            words.add(sign, before=False)

    def _unparsed(self, name: str, given: Sequence[str]) -> str:
        shown = self._roff.text(" ".join(given))
        if name == "In":
            return f"{'#include ' * (self._section == 'SYNOPSIS')}&lt;{shown}&gt;"
        return f"– {shown}" if name == "Nd" else shown

    def _plain(self, word: str, words: _Words, before: str = "") -> None:
        if word in _CLOSING:
            words.add(word, before=False)
        elif word in _OPENING:
            words.add(word, after=False)
        else:
            sign = before if word != "|" else ""
            words.add(sign + self._roff.text(word))

    def _styled(self, name: str, given: Sequence[str], words: _Words) -> None:
        """Add the words of a macro in the form that it gives them."""
        if name == "Nm":
            self._name = self._name or " ".join(given[:1])
            given = given if given and given[0] not in _CLOSING else [self._name, *given]
        elif name == "Ar" and not (given and given[0] not in _CLOSING):
            given = ["file", "...", *given]
        elif name == "Fl" and not given:
            words.add("-", after=False)
        elif name == "Xr" and len(given) > 1:
            given = [f"{given[0]}({given[1]})", *given[2:]]
        elif name == "Lk" and len(given) > 1:
            given = [f"{' '.join(given[1:])}: {given[0]}"]
        elif name in {"Fn", "Fo"} and given:
            arguments_ = [one for one in given[1:] if one not in _CLOSING]
            signs = [one for one in given[1:] if one in _CLOSING]
            end = ")" if name == "Fn" else ""
            self._takes = int(name == "Fo")
            given = [f"{given[0]}({', '.join(arguments_)}{end}", *signs]
        elif name == "Fa" and self._takes:
            words.add("," if self._takes > 1 else "", before=False)
            words.glued = self._takes == 1
            self._takes += 1
        elif name == "An" and given and given[0] in {"-split", "-nosplit"}:
            return
        for word in given:
            self._plain(word, words, "-" if name == "Fl" else "")

    def _standard(self, name: str, given: Sequence[str]) -> None:
        named = [self._roff.text(one) for one in given if one != "-std"]
        subject = ", ".join(named) or self._name
        if name == "Ex":
            words = f"The {subject} utility exits 0 on success, and &gt;0 if an error occurs."
        else:
            words = (
                f"The {subject}() function returns the value 0 if successful; otherwise the value "
                "-1 is returned and the global variable errno is set to indicate the error."
            )
        self._target.add(words)

    def _begin(self, given: Sequence[str]) -> None:
        self._end()
        kinds = [one.removeprefix("-") for one in given]
        tag = next((_LISTS[kind] for kind in kinds if kind in _LISTS), "dl")
        tag = "table" if "column" in kinds else tag
        if len(self._lists) < _DEEPEST:
            self._show("" if tag == "table" else f"<{tag}>")
            self._lists.append(_List(tag))

    def _item(self, given: list[str], line: str, lines: Iterator[str]) -> None:
        self._end()
        of = self._lists[-1]
        if of.tag == "table":
            cells = self._cells(given, line)
            if not of.rows:
                of.has_header = all(cell[:1] in (["Sy"], ["Em"]) for cell in cells)
            of.rows.append([])
            for cell in cells:
                of.rows[-1].append(_Words())
                self._say(cell, of.rows[-1][-1])
            return
        self._end_item(of)
        if of.tag != "dl":
            self._parts.append("<li>")
            return
        term = _Words()
        self._say(given, term)
        if "Xo" in given:
            for more in lines:
                name, rest = arguments(more)
                self._say([name, *rest] if name else [more], term)
                if "Xc" in {name, *rest}:
                    break
        self._parts.append(f"<dt>{term.text}</dt>")
        of.waits = True

    def _cells(self, given: list[str], line: str) -> list[list[str]]:
        if "\t" in line.strip():
            parts = line.strip().partition("It")[2].split("\t")
            return [arguments(f".It {part.strip()}")[1] for part in parts]
        cells: list[list[str]] = [[]]
        for word in given:
            if word == "Ta":
                cells.append([])
            else:
                cells[-1].append(word)
        return cells

    def _end_item(self, of: _List) -> None:
        """End the item before; a term without a text waits for that of the next."""
        if self._parts[-1:] == [f"<{of.tag}>"] or of.waits:
            return
        self._parts.append("</dd>" if of.tag == "dl" else "</li>")

    def _show(self, markup: str) -> None:
        """Add what stands in the item that is open."""
        if not markup:
            return
        if self._lists and self._lists[-1].waits:
            self._parts.append("<dd>")
            self._lists[-1].waits = False
        self._parts.append(markup)

    def _end(self) -> None:
        """End the paragraph or the listing that is open."""
        if self._code is not None:
            code, self._code = self._code, []
            if any(map(str.strip, code)):
                self._show("<pre>" + "\n".join(code) + "</pre>")
        elif self._words.text:
            words, self._words = self._words.text, _Words()
            self._show(f"<p>{words}</p>")

    def _close(self, depth: int) -> None:
        """End the lists that are nested deeper than this."""
        self._end()
        if not depth:
            self._code = None
        while len(self._lists) > depth:
            of = self._lists.pop()
            if of.tag == "table":
                self._show(_table(of))
                continue
            self._end_item(of)
            self._parts.append(f"</{of.tag}>")


def _table(of: _List) -> str:
    rows = []
    for number, cells in enumerate(of.rows):
        tag = "th" if of.has_header and number == 0 else "td"
        rows.append("".join(f"<{tag}>{cell.text}</{tag}>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
