"""What other programs talk to: REST, the OpenAI-compatible interface, and MCP, on the page's port.

`service` does what is asked for a `Caller`; `rest`, `chat_completions` and `mcp_server` speak the
three languages, and `app` puts them together. Nothing here imports Streamlit.
"""
