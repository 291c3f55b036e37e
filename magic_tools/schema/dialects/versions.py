"""The versions of the dialects' rules: when what was last learned of each was written down."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RULE_VERSIONS"]

# A version is the month of the newest source beside a dialect's rules, and which writing of them in that month it is.
# It rises with every change by which one of the dialects says anything else of some schema than before.
RULE_VERSIONS: Mapping[str, str] = {
    "canonical": "2026-11.1",
    "openai-chat": "2026-11.1",
    "openai-responses": "2026-11.1",
    "anthropic": "2026-11.1",
    "gemini": "2026-11.1",
    "mcp": "2026-11.1",
    "langchain": "2026-11.1",
    "simple": "2026-11.1",
    "grammar": "2026-11.1",
}
