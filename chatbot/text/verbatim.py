"""Words that a model copied, found again letter for letter in the text that they come from."""

from collections.abc import Iterator

from prompts.fencing import visible

_ALIKE = str.maketrans({"‹": "<", "［": "[", "’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def find_verbatim(copied: str, text: str) -> str | None:
    """The part of `text` that was copied, whatever became of white space and quotation marks."""
    wanted = "".join(character for _, character in _characters(copied))
    if not wanted:
        return None
    found = list(_characters(text))
    start = "".join(character for _, character in found).find(wanted)
    if start < 0:
        return None
    return text[found[start][0] : found[start + len(wanted) - 1][0] + 1]


def _characters(text: str) -> Iterator[tuple[int, str]]:
    for place, character in enumerate(text):
        alike = character.translate(_ALIKE)
        if not alike.isspace() and visible(alike):
            yield place, alike
