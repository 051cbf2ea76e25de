"""The running of a turn: events, event loop, queue of questions, model calls, waiting ingests."""
