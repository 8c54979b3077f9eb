#!/usr/bin/env bash
# Compiles kernels.cl for the processor of each board in figures.tsv: clang 22 with its lld.
set -euo pipefail
cd "$(dirname "$0")"
for cpu in gfx600 gfx701 gfx803 gfx906; do
	packed=()
	[ "$cpu" != gfx906 ] || packed=(-DPACKED)
	clang-22 -target amdgcn-amd-amdhsa -mcpu="$cpu" -nogpulib -x cl -cl-std=CL2.0 -cl-no-stdinc -mcode-object-version=5 \
		-O2 -ffp-contract=fast -cl-denorms-are-zero -Werror "${packed[@]}" -c kernels.cl -o "$cpu.o"
	ld.lld-22 -shared "$cpu.o" -o "$cpu.co"
	rm "$cpu.o"
done
