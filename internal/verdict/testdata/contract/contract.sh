#!/bin/sh
# Compiles contract.cl with and without contraction of floating point. What an assembler does not need is left out.
for chip in gfx803 gfx900 gfx906; do
	for contract in off fast; do
		clang-19 -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -mcpu=$chip -nogpulib -O2 -cl-kernel-arg-info \
			-cl-fp32-correctly-rounded-divide-sqrt -fno-ident -ffp-contract=$contract -S -o - contract.cl |
			sed -e 's/[ \t]*;.*//' -e '/^$/d' -e '/^\t\.\(set\|section\t\.AMDGPU\|section\t"\.note\|p2align\|weak\|type\|size\|addrsig\|protected\)/d' \
				-e '/^    \.\(uses_dynamic_stack\|.gpr_spill_count\|language\|private_segment_fixed\|wavefront\)/d' -e '/^      - [02]$/d' \
				>$chip.$contract.s
	done
done
