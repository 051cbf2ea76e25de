"""Related questions found by the structure of a graph, and relations of what they name.

That is GraphContextGen, section 4: the context retriever (`question_graph`, `pagerank`) and the
enhancement of the context (`triplets`, `knowledge`, `enhanced_context`).
"""
