"""The page that runs a job in a browser, with a stand-in for the browser."""

from __future__ import annotations

import sys

import pytest

from codegen.engines import Engine
from codegen.engines.browsers import _launch
from tests.engines.toy_kernels import job, toy

# Does what a browser does with the page: fetches what it names, and posts a report.
BROWSER = """
import json, sys, urllib.request
def get(path): return urllib.request.urlopen(sys.argv[-1] + path).read()
if "--version" in sys.argv: print("Some Browser 12.3 built on sand"); sys.exit()
assert b"./page.mjs" in get("") and b"./report.mjs" in get("page.mjs")
assert b"./runner.mjs" in get("report.mjs") and b"export async function runJob" in get("runner.mjs")
kernels = json.loads(get("job.json"))["kernels"]
{act}
def post(report): urllib.request.urlopen(sys.argv[-1] + "report", json.dumps(report).encode())
kernel = {{"name": kernels[0]["name"], "cases": 1, "passed": 0, "failure": None, "skipped": "yes", "results": []}}
post({report})
import time; time.sleep(60)
"""
REPORT = '{"engine": "user agent", "kernels": [kernel], "opcodes": []}'


def run(tmp_path, act="", report=REPORT, timeout=30):
    script = tmp_path / "browser.py"
    script.write_text(BROWSER.format(act=act, report=report))
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    program.chmod(0o755)

    def launch(job_file, seconds):
        return _launch(str(program), lambda name, _profile, url: [name, url], job_file, seconds)

    return Engine("some", launch).run(job(toy()), timeout)


def test_a_report_arrives_and_the_browser_is_ended(tmp_path):
    report = run(tmp_path)
    assert (report.error, report.version) == (None, "Some Browser 12.3")
    assert report.kernels[0].skipped == "yes"
    assert report.seconds < 30


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"act": "sys.exit('no display')"}, "ended with status 1 and sent no report: no display"),
        ({"act": "import time; time.sleep(60)", "timeout": 1}, "no report after 1 s"),
        ({"report": '{"error": "SyntaxError: no"}'}, "SyntaxError: no"),
    ],
)
def test_a_browser_that_fails_says_so(tmp_path, more, error):
    assert run(tmp_path, **more).error.startswith(error)
