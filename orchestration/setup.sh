#!/bin/sh
# Makes orchestration/.venv with Dagster. The jobs run the project's own dbt, in its own environment.
set -eu
cd "$(dirname "$0")"
"${PYTHON:-../.venv/bin/python}" -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
echo "Ready. From the project's root: orchestration/.venv/bin/dagster dev -f orchestration/definitions.py"
