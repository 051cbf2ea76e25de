"""Documented objects in HTML: their signatures and the names that people call them by."""

import re

from lxml import etree

from ingestion.html_text import collapse, line, raw_text

_OBJECT_LISTS = re.compile(
    r"\b(py|c|cpp|js|rst|std)\b|^(class|function|method|attribute|exception|data|classmethod|"
    r"staticmethod|property|module|decorator|option|describe|envvar|cmdoption)$"
)
_OBJECT_WORDS = re.compile(
    r"class|function|method|attribute|property|exception|data|module|object|variable|type"
)
_NAME = re.compile(r"\bdescname\b")


def describes_objects(dl: etree._Element, terms: list[etree._Element]) -> bool:
    """Say whether a definition list's terms are signatures, in the marks of any Sphinx release."""
    if not terms:
        return False
    if _OBJECT_LISTS.search(dl.get("class") or ""):
        return True
    return "sig" in (terms[0].get("class") or "").split() or _name_element(terms[0]) is not None


def signature(dt: etree._Element) -> str:
    """Return a documented object's signature letter for letter.

    The word for the sort of object ("class", "method") goes; words that are part of the
    declaration ("async", "classmethod", "static") stay.
    """
    parts = [dt.text or ""]
    for child in dt:
        text = raw_text(child)
        if _is_object_word(child, text):
            text = "".join(f"{word} " for word in text.split() if not _OBJECT_WORDS.fullmatch(word))
        parts += [text, child.tail or ""]
    joined = collapse("".join(parts))
    if dt.find(".//dl") is not None:
        joined = re.sub(r",? ?(?=[)\]])", "", re.sub(r"(?<=[(\[]) ", "", joined))
    return joined


def _is_object_word(child: etree._Element, text: str) -> bool:
    """Tell the word before a name from a type or value after it, which bears the same mark."""
    marked = "property" in (child.get("class") or "").split()
    return marked and not text.lstrip().startswith((":", "="))


def short_name(dt: etree._Element, owner: str) -> str:
    """Name a documented object as people do: `create_engine`, `Query.update`, `Boolean`.

    `owner` is the name of the object that it is documented in, or "".
    """
    element = _name_element(dt)
    name = line(dt).split("(")[0].strip() if element is None else line(element)
    parent = (dt.get("id") or "").removesuffix(name).rstrip(".").rpartition(".")[2]
    inside = bool(parent) and owner.rpartition(".")[2] == parent
    if "." not in name and (inside or parent.lstrip("_")[:1].isupper()):
        return f"{parent}.{name}"
    return name


def _name_element(dt: etree._Element) -> etree._Element | None:
    named = (e for e in dt.iter("code", "span", "tt") if _NAME.search(e.get("class") or ""))
    return next(named, None)
