// Package imgtest is a second opinion on image instructions for tests: a slow model that
// computes one lane after the other in plain float64 arithmetic. It reads what an
// instruction does from its mnemonic, not from the traits of package gcn, and shares only
// descriptors (package gcn), the place of texels in memory (package gcn/tile) and the
// decoding of blocks other than BC1 (package internal/isa/format) with what it checks.
//
// [Call] is an instruction with all it needs, [Call.Run] executes it, [Random] makes one
// up, and [Golden] yields look-ups whose results another program computed.
//
// # Choices
//
// Where the handbook names a default for GCN, the model takes it. Where it leaves
// something open, the model does this:
//
//   - Out of range is a texel of zero bits, decoded, then DST_SEL; of block-compressed
//     formats it is the decoded texel that is 0.
//   - With TFE, all components are 0 if a texel with weight is not mapped; without TFE that
//     is an error.
//   - T# of no image type or of a data format without a meaning: 0 in all components, and
//     no status.
//   - RESINFO: components that a type does not have are 0: (w, 0, 0, levels) for 1D.
//   - Atomics and stores have their TFE register after all source registers.
//   - 3D images never add BASE_ARRAY and take no register more with DA.
//   - Texels are rounded to single precision before they are filtered or compared.
//   - Floats out of samplers: denormals of FLOAT are flushed in texels and in results.
//   - Border colours replace all four components, also those a format lacks; BC_SWIZZLE
//     permutes all types of them.
//   - _C compares what DST_SEL selected, each component on its own.
//   - Huge coordinates are reduced by the period before the offset is added.
//   - MC_COORD_TRUNC replaces every other rounding, after the 0.5 of linear filters.
//   - CLAMP_HALF_BORDER clamps after the offset was added.
//   - Cube edges are seamless for point filters too. A corner is a texel whose value is the
//     mean of the three around it, rounded to single precision, the one of the own face
//     having weight 21846; it is compared and filtered as any other.
//   - LOD: quad differences in float64, not less than -32 before bias, rounded to 1/256,
//     then bias. Quads across faces of a cube are unfolded, opposite faces are
//     infinitely far apart in x. NaN of bias and clamp is 0.
//   - Anisotropy as the D3D11.3 specification computes it, see anisotropy.
//   - Gathers compute LOD as samples do, anisotropy included. T#.MIN_LOD matters to
//     GATHER4_LZ only: if it is above the level, texels are out of range: 0, then
//     DST_SEL and comparison.
//   - FORCE_DEGAMMA applies to UNORM of formats whose components have 8 bits in memory,
//     not to compressed ones; SKIP_DEGAMMA wins.
//   - Gathers of integers before GCN 1.4 round as point filters do.
//   - Integer formats take the nearest level; MIN/MAX filters of them work on GCN 1.4.
//   - MIN_LOD_WARN counts levels from 0, not from BASE_LEVEL.
//   - GET_LOD rounds the raw LOD to 1/256; components 2 and 3 are 0.
package imgtest
