#!/usr/bin/env bash
# Compiles sampled.cl: clang 22 with its lld.
set -euo pipefail
cd "$(dirname "$0")"
clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -x cl -cl-std=CL2.0 \
	-mcode-object-version=5 -O2 -ffp-contract=fast -cl-denorms-are-zero -c sampled.cl -o sampled.o
ld.lld-22 -shared --strip-all sampled.o -o sampled.co
rm sampled.o
