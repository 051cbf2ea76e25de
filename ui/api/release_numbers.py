"""Releases that a program wrote as numbers, which keep no zero at their end: 3.20 becomes 3.2."""

from collections.abc import Sequence

from chatbot.errors import BadQuestion
from corpora.catalog.release import Product, Token, name_tokens, sort_key


def release_written(number: float, products: Sequence[Product]) -> str:
    """The release of the products that alone a number can mean; its digits where there is none.

    Raises BadQuestion where it may be another, such as 3.20 or 3.0 of which 3.2 or 3 is left.
    """
    exact, near = set[str](), set[str]()
    digits = f"{number:.0f}" if number.is_integer() else repr(number)
    for release in (release for product in products for release in product.releases):
        for tokens in map(_behind_words, (release.name, *release.aliases)):
            if number.is_integer():
                is_exact = tokens[:1] == (int(number),) and not any(tokens[1:])
                is_near = tokens[:1] == (int(number),)
            else:
                is_exact = tokens == name_tokens(digits)
                longer = (name_tokens(digits + zeros) for zeros in ("0", "00"))
                is_near = any(tokens[: len(wanted)] == wanted for wanted in longer)
            if is_exact or is_near:
                (exact if is_exact else near).add(release.name)
    if near or len(exact) > 1:
        possible = sorted(exact | near, key=sort_key)
        raise BadQuestion(
            f"the number {digits} does not say which release is meant: {' or '.join(possible)}? "
            f'Send it as text, in quotes, such as "{possible[-1]}"'
        )
    return exact.pop() if exact else digits


def _behind_words(name: str) -> tuple[Token, ...]:
    """The parts of a release's name from its first number on."""
    tokens = name_tokens(name)
    return tokens[next((i for i, t in enumerate(tokens) if isinstance(t, int)), len(tokens)) :]
