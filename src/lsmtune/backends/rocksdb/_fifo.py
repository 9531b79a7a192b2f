"""What FIFO compaction keeps by an OPTIONS file, where that takes the place of a tool's own flags; what it deleted."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from lsmtune.backends.rocksdb._options_file import OptionsFile
from lsmtune.backends.rocksdb._values import whole_number
from lsmtune.lsm_model.tree import Fifo, Writes

_USUAL = Fifo()
_MOST, _MOST_DATA = (f"compaction_options_fifo.max_{what}_files_size" for what in ("table", "data"))
_DELETED = re.compile(r"FIFO compaction: picking file \d+ .*for deletion")
_IS_FIFO = "Options.compaction_style: kCompactionStyleFIFO"
_UNSAID_TTL = 2**64 - 2
"""kDefaultTtl of include/rocksdb/advanced_options.h: of FIFO compaction it becomes 30 days."""


def keeping(phases: Sequence[Writes], options_file: str | None, scale: Fraction) -> tuple[Writes, ...]:
    """Return phases that keep under FIFO compaction what an OPTIONS file says; without one, what they say themselves.

    Args:
        phases: of writes, with what flags of the tool keep, at the scale.
        options_file: text of the file that configurations start from, at full size; None: there is none.
        scale: by which the sizes of the tree shrink.

    Raises:
        UsageError: the text is no OPTIONS file.
    """
    if options_file is None:
        return tuple(phases)
    fifo = _fifo_of(OptionsFile.parse(options_file, "the OPTIONS file")).at_scale(scale)
    return tuple(replace(phase, fifo=fifo) for phase in phases)


def limits_at_scale(file: OptionsFile, scale: Fraction) -> OptionsFile:
    """Return a file whose FIFO compaction keeps as much less as there is less data; another style keeps everything.

    Args:
        file: at full size.
        scale: by which the sizes of the tree shrink; ages stay, as rates do.
    """
    if scale == 1 or file.get("CF", "compaction_style") != "kCompactionStyleFIFO":
        return file
    for key, usual in ((_MOST, round(_USUAL.most_bytes)), (_MOST_DATA, 0)):
        stated = whole_number(file.get("CF", key) or "")
        size = usual if stated is None else stated
        if size > 0:
            file = file.set("CF", key, str(max(1, round(size * scale))))
    return file


def may_lack_keys(logs: Iterable[str], *, loaded: bool) -> bool:
    """Return whether FIFO compaction deleted files, so that keys of theirs are gone, or may have done so.

    Args:
        logs: LOGs of the processes of a run.
        loaded: the data was built before it, in processes whose LOG stayed behind: what they deleted is not told.
    """
    return any(_DELETED.search(log) is not None or (loaded and _IS_FIFO in log) for log in logs)


def _fifo_of(file: OptionsFile) -> Fifo:
    most = whole_number(file.get("CF", _MOST) or "")
    ttl = whole_number(file.get("CF", "ttl") or "")
    merges = file.get("CF", "compaction_options_fifo.allow_compaction")
    return Fifo(
        most_bytes=_USUAL.most_bytes if most is None else float(most),
        ttl_s=_USUAL.ttl_s if ttl is None or ttl == _UNSAID_TTL else float(ttl),
        merges=merges in ("true", "1"),
    )
