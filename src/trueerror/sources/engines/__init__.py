"""Where rows are counted: NumPy, DuckDB, narwhals, Arrow streams."""
