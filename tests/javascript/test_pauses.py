"""Threads that pause when they leave a product give the same bits, and end."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.javascript.packages import SCRIPTS, engine, report, site

PAUSES = """
const sub = Atomics.sub;
Atomics.sub = (...words) => {
  const result = sub(...words);
  if (Math.random() < 0.1) for (const end = performance.now() + 2; performance.now() < end;);
  return result;
};
"""


@pytest.mark.parametrize("name", [engine("node")])
def test_threads_may_pause_as_they_leave(name: str, dist: Path, tmp_path: Path) -> None:
    slow = shutil.copytree(dist, tmp_path / "slow")
    (slow / "share.js").write_text((slow / "share.js").read_text() + PAUSES)
    folder = site(tmp_path / "site", slow, (SCRIPTS / "pauses.mjs").read_text())
    shutil.copy(SCRIPTS / "harness.mjs", folder)
    assert report(name, folder)["count"] > 100
