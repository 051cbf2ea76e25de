#!/bin/sh
# install_postgresql.sh: see that a PostgreSQL is there for the tests; install it where we may.
set -eu

ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0
command -v initdb >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing PostgreSQL for the tests of both databases."
    export DEBIAN_FRONTEND=noninteractive
    # Without a cluster of the system's own: the tests make theirs in a temporary folder.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    if apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql >/dev/null; then
        exit 0
    fi
fi
echo "There is no PostgreSQL and it could not be installed here: install the package 'postgresql'." >&2
if [ -n "${CI:-}" ]; then
    exit 1
fi
echo "The tests on PostgreSQL are skipped." >&2
