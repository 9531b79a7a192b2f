"""Stops a study as Ctrl-C in its terminal would."""

import os
import signal
from pathlib import Path

from lsmtune.errors import StudyError
from lsmtune.store import has_lock_open, lock_holder


def stop_study(folder: Path) -> str:
    """Interrupt the process that works on a study and return what was done, in a sentence.

    The process is held by a descriptor before it is looked at, so that the signal cannot reach another one that was
    given its number meanwhile. A process that was started without a terminal may ignore SIGINT, as shells make those
    behind an "&" do; lsmtune takes SIGTERM for the same.

    Raises:
        StudyError: nobody works on it, or whoever does cannot be reached from here.
    """
    holder = lock_holder(folder)
    if holder is None:
        raise StudyError(f'nobody works on study "{folder}"; there is nothing to stop')
    who = f"process {holder.pid} on host {holder.host}"
    if not holder.seen:
        begun = "is" if holder.works else "was last"
        raise StudyError(
            f'study "{folder}" {begun} worked on by {who}, which cannot be stopped from here; stop it there'
        )
    try:
        descriptor = os.pidfd_open(holder.pid)
    except ProcessLookupError:
        raise StudyError(f'{who} has just ended; study "{folder}" has stopped') from None
    try:
        if not has_lock_open(folder, holder.pid):
            raise StudyError(f'{who} has just ended; study "{folder}" has stopped')
        wanted = _signal_for(holder.pid)
        if wanted is None:
            raise StudyError(f"{who} takes neither SIGINT nor SIGTERM; stop it by hand")
        signal.pidfd_send_signal(descriptor, wanted)
    except (ProcessLookupError, PermissionError) as error:
        raise StudyError(f"{who} cannot be stopped: {error.strerror}") from None
    finally:
        os.close(descriptor)
    return f"{who} was told to stop; the run under way is given up, what was measured is kept"


def _signal_for(pid: int) -> signal.Signals | None:
    """Return the signal of those that mean "stop, and keep what there is" that a process handles; None for neither."""
    handled = 0
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            handled = int(line.split()[1], 16)
    for each in (signal.SIGINT, signal.SIGTERM):
        if handled >> (each - 1) & 1:
            return each
    return None
