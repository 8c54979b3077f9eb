#!/bin/sh
# Compiles the shaders with glslang and Mesa RADV (ACO), without a GPU: RADV_FORCE_FAMILY.
# NAME.CHIP.hex gets a comment line of facts and the machine code, a word a line. RADV
# prints the words of GCN 1.2 and later; for GCN 1.0 and 1.1 it hands them to
# clrxdisasm, in whose place a script keeps them.
# Shaders with NAME.pictures also run on the CPU, by lavapipe: NAME.want.hex.
#   build.sh          all
#   build.sh NAME     one shader
set -e
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc -O1 -o $tmp/pipeline pipeline.c -lvulkan
cc -O1 -o $tmp/lavapipe lavapipe.c -lvulkan
cat >$tmp/clrxdisasm <<END
#!/bin/sh
for f; do if [ -f "\$f" ]; then cp "\$f" $tmp/code; fi; done
END
chmod +x $tmp/clrxdisasm
export PATH=$tmp:$PATH MESA_SHADER_CACHE_DISABLE=1 RADV_DEBUG=shaders,shaderstats,nocache
drivers=/usr/share/vulkan/icd.d
version=$(dpkg-query -W -f='${Version}' mesa-vulkan-drivers)

for source in ${1:-*}.comp; do
	k=${source%.comp}
	glslangValidator -V --target-env vulkan1.1 -o $tmp/$k.spv $source >$tmp/glslang.log || { cat $tmp/glslang.log; exit 1; }
	for chip in tahiti hawaii polaris10 vega10 vega20; do
		VK_ICD_FILENAMES=$drivers/radeon_icd.x86_64.json RADV_FORCE_FAMILY=$chip pipeline $tmp/$k.spv >$tmp/log 2>&1
		facts=$(sed -n 's/^\(VGPRs\|LDS size\|Scratch size\|Code size\): /\1 /p' $tmp/log | tr '\n' ',' | sed 's/,$//; s/,/, /g')
		{
			echo "# $k.comp for $chip, Mesa $version RADV: $facts"
			case $chip in
			tahiti | hawaii) od -An -v -tx4 -w4 $tmp/code | tr -d ' ' ;;
			*) sed -n 's/.*; \([0-9a-f]\{8\}\( [0-9a-f]\{8\}\)*\)$/\1/p' $tmp/log | tr ' ' '\n' ;;
			esac
		} >$k.$chip.hex
	done
	[ -f $k.pictures ] || continue
	glslangValidator -V -DREFERENCE --target-env vulkan1.1 -o $tmp/$k.spv $source >$tmp/glslang.log || { cat $tmp/glslang.log; exit 1; }
	results=$(sed -n 's/^#define RESULTS //p' $source)
	{
		echo "# $k.comp by lavapipe, Mesa $version: 64 items of $results results"
		VK_ICD_FILENAMES=$drivers/lvp_icd.x86_64.json lavapipe $tmp/$k.spv $k.pictures $((64 * 4 * results))
	} >$k.want.hex
done
