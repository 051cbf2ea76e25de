#!/bin/sh
# create_venv.sh PYTHON FOLDER: a virtual environment, or a message that says what is missing.
set -eu
python=$1 folder=$2

if ! version=$("$python" -c 'import sys; print(".".join(map(str, sys.version_info[:2])))' 2>/dev/null); then
    echo "No Python at '$python'. Install Python 3.11 or newer, or name one:" >&2
    echo "make run PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "Strata needs Python 3.11 or newer; '$python' is $version. Name another one:" >&2
    echo "make run PYTHON=/path/to/python3.12" >&2
    exit 1
fi
echo "Creating $folder with Python $version."
if ! "$python" -m venv "$folder"; then
    rm -rf "$folder"
    echo "The virtual environment could not be created. On Debian and Ubuntu its module is a" >&2
    echo "package of its own: apt-get install python$version-venv. Then run make again." >&2
    exit 1
fi
