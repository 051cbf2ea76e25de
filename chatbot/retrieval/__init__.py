"""Evidence for a question: retrieval, reduction, reranking and selection (QAMR 3.3 to 3.5)."""
