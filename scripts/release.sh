#!/bin/sh
# release.sh [PYTHON]: build the wheels `strata-docs` and `strata-client` of the last commit into
# dist/, after each was installed into a new environment and tried there.
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "$1" >&2
    exit 1
}
# in_environment NAME WHAT…: install something into the environment NAME, which is made if need be.
in_environment() {
    environment=$work/$1
    shift
    [ -d "$environment" ] || "$python" -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --no-input --disable-pip-version-check "$@" ||
        fail "Packages could not be installed; the reason stands above. Nothing was put into dist/."
}

# From the commit, so that nothing half done or left over gets into a wheel.
mkdir "$work/source" "$work/client" "$work/wheels"
git archive HEAD | tar -x -C "$work/source"
[ -z "$(git status --porcelain)" ] || echo "Changes that are not committed stay out of the wheels."
cd "$work/source"
version=$("$python" -c 'import tomllib
print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])')
grep -q "^## $version " CHANGELOG.md ||
    fail "CHANGELOG.md has no heading \"## $version – DATE\": give it to what stands under Unreleased."

cp strata_client.py LICENSE "$work/client"
cp scripts/strata_client.toml "$work/client/pyproject.toml"
echo "$version" >"$work/client/VERSION"
cd "$work"
for folder in source client; do
    "$python" -m pip wheel --quiet --no-input --disable-pip-version-check --no-deps \
        --wheel-dir wheels "./$folder" ||
        fail "The wheel of '$folder' could not be built; the reason stands above."
done

echo "Trying the client alone."
in_environment of_client wheels/strata_client-*.whl
of_client/bin/python -c 'from strata_client import Strata; Strata("http://localhost:8501")'

echo "Trying Strata with the locked packages (one or two minutes)."
in_environment of_strata --require-hashes --requirement source/requirements/base.txt
in_environment of_strata --no-deps wheels/strata_docs-*.whl
[ "$(of_strata/bin/strata --version)" = "strata $version" ] || fail "The wheel has another version."
of_strata/bin/python - <<'EOP'
import importlib.metadata
import sys
from pathlib import Path

packages = ("ingestion", "corpora", "chatbot", "prompts", "eval", "ui")
beside = {".py", ".md", ".css", ".svg", ".js", ".html", ".mako"}
needed = {
    str(file.relative_to("source"))
    for package in packages
    for file in Path("source", package).rglob("*")
    if file.suffix in beside or file.name == "config.toml"
}
missing = needed - {str(file) for file in importlib.metadata.files("strata-docs") or ()}
if missing:
    sys.exit(f"Not in the wheel: {', '.join(sorted(missing))}")
import strata_client, ui.api.app, ui.serving.server
EOP
# A new database is made on the way.
STRATA_DATA_DIR=$work/data of_strata/bin/strata releases >/dev/null

mkdir -p "$root/dist"
cp wheels/*.whl "$root/dist"
echo "Built and tried, in dist/:"
ls wheels
