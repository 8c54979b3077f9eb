#!/bin/sh
# build.sh DIR compiles the programs and the shaders of the suite, or those that ONLY lists, to DIR. It takes
# cc, libvulkan-dev and glslang-tools.
set -eu
src=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
for program in suite share; do
	cc -O1 -Wall -o "$out/$program" "$src/$program.c" "$src/vk.c" -lvulkan -lm
done

shader() { # NAME SOURCE [DEFINES]
	name=$1 source=$2
	shift 2
	case " ${ONLY:=} " in
	"  " | *" $name "*) ;;
	*) return 0 ;;
	esac
	glslangValidator -V --quiet --target-env vulkan1.2 "$@" -o "$out/$name.spv" "$src/$source.comp" >"$out/log" || { cat "$out/log"; exit 1; }
}

for s in integers floats wide narrow small halves atomics subgroups lds scratch ids robust add imageatomics; do
	shader $s $s
done
kind=0
for k in "" i u; do
	shader texels$kind texels -DKIND=$kind "-DSAMPLER=${k}samplerBuffer" "-DIMAGE=${k}imageBuffer"
	for d in "1D int(c.x)" "2D c.xy" "3D c" "1DArray c.xy" "2DArray c"; do
		set -- $d
		shader "fetch$1$kind" fetch -DKIND=$kind "-DSAMPLER=${k}sampler$1" "-DCOORD(c)=$(echo "$2" | sed 's/^c$/(c)/; s/^c\./(c)./; s/int(c.x)/((c).x)/')"
		shader "store$1$kind" store -DKIND=$kind "-DIMAGE=${k}image$1" "-DCOORD(c)=$(echo "$2" | sed 's/^c$/(c)/; s/^c\./(c)./; s/int(c.x)/((c).x)/')"
	done
	kind=$((kind + 1))
done

sample() { shader "$1" sample "-DSAMPLER=$2" "-DRESULT=$3"; } # NAME SAMPLER RESULT
sample lod1D sampler1D "textureLod(t, c.x, c.w)"
sample lod2D sampler2D "textureLod(t, c.xy, c.w)"
sample lod3D sampler3D "textureLod(t, c.xyz, c.w)"
sample lodCube samplerCube "textureLod(t, c.xyz * 2.0 - 1.0, c.w)"
sample lod2DArray sampler2DArray "textureLod(t, vec3(c.xy, floor(c.z * 4.0)), c.w)"
sample lod1DArray sampler1DArray "textureLod(t, vec2(c.x, floor(c.z * 4.0)), c.w)"
sample lodCubeArray samplerCubeArray "textureLod(t, vec4(c.xyz * 2.0 - 1.0, floor(c.x * 1.5)), c.w)"
sample lod2Du usampler2D "textureLod(t, c.xy, c.w)"
sample lod2Di isampler2D "textureLod(t, c.xy, c.w)"
sample grad2D sampler2D "textureGrad(t, c.xy, vec2(exp2(c.w) / 32.0, 0.0), vec2(0.0, exp2(c.w) / 64.0))"
sample offset2D sampler2D "textureLodOffset(t, c.xy, c.w, ivec2(-3, 2))"
sample proj2D sampler2D "textureProjLod(t, vec3(c.xy * 2.0, 2.0), c.w)"
sample gather2D sampler2D "textureGather(t, c.xy, 1)"
sample gatherOffset2D sampler2D "textureGatherOffset(t, c.xy, ivec2(1, -2), 2)"
sample gatherCube samplerCube "textureGather(t, c.xyz * 2.0 - 1.0, 0)"
sample gather2DArray sampler2DArray "textureGather(t, vec3(c.xy, floor(c.z * 4.0)), 3)"
sample gather2Du usampler2D "textureGather(t, c.xy, 0)"
sample shadow2D sampler2DShadow "textureLod(t, c.xyz, c.w)"
sample shadowGather2D sampler2DShadow "textureGather(t, c.xy, c.z)"
sample size2D sampler2D "textureSize(t, int(n / 64u % 3u)), textureQueryLevels(t), 0.0"
sample size3D sampler3D "textureSize(t, int(n / 64u % 3u)), textureQueryLevels(t)"
sample size2DArray sampler2DArray "textureSize(t, int(n / 64u % 3u)), textureQueryLevels(t)"
sample sizeCubeArray samplerCubeArray "textureSize(t, int(n / 64u % 3u)), textureQueryLevels(t)"
rm -f "$out/log"
