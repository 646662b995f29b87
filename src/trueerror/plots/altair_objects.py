"""A Vega-Lite specification as Altair objects.

`altair.Chart.from_dict` looks for the class of every part by trial, which takes a second for a picture of a few
layers. The classes are known here; what is inside marks and channels stays plain, and `to_dict` checks it as always.
"""

from __future__ import annotations

from typing import Any


def altair_chart(spec: dict[str, Any]) -> Any:
    """A Chart, LayerChart or VConcatChart, by what the specification holds."""
    import altair

    rest = {key: value for key, value in spec.items() if key not in ("data", "layer", "vconcat", "mark", "encoding")}
    data = altair.InlineData(values=spec["data"]["values"]) if "data" in spec else altair.Undefined
    if "vconcat" in spec:
        return altair.VConcatChart(data=data, vconcat=[altair_chart(part) for part in spec["vconcat"]], **rest)
    if "layer" in spec:
        return altair.LayerChart(data=data, layer=[altair_chart(part) for part in spec["layer"]], **rest)
    return altair.Chart(data, mark=spec["mark"], encoding=altair.FacetedEncoding(**spec["encoding"]), **rest)
