#!/bin/sh
# Makes random passwords for compose.yaml in ./secrets, once: what is there already stays.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
# The folder keeps others out. The files must be readable: in the containers run users with other numbers than yours.
chmod 0700 secrets
cd secrets

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { # NAME TEXT
  [ -e "$1" ] || { printf '%s\n' "$2" > "$1.new"; chmod 0444 "$1.new"; mv "$1.new" "$1"; }
}

make postgres-password "$(random)"
make database-url "postgres://bridge:$(cat postgres-password)@postgres/bridge"
make redis-password "$(random)"
make redis-config "requirepass $(cat redis-password)"
make redis-url "redis://:$(cat redis-password)@redis"
make grafana-password "$(random)"
