#!/bin/sh
# Build the wheel and the source archive twice, compare their bytes, and check what an index would show of them.
set -eu
python=$1
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 315532800)
export SOURCE_DATE_EPOCH
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
rm -rf dist
"$python" -m build --outdir dist . >/dev/null
"$python" -m build --outdir "$again" . >/dev/null
for file in dist/*; do
    cmp "$file" "$again/$(basename "$file")" || { echo "$file is not the same when built again" >&2; exit 1; }
done
"$python" -m twine check --strict dist/*
