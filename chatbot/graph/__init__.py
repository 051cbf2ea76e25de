"""Related questions by the structure of a graph, and the relations of their entities.

That is GraphContextGen, section 4: the context retriever (`question_graph`, `pagerank`) and the
enhancement of the context (`triplets`, `knowledge`, `enhanced_context`).
"""
