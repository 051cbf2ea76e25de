"""Release packs: the corpus of a release in one signed file, for networks without a way out."""
