"""A page as a real browser shows it; tests are skipped where there is none."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")


def shown(page: str, place: Path, script: str = "", name: str = "", width: int = 1200) -> str:
    """The page as a browser has it after its script, and after a script of the test."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    if script:
        # The policy would not let the test's script run, so it allows this one too.
        code = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        page = page.replace("script-src ", f"script-src 'sha256-{code}' ", 1)
        page = page.replace("</body>", f"<script>{script}</script></body>")
    file = place / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={place / 'profile'}", f"--window-size={width},844"]
    address = f"{file.as_uri()}#{name}" if name else file.as_uri()
    done = subprocess.run(
        [*command, address], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout
