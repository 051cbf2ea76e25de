"""The wall between releases as a check of a model's reading (law 2).

Every number of the question is accounted for: the model says that it is a release, or something
else, which is believed where the number's role allows it. Rules are held to the same roles.
"""

import re
from collections.abc import Iterable, Sequence

from chatbot.releases.number_roles import NumberRole, account
from chatbot.releases.product_names import mask, product_spans, set_apart
from chatbot.releases.release_names import release_names
from chatbot.releases.release_numbers import Number, find_numbers
from chatbot.releases.words_beside import ends_name, owner_before
from corpora.catalog.release import Product


def check_versions(
    question: str, releases: Iterable[str], others: Iterable[str], product: Product
) -> None:
    """Raise ValueError unless all numbers of a model's reading of a question are accounted for.

    `releases` are the words that name a release, of whatever product; `others` the numbers that do
    not, which is believed where their role is OPEN, by a name before it.
    """
    names, spans = release_names(product), product_spans(question, [product])
    text = set_apart(mask(question, product, spans))
    named = [span for words in releases for span in places(words, question)]
    other = [span for words in others for span in places(words, question)]
    numbers = find_numbers(text, names)
    for number, role in zip(numbers, account(text, numbers, product), strict=True):
        if role is NumberRole.OTHER or _lies_in(number, named):
            continue
        if not (_lies_in(number, other) and _is_explained(text, number, role)):
            raise ValueError(
                f'"{question[number.start : number.end]}" may be a release: put it into "releases",'
                ' with "release": "" and "asked": false if it is a version of something else'
            )


def _is_explained(text: str, number: Number, role: NumberRole) -> bool:
    """Whether a name before a number, or a noun behind it, makes it no release."""
    if number.is_known:
        before = owner_before(text, number.start)
        named = before is not None and before.start() > 0 and not before["word"].islower()
        return role is NumberRole.OPEN and (named or not ends_name(text, number.end))
    return role is NumberRole.OPEN or not ends_name(text, number.end)


def _lies_in(number: Number, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= number.start and number.end <= end for start, end in spans)


def places(words: str, text: str) -> list[tuple[int, int]]:
    """The spans of words in a text, in either case, but not inside a longer number or word."""
    if not words.strip():
        return []
    pattern = r"\s+".join(map(re.escape, words.split()))
    before = r"(?<![\d.])" if words[0].isdigit() else r"(?<![a-zA-Z])" * words[0].isalpha()
    after = r"(?!\d|\.\d)" if words[-1].isdigit() else r"(?![a-zA-Z])" * words[-1].isalpha()
    return [m.span() for m in re.finditer(f"{before}{pattern}{after}", text, re.IGNORECASE)]
