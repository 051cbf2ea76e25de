"""How a turn runs: events, the event loop, the queue of questions, model calls, waiting ingests."""
