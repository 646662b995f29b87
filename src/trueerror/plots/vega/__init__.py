"""Pictures as Vega-Lite specifications and Altair charts."""
