#!/bin/sh
# Translates lines from standard input to standard output.
#
#   run.sh [cpu-single|cpu-multi|latency] [OPTION…]
#
# cpu-single (the default) uses one thread, cpu-multi a process of two threads for each pair of processors, each pinned to its own, and
# latency answers each line before it reads the next, on one thread. Options go to `wanderwort translate`.
set -eu
task=cpu-single
if [ $# -gt 0 ]; then
  case "$1" in
  cpu-single | cpu-multi | latency)
    task=$1
    shift
    ;;
  -*) ;;
  *)
    echo "run.sh: expected cpu-single, cpu-multi or latency, found '$1'" >&2
    exit 2
    ;;
  esac
fi
program=${WANDERWORT:-/wanderwort}
model=${MODEL:-/model.wanderwort}
case "$task" in
cpu-single) set -- --threads 1 "$@" ;;
latency) set -- --threads 1 --latency "$@" ;;
cpu-multi)
  # As Linux lists the processors that this process may use: 0-3,8.
  processors=0
  list=$(while read -r name value; do [ "$name" != Cpus_allowed_list: ] || echo "$value"; done </proc/self/status)
  old=$IFS
  IFS=,
  for range in $list; do
    processors=$((processors + ${range#*-} - ${range%-*} + 1))
  done
  IFS=$old
  if [ "$processors" -ge 4 ]; then
    set -- --processes $((processors / 2)) --threads 2 --pin "$@"
  else
    set -- --processes "$processors" --threads 1 --pin "$@"
  fi
  ;;
esac
exec "$program" translate --model "$model" "$@"
