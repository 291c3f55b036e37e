"""Annotated Python functions as the single source of truth for what a language model may call and must answer."""
