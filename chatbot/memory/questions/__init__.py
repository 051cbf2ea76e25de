"""What a question asks, in canonical words, and whether two ask the same."""
