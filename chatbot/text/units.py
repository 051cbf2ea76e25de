"""What stands behind a figure, as patterns: the only table of it."""

_MEASURES = (
    r"ms|µs|us|ns|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?"
    r"|[kKMGT]i?[Bb](?:it|yte)?s?(?:/s|ps)?|[kMGT]?bit/s|bits?|bytes?"
    r"|[kMG]?Hz|[mk]?[VAW]|dBm?|[nµumck]?m|inch(?:es)?|k?g|°\s?[CF]|K|%|percent|times"
)
_THINGS = r"characters?|rows?|lines?|connections?|threads?|processes|retries|attempts"
_IN_OTHER_LETTERS = (
    r"N\s?m|bar|secs|mins|hrs?|chars?|px|pt|met(?:er|re)s?|volts?|VDC|watts?|amps?|lbs?|°"
    r"|[kMGT]?bits/s|P[Bb]|millions?|billions?|thousand"
)

UNIT = rf"(?:{_MEASURES}|{_THINGS})(?![\w/])"
"""A unit, or things that are counted: what a page has to say in the same letters."""
MEASURE = rf"(?:{_MEASURES}|{_IN_OTHER_LETTERS})(?![\w/])"
"""A unit, however it is written: what no release has behind it."""
