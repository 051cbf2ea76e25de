"""Measuring the chatbot: gold questions, scores, benchmarks."""
