"""What is known of the machine: its processor's name, the sizes of its caches, and the memory that is free."""

from __future__ import annotations

import os
import platform
import re
from functools import cache
from pathlib import Path

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL = {1: 32 << 10, 2: 1 << 20, 3: 16 << 20}
"""Bytes of a common processor's caches, where the system does not tell."""

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_USUAL_MEMORY = 4 << 30

LEVELS = ("l1", "l2", "l3", "memory")
"""Where a working set can live."""

_MOST_OF_L3 = 32 << 20
"""A large third level is shared with cores, and on a server with guests, that we know nothing of."""


def processor() -> str:
    """The processor's name as the system gives it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


@cache
def cache_bytes() -> dict[int, int]:
    """Bytes of the data caches by level, as Linux tells them; of a common processor elsewhere."""
    found = dict(_USUAL)
    for folder in _CACHES.glob("index*"):
        try:
            kind = (folder / "type").read_text().strip()
            level, size = int((folder / "level").read_text()), (folder / "size").read_text().strip()
        except (OSError, ValueError):
            continue
        if kind in ("Data", "Unified") and re.fullmatch(r"\d+K", size):
            found[level] = int(size[:-1]) << 10
    return found


def capacity(level: str) -> int:
    """Bytes that a level of LEVELS holds at most; of memory, what a WebAssembly memory of 32 bits can take."""
    return 1 << 31 if level == "memory" else cache_bytes()[int(level[1])]


def working_set(level: str) -> int:
    """Bytes that live at a level of LEVELS: half of a cache, or twice the last one, from 256 MiB to 1 GiB."""
    caches = cache_bytes()
    if level == "memory":
        return min(max(2 * caches[3], 256 << 20), 1 << 30)
    size = caches[int(level[1])] // 2
    return min(size, _MOST_OF_L3) if level == "l3" else size


def free_memory() -> int:
    """Bytes that this process may fill without anything being swapped out: a guess where the system does not tell."""
    try:
        found = re.search(r"^MemAvailable:\s*(\d+) kB$", _MEMINFO.read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return min(int(found[1]) << 10, _left_to_the_container())
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return _USUAL_MEMORY


def _left_to_the_container() -> int:
    try:
        most, used = (int((_CGROUP / f"memory.{name}").read_text()) for name in ("max", "current"))
    except (OSError, ValueError):  # there is none, or "max": it has no limit
        return 1 << 62
    return max(0, most - used)
