"""The English words for whole numbers, the only table of them."""

_TO_NINETEEN = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

NUMBER_WORDS = {word: value for value, word in enumerate(_TO_NINETEEN.split())} | {
    word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)
}
"""Each word with its value: "seventy" is 70."""
