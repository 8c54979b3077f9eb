#!/bin/sh
# usage: bisect.sh SPEC.json OBJECT CLANG ARGUMENTS...
# Compiles OBJECT with passes switched off from some number on, and finds the first pass with which the dispatch of
# SPEC.json does not do what it expects.
spec=$1 object=$2
shift 2
log=$(mktemp) && trap 'rm -f "$log"' EXIT

try() {
	limit=$1
	shift
	"$@" -mllvm -opt-bisect-limit="$limit" -o "$object" 2>"$log" || { cat "$log" >&2; exit 2; }
	gcnsim dispatch "$spec" >/dev/null
}

try -1 "$@" && { echo "it is right with all passes"; exit 1; }
high=$(grep -c '^BISECT: running' "$log")
low=0
try 0 "$@" || { echo "it is wrong without optional passes"; exit 1; }
while [ $((high - low)) -gt 1 ]; do
	middle=$(((low + high) / 2))
	if try $middle "$@"; then low=$middle; else high=$middle; fi
done
try $high "$@"
grep "^BISECT: running pass ($high)" "$log"
