from __future__ import annotations

import signal

import pytest

from tests import needs

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without a terminal starts what is in its background so, and children would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what the mark `needs` says cannot run here, before any fixture is made for it."""
    for mark in item.iter_markers("needs"):
        needs.require(*mark.args)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Makes what needs an engine or a tool `slow`: `make test` takes the same time and covers the same everywhere."""
    for item in items:
        if any(item.iter_markers("needs")):
            item.add_marker(pytest.mark.slow)
