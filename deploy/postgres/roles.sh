#!/bin/sh
# Run once by the image of Postgres on an empty data folder: three logins and the database.
# citegrid_owner makes tables and is for `citegrid-server migrate` alone; the others own nothing.
set -eu

password() { cat "/run/secrets/$1_password"; }

psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" \
    --set owner="$(password owner)" --set api="$(password api)" --set worker="$(password worker)" <<'SQL'
create role citegrid_app nologin;
create role citegrid_owner login password :'owner';
create role citegrid_api login password :'api';
create role citegrid_worker login password :'worker';
grant citegrid_app, citegrid_api, citegrid_worker to citegrid_owner with admin option;
create database citegrid owner citegrid_owner encoding 'UTF8' template template0;
SQL
