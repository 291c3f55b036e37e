"""Models: one adapter a wire format, the embedded model, the scripted one."""
