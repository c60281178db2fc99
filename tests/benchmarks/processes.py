"""CPU seconds and memory of processes, read from /proc: of one, or of one with everything it started."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
TICK = os.sysconf("SC_CLK_TCK")


def family(parent: int) -> set[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for process in _all():
        if (fields := _stat(process)) is not None:
            children.setdefault(int(fields[1]), []).append(process)
    found, waiting = {parent}, [parent]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def named(processes: Iterable[int], words: str) -> set[int]:
    """Those whose command line holds ``words``."""
    return {process for process in processes if words in _read(process, "cmdline").replace("\0", " ")}


def cpu_seconds(processes: Iterable[int]) -> float:
    """User and system time; of children only of those that are gone and were waited for."""
    total = 0
    for process in processes:
        if (fields := _stat(process)) is not None:
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICK


def resident_megabytes(process: int, *, peak: bool = False) -> float:
    """Resident memory now, or the most it ever was."""
    name = "VmHWM:" if peak else "VmRSS:"
    lines = _read(process, "status").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def _all() -> Iterable[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal())


def _stat(process: int) -> list[str] | None:
    """The fields of /proc/PID/stat behind the name, which may hold blanks: state, parent, ..."""
    text = _read(process, "stat")
    return text.rpartition(")")[2].split() if text else None


def _read(process: int, name: str) -> str:
    try:
        return (PROC / str(process) / name).read_text(errors="replace")
    except OSError:  # it ended meanwhile
        return ""
