"""What stands behind a figure, as patterns: the only table of it."""

_MEASURES = (
    r"%|percent|[kKMGTP]i?[Bb](?:it|yte)?s?(?:/s|ps)?|[kMG]?bit/s|[kKMG]?bits?|bytes?"
    r"|ms|µs|us|ns|s(?:ec(?:ond)?s?)?|min(?:ute)?s?|h(?:(?:ou)?rs?)?|days?|weeks?|months?|years?"
    r"|[kMG]?[Hh]z|[mk]?[VAW]|(?:volt|watt|amp)s?|VDC|dBm?|[nµumck]?m|met(?:er|re)s?|inch(?:es)?"
    r"|px|pt|k?g|lbs?|°\s?[CF]?|K|times|millions?|billions?|thousand|chars?"
)
_THINGS = r"characters?|rows?|lines?|connections?|threads?|processes|retries|attempts"

MEASURE = rf"(?:{_MEASURES})(?![\w/])"
"""What is measured in: "ms", "GB"."""
UNIT = rf"(?:{_MEASURES}|{_THINGS})(?![\w/])"
"""The same, or things that are counted: "5 rows"."""
