"""Lines of an experiment that say where they come from."""


def said(line: str, source: str) -> str:
    """Return a line of TOML with its source as a comment."""
    clean = "".join(each if each.isprintable() else "?" for each in source)
    return f"{line.ljust(35)} # {clean}"


def quoted(text: str) -> str:
    """Return a text as TOML spells it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in escaped) + '"'
