"""A browser shows the page: pictures, sentences and lines to paste, and the search leaves what matches.

Justified by docs/how-to/judge-your-own-log.md, Hand it on. Skipped where there is no Chromium.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.forms import html
from conformance.forms.told import told_of
from conformance.trace.open import open_trace
from tests.support.corpus_of_traces import FOLDER

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

ASKED = """<script>
const search = document.getElementById("search");
const left = () => document.querySelectorAll("article:not([hidden])").length;
const before = left();
search.value = "same record at an LSN";
search.dispatchEvent(new Event("input"));
const drawn = document.querySelector("article:not([hidden]) circle").getBoundingClientRect().width > 0;
document.title = [before, left(), drawn, document.querySelectorAll("pre.replay").length].join(" ");
</script></html>"""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")
def test_the_page_is_drawn_and_searched(tmp_path: Path) -> None:
    trace = FOLDER.parent / "track-record" / "nats-split-brain.jsonl"
    page = html.render([told_of(open_trace(trace), "t.jsonl")])
    (tmp_path / "page.html").write_text(page.replace("</html>", ASKED))
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--dump-dom"]
    argv = [str(BROWSER), *words, (tmp_path / "page.html").as_uri()]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    assert re.findall("<title>(.*?)</title>", shown.stdout) == ["3 1 true 3"]
