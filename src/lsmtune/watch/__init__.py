"""A page in the browser that follows studies while they run: on this machine, for whoever started it, and only reading.

    _follow.py     a study followed: what changed since the last look, and who has to be told
    _snapshot.py   what is known of a study: its runs, its stage, the time that is left
    _desk.py       the studies of a folder, each with its followers and what it says so far
    _gate.py       who may ask: host, origin, token and cookie; what every answer says
    _app.py        addresses and answers; `_pages.py` pages, `_events.py` server-sent events
    _server.py     listening, and ending what never reads
    _stop.py       the one thing that writes: stopping a study as Ctrl-C would

It needs the packages of ``lsmtune[watch]``; importing this package does not.
"""

from lsmtune.watch._open import PORT, watch
from lsmtune.watch._stop import stop_study

__all__ = ["PORT", "stop_study", "watch"]
