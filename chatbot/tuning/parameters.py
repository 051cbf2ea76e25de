"""Parameters of tuning (GraphContextGen, appendix A.1, table 5)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """Parameters of tuning; the defaults are those of table 5, and all linear layers are adapted.

    `batch` times `accumulation` instructions make a step; `warmup` is a share of the steps.
    Training stops after `patience` epochs without a lower validation loss. `longest` is in tokens.
    """

    epochs: int = 10
    batch: int = 4
    accumulation: int = 1
    learning_rate: float = 2e-4
    weight_decay: float = 0.001
    warmup: float = 0.03
    max_grad_norm: float = 0.3
    rank: int = 64
    alpha: int = 16
    dropout: float = 0.1
    patience: int = 3
    longest: int | None = None
    seed: int = 1
