"""Schemas from outside, checked before anything else sees them."""
