#!/bin/sh
# Makes orchestration/.venv with Dagster. The jobs run the project's own dbt, in its own environment.
set -eu
cd "$(dirname "$0")"
"${PYTHON:-../.venv/bin/python}" -m venv .venv
# uv takes seconds where pip takes half a minute; where it finds no index, pip does it
uv=$(command -v uv || ls ../.venv/bin/uv 2>/dev/null || true)
{ [ -n "$uv" ] && "$uv" pip install --quiet --python .venv/bin/python -r requirements.txt; } ||
  .venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
echo "Ready. From the project's root: orchestration/.venv/bin/dagster dev -f orchestration/definitions.py"
