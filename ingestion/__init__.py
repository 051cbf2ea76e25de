"""A file becomes pages of clean text (QAMR III-A, step 1)."""
