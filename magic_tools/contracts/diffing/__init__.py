"""How two schemas relate: what each allows, whether one allows all that the other does, and where they differ."""
