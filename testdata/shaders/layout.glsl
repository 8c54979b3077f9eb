// What the shaders share: one descriptor set and 32 bytes of push constants.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Out { uvec4 o[]; } dst;
layout(set = 0, binding = 1, std430) buffer In { uint i[]; } src;
layout(push_constant) uniform Push { uint a, b, c, d; vec4 f; } push;
#define ID gl_GlobalInvocationID.x
#define LANE gl_LocalInvocationIndex
