"""The command line: each command parses, calls and prints."""

from lsmtune.cli._main import app, main

__all__ = ["app", "main"]
