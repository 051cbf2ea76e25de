"""Questions that one release cannot answer (design, law 2).

`question` tells what a comparison asks for, and `sides` is the step of the chain that asks every
release. `pages` pairs the passages of two releases, also for the page of a source; `changes` picks
those that the question is about, `differing_evidence` tells one thing apart, and `presence` looks
for a thing in every release. `wording` puts values side by side, and `in_words` tells what changed
and where a thing is documented.
"""

from chatbot.comparison.sides import compare_releases

__all__ = ["compare_releases"]
