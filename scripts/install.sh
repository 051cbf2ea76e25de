#!/bin/sh
# install.sh PYTHON [EXTRAS]: install this project, editable, into the environment of PYTHON.
set -eu
python=$1 what=.${2:+[$2]}

echo "Installing the packages of '$what' (one or two minutes)."
# Without bytecode the install is 230 MB smaller; Python compiles what it imports.
if ! "$python" -m pip install --quiet --no-input --disable-pip-version-check --no-compile \
    --editable "$what"; then
    echo "The packages could not be installed; the reason stands above. Check the network, or" >&2
    echo "name your own index in PIP_INDEX_URL; see that 1.3 GB are free (for tests 3 GB); then run make again." >&2
    exit 1
fi
case ${2:-} in test*)
    # Tests turn warnings into errors, and compiling other people's modules warns.
    packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$python" -m compileall -q -j 0 "$packages" >/dev/null 2>&1 || true
    ;;
esac
