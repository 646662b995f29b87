"""Small parts of Vega-Lite specifications.

User text only ever enters as a data value or as the literal text of a title: field names are ours, and no expression
holds a name. So nothing that a user calls a model can be read as an accessor or an expression.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Spec = dict[str, Any]


def values(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Inline data; numbers that are not finite become null, which Vega-Lite leaves out."""
    return {"values": [{k: _plain(v) for k, v in row.items()} for row in rows]}


def columns(**arrays: Any) -> Spec:
    """Inline data from columns of equal length; a single value stands for the whole column."""
    size = max((len(a) for a in arrays.values() if _is_column(a)), default=1)
    full = {k: (a.tolist() if hasattr(a, "tolist") else a) if _is_column(a) else [a] * size for k, a in arrays.items()}
    return values([dict(zip(full, row, strict=True)) for row in zip(*full.values(), strict=True)])


def _is_column(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__")


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        # Nine digits are more than any screen shows, and half the file.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return value


def number_at(field: str, domain: tuple[float, float] | None = None, **more: Any) -> Spec:
    """A quantitative channel with a fixed domain and no guessing of zero or round ends."""
    scale: Spec = {"zero": False, "nice": False}
    if domain is not None:
        scale["domain"] = list(domain)
    if "scale" in more:
        scale |= more.pop("scale")
    return {"field": field, "type": "quantitative", "scale": scale, **more}


def as_is(field: str) -> Spec:
    """A channel whose data are already colours, sizes or shapes."""
    return {"field": field, "type": "nominal", "scale": None, "legend": None}


def shown(field: str, title: str, number_format: str | None = None) -> Spec:
    """A line of a tooltip."""
    if number_format is None:
        return {"field": field, "type": "nominal", "title": title}
    return {"field": field, "type": "quantitative", "title": title, "format": number_format}


def layer(mark: Spec | str, encoding: Spec, data: Spec | None = None, **more: Any) -> Spec:
    """One layer."""
    made: Spec = {"mark": mark, "encoding": encoding, **more}
    return made if data is None else {"data": data, **made}
