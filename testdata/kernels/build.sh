#!/bin/sh
# Compiles the kernels: Debian clang 14.0.6 with ld.lld-14 (code objects v2 and v4),
# clang 19 with ld.lld-19 (v5). NAME[.VARIANT].CPU.co is written beside the source.
#   build.sh          all
#   build.sh NAME     one kernel
set -e
cd "$(dirname "$0")"
cpus="tahiti hawaii fiji gfx900 gfx906"

compile() { # kernel, output stem, clang, CPU, options
	k=$1 out=$2.$4.co cc=$3 cpu=$4 std=CL1.2
	shift 4
	if [ $k = flatptr ]; then
		std=CL2.0
		if [ $cpu = tahiti ]; then return; fi # no FLAT instructions
	fi
	clang-$cc -target amdgcn-amd-amdhsa -mcpu=$cpu -nogpulib -fwrapv -x cl -cl-std=$std "$@" -c $k.cl -o k.o
	ld.lld-$cc -shared -s -o $out k.o
	rm k.o
	chmod 644 $out
}

for source in ${1:-*}.cl; do
	k=${source%.cl}
	for cpu in $cpus; do
		compile $k $k 14 $cpu -O2
		case $k in vadd | reduce | calls | sort | flatptr | loop)
			compile $k $k.O0 14 $cpu -O0 ;;
		esac
		case $k in vadd | reduce | calls | dynlocal)
			compile $k $k.v2 14 $cpu -O2 -mcode-object-version=2 ;;
		esac
		case $k in vadd | scan | calls | ids | dynlocal)
			compile $k $k.v5 19 $cpu -O2 -mcode-object-version=5 ;;
		esac
	done
done
