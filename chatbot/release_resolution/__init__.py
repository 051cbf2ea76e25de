"""From which release does the user want the answer? By rules over the catalog (QAMR III-B).

`rules` decides; `release_numbers` and `release_phrases` find what may name a release,
`release_cues` tells a number that is none, `situations` what is told beside the question,
`release_mentions` puts these together, `product_names` and `product_choice` find the product,
`release_choice` picks the release that is asked for.
"""

from chatbot.release_resolution.resolution import Mention, ReleaseStatus, Resolution, cut
from chatbot.release_resolution.rules import resolve_release

__all__ = ["Mention", "ReleaseStatus", "Resolution", "cut", "resolve_release"]
