#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#include "common.glsl"
// Bytes and halves in memory: loads, stores beside one another, conversions.
layout(set = 0, binding = 0) buffer Out8 { uint8_t v[]; } o8;
layout(set = 0, binding = 0) buffer Out16 { uint16_t v[]; } o16;
layout(set = 0, binding = 0) buffer OutHalf { float16_t v[]; } oh;
layout(set = 0, binding = 1) buffer In8 { int8_t v[]; } i8;
layout(set = 0, binding = 1) buffer In16 { int16_t v[]; } i16;
layout(set = 0, binding = 1) buffer InHalf { float16_t v[]; } ih;
void main() {
	uint n = id(), all = 64u * gl_NumWorkGroups.x;
	o8.v[n] = uint8_t(uint(int(i8.v[n * 3u])) + n);
	o16.v[all + n] = uint16_t(int(i16.v[n * 2u + 1u]) * 3);
	oh.v[2u * all + n] = float16_t(float(int(n) - 77) * 0.25);
	o.words[2u * all + n] = uint(int(i8.v[n])) ^ uint(int(i16.v[n])) << 8;
}
