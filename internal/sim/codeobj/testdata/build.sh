#!/bin/sh
# Builds the code objects of this directory: clang 14 and 19 with the lld of each.
# Code object v2 to v4 come from clang 14, v5 and v6 from clang 19.
set -e
cd "$(dirname "$0")"
build() { # clang version, code object version, processor, output, more options
	cv=$1 ov=$2 cpu=$3 out=$4
	shift 4
	clang-$cv -target amdgcn-amd-amdhsa -mcpu=$cpu -nogpulib -x cl -cl-std=CL1.2 -mcode-object-version=$ov "$@" \
		-c probe.cl -o probe.o
	ld.lld-$cv -shared -o $out probe.o
	rm probe.o
}
build 14 2 tahiti probe.v2.tahiti.co -O2
build 14 2 fiji probe.v2.fiji.co -O0 -cl-kernel-arg-info
build 14 2 gfx906 probe.v2.gfx906.co -O2
build 14 3 hawaii probe.v3.hawaii.co -O0
build 14 3 gfx900 probe.v3.gfx900.co -O2
build 14 4 fiji probe.v4.fiji.co -O2 -cl-kernel-arg-info
build 14 4 gfx906 probe.v4.gfx906.co -O0
build 19 5 gfx906 probe.v5.gfx906.co -O2
build 19 5 hawaii probe.v5.hawaii.co -O0
build 19 6 gfx900 probe.v6.gfx900.co -O2

# Relocations and odd descriptors, written in assembly.
clang-14 -target amdgcn-amd-amdhsa -mcpu=fiji -nogpulib -c reloc.s -o reloc.o
ld.lld-14 -shared -o reloc.co reloc.o
rm reloc.o

# What a linker gets.
clang-14 -target amdgcn-amd-amdhsa -mcpu=fiji -nogpulib -c link.s -o link.o

# Line tables of DWARF 4 and 5, and what llvm-dwarfdump says of them.
for cv in 14 22; do
	clang-$cv -target amdgcn-amd-amdhsa -mcpu=fiji -nogpulib -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -O2 -g -ffile-compilation-dir=/kernels -c lines.cl -o lines.o
	ld.lld-$cv -shared -o lines.clang$cv.fiji.co lines.o
	mv lines.o lines.clang$cv.fiji.o
	llvm-dwarfdump-22 --debug-line lines.clang$cv.fiji.co | awk '/^0x/{print $1, $2}' >lines.clang$cv.fiji.lines
done
