"""What a tool may be called, for every provider alike."""

from __future__ import annotations

import re

__all__ = ["TOOL_NAME"]

TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
"""All of a name: what every provider takes that calls tools."""
