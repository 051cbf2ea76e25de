"""What the style sheets in a page, and its elements' own styles, hide or strike out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import tinycss2
from cssselect import HTMLTranslator, SelectorError, parse, parser
from lxml import etree
from lxml.html import HtmlElement

from ingestion.html_tree import found
from ingestion.messages import message

STRUCK = "line-through"
"""The class of what a sheet strikes out."""
_LARGEST, _MOST, _LONGEST, _MOST_PARTS = 1_000_000, 200, 500, 3
"""Letters of a page's sheets, rules that count, letters and parts of a selector."""
_MOST_MATCHES = 500_000
"""Elements of a page that the parts of all rules match: so many take seconds."""
_NEVER_HIDDEN = ("html", "body", "main", "article")
"""A script shows these once it has run."""
_REFERS = ("aria-controls", "data-target", "data-bs-target", "for")
_WORD = re.compile(r"[\w-]+")
_HIDES = {
    "display": {"none"},
    "visibility": {"hidden", "collapse"},
    "opacity": {"0"},
    "font-size": {"0"},
}
_STRIKES = "text-decoration"
_LEAST_SHOWN = 0.3
"""Of a page: one that hides more is shown by a script."""
_BY_SHEET = ("display", "visibility")
"""Sheets let other things fade in."""


def hides(style: str | None) -> bool:
    """Say whether an element's own style hides it."""
    declared = _declared(style or "")
    return any(values & declared.get(name, set()) for name, values in _HIDES.items())


def strikes_out(style: str | None) -> bool:
    """Say whether an element's own style strikes out its text."""
    return STRUCK in _declared(style or "").get(_STRIKES, ())


def apply_sheets(root: HtmlElement) -> tuple[str, ...]:
    """Mark as hidden or struck out what the page's own sheets say so of on a screen.

    What another rule, a script or a control of the page can show stays: tabs, what opens on a
    click, what only a narrow window leaves out. Of a script in another file nobody knows what it
    shows. Returns a remark where the sheets take too long to follow, and all of the page stays.
    """
    now: list[tuple[_Rule, set[HtmlElement]]] = []
    matches = 0
    for rule in _rules(root):
        elements, looked_at = rule.matched(root)
        now.append((rule, elements))
        matches += looked_at
        if matches > _MOST_MATCHES:
            return (message("its style sheets take too long to follow: what they hide is read"),)
    if not now:
        return ()
    chosen: dict[HtmlElement, dict[str, _Rule]] = {}
    for rule, elements in now:
        for element in elements if rule.always else ():
            of = chosen.setdefault(element, {})
            if rule.name not in of or of[rule.name].weight <= rule.weight:
                of[rule.name] = rule
    named = _named(root)
    is_known = all(script.get("src") is None for script in root.iter("script"))
    hidden = set()
    for element, of in chosen.items():
        own = _declared(element.get("style") or "")
        won = {name for name, rule in of.items() if rule.counts and name not in own}
        if _STRIKES in won:
            element.set("class", f"{element.get('class') or ''} {STRUCK}")
        is_hidden = not won.isdisjoint(_BY_SHEET) and element.tag not in _NEVER_HIDDEN
        if is_known and is_hidden and not _may_be_shown(element, named, now):
            hidden.add(element)
    if _length(root, hidden) > _length(root, set()) * _LEAST_SHOWN:
        for element in hidden:
            element.set("hidden", "")
    return ()


def _length(element: HtmlElement, without: set[HtmlElement]) -> int:
    """Count the letters of an element's text, without that of some in it."""
    length = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            length += len((node.tail or "").strip())
        elif node in without or node.tag in {"script", "style"}:
            walk.skip_subtree()
        else:
            length += len((node.text or "").strip())
    return length


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one selector of a sheet says of one property; `counts` if it hides or strikes out.

    `always` is whether it holds in every window; `last` the classes and ids of its last part.
    """

    steps: tuple[tuple[str, str], ...]
    name: str
    counts: bool
    always: bool
    weight: tuple[bool, tuple[int, int, int]]
    last: frozenset[str]

    def matched(self, root: HtmlElement) -> tuple[set[HtmlElement], int]:
        """Return the elements that the selector matches, and count those that its parts do.

        Each part is looked up by itself: an XPath of several goes from every element to all in it.
        """
        matched: set[HtmlElement] = set()
        looked_at = 0
        for place, (combinator, path) in enumerate(self.steps):
            try:
                elements = set(found(root, path))
            except (etree.XPathError, ValueError):
                # A prefix that nothing declares, or a sign that no page may hold.
                return set(), looked_at
            looked_at += len(elements)
            if place and combinator == ">":
                matched = {element for element in elements if element.getparent() in matched}
            else:
                matched = _inside(elements, matched) if place else elements
        return matched, looked_at


def _inside(elements: set[HtmlElement], others: set[HtmlElement]) -> set[HtmlElement]:
    """Return those of the elements that stand within one of the others."""
    known: dict[HtmlElement | None, bool] = {None: False}
    inside = set()
    for element in elements:
        unknown = []
        above = element.getparent()
        while above not in known:
            if above in others:
                known[above] = True
            else:
                unknown.append(above)
                above = above.getparent()
        known.update(dict.fromkeys(unknown, known[above]))
        if known[above]:
            inside.add(element)
    return inside


def _may_be_shown(
    element: HtmlElement, named: set[str], rules: Sequence[tuple[_Rule, set[HtmlElement]]]
) -> bool:
    names = {element.get("id") or "", *(element.get("class") or "").split()} - {""}
    before = element.getprevious()
    if before is not None and (before.tag == "button" or before.get("aria-expanded")):
        return True
    return not names.isdisjoint(named) or any(
        not rule.counts
        and rule.name in _BY_SHEET
        and not names.isdisjoint(rule.last)
        and not (rule.always and element in now)
        for rule, now in rules
    )


def _named(root: HtmlElement) -> set[str]:
    """Return the words of the page's scripts, and what its links and controls refer to."""
    texts = [script.text or "" for script in root.iter("script")]
    for element in root.iter():
        texts += [element.get(name) or "" for name in _REFERS]
        texts += [value for name, value in element.items() if name.startswith("on")]
        href = element.get("href") or ""
        texts += [href[1:]] if href.startswith("#") else []
    return {word for text in texts for word in _WORD.findall(text)}


