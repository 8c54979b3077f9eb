#!/bin/sh
# Compiles the kernels: Debian clang 14.0.6 with ld.lld-14 (code objects v2, v3 and v4),
# clang 19 with ld.lld-19 (v5), clang 22 with ld.lld-22 (v6), all of which still know the
# five targets. NAME[.VARIANT].CPU.co is written beside the source.
#   build.sh          all
#   build.sh NAME     one kernel
set -e
cd "$(dirname "$0")"

# What a kernel needs beyond plain OpenCL C 1.2 on every target.
settings() { # kernel
	cpus="tahiti hawaii fiji gfx900 gfx906" std=CL1.2 first=14
	case $1 in
	flatptr | genericatomics) cpus="hawaii fiji gfx900 gfx906" std=CL2.0 ;; # FLAT instructions
	fptr) std=CL2.0 ;; # function pointers
	dpp | permute | halfmath) cpus="fiji gfx900 gfx906" ;;
	dots) cpus=gfx906 ;;
	buffers) cpus="hawaii fiji gfx900 gfx906" first=22 ;; # 12 bytes; builtins that clang 14 lacks
	clock) first=22 ;;
	where) cpus="tahiti fiji gfx906" ;;
	esac
}

compile() { # kernel, output stem, clang, options
	k=$1 stem=$2 cc=$3
	shift 3
	for cpu in $cpus; do
		clang-$cc -target amdgcn-amd-amdhsa -mcpu=$cpu -nogpulib -fwrapv -cl-fp32-correctly-rounded-divide-sqrt \
			-x cl -cl-std=$std "$@" -c $k.cl -o k.o
		ld.lld-$cc -shared -s -o $stem.$cpu.co k.o
		rm k.o
		chmod 644 $stem.$cpu.co
	done
}

for source in ${1:-*}.cl; do
	k=${source%.cl}
	settings $k
	case $k in where) # its name says the layout of hidden arguments
		compile $k $k.v4 14 -O2 -DHIDDEN=4
		compile $k $k.v5 19 -O2 -mcode-object-version=5 -DHIDDEN=5
		continue ;;
	esac
	compile $k $k $first -O2
	case $k in vadd | reduce | calls | sort | flatptr | loop | stack | structs | distance | genericatomics | ldswide | halfpairs | lanes)
		compile $k $k.O0 14 -O0 ;;
	esac
	case $k in fptr)
		compile $k $k.v5.O0 19 -O0 ;;
	esac
	case $k in sha256 | native | queens | scalars | divd | shorts)
		compile $k $k.O3 14 -O3 ;;
	esac
	case $k in vadd | reduce | calls | dynlocal | stack)
		compile $k $k.v2 14 -O2 -mcode-object-version=2 ;;
	esac
	case $k in globals | structs)
		compile $k $k.v3 14 -O2 -mcode-object-version=3 ;;
	esac
	case $k in stack | calls | spill)
		cpus="gfx900 gfx906"
		compile $k $k.flat 14 -O2 -mllvm -amdgpu-enable-flat-scratch
		settings $k ;;
	esac
	case $k in stack) # dwords at odd offsets of scratch
		cpus="gfx900 gfx906"
		compile $k $k.v6.O0 22 -O0 -mcode-object-version=6
		settings $k ;;
	esac
	case $k in vadd | scan | calls | ids | dynlocal | divd | volume | genericatomics)
		compile $k $k.v5 19 -O2 -mcode-object-version=5 ;;
	esac
	# Not genericatomics: clang 22 makes its 64-bit atomic read an aperture from address
	# 0xc0 on GCN 1.1 and 1.2, an implicit argument of a null pointer.
	case $k in vadd | ids | stack | divf | divd | longs | pairs | halfpairs | dots | dpp | lanes | atomics64 | ntt | shorts | globals | spill | convertf | memoryatomics | d16 | mix)
		compile $k $k.v6 22 -O2 -mcode-object-version=6 ;;
	esac
done
