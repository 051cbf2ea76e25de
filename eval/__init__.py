"""Measuring the chatbot: gold questions, scores, an open benchmark."""
