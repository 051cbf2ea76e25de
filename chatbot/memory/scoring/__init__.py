"""Scores of answers (ComRAG 4.1): by measure, by a judge model, and by people."""
