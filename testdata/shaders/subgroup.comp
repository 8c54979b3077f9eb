#version 450
// Subgroups of 64: ballot, shuffles, sums, scans, broadcast.
#extension GL_GOOGLE_include_directive : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_quad : enable
#include "layout.glsl"

void main() {
  uint x = src.i[ID];
  uvec4 odd = subgroupBallot((x & 1) != 0);
  uint sum = subgroupAdd(x), before = subgroupExclusiveAdd(x), top = subgroupInclusiveMax(x);
  uint other = subgroupShuffleXor(x, 21) ^ subgroupShuffle(x, x & 63);
  uint some = 0;
  if ((x & 3) == 2) some = subgroupAdd(x >> 4) + subgroupBroadcastFirst(x);
  dst.o[ID] = uvec4(odd.x ^ odd.y + subgroupBallotExclusiveBitCount(odd), sum + before, top - other, some + subgroupQuadSwapDiagonal(x));
}
