"""Marks inside AsciiDoc's lines become those of HTML; what stands in code stays as it is."""

import re
from collections.abc import Mapping
from functools import partial
from html import escape

_KEPT = "\0{}\0"
"""Where something stands that is finished; no text has this sign (`ingestion.decoding`)."""
_PLACE = re.compile(r"\0(\d+)\0")
_LITERAL = re.compile(
    r"\\(?P<escaped>[*_`#^~+<\[]|\w+:)"
    r"|\+\+\+(?P<triple>.+?)\+\+\+|\$\$(?P<dollars>.+?)\$\$|pass:\w*\[(?P<passed>(?:\\\]|[^\]]){0,1000})\]"
    r"|``(?P<codes>.+?)``"
    r"|(?<![\w`])`(?!\s)(?P<code>(?:[^`\n]|\n(?!\n))+?)(?<!\s)`(?![\w`])"
    r"|\+\+(?P<double>.+?)\+\+|(?<![\w+])\+(?!\s)(?P<single>[^+\n]+?)(?<!\s)\+(?![\w+])",
    re.DOTALL,
)
_LONGEST = 8_000
"""A paragraph that is longer is no prose; marks in it are not looked for."""
_TEXT = r"(?:\\\]|[^\]]){0,1000}"
_MACROS = (
    "link|mailto|xref|image|icon|menu|kbd|btn|stem|latexmath|asciimath|term|footnote|footnoteref"
    "|indexterm2?|anchor|counter2?"
)
_MACRO = re.compile(
    r"(?:(?<!\w)|(?=footnote:))(?:"
    rf"(?P<url>(?:https?|ftp|irc|mailto|file):[^\s\[\]<>\0]+)\[(?P<shown>{_TEXT})\]"
    rf"|(?P<name>{_MACROS}):(?!:)(?P<target>[^\s\[\]]*)\[(?P<words>{_TEXT})\])"
)
_CROSS = re.compile(r"&lt;&lt;(?P<to>[^,<>&]+?)(?:,\s*(?P<words>.{1,400}?))?&gt;&gt;", re.DOTALL)
_ANCHOR = re.compile(r"\[\[\[?(?P<id>[\w:.-]+)(?:,[^\]]*)?\]?\]\]")
_TERM = re.compile(r"\(\(\(.{1,200}?\)\)\)|\(\((?P<shown>.{1,200}?)\)\)")
_ROLE = r"(?:\[(?P<role>[^\[\]\n]{0,80})\])?"
_QUOTES = (
    (re.compile(_ROLE + r"\*\*(?P<words>.+?)\*\*", re.DOTALL), "b"),
    (re.compile(_ROLE + r"(?<![\w*])\*(?!\s)(?P<words>[^*]+?)(?<!\s)\*(?![\w*])"), "b"),
    (re.compile(_ROLE + r"__(?P<words>.+?)__", re.DOTALL), "i"),
    (re.compile(_ROLE + r"(?<![\w_])_(?!\s)(?P<words>[^_]+?)(?<!\s)_(?![\w_])"), "i"),
    (re.compile(_ROLE + r"##(?P<words>.+?)##", re.DOTALL), "span"),
    (re.compile(_ROLE + r"(?<![\w#&])#(?!\s)(?P<words>[^#]+?)(?<!\s)#(?![\w#])"), "span"),
    (re.compile(r"(?P<role>)\^(?P<words>[^\s^]+)\^"), "sup"),
    (re.compile(r"(?P<role>)~(?P<words>[^\s~]+)~"), "sub"),
)
_STRUCK = re.compile(r"line-through|strike")
_ENTITY = re.compile(r"&amp;(#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});")
_LINE_BREAK = re.compile(r" \+$", re.MULTILINE)
_NAMED = re.compile(r"(?:^|,)\s*(?:alt|role|window|title|width|height|link|opts|id)\s*=.*$")


def inline(text: str, titles: Mapping[str, str]) -> str:
    """Return the HTML of a run of text; `titles` are those of sections by their anchors."""
    if len(text) > _LONGEST:
        return escape(text, quote=False)
    kept: list[str] = []

    def keep(markup: str) -> str:
        kept.append(markup)
        return _KEPT.format(len(kept) - 1)

    def literal(match: re.Match[str]) -> str:
        if match["escaped"]:
            return keep(escape(match["escaped"], quote=False))
        group = match.lastgroup or ""
        words = match[group]
        if group in {"codes", "code"}:
            inside = re.fullmatch(r"\+(.+)\+|pass:\w*\[(.*)\]", words, re.DOTALL)
            words = next(filter(None, inside.groups()), "") if inside else words
            return keep(f"<code>{escape(_PLACE.sub('', words), quote=False)}</code>")
        return keep(escape(words.replace("\\]", "]"), quote=False))

    def macro(match: re.Match[str]) -> str:
        if match["url"]:
            words = _first(match["shown"]) or match["url"].removeprefix("mailto:")
            return words.removesuffix("^")
        return _shown(match["name"], match["target"], match["words"].replace("\\]", "]"), titles)

    def cross(match: re.Match[str]) -> str:
        return match["words"] or _title(match["to"], titles)

    def quoted(match: re.Match[str], tag: str) -> str:
        if tag == "span" and _STRUCK.search(match["role"] or ""):
            return ""
        return f"<{tag}>{match['words']}</{tag}>"

    text = escape(_LITERAL.sub(literal, text), quote=False)
    text = _ENTITY.sub(r"&\1;", text)
    text = _ANCHOR.sub("", _CROSS.sub(cross, text))
    text = _TERM.sub(lambda match: match["shown"] or "", text)
    text = _MACRO.sub(macro, text)
    for pattern, tag in _QUOTES:
        text = pattern.sub(partial(quoted, tag=tag), text)
    text = _LINE_BREAK.sub("<br>", text)
    return _PLACE.sub(lambda match: kept[int(match[1])] if int(match[1]) < len(kept) else "", text)


def quoted_code(text: str) -> str:
    """Return the HTML of a listing in which marks of bold and italic text count."""
    text = escape(text, quote=False)
    for pattern, _ in _QUOTES[:4]:
        text = pattern.sub(lambda match: match["words"], text)
    return text


def _shown(name: str, target: str, words: str, titles: Mapping[str, str]) -> str:
    """What a reader sees of a macro."""
    match name:
        case "link" | "mailto":
            return _first(words).removesuffix("^") or target
        case "xref":
            return _first(words) or _title(target, titles)
        case "image":
            return _called(words) or target.rpartition("/")[2].rpartition(".")[0]
        case "icon":
            return _called(words) or target
        case "menu":
            return " > ".join(filter(None, [target, *re.split(r"\s*&gt;\s*", words)]))
        case "footnote":
            # Without words it is the mark of one that stands elsewhere.
            return f" ({words})" * bool(words)
        case "kbd" | "btn" | "stem" | "latexmath" | "asciimath" | "term" | "indexterm2":
            return words
    return ""


def _called(words: str) -> str:
    """The name of a picture or an icon: the words for it, or those of an attribute."""
    named = re.search(r"\b(?:alt|title)=(?:&quot;|\")?([^\",&]+)", words)
    return _first(words) or (named[1].strip() if named else "")


def _first(words: str) -> str:
    """The text of a macro without the attributes that may follow it."""
    return _NAMED.sub("", words).strip().strip('"').strip()


def _title(target: str, titles: Mapping[str, str]) -> str:
    """What a reference without words is shown as."""
    page, _, anchor = target.partition("#")
    known = titles.get(anchor or page)
    return known or anchor or page.rpartition("/")[2].rpartition(":")[2].removesuffix(".adoc")
