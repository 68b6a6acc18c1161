#!/bin/sh
# Makes the files of deploy/secrets that compose.yml names, once: what is there stays as it is.
# Containers run as 10001, and compose binds secret files as they are, so the files are given to it.
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
cd "$folder"

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
keep() { [ -s "$1" ] || printf %s "$2" > "$1"; }

for name in postgres_password owner_password api_password worker_password redis_password secret_key; do
    keep "$name" "$(random)"
done
for role in owner api worker; do
    keep "database_${role}_url" "postgresql://citegrid_${role}:$(cat "${role}_password")@postgres:5432/citegrid"
done
keep redis_url "redis://:$(cat redis_password)@redis:6379/0"

# Of root's files the processes may read theirs, as their group; where it is not root, nothing changes.
if [ "$(id -u)" = 0 ]; then
    chgrp 10001 database_owner_url database_api_url database_worker_url redis_url secret_key
    chmod 640 database_owner_url database_api_url database_worker_url redis_url secret_key
    # What Postgres and Redis are called by in their images.
    chown 999 postgres_password owner_password api_password worker_password redis_password
fi
