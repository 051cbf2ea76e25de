"""The two stores of ComRAG 4.2: formulas, rows, clusters, and the search in them."""
