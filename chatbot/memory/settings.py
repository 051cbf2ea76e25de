"""The settings of the memory of answered questions (ComRAG)."""

from typing import Literal

from pydantic import BaseModel, Field, ValidationInfo, field_validator

from corpora.settings import advanced


class MemorySettings(BaseModel):
    """ComRAG's thresholds and its adaptive temperature."""

    memory: Literal["on", "off"] = Field(
        "on",
        description="whether answered questions are remembered and used "
        "([operations](operations.md#remembered-answers)); `off` keeps what there is",
    )
    memory_tau: float = advanced(
        0.6,
        "τ of ComRAG: the cosine from which two questions are about the same topic",
        gt=0,
        lt=1,
    )
    memory_delta: float = advanced(
        0.75,
        "δ of ComRAG: the cosine from which two questions in other words may be the same one",
        gt=0,
        lt=1,
    )
    memory_gamma: float = advanced(
        0.8, "γ of ComRAG: the score from which an answer is a good one", gt=0, lt=1
    )
    temperature_min: float = advanced(
        0.0, "adaptive temperature of ComRAG: the lowest; the paper: 0.7", ge=0, le=2
    )
    temperature_max: float = advanced(
        0.0,
        "the highest; the paper: 1.2. As high as the lowest, `temperature` holds",
        ge=0,
        le=2,
        validate_default=True,
    )
    temperature_k: float = advanced(
        250.0, "how fast it falls as the scores of the evidence differ", gt=0
    )

    @field_validator("temperature_max")
    @classmethod
    def _highest_not_below_lowest(cls, highest: float, info: ValidationInfo) -> float:
        lowest = info.data.get("temperature_min", 0.0)
        if highest < lowest:
            raise ValueError(
                f"the highest temperature, {highest}, is below the lowest, {lowest}: "
                "raise temperature_max or lower temperature_min"
            )
        return highest
