"""WHAT must hold of a replicated log: every rule written once, cited, and read by several engines."""