def _rules(root: HtmlElement) -> Iterator[_Rule]:
    sheets = [s.text or "" for s in root.iter("style") if _on_screen(s.get("media") or "")]
    text = "\n".join(sheets)
    # Most pages say nothing that counts.
    if len(text) > _LARGEST or not any(word in text for word in ("none", "hidden", STRUCK)):
        return
    names = {element.get("id") or "" for element in root.iter()}
    names.update(name for e in root.iter() for name in (e.get("class") or "").split())
    try:
        sheet = tinycss2.parse_stylesheet(text)
        rules = (rule for node in _qualified(sheet, always=True) for rule in _of(*node, names))
        yield from islice(rules, _MOST)
    except RecursionError:
        return


def _of(prelude: str, content: Any, always: bool, names: set[str]) -> Iterator[_Rule]:
    """Yield a rule for each selector, of those that may be on the page, and each property."""
    declarations = [
        (name, counts, important)
        for name, values, important in _read(content)
        if name in (*_BY_SHEET, _STRIKES)
        for counts in [not values.isdisjoint(_HIDES.get(name, {STRUCK}))]
        if always or not (counts or name == _STRIKES)
    ]
    try:
        selectors = parse(prelude) if declarations and len(prelude) <= _LONGEST else []
    except SelectorError:
        selectors = []
    for selector in selectors:
        parts = _parts(selector.parsed_tree)
        if selector.pseudo_element or not parts or not set().union(*parts) <= names:
            continue
        steps = _steps(selector.parsed_tree)
        for name, counts, important in declarations:
            weight = important, selector.specificity()
            yield _Rule(steps, name, counts, always, weight, frozenset(parts[0]))


def _steps(tree: Any) -> tuple[tuple[str, str], ...]:
    """Return the parts of a selector, each with its combinator and its XPath.

    None of one over siblings, which takes long to follow, and of one that only a browser can
    follow, such as `:focus-within`.
    """
    is_first = not isinstance(tree, parser.CombinedSelector)
    combinator, part = ("", tree) if is_first else (tree.combinator, tree.subselector)
    try:
        path = HTMLTranslator().selector_to_xpath(parser.Selector(part))
    except SelectorError:
        return ()
    before = () if is_first else _steps(tree.selector)
    follows = combinator in {"", " ", ">"} and "sibling::" not in path and (is_first or before)
    return (*before, (combinator, path)) if follows else ()


def _parts(tree: Any) -> list[set[str]]:
    """Return the classes and ids of each part, the last one first.

    None of a selector that is not of the usual kinds, or takes long to follow.
    """
    parts: list[set[str]] = []
    while tree is not None and len(parts) < _MOST_PARTS:
        is_last = not isinstance(tree, parser.CombinedSelector)
        part, tree = (tree, None) if is_last else (tree.subselector, tree.selector)
        parts.append(set())
        while not isinstance(part, parser.Element):
            if isinstance(part, parser.Class):
                parts[-1].add(part.class_name)
            elif isinstance(part, parser.Hash):
                parts[-1].add(part.id)
            elif isinstance(part, parser.Negation):
                if isinstance(part.subselector, parser.CombinedSelector):
                    return []
            elif not isinstance(part, parser.Attrib | parser.Pseudo):
                return []
            part = part.selector
    return parts if tree is None else []


def _qualified(nodes: Iterable[Any], *, always: bool) -> Iterator[tuple[str, Any, bool]]:
    """Yield the selectors and the content of each rule that holds on a screen, or may."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield tinycss2.serialize(node.prelude).strip(), node.content, always
        elif node.type == "at-rule" and node.content is not None:
            keyword, condition = node.lower_at_keyword, tinycss2.serialize(node.prelude)
            if keyword in {"media", "supports", "layer"} and (
                keyword != "media" or _on_screen(condition)
            ):
                inner = tinycss2.parse_rule_list(node.content)
                yield from _qualified(inner, always=always and "(" not in condition)


def _on_screen(media: str) -> bool:
    """Say whether one of the media that a sheet or a rule is for may be a screen."""
    queries = [query.split() for query in media.lower().split(",")]
    return any(
        not query or query[0].startswith("(") or {"screen", "all"} & set(query) or query[0] == "not"
        for query in queries
    )


@lru_cache(maxsize=10_000)
def _declared(style: str) -> dict[str, set[str]]:
    """Return the words of the values that an element's own style gives to what counts."""
    found = _read(tinycss2.parse_component_value_list(style)) if ":" in style else ()
    return {name: values for name, values, _ in found}


def _read(content: Any) -> Iterator[tuple[str, set[str], bool]]:
    for item in tinycss2.parse_blocks_contents(content):
        if item.type == "declaration":
            name = item.lower_name.removesuffix("-line")
            if name in _HIDES or name == _STRIKES:
                yield name, set(map(_word, item.value)), item.important


def _word(token: Any) -> str:
    is_zero = token.type in {"number", "dimension", "percentage"} and token.value == 0
    return "0" if is_zero else getattr(token, "lower_value", "")
