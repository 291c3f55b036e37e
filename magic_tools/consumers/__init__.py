"""What consumers keep of tools, replayed against a candidate before it is released."""
