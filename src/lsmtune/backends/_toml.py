"""Text as TOML spells it."""

import json


def toml_text(text: str) -> str:
    """Return a basic string; TOML's escapes are those of JSON, apart from DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
