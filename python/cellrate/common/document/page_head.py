"""The head of a page: its style, and a policy that permits nothing but the page's own script."""

from __future__ import annotations

import base64
import hashlib
from html import escape


def head(title: str, style: str, script: str) -> str:
    """The head of a page as HTML, up to and including the style.

    The content security policy (W3C, Content Security Policy Level 3) names the hashes of the style
    and of the script, so that a browser runs no other one, and loads nothing from anywhere.

    Args:
        title: Title of the page.
        style: The style sheet in the page.
        script: The script in the page, as between its tags.
    """
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{fingerprint(script)}'",
            f"style-src '{fingerprint(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style></head>"
    )


def fingerprint(text: str) -> str:
    """The SHA-256 of an element's text as a content security policy names it.

    >>> fingerprint("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
