#!/bin/sh
# install.sh PYTHON base|test: install this project, editable, into the environment of PYTHON, with
# the versions in requirements/; `test` adds what the tests need, with the extras `hf` and `train`.
set -eu
python=$1 what=$2

# Without bytecode the install is 230 MB smaller; Python compiles what it imports.
install() {
    "$python" -m pip install --quiet --no-input --disable-pip-version-check --no-compile "$@"
}
install_all() {
    install --require-hashes --requirement "requirements/$what.txt" || return
    install --no-deps --editable . || return
    [ "$what" = base ] || install --constraint requirements/train.txt --editable '.[hf,train]'
}
echo "Installing packages for '$what' (one or two minutes)."
if ! install_all; then
    echo "The packages could not be installed; the reason stands above. Check the network, or" >&2
    echo "name your own index in PIP_INDEX_URL; see that 1.3 GB are free (for tests 3 GB); then run make again." >&2
    exit 1
fi
case $what in test)
    # Tests turn warnings into errors, and compiling other people's modules warns.
    packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$python" -m compileall -q -j 0 "$packages" >/dev/null 2>&1 || true
    ;;
esac
