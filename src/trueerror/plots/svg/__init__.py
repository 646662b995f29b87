"""Pictures as SVG text: for notebooks, files and the report."""
