#!/bin/sh
# install_ocr.sh [LANGUAGE…]: see that Tesseract's data for the languages of scanned pages are there
# (by default eng); install Debian's where we may. The engine itself comes with PyMuPDF.
set -eu

missing=
for language in "${@:-eng}"; do
    found=$(find "${TESSDATA_PREFIX:-/usr/share}" -name "$language.traineddata" 2>/dev/null | head -n 1)
    [ -n "$found" ] || missing="$missing tesseract-ocr-$(echo "$language" | tr _ -)"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing$missing, to read scanned pages."
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # one word a package
    if apt-get update -qq && apt-get install -qq -y --no-install-recommends $missing >/dev/null; then
        exit 0
    fi
fi
echo "Scanned pages cannot be read and it could not be mended here: install$missing." >&2
if [ -n "${CI:-}" ]; then
    exit 1
fi
echo "The tests of OCR are skipped." >&2
