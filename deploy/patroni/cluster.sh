#!/usr/bin/env bash
# Starts etcd, three PostgreSQL servers under Patroni and HAProxy on this machine, to try failovers. As root, on Debian with
# patroni, etcd-server, haproxy and postgresql-15. Each node has a network namespace of its own, so that it can be cut off.
#
#   cluster.sh start FOLDER [FIRST_PORT]   prints the two addresses for DATABASE_URL
#   cluster.sh stop FOLDER                 ends all processes and removes the namespaces
#   cluster.sh run FOLDER NODE             starts Patroni of a node again: node1, node2 or node3
#   cluster.sh cut FOLDER NODE             cuts the network of a node; `join` connects it again
#   cluster.sh etcd FOLDER                 starts etcd again
#
# Each process writes its number to FOLDER/<name>.pid and its log to FOLDER/<name>.log.
set -euo pipefail

action=$1
folder=$(realpath -m "$2")
here=$(dirname "$(realpath "$0")")
if [ "$action" = start ]; then
  mkdir -p "$folder"
  chmod 755 "$folder"
  echo "${3:-15000}" > "$folder/port"
fi
port=$(cat "$folder/port")
# Names of interfaces have at most 15 letters.
name=kith$port
network=10.77.$((port % 250 + 1))
etcd=$((port + 1))
password=kith

# Runs a program in the background: its name, then the command.
background() {
  local as=$1
  shift
  setsid "$@" >> "$folder/$as.log" 2>&1 < /dev/null &
  echo $! > "$folder/$as.pid"
}

start_etcd() {
  background etcd etcd --name kith --data-dir "$folder/etcd" --logger zap --log-level warn \
    --listen-client-urls "http://$network.1:$etcd" --advertise-client-urls "http://$network.1:$etcd" \
    --listen-peer-urls "http://127.0.0.1:$((port + 2))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 2))" \
    --initial-cluster "kith=http://127.0.0.1:$((port + 2))"
}

start_node() {
  # exec: the number is that of Patroni. When it gets SIGKILL, PostgreSQL goes on until it is ended, too.
  background "$1" ip netns exec "$name-$1" setpriv --reuid=postgres --regid=postgres --clear-groups \
    env PYTHONUNBUFFERED=1 patroni "$folder/$1/patroni.yml"
}

case $action in
start)
  ip link add "$name" type bridge
  ip addr add "$network.1/24" dev "$name"
  ip link set "$name" up
  start_etcd
  for n in 1 2 3; do
    node=node$n
    ip netns add "$name-$node"
    ip link add "$name-$n" type veth peer name eth0 netns "$name-$node"
    ip link set "$name-$n" master "$name" up
    ip -n "$name-$node" addr add "$network.1$n/24" dev eth0
    ip -n "$name-$node" link set eth0 up
    ip -n "$name-$node" link set lo up
    install -d -o postgres -m 700 "$folder/$node"
    sed -e "s|@NAME@|$node|; s|@ADDRESS@|$network.1$n|; s|@FOLDER@|$folder|; s|@NAME@|$node|; s|@PASSWORD@|$password|" \
      -e "s|@ETCD@|$network.1:$etcd|; s|@NETWORK@|$network.0/24|" "$here/patroni.yml" > "$folder/$node/patroni.yml"
    chown postgres "$folder/$node/patroni.yml"
    start_node "$node"
    # The first one makes the cluster.
    [ $n = 1 ] && sleep 2
  done
  sed -e "s|@LISTEN@|127.0.0.1:$port|; s|@NODE1@|$network.11|; s|@NODE2@|$network.12|; s|@NODE3@|$network.13|" \
    "$here/haproxy.cfg" > "$folder/haproxy.cfg"
  background haproxy haproxy -db -f "$folder/haproxy.cfg"
  echo "postgres://postgres:$password@127.0.0.1:$port/postgres"
  echo "postgres://postgres:$password@$network.11,$network.12,$network.13/postgres?target_session_attrs=read-write"
  ;;
run) start_node "$3" ;;
etcd) start_etcd ;;
cut) ip link set "$name-${3#node}" down ;;
join) ip link set "$name-${3#node}" up ;;
stop)
  for pid in "$folder"/*.pid; do kill -KILL "$(cat "$pid")" 2> /dev/null || true; done
  for n in 1 2 3; do
    # The servers of a node are all that is left in its namespace.
    for pid in $(ip netns pids "$name-node$n" 2> /dev/null); do kill -KILL "$pid" 2> /dev/null || true; done
    ip netns delete "$name-node$n" 2> /dev/null || true
    ip link delete "$name-$n" 2> /dev/null || true
  done
  ip link delete "$name" 2> /dev/null || true
  ;;
esac
