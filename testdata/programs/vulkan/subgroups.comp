#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#include "common.glsl"
// Subgroup operations, against the same computed one by one: what is written counts the
// differences, so that it does not depend on how large a subgroup is.
shared uint all[64];
uint lane(uint k) { return all[gl_SubgroupID * gl_SubgroupSize + k]; }
uint bad = 0u;
void same(uint bit, bool holds) { if (!holds) bad |= 1u << bit; }
void main() {
	uint x = hash(id(), 9u), me = gl_SubgroupInvocationID, size = gl_SubgroupSize;
	all[gl_SubgroupID * size + me] = x;
	barrier();
	uint sum = 0u, before = 0u, least = ~0u, most = 0u, both = ~0u, any = 0u, odd = 0u, product = 1u, odds = 0u, oddsBefore = 0u;
	for (uint k = 0u; k < size; k++) {
		uint v = lane(k);
		if (k < me) before += v;
		sum += v;
		least = min(least, v);
		most = max(most, v);
		both &= v;
		any |= v;
		odd ^= v;
		product *= v | 1u;
		odds += v & 1u;
		if (k < me) oddsBefore += v & 1u;
	}
	same(0, subgroupAdd(x) == sum);
	same(1, subgroupExclusiveAdd(x) == before);
	same(2, subgroupInclusiveAdd(x) == before + x);
	same(3, subgroupMin(x) == least && subgroupMax(x) == most);
	same(4, subgroupAnd(x) == both && subgroupOr(x) == any && subgroupXor(x) == odd);
	same(5, subgroupMul(x | 1u) == product);
	uvec4 ballot = subgroupBallot((x & 1u) != 0u);
	same(6, subgroupBallotBitCount(ballot) == odds && subgroupBallotExclusiveBitCount(ballot) == oddsBefore);
	same(7, subgroupBallotBitExtract(ballot, me) == ((x & 1u) != 0u));
	same(8, subgroupBroadcastFirst(x) == lane(0u) && subgroupBroadcast(x, 3u) == lane(3u));
	same(9, subgroupShuffle(x, (me * 5u + 1u) % size) == lane((me * 5u + 1u) % size));
	same(10, subgroupShuffleXor(x, 2u) == lane(me ^ 2u));
	uint up = subgroupShuffleUp(x, 1u), down = subgroupShuffleDown(x, 1u);
	same(11, (me == 0u || up == lane(me - 1u)) && (me + 1u == size || down == lane(me + 1u)));
	same(12, subgroupQuadBroadcast(x, 2u) == lane((me & ~3u) + 2u));
	same(13, subgroupQuadSwapHorizontal(x) == lane(me ^ 1u) && subgroupQuadSwapVertical(x) == lane(me ^ 2u) && subgroupQuadSwapDiagonal(x) == lane(me ^ 3u));
	same(14, subgroupAll(x > 0u) == (least > 0u) && subgroupAny((x & 1u) == 0u) == (odds < size) && subgroupAllEqual(size));
	uint four = 0u;
	for (uint k = 0u; k < 4u; k++) four += lane((me & ~3u) + k);
	same(15, subgroupClusteredAdd(x, 4u) == four);
	same(16, subgroupElect() == (me == 0u));
	if ((x & 3u) == 0u) { // some are not there
		uint there = 0u, count = 0u;
		for (uint k = 0u; k < size; k++) if ((lane(k) & 3u) == 0u) { there += lane(k); count++; }
		same(17, subgroupAdd(x) == there && subgroupAdd(1u) == count);
	}
	o.words[id()] = bad;
}
