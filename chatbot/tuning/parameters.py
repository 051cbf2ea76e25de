"""How a model is tuned (GraphContextGen, appendix A.1, table 5)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """How a model is tuned; the defaults are those of table 5.

    `batch` times `accumulation` instructions make a step; `warmup` is the share of the steps
    until the learning rate is reached, from where it falls as a cosine. Training stops once
    `patience` epochs in a row did not lower the loss of the validation split. Instructions of more
    than `longest` tokens are left out; None is the model's own context. Table 5 does not say which
    layers are adapted: all linear ones are, as QLoRA (Dettmers et al., 2023) recommends.
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
