"""A file becomes pages of clean text (QAMR III-A, step 1)."""

import os

# PyMuPDF and the embedding load onnxruntime, which reports its use to its maker over the network
# unless this stands in the environment first. Every other package imports this one.
os.putenv("ORT_DISABLE_TELEMETRY", "1")
