"""The interfaces for programs, on the page's port: REST, OpenAI-compatible, and MCP.

`Service` does the work for a caller; `rest`, `chat_completions` and `mcp_server` are the three
interfaces, and `app` puts them together. Nothing here imports Streamlit.
"""
