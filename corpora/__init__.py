"""Pages become one corpus per release (QAMR III-A, steps 2 and 3)."""

# It keeps onnxruntime, which the embedding runs on, from reporting its use.
import ingestion as ingestion
