from __future__ import annotations

import pytest

from tests import needs


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what the mark `needs` says cannot run here, before any fixture is made for it."""
    for mark in item.iter_markers("needs"):
        needs.require(*mark.args)
