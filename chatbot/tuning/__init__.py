"""Tuning a model on accepted answers (GraphContextGen 4.4): the instruction set, the training."""
