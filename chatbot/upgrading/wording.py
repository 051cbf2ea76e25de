"""An upgrade guide in words: a line for each step, and the whole as Markdown."""

from collections.abc import Iterator

from chatbot.text.languages import gettext, gettext_noop, in_words, ngettext, shown_list
from chatbot.text.markdown import as_label
from chatbot.text.places import place_in_file
from chatbot.turn import Citation
from chatbot.upgrading.guide import Guide, Item
from chatbot.upgrading.steps import Need, UpgradeStep, What

HEADINGS = {
    Need.MUST: gettext_noop("Must change"),
    Need.DEFAULT: gettext_noop("New defaults and values"),
    Need.DEPRECATED: gettext_noop("Deprecated"),
    Need.NEW: gettext_noop("New, or mentioned in release notes"),
}
"""The lists of a guide, in order."""
_COUNTED = {
    Need.MUST: gettext_noop("must change"),
    Need.DEFAULT: gettext_noop("new defaults and values"),
    Need.DEPRECATED: gettext_noop("deprecated"),
    Need.NEW: gettext_noop("new"),
}
_BECAME = {
    What.REMOVED: gettext_noop("removed"),
    What.RENAMED: gettext_noop("renamed"),
    What.CHANGED: gettext_noop("changed"),
}


def became(what: What) -> str:
    """What became of a thing that is removed, renamed or changed, as a word."""
    return gettext(_BECAME[what])


def step_line(step: UpgradeStep) -> str:
    """A step as plain text: "17.20: default: 5 s → 10 s"; hostile text."""
    said = in_words(step.says).strip().lstrip("-*• ").rstrip(".")
    return f"{step.newer}: {said or step.what}"


def name_of(item: Item) -> str:
    """What an item is called; of a note that names nothing, its first words."""
    return item.name or item.words or in_words(item.steps[0].says).strip().lstrip("-*• ")[:80]


def place_of(cited: Citation) -> str:
    """Where the words of a citation stand: release, document, page or section; plain text."""
    where = place_in_file(cited.file, cited.page) or cited.section.rsplit(" › ", 1)[-1]
    return " · ".join(dict.fromkeys(filter(None, (cited.release, cited.document, where))))


def summary(guide: Guide) -> str:
    """The counts of the lists in one sentence; plain text."""
    counts = [
        f"{gettext(_COUNTED[need])}: {len(items)}" for need in Need if (items := guide.of(need))
    ]
    of = {
        "older": guide.releases[0],
        "newer": guide.releases[-1],
        "told": "; ".join(counts) or gettext("nothing that changes"),
    }
    if over := guide.releases[1:-1]:
        said = gettext("From {older} to {newer}, over {over}: {told}.", over=shown_list(over), **of)
    else:
        said = gettext("From {older} to {newer}: {told}.", **of)
    return f"{said}{_looked_up(guide)}{_unread(guide)}"


def _unread(guide: Guide) -> str:
    if not guide.unread:
        return ""
    told = gettext(
        "Portions of the documentation that the model did not read: {number}; what they concern is "
        "told by the rules.",
        number=guide.unread,
    )
    return f" {told}"


def _looked_up(guide: Guide) -> str:
    if not guide.looked_up:
        return ""
    found = ngettext(
        "{number} name was looked up; documented parameters among them: {documented}.",
        "{number} names were looked up; documented parameters among them: {documented}.",
        guide.looked_up,
        documented=guide.documented,
    )
    return f" {found}"


def as_markdown(guide: Guide) -> str:
    """The guide as a Markdown file, each item with the pages of both releases."""
    lines = [
        f"# {gettext('{product}: upgrade guide', product=as_label(guide.product))}",
        "",
        as_label(summary(guide)),
    ]
    for need in Need:
        if items := guide.of(need):
            lines += ["", f"## {gettext(HEADINGS[need])}", ""]
            group = ""
            for item in items:
                if item.group != group:
                    group = item.group
                    lines += [f"### {as_label(group)}", ""] if group else []
                lines += _item(item)
    return "\n".join([*lines, ""])


def _item(item: Item) -> Iterator[str]:
    owner = f" ({as_label(item.owner)})" if item.owner else ""
    yield f"- **{as_label(name_of(item))}**{owner}"
    if item.words:
        yield f"  - {as_label(item.words)}"
    for step in item.steps:
        yield f"  - {as_label(step_line(step))}"
        for cited in step.citations:
            yield f"    - {as_label(place_of(cited))}"
