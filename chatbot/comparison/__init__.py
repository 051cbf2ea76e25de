"""Questions that one release cannot answer: each release is asked apart (design, law 2)."""
