"""Rows are the queue: a worker claims one job at a time."""
