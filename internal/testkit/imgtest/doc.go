// Package imgtest is an independent implementation of image instructions for tests. It is slow, and computes one lane
// after another in plain float64 arithmetic. It derives an instruction's behaviour from its mnemonic instead of the
// traits of package gcn. It shares with the tested code only descriptors (package gcn), texel addresses (package
// gcn/tile) and the decoding of blocks other than BC1 (package internal/isa/format).
//
// [Call] is an instruction with its registers and memory, [Call.Run] executes it, and [Random] creates one. [Golden]
// returns texture look-ups whose results another program computed.
//
// # Choices
//
// If the handbook names a default for GCN, the model uses it. If the handbook leaves something open, the model does
// this:
//
//   - A texel out of range is an element of zero bits, decoded, then DST_SEL. For
//     block-compressed formats the decoded texel is 0.
//   - With TFE, all components are 0 if a texel with weight is unmapped. Without TFE that
//     is an error.
//   - A T# without an image type or with a reserved data format: 0 in all components, and
//     no status.
//   - RESINFO: components that a type does not have are 0: (w, 0, 0, levels) for 1D.
//   - Atomics and stores have their TFE register after all source registers.
//   - 3D images never add BASE_ARRAY, and DA adds no register for them.
//   - Texels are rounded to single precision before they are filtered or compared.
//   - Float results of samplers: denormals of FLOAT are flushed in texels and in results.
//   - Border colours replace all four components, including those that a format lacks.
//     BC_SWIZZLE permutes border colours of all types.
//   - _C compares the components that DST_SEL selected, each one separately.
//   - Huge coordinates are reduced by the period before the offset is added.
//   - MC_COORD_TRUNC replaces every other rounding, after the 0.5 of linear filters.
//   - CLAMP_HALF_BORDER clamps after the offset was added.
//   - Cube edges are seamless for point filters too. The texel beyond a corner is the mean
//     of the three texels around the corner, rounded to single precision; the texel of the
//     own face has weight 21846. It is compared and filtered like others.
//   - LOD: quad differences in float64, not less than -32 before bias, rounded to 1/256,
//     then bias. Quads across faces of a cube are unfolded; opposite faces are
//     infinitely far apart in x. NaN of bias and clamp is 0.
//   - Anisotropy is computed like in the D3D11.3 specification, see anisotropy.
//   - Gathers compute LOD like samples, including anisotropy. T#.MIN_LOD only matters for
//     GATHER4_LZ: if it is above the level, texels are out of range: 0, then DST_SEL and
//     comparison.
//   - FORCE_DEGAMMA applies to UNORM formats whose components have 8 bits in memory, not to
//     compressed ones. SKIP_DEGAMMA has priority.
//   - Gathers of integers before GCN 1.4 round like point filters.
//   - Integer formats use the nearest level; their MIN/MAX filters work on GCN 1.4.
//   - MIN_LOD_WARN counts levels from 0, not from BASE_LEVEL.
//   - GET_LOD rounds the raw LOD to 1/256; components 2 and 3 are 0.
package imgtest
