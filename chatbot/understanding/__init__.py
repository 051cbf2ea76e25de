"""The question, read once by a capable model; every version in it is accounted for by the code."""
