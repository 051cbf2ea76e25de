"""The one database: engine, tables and migrations."""
