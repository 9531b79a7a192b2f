"""Storage engines: their builds on this machine, their option files and their logs."""
