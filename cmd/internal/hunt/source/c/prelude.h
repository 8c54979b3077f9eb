typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long i64;
typedef unsigned long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
#ifndef HOST
#define KERNEL kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#define GLOBAL global
#define LOCAL local
#define CONSTANT constant
#define ITEM ((u32)__builtin_amdgcn_workitem_id_x())
#define WORKGROUP ((u32)__builtin_amdgcn_workgroup_id_x())
#define WHERE (WORKGROUP * GROUP + ITEM)
#define FENCE __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
#define BARRIER (FENCE, __builtin_amdgcn_s_barrier(), FENCE)
#define BALLOT(c) __builtin_amdgcn_uicmp((u32)(c), 0, 33)
#define SUBGROUP_first(v) ((u32)__builtin_amdgcn_readfirstlane(v))
#define SUBGROUP_lane(v, n) ((u32)__builtin_amdgcn_readlane(v, n))
#define SUBGROUP_count(c) ((u32)__builtin_popcountl(BALLOT(c)))
#define SUBGROUP_below(c) __builtin_amdgcn_mbcnt_hi(BALLOT(c) >> 32, __builtin_amdgcn_mbcnt_lo(BALLOT(c), 0))
typedef ushort2 u16x2;
typedef short2 i16x2;
typedef uint2 u32x2;
typedef uint4 u32x4;
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#pragma OPENCL FP_CONTRACT OFF
#endif
#define NOINLINE static __attribute__((noinline))
#define ATOMIC(op, p, v) ((void)__atomic_fetch_##op(p, v, __ATOMIC_RELAXED))
static f16 norm_f16(f16 x) { return (x > 0.0625f && x < 512.0f) || (x < -0.0625f && x > -512.0f) ? x : (f16)1.5f; }
static f32 norm_f32(f32 x) { return (x > 0x1p-10f && x < 0x1p16f) || (x < -0x1p-10f && x > -0x1p16f) ? x : 1.5f; }
static f64 norm_f64(f64 x) { return (x > 0x1p-10 && x < 0x1p16) || (x < -0x1p-10 && x > -0x1p16) ? x : 1.5; }
static f32 add_f32(f32 a, f32 b) { return a + b; }
static f32 sub_f32(f32 a, f32 b) { return a - b; }
static f32 mul_f32(f32 a, f32 b) { return a * b; }
static f64 add_f64(f64 a, f64 b) { return a + b; }
static f64 sub_f64(f64 a, f64 b) { return a - b; }
static f64 mul_f64(f64 a, f64 b) { return a * b; }
static u64 bits_f16(f16 x) { union { f16 f; u16 u; } v; v.f = x; return v.u; }
static u64 bits_f32(f32 x) { union { f32 f; u32 u; } v; v.f = x; return v.u; }
static u64 bits_f64(f64 x) { union { f64 f; u64 u; } v; v.f = x; return v.u; }
static i32 div_i32(i32 a, i32 b) { return b == 0 || (b == -1 && a == -2147483647 - 1) ? a : a / b; }
static i32 rem_i32(i32 a, i32 b) { return b == 0 || (b == -1 && a == -2147483647 - 1) ? a : a % b; }
static i64 div_i64(i64 a, i64 b) { return b == 0 || (b == -1 && a == -9223372036854775807 - 1) ? a : a / b; }
static i64 rem_i64(i64 a, i64 b) { return b == 0 || (b == -1 && a == -9223372036854775807 - 1) ? a : a % b; }
