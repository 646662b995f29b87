"""Settings of the documentation site: Sphinx, the PyData theme, pages in Markdown. `docs/build.py` runs it."""

from __future__ import annotations

import trueerror

project = "trueerror"
author = "The trueerror developers"
project_copyright = "the trueerror developers"
version = release = trueerror.__version__

extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]

# Prompts and printed lines stay behind when an example is copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "trueerror"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["style.css"]
html_js_files = ["pages.js", "search.js"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
# Summaries would be fetched, which a page opened from a folder may not do; search.js shows first sentences instead.
html_show_search_summary = False
html_sidebars = {"index": [], "which-test": [], "gallery": [], "calculators/*": []}
html_theme_options = {
    "logo": {"text": "trueerror"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "search_bar_text": "Search: cross-validation, threshold, McNemar …",
    "search_as_you_type": True,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_depth": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
