"""How good an answer is (ComRAG 4.1): measured or judged, and what people say of it."""
