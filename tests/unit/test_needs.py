"""The mark by which tests say what they need."""

from __future__ import annotations

import pytest

from tests import needs


def test_a_name_that_nothing_has_is_an_error_and_no_reason_to_skip() -> None:
    with pytest.raises(KeyError, match="fierfox"):
        needs.require("fierfox")


def test_what_is_missing_skips_and_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "_engines", lambda: {"here": None, "gone": "not found: install it"})
    needs.require("here")
    with pytest.raises(pytest.skip.Exception, match=r"^gone: not found: install it$"):
        needs.require("here", "gone")
