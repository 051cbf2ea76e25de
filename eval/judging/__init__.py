"""Answers scored by a language model as judge, and the judge measured before it is believed."""
