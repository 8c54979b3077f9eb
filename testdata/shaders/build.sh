#!/bin/sh
# Compiles the shaders with glslang and Mesa RADV (ACO), without a GPU: RADV_FORCE_FAMILY.
# NAME.CHIP.hex gets a comment line of facts and the machine code, a word a line. RADV
# prints the words of GCN 1.2 and later; for GCN 1.0 and 1.1 it hands them to
# clrxdisasm, in whose place a script keeps them.
#   build.sh          all
#   build.sh NAME     one shader
set -e
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc -O1 -o $tmp/pipeline pipeline.c -lvulkan
cat >$tmp/clrxdisasm <<END
#!/bin/sh
for f; do if [ -f "\$f" ]; then cp "\$f" $tmp/code; fi; done
END
chmod +x $tmp/clrxdisasm
export PATH=$tmp:$PATH MESA_SHADER_CACHE_DISABLE=1 RADV_DEBUG=shaders,shaderstats,nocache
export VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/radeon_icd.x86_64.json
version=$(dpkg-query -W -f='${Version}' mesa-vulkan-drivers)

for source in ${1:-*}.comp; do
	k=${source%.comp}
	glslangValidator -V --target-env vulkan1.1 -o $tmp/$k.spv $source >$tmp/glslang.log || { cat $tmp/glslang.log; exit 1; }
	for chip in tahiti hawaii polaris10 vega10 vega20; do
		RADV_FORCE_FAMILY=$chip pipeline $tmp/$k.spv >$tmp/log 2>&1
		facts=$(sed -n 's/^\(VGPRs\|LDS size\|Scratch size\|Code size\): /\1 /p' $tmp/log | tr '\n' ',' | sed 's/,$//; s/,/, /g')
		{
			echo "# $k.comp for $chip, Mesa $version RADV: $facts"
			case $chip in
			tahiti | hawaii) od -An -v -tx4 -w4 $tmp/code | tr -d ' ' ;;
			*) sed -n 's/.*; \([0-9a-f]\{8\}\( [0-9a-f]\{8\}\)*\)$/\1/p' $tmp/log | tr ' ' '\n' ;;
			esac
		} >$k.$chip.hex
	done
done
