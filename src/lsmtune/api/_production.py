"""What a service's own files say."""

from pathlib import Path

from lsmtune.production import ServiceLog, read_service


def diagnose(*paths: str | Path) -> ServiceLog:
    r"""Tell from the LOG of a service what it runs and what happened there.

    Args:
        paths: folders of databases, or LOGs of one database, also gzipped; nothing is locked or written.

    Raises:
        UsageError: there is no LOG.

    Examples:
        >>> from pathlib import Path
        >>> import lsmtune
        >>> head = "2026/11/23-14:44:25.435455 974 RocksDB version: 7.8.3"
        >>> line = "2026/11/23-14:44:25.435499 974           Options.max_background_jobs: 4"
        >>> written = Path("LOG").write_text(f"{head}\n{line}\n")
        >>> log = lsmtune.diagnose("LOG")
        >>> log.last.version, log.last.options["max_background_jobs"]
        ('7.8.3', '4')
    """
    return read_service([Path(path) for path in paths])
