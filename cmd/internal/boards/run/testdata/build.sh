#!/usr/bin/env bash
# Compiles kernels.cl, whole.cl and products.cl for a processor of each generation of figures.tsv: clang 22 with its lld.
set -euo pipefail
cd "$(dirname "$0")"
compile() {
	clang-22 -target amdgcn-amd-amdhsa -mcpu="$2" -nogpulib -x cl -cl-std=CL2.0 -cl-no-stdinc -mcode-object-version=5 \
		-O2 -ffp-contract=fast -cl-denorms-are-zero "${@:4}" -c "$1" -o "$3.o"
	ld.lld-22 -shared "$3.o" -o "$3.co"
	rm "$3.o"
}
for cpu in gfx600 gfx701 gfx803 gfx906; do
	packed=()
	[ "$cpu" != gfx906 ] || packed=(-DPACKED)
	compile kernels.cl "$cpu" "$cpu" -Werror "${packed[@]}"
done
for cpu in gfx600 gfx701 gfx803 gfx900 gfx906; do
	compile whole.cl "$cpu" "whole.$cpu"
done
for cpu in gfx803 gfx900 gfx906; do
	compile products.cl "$cpu" "products.$cpu"
done
