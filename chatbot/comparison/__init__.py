"""Questions that one release cannot answer (design, law 2).

`question` tells what a comparison asks: a value, what changed, or where something is documented.
`page_differences` pairs the passages of two releases, `topic` picks those that the question is
about, and `changes` puts both together; `presence` looks for a thing in every release.
`values_in_words`, `changes_in_words` and `presence_in_words` write the answers with what is in
`wording`, `quantities` sees equal values in other units, and `sides` is the step of the chain that
does it all. Beside the chain, `same_page` finds a page again in another release, and
`two_pages` tells what differs there.
"""

from chatbot.comparison.sides import compare_releases

__all__ = ["compare_releases"]
