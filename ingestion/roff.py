"""What roff's escapes and conditions stand for: the text of a manual page's lines."""

import re
from collections.abc import Iterator
from html import escape

_ESCAPE = re.compile(
    r"\\(?:"
    r"f(?:\((?P<f2>..)|\[[^\]]{0,80}\]|.)|s(?:[-+]?\d{1,2}|\[[^\]]{0,80}\]|[-+]?\(..|'[^']{0,200}')"
    r"|\*(?:\((?P<s2>..)|\[(?P<sn>[^\]]{0,80})\]|(?P<s1>.))|n[-+]?(?:\(..|\[[^\]]{0,80}\]|.)"
    r"|[mMFYgkO](?:\(..|\[[^\]]{0,80}\]|.)|[hvwLlDoXbHSRxZAB]'[^']{0,200}'|N'(?P<code>\d{1,6})'"
    r"|\((?P<c2>..)|\[(?P<cn>[^\]]{0,80})\]|(?P<c1>.)|$)"
)
_UNICODE = re.compile(r"u([0-9A-F]{4,6})")
_WRITTEN = (
    "- - hy - mi - em — en – bu • aq ' oq ‘ cq ’ dq \" lq “ rq ” rs \\ e \\ \\ \\ co © rg ® tm ™ "
    "ti ~ ha ^ ga ` at @ sh # Do $ Eu € de ° mc µ <= ≤ >= ≥ != ≠ == ≡ +- ± mu × di ÷ -> → <- ← "
    "ua ↑ da ↓ pl + eq = sl / ul _ or | ba | bv | lB [ rB ] lC { rC } la ⟨ ra ⟩ ss ß :a ä :o ö "
    ":u ü :A Ä :O Ö :U Ü 'e é `e è 'a á `a à ,c ç ~n ñ ^e ê sc § ps ¶ ' ' ` ` . . R ® Aq ' Tm ™ "
    "oa å oA Å o/ ø O/ Ø ae æ AE Æ 'i í 'o ó 'u ú `u ù ^a â ^i î ^o ô ^u û :e ë :i ï ~o õ ,C Ç "
    "Gt > Lt < Am & Ge ≥ Le ≤ Ne ≠ Ba | Pm ± Lq “ Rq ” lp ( rp )"
)
_SIGNS: dict[str, str] = {
    **dict(re.findall(r"(\S+) (\S)", _WRITTEN)),
    **dict.fromkeys((" ", "~", "0", "t"), " "),
}
"""What an escape shows; the others show nothing."""

_WORD = re.compile(r'"((?:[^"]|"")*)"?|((?:\\.|\S)+)')
_CONDITION = re.compile(r"^[.'][ \t]*(?P<kind>if|ie|el)\b[ \t]*(?P<rest>.*)$")
_TESTED = re.compile(r"^(?P<not>!?)(?P<test>'[^']*'[^']*'|\S+)[ \t]*(?P<rest>.*)$")
_DEFINED = re.compile(r"^[.'][ \t]*(?:(?:de1?|am1?)[ \t]+\S+|ig\b)[ \t]*(?P<end>[^\s\\]*)")
_COMMENT = re.compile(r'(?<!\\)(?:\\\\)*(?P<sign>\\")')
_STRING = re.compile(r"^[.'][ \t]*ds1?[ \t]+(?P<name>\S+)[ \t]+\"?(?P<text>.*)$")


class Roff:
    """The strings that a page defines, by which its text is read."""

    def __init__(self) -> None:
        self._strings: dict[str, str] = {}

    def text(self, line: str) -> str:
        """Return a line of text as HTML, fonts and sizes left out."""
        return escape(self._shown(_uncommented(line), 0), quote=False)

    def _shown(self, line: str, depth: int) -> str:
        def found(match: re.Match[str]) -> str:
            string = match["s2"] or match["sn"] or match["s1"]
            if string:
                known = self._strings.get(string)
                if known is not None and depth < 5 and len(known) < 1_000:
                    return self._shown(known, depth + 1)
                return _SIGNS.get(string, "")
            if match["code"]:
                return chr(min(int(match["code"]), 0x10FFFF))
            sign = match["c2"] or match["cn"] or match["c1"] or ""
            if code := _UNICODE.fullmatch(sign):
                return chr(min(int(code[1], 16), 0x10FFFF))
            return _SIGNS.get(sign, "")

        return _ESCAPE.sub(found, line)

    def lines(self, text: str) -> Iterator[str]:
        """Yield the lines that a terminal would show: definitions and other conditions left out."""
        lines = iter(text.split("\n"))
        last = True
        blocks: list[bool] = []
        for line in lines:
            if defined := _DEFINED.match(line):
                end = f".{defined['end'] or '.'}"
                next((inner for inner in lines if inner.rstrip() == end), None)
                continue
            if string := _STRING.match(line):
                self._strings[string["name"]] = string["text"]
                continue
            holds, shown = all(blocks), line
            while condition := _CONDITION.match(shown):
                shown = condition["rest"]
                if condition["kind"] == "el":
                    last = not last
                elif tested := _TESTED.match(shown):
                    last = (tested["test"][:1] == "n") != bool(tested["not"])
                    shown = tested["rest"]
                holds = holds and last
                if shown.startswith("\\{"):
                    blocks.append(last)
                    shown = shown[2:].removeprefix("\\").lstrip()
            closed = shown.count("\\}")
            shown = shown.replace("\\}", "")
            if holds and (shown == line or shown.strip(". ")):
                yield shown
            del blocks[max(len(blocks) - closed, 0) :]


def arguments(line: str) -> tuple[str, list[str]]:
    """Return the name of the macro that a line calls, "" for a line of text, and its arguments."""
    if not line.startswith((".", "'")):
        return "", []
    name, _, rest = line[1:].strip().partition(" ")
    if "\t" in name:
        name, _, rest = line[1:].strip().partition("\t")
    words = _WORD.findall(_uncommented(rest))
    return name, [(quoted or bare).replace('""', '"') for quoted, bare in words]


def _uncommented(line: str) -> str:
    """Cut a line where its comment begins; a backslash that is escaped begins none."""
    comment = _COMMENT.search(line)
    return line[: comment.start("sign")] if comment else line
