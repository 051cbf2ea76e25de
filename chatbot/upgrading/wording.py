"""An upgrade guide in words: a line for each step, and the whole as Markdown."""

from collections.abc import Iterator

from chatbot.text.markdown import as_label
from chatbot.text.places import place_in_file
from chatbot.text.words import listed
from chatbot.turn import Citation
from chatbot.upgrading.guide import Guide, Item
from chatbot.upgrading.steps import Need, UpgradeStep

HEADINGS = {
    Need.MUST: "Must change",
    Need.DEFAULT: "New defaults and values",
    Need.DEPRECATED: "Deprecated",
    Need.NEW: "New",
}
"""The lists of a guide, in order."""


def step_line(step: UpgradeStep) -> str:
    """A step as plain text: "17.20: default: 5 s → 10 s"; hostile text."""
    said = step.says.strip().lstrip("-*• ").rstrip(".")
    return f"{step.newer}: {said or step.what}"


def name_of(item: Item) -> str:
    """What an item is called; of a note that names nothing, its first words."""
    return item.name or item.words or item.steps[0].says.strip().lstrip("-*• ")[:80]


def place_of(cited: Citation) -> str:
    """Where the words of a citation stand: release, document, page or section; plain text."""
    where = place_in_file(cited.file, cited.page) or cited.section.rsplit(" › ", 1)[-1]
    return " · ".join(dict.fromkeys(filter(None, (cited.release, cited.document, where))))


def summary(guide: Guide) -> str:
    """The counts of the lists in one sentence; plain text."""
    counts = [f"{HEADINGS[need].lower()}: {len(of)}" for need in Need if (of := guide.of(need))]
    over = guide.releases[1:-1]
    way = f"From {guide.releases[0]} to {guide.releases[-1]}"
    if over:
        way += f", over {listed(over)}"
    told = "; ".join(counts) or "nothing that changes"
    return f"{way}: {told}.{_looked_up(guide)}"


def _looked_up(guide: Guide) -> str:
    if not guide.looked_up:
        return ""
    names = "1 name was" if guide.looked_up == 1 else f"{guide.looked_up} names were"
    return f" {names} looked up; documented parameters among them: {guide.documented}."


def as_markdown(guide: Guide) -> str:
    """The guide as a Markdown file, each item with the pages of both releases."""
    lines = [f"# {as_label(guide.product)}: upgrade guide", "", as_label(summary(guide))]
    for need in Need:
        if items := guide.of(need):
            lines += ["", f"## {HEADINGS[need]}", ""]
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
