#!/bin/sh
# lock.sh PYTHON [--upgrade]: write the exact versions that are installed into requirements/.
#
# base.txt and test.txt hold hashes and serve every supported Python and system; hf.txt and
# train.txt hold versions alone, because torch exists as several builds of one version (CPU, CUDA).
set -eu
python=$1 upgrade=${2:-}

compile() {
    "$python" -m uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
        --native-tls --no-emit-index-url --no-annotate --no-header ${upgrade:+"$upgrade"} "$@"
}
compile --generate-hashes --output-file requirements/base.txt
compile --generate-hashes --constraint requirements/base.txt \
    --extra test --extra community --output-file requirements/test.txt
compile --constraint requirements/test.txt --extra hf --output-file requirements/hf.txt
compile --constraint requirements/hf.txt --extra hf --extra train --output-file requirements/train.txt
