"""Settings of Sphinx for the documents: ``python -m sphinx -W --keep-going docs FOLDER``."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from dlx import __version__  # noqa: E402

project = "dlx-sudoku"
author = "the authors of dlx-sudoku"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["**/__pycache__"]
default_role = "literal"  # docstrings set code in single backquotes
nitpicky = False
smartquotes = False

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say the types
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"dlx-sudoku {version}"
html_extra_path = ["pictures/steps.html"]  # shown in a frame of explaining.md
