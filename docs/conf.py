"""Sphinx configuration. Pages work offline: no fonts, scripts or pictures from elsewhere."""

import sys
from pathlib import Path

import cellrate

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent)]

project = "cellrate"
author = "The cellrate authors"
copyright = author  # noqa: A001  the name that Sphinx reads
version = release = cellrate.__version__

extensions = [
    "evidence_pages",
    "myst_parser",
    "notebook_pages",
    "overload_pages",
    "reference_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True

html_theme = "furo"
html_title = f"cellrate {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["console.css"]

doctest_test_doctest_blocks = ""
