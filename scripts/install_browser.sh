#!/bin/sh
# install_browser.sh: see that a Chromium is there for the browser tests; install it where we may.
set -eu

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Chromium for the browser tests."
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; then
        exit 0
    fi
fi
echo "There is no Chromium and it could not be installed here: install the package 'chromium'." >&2
if [ -n "${CI:-}" ]; then
    exit 1
fi
echo "The browser tests are skipped." >&2
