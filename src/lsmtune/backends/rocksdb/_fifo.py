"""What FIFO compaction keeps by an OPTIONS file, where that takes the place of a tool's own flags."""

from collections.abc import Sequence
from dataclasses import replace

from lsmtune.backends.rocksdb._options_file import OptionsFile
from lsmtune.backends.rocksdb._values import whole_number
from lsmtune.lsm_model.tree import Fifo, Writes

_USUAL = Fifo()
_UNSAID_TTL = 2**64 - 2
"""kDefaultTtl of include/rocksdb/advanced_options.h: of FIFO compaction it becomes 30 days."""


def keeping(phases: Sequence[Writes], options_file: str | None) -> tuple[Writes, ...]:
    """Return phases that keep under FIFO compaction what an OPTIONS file says; without one, what they say themselves.

    Args:
        phases: of writes, with what flags of the tool keep.
        options_file: text of the file that configurations start from; None: there is none.

    Raises:
        UsageError: the text is no OPTIONS file.
    """
    if options_file is None:
        return tuple(phases)
    fifo = _fifo_of(OptionsFile.parse(options_file, "the OPTIONS file"))
    return tuple(replace(phase, fifo=fifo) for phase in phases)


def _fifo_of(file: OptionsFile) -> Fifo:
    most = whole_number(file.get("CF", "compaction_options_fifo.max_table_files_size") or "")
    ttl = whole_number(file.get("CF", "ttl") or "")
    merges = file.get("CF", "compaction_options_fifo.allow_compaction")
    return Fifo(
        most_bytes=_USUAL.most_bytes if most is None else float(most),
        ttl_s=_USUAL.ttl_s if ttl is None or ttl == _UNSAID_TTL else float(ttl),
        merges=merges in ("true", "1"),
    )
