// What texels are: KIND 0 floats, 1 ints, 2 uints.
#if KIND == 0
#define VEC vec4
#define BITS floatBitsToUint
#define VALUE(n) unpackUnorm4x8(hash(n, 5u))
#elif KIND == 1
#define VEC ivec4
#define BITS uvec4
#define VALUE(n) (ivec4(unpackUnorm4x8(hash(n, 5u)) * 255.0) - 128)
#else
#define VEC uvec4
#define BITS uvec4
#define VALUE(n) uvec4(unpackUnorm4x8(hash(n, 5u)) * 255.0)
#endif
