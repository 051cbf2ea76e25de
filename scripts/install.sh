#!/bin/sh
# install.sh PYTHON WHAT: install this project into the environment of PYTHON.
set -eu
echo "Installing $2 (about a minute; 1.3 GB of disk)."
if ! "$1" -m pip install --quiet --no-input --disable-pip-version-check --editable "$2"; then
    echo "The packages could not be installed; the reason stands above. Check the network, or" >&2
    echo "name your own index in PIP_INDEX_URL, and that 1.3 GB are free here; then run make" >&2
    echo "again: what was downloaded is kept." >&2
    exit 1
fi
