#!/bin/sh
# Starts a process of the image: NAME_FILE gives the variable NAME the content of a file, as secrets
# come in containers, and the metrics of a process that ended here before are forgotten.
# INDEX_CA_FILE and SSL_CERT_FILE (of OpenSSL) name files themselves.
set -eu

for name in $(env | sed -n 's/^\([A-Z][A-Z0-9_]*\)_FILE=.*/\1/p'); do
    case $name in INDEX_CA | SSL_CERT) continue ;; esac
    eval "file=\$${name}_FILE"
    [ -r "$file" ] || { echo "${name}_FILE: $file cannot be read" >&2; exit 1; }
    export "$name=$(cat "$file")"
    unset "${name}_FILE"
done

if [ -n "${PROMETHEUS_MULTIPROC_DIR:-}" ]; then
    mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
    rm -f "$PROMETHEUS_MULTIPROC_DIR"/*.db
fi

exec "$@"
