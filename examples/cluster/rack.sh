#!/bin/sh
# Starts a scheduler here and a worker on each host that is named; tests run it with stand-ins for ssh and scp (see README.md).
# Usage: rack.sh lab-1 lab-2 lab-3
# Every host has lsmtune[hosts], the same version of it, and the same build of the engine.
set -eu

scheduler="tls://$(hostname):8786"
keys="${LSMTUNE_HOSTS_KEYS:-$HOME/.config/lsmtune/keys}"
[ -e "$keys/ca.pem" ] || lsmtune hosts keys "$keys"

nohup lsmtune hosts scheduler --listen "$scheduler" >scheduler.log 2>&1 &

for host in "$@"; do
    # ca-key.pem stays here: it makes certificates.
    ssh "$host" 'umask 077 && mkdir -p ~/.config/lsmtune/keys'
    scp -p "$keys/ca.pem" "$keys/worker.pem" "$keys/worker-key.pem" "$host:.config/lsmtune/keys/"
    ssh "$host" "nohup lsmtune hosts worker $scheduler --label nvme --scratch /data/lsmtune >worker.log 2>&1 </dev/null &"
done

echo "lsmtune hosts status $scheduler"
