"""The page Evaluation: runs, their reports, and the questions that are asked."""
