#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : enable
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#define i8 int8_t
#define u8 uint8_t
#define i16 int16_t
#define u16 uint16_t
#define i32 int
#define u32 uint
#define i64 int64_t
#define u64 uint64_t
#define f32 float
#define f64 double
#define u16x2 u16vec2
#define i16x2 i16vec2
#define u32x2 uvec2
#define u32x4 uvec4
#define ITEM gl_LocalInvocationIndex
#define WORKGROUP gl_WorkGroupID.x
#define WHERE gl_GlobalInvocationID.x
#define BARRIER barrier()
#define LANES 64
#define LANE gl_SubgroupInvocationID
layout(local_size_x = GROUP) in;
layout(binding = 0) buffer Output { u64 to[]; };
layout(binding = 1) readonly buffer Input { u32 from[]; };
layout(binding = 2, r32ui) uniform readonly uimage2D picture;
#define TEXEL(s, t) imageLoad(picture, ivec2((s) & 15u, (t) & 15u)).x
#define ATOMIC_add(p, v) atomicAdd(p, v)
#define ATOMIC_sub(p, v) atomicAdd(p, -(v))
#define ATOMIC_and(p, v) atomicAnd(p, v)
#define ATOMIC_or(p, v) atomicOr(p, v)
#define ATOMIC_xor(p, v) atomicXor(p, v)
#define SUBGROUP_add(v) subgroupAdd(v)
#define SUBGROUP_min(v) subgroupMin(v)
#define SUBGROUP_max(v) subgroupMax(v)
#define SUBGROUP_and(v) subgroupAnd(v)
#define SUBGROUP_or(v) subgroupOr(v)
#define SUBGROUP_xor(v) subgroupXor(v)
#define SUBGROUP_sums(v) subgroupInclusiveAdd(v)
#define SUBGROUP_first(v) subgroupBroadcastFirst(v)
#define SUBGROUP_lane(v, lane) subgroupBroadcast(v, lane)
#define SUBGROUP_shuffle(v, lane) subgroupShuffle(v, lane)
#define SUBGROUP_count(c) subgroupBallotBitCount(subgroupBallot(c))
#define SUBGROUP_below(c) subgroupBallotExclusiveBitCount(subgroupBallot(c))
f32 norm_f32(f32 x) { return x > 0.0009765625 && x < 65536.0 || x < -0.0009765625 && x > -65536.0 ? x : 1.5; }
f64 norm_f64(f64 x) { return x > 0.0009765625lf && x < 65536.0lf || x < -0.0009765625lf && x > -65536.0lf ? x : 1.5lf; }
f32 add_f32(f32 a, f32 b) { precise f32 c = a + b; return c; }
f32 sub_f32(f32 a, f32 b) { precise f32 c = a - b; return c; }
f32 mul_f32(f32 a, f32 b) { precise f32 c = a * b; return c; }
f64 add_f64(f64 a, f64 b) { precise f64 c = a + b; return c; }
f64 sub_f64(f64 a, f64 b) { precise f64 c = a - b; return c; }
f64 mul_f64(f64 a, f64 b) { precise f64 c = a * b; return c; }
u64 bits_f32(f32 x) { return u64(floatBitsToUint(x)); }
u64 bits_f64(f64 x) { return pack64(unpackDouble2x32(x)); }
i32 div_i32(i32 a, i32 b) { return b == 0 || b == -1 && a == -2147483647 - 1 ? a : a / b; }
i64 div_i64(i64 a, i64 b) { return b == 0l || b == -1l && a == -9223372036854775807l - 1l ? a : a / b; }
u32 popcount(u32 x) { return u32(bitCount(x)); }
u32 clz(u32 x) { return u32(31 - findMSB(x)); }
u32 ctz(u32 x) { return u32(findLSB(x)); }
u32 bswap32(u32 x) { return x << 24 | (x & 0xff00u) << 8 | x >> 8 & 0xff00u | x >> 24; }
