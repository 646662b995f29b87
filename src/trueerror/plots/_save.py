"""Pictures as files: PNG, SVG and PDF by vl-convert, HTML with everything inside; nothing is fetched from anywhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from pathlib import Path
from typing import Any

# Twice the pixels: sharp on dense screens, and 190 dots an inch in print at the usual width.
PNG_SCALE = 2.0

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="picture"><noscript>This picture needs JavaScript; saved as .svg, .png or .pdf it does not.</noscript></main>
<script type="application/json" id="specification">{data}</script>
<script>{library}</script>
<script>{start}</script>
</body>
</html>
"""
STYLE = "body{margin:24px;background:#fff;font-family:Helvetica,Arial,sans-serif}main{overflow-x:auto}"
# What the library makes known to the page.
GLOBALS = "window.vegaEmbed=vegaEmbed;"
# `ast` makes Vega interpret its expressions instead of compiling them, so that the page may forbid eval.
START = (
    'vegaEmbed("#picture",JSON.parse(document.getElementById("specification").textContent),'
    '{mode:"vega-lite",renderer:"svg",ast:true,actions:{export:true,source:false,compiled:false,editor:false}})'
    ".catch(console.error);"
)


def write_file(spec: dict[str, Any], path: Path) -> Path:
    """Write a specification by the file's ending."""
    content = to_bytes(spec, path.suffix.lower())
    path.write_bytes(content)
    return path


def to_bytes(spec: dict[str, Any], ending: str) -> bytes:
    """The picture in the format of an ending: .png .svg .pdf or .html."""
    if ending == ".html":
        return to_html(spec).encode("utf-8")
    import vl_convert

    # No address is allowed, whatever the specification holds.
    text = json.dumps(spec)
    if ending == ".png":
        return bytes(vl_convert.vegalite_to_png(text, scale=PNG_SCALE, allowed_base_urls=[]))
    if ending == ".svg":
        return str(vl_convert.vegalite_to_svg(text, allowed_base_urls=[])).encode("utf-8")
    if ending == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(text, allowed_base_urls=[]))
    raise ValueError(f"a picture cannot be saved as {ending or 'a file without ending'!r}; use .html .png .svg or .pdf")


def to_html(spec: dict[str, Any]) -> str:
    """A page that holds the picture and Vega itself; its policy lets it load nothing and run nothing else."""
    library = vega_library()
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in (library, START))
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(
        policy=html.escape(policy), title=html.escape(page_title(spec)), style=STYLE,
        data=script_safe(spec), library=library, start=START,
    )  # fmt: skip


def page_title(spec: dict[str, Any]) -> str:
    """The picture's own title."""
    title = spec.get("title", "")
    return str(title.get("text", "") if isinstance(title, dict) else title) or "trueerror"


def script_safe(value: Any) -> str:
    """JSON that cannot end the script element that holds it, nor open a comment in it.

    >>> script_safe("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def vega_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, from vl-convert's own copy."""
    import vl_convert

    # The text of a script element ends at "</script"; inside strings of the library "<\\/" means the same.
    return str(vl_convert.javascript_bundle(GLOBALS)).replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
