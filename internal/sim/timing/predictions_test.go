package timing_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// prediction is a published figure with the kernel that should reproduce it. Figures are those of rule CY13, by its
// numbers.
type prediction struct {
	number int
	what   string
	source string
	want   float64
	got    func(t testing.TB) float64
	why    string // the reason, if the figures differ by more than a tenth
}

const (
	load   = " v2, v0, s[0:3], 0 offen"
	loadX2 = " v[2:3], v0, s[0:3], 0 offen"
	loadX3 = " v[2:4], v0, s[0:3], 0 offen"
	loadX4 = " v[2:5], v0, s[0:3], 0 offen"
)

// r8 is a buffer of bytes, rgba8 one of four-byte elements (DATA_FORMAT 1 and 10, unorm).
var (
	r8    = gcn.Buffer{DataFormat: 1, DstSel: [4]gcn.Sel{gcn.SelR, gcn.Sel0, gcn.Sel0, gcn.Sel1}}
	rgba8 = gcn.Buffer{DataFormat: 10, DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}
)

// swizzled returns a scratch buffer with one dword per lane.
func swizzled(indexStride uint32) gcn.Buffer {
	return gcn.Buffer{Stride: 4, Swizzle: true, ElemSize: 4, IndexStride: indexStride, NumRecords: 64}
}

// busy returns a function for the throughput of an instruction in clocks.
func busy(target gcn.Target, inst string, v gcn.Buffer, v0 func(uint32) uint32) func(testing.TB) float64 {
	return func(t testing.TB) float64 {
		return kernel{target: target, text: loopOf(inst), v: v, v0: v0}.throughput(t)
	}
}

// issue returns a function for the clocks between two executions of an instruction in one wave.
func issue(target gcn.Target, inst string) func(testing.TB) float64 {
	return func(t testing.TB) float64 {
		first, then := kernel{target: target, text: inst, v0: times(16)}.spacing(t)
		// source: AMD, a trace of a Polaris in the documentation of the Radeon GPU Profiler
		if !strings.HasPrefix(inst, "v_") {
			assert.InDelta(t, 4, first, 0.1)
		}
		return then
	}
}

// ratio returns a/b.
func ratio(a, b func(testing.TB) float64) func(testing.TB) float64 {
	return func(t testing.TB) float64 { return a(t) / b(t) }
}

// runs returns a function for the number of runs that coalesce: the clocks of TA if the length of a run had no limit.
func runs(v gcn.Buffer) func(testing.TB) float64 {
	return func(t testing.TB) float64 {
		k := kernel{
			target: gcn.GFX803, text: "buffer_load_dword v2, v0, s[0:3], 0 idxen", v: v, v0: times(1),
			params: func(p *timing.Params) { set(p, "CoalescedLanes", state.NumLanes) },
		}
		_, spans := k.run(t, 0)
		return float64(spans[0].TA.Clocks)
	}
}

func read(stride uint32) func(testing.TB) float64 {
	return busy(gcn.GFX803, "ds_read_b32 v2, v0", gcn.Buffer{}, times(4*stride))
}

func predictions() []prediction {
	const fiji, vega = gcn.GFX803, gcn.GFX900
	linear := busy(fiji, "buffer_load_dword"+load, gcn.Buffer{}, times(4))
	random := busy(fiji, "buffer_load_dword"+load, gcn.Buffer{}, scattered(4))
	same := func(uint32) uint32 { return 64 }
	all := []prediction{
		{number: 1, what: "buffer_load_dword, consecutive", source: "GPUOpen", want: 4, got: linear},
		{number: 2, what: "buffer_load_dword, random", source: "GPUOpen", want: 16, got: random},
		{number: 3, what: "ratio of random to consecutive", source: "perftest", want: 3.9, got: ratio(random, linear)},
		{number: 4, what: "buffer_load_dword, one address", source: "perftest", want: 4, got: busy(fiji, "buffer_load_dword"+load, gcn.Buffer{}, same)},
		{number: 5, what: "buffer_load_ubyte, linear", source: "perftest", want: 4, got: busy(fiji, "buffer_load_ubyte"+load, gcn.Buffer{}, times(1))},
		{number: 5, what: "buffer_load_ushort, linear", source: "perftest", want: 4, got: busy(fiji, "buffer_load_ushort"+load, gcn.Buffer{}, times(2))},
		{number: 6, what: "buffer_load_dwordx2, linear, GCN 1.1", source: "perftest, CLRX", want: 18, got: busy(gcn.GFX701, "buffer_load_dwordx2"+loadX2, gcn.Buffer{}, times(8))},
		{number: 6, what: "buffer_load_dwordx2, linear, GCN 1.2", source: "perftest, CLRX", want: 18, got: busy(fiji, "buffer_load_dwordx2"+loadX2, gcn.Buffer{}, times(8))},
		{number: 7, what: "buffer_load_dwordx2, linear, GCN 1.4", source: "perftest", want: 16, got: busy(vega, "buffer_load_dwordx2"+loadX2, gcn.Buffer{}, times(8))},
		{number: 8, what: "buffer_load_dwordx4, linear", source: "perftest, CLRX", want: 16, got: busy(fiji, "buffer_load_dwordx4"+loadX4, gcn.Buffer{}, times(16))},
		{number: 9, what: "buffer_load_dwordx4, random, aligned", source: "perftest", want: 18, got: busy(fiji, "buffer_load_dwordx4"+loadX4, gcn.Buffer{}, scattered(16))},
		{number: 10, what: "buffer_load_dwordx3, linear", source: "perftest", want: 16, got: busy(fiji, "buffer_load_dwordx3"+loadX3, gcn.Buffer{}, times(12))},
		{number: 10, what: "buffer_load_dwordx3, random", source: "perftest", want: 32, got: busy(fiji, "buffer_load_dwordx3"+loadX3, gcn.Buffer{}, scattered(4))},
		{number: 11, what: "buffer_load_dwordx4, random, unaligned", source: "perftest", want: 20, got: busy(fiji, "buffer_load_dwordx4"+loadX4, gcn.Buffer{}, scattered(4))},
		{number: 12, what: "buffer_load_format_x of 8 bits, linear", source: "perftest", want: 4, got: busy(fiji, "buffer_load_format_x"+load, r8, times(1))},
		{number: 13, what: "buffer_load_format_xyzw of 8_8_8_8, linear", source: "perftest", want: 16, got: busy(fiji, "buffer_load_format_xyzw"+loadX4, rgba8, times(4))},
		{number: 13, what: "buffer_load_format_xyzw of 8_8_8_8, random", source: "perftest", want: 16, got: busy(fiji, "buffer_load_format_xyzw"+loadX4, rgba8, scattered(4))},
		{number: 14, what: "image_load of 8 bits, linear", source: "perftest", want: 16, got: texels("image_load", 1, times(1))},
		{number: 15, what: "image_load of 32_32_32_32, linear", source: "perftest", want: 24, got: texels("image_load", 16, times(1))},
		{number: 15, what: "image_load of 32_32_32_32, random", source: "perftest", want: 32, got: texels("image_load", 16, scattered(1))},
		{number: 16, what: "image_load of 16_16_16_16, random", source: "perftest", want: 32, got: texels("image_load", 8, scattered(1))},
		{number: 17, what: "image_sample, bilinear, 8_8_8_8", source: "GPUOpen", want: 16, got: bilinear(4)},
		{number: 18, what: "image_sample, bilinear, 32_32_32_32", source: "GPUOpen", want: 64, got: bilinear(16)},
		{number: 19, what: "buffer_store_dword, issue", source: "CLRX", want: 16,
			got: issue(fiji, "buffer_store_dword"+load)},
		{number: 20, what: "buffer_atomic_add, issue", source: "CLRX", want: 16, got: issue(fiji, "buffer_atomic_add"+load)},
		{number: 20, what: "buffer_atomic_cmpswap, issue", source: "CLRX", want: 32, got: issue(fiji, "buffer_atomic_cmpswap"+loadX2)},
		{number: 20, what: "buffer_atomic_add glc, issue", source: "CLRX", want: 17, got: issue(fiji, "buffer_atomic_add"+load+" glc")},
		{number: 20, what: "buffer_atomic_add_x2 glc, issue", source: "CLRX", want: 18, got: issue(fiji, "buffer_atomic_add_x2"+loadX2+" glc")},
		{number: 20, what: "buffer_load_dwordx2, issue", source: "CLRX", want: 18, got: issue(fiji, "buffer_load_dwordx2"+loadX2)},
		{number: 21, what: "swizzled dword, INDEXSTRIDE 64", source: "seed", want: 4,
			got: busy(fiji, "buffer_load_dword v2, v0, s[0:3], 0 idxen", swizzled(64), times(1))},
		{number: 21, what: "the same: runs", source: "seed", want: 1, got: runs(swizzled(64))},
		{number: 22, what: "swizzled dword, INDEXSTRIDE 16: runs", source: "seed", want: 4, got: runs(swizzled(16))},
		{number: 23, what: "stride 16, a dword each", source: "seed", want: 16,
			got: busy(fiji, "buffer_load_dword v2, v0, s[0:3], 0 idxen", gcn.Buffer{Stride: 16, NumRecords: 64}, times(1))},
		{number: 23, what: "STRIDE 1, a dword for each of contiguous indices", source: "seed", want: 4,
			got: busy(fiji, "buffer_load_dword v2, v0, s[0:3], 0 idxen", gcn.Buffer{Stride: 1}, times(1))},
		{number: 23, what: "STRIDE 1, a byte for each of contiguous indices", source: "seed", want: 4,
			got: busy(fiji, "buffer_load_ubyte v2, v0, s[0:3], 0 idxen", gcn.Buffer{Stride: 1}, times(1))},
		{number: 23, what: "STRIDE 1, indices 4 apart", source: "seed", want: 16,
			got: busy(fiji, "buffer_load_dword v2, v0, s[0:3], 0 idxen", gcn.Buffer{Stride: 1}, times(4))},
		{number: 25, what: "ds_read_b32, one address, against stride 1", source: "CLRX", want: 1, got: ratio(read(0), read(1))},
		{number: 26, what: "ds_read_b32, stride 33, against stride 1", source: "bank rule", want: 1, got: ratio(read(33), read(1))},
		{number: 27, what: "ds_write_b32, issue", source: "rocprofiler-compute, CLRX", want: 8,
			got: issue(fiji, "ds_write_b32 v0, v2")},
		{number: 28, what: "ds_write_b128, issue", source: "rocprofiler-compute, CLRX", want: 20, got: issue(fiji, "ds_write_b128 v0, v[4:7]")},
		{number: 29, what: "ds_read_b64, issue", source: "CLRX", want: 8, got: issue(fiji, "ds_read_b64 v[2:3], v0")},
		{number: 29, what: "ds_read_b128, issue", source: "CLRX", want: 16, got: issue(fiji, "ds_read_b128 v[4:7], v0")},
		{number: 30, what: "bytes a clock of LDS, ds_read_b64", source: "AMD", want: 128,
			got: func(t testing.TB) float64 {
				return 8 * state.NumLanes / busy(fiji, "ds_read_b64 v[2:3], v0", gcn.Buffer{}, times(8))(t)
			}},
		{number: 31, what: "bytes a clock of L1, buffer_load_dwordx4", source: "AMD", want: 64,
			got: func(t testing.TB) float64 {
				return 16 * state.NumLanes / busy(fiji, "buffer_load_dwordx4"+loadX4, gcn.Buffer{}, times(16))(t)
			}},
		{number: 32, what: "loads of a wave that overlap, GCN 1.2", source: "seed", want: 16,
			got: kernel{target: fiji, text: "buffer_load_dword" + load, v0: times(4)}.overlap},
		{number: 32, what: "loads of a wave that overlap, GCN 1.4", source: "seed", want: 64,
			got: kernel{target: vega, text: "buffer_load_dword" + load, v0: times(4)}.overlap},
		{number: 33, what: "buffer_store_dwordx4, issue", source: "CLRX", want: 16,
			got: issue(fiji, "buffer_store_dwordx4"+loadX4)},
		{number: 35, what: "v_rcp_f32, issue", source: "CLRX", want: 16, got: issue(fiji, "v_rcp_f32 v2, v3")},
		{number: 35, what: "v_mul_lo_u32, issue", source: "CLRX", want: 16, got: issue(fiji, "v_mul_lo_u32 v2, v3, v4")},
		{number: 35, what: "v_add_f32, issue", source: "CLRX", want: 4, got: issue(fiji, "v_add_f32 v2, v3, v4")},
		{number: 35, what: "s_load_dwordx8, issue", source: "AMD, a trace", want: 4, got: issue(vega,
			"s_load_dwordx8 s[8:15], s[0:1], 0x0")},
	}
	for _, r := range dsRows {
		all = append(all,
			prediction{number: 36, what: r.inst + ", clocks a wave", source: "CLRX", want: r.clocks,
				got: busy(fiji, r.inst, gcn.Buffer{}, times(r.step))},
			prediction{number: 36, what: r.inst + ", issue", source: "CLRX", want: r.issue, got: func(t testing.TB) float64 {
				_, then := kernel{target: fiji, text: r.inst, v0: times(r.step)}.spacing(t)
				return then
			}})
	}
	for _, stride := range []uint32{1, 2, 4, 8, 16, 32} {
		all = append(all, prediction{
			number: 24, what: fmt.Sprintf("ds_read_b32, stride %d, against stride 1", stride), source: "CLRX",
			want: float64(stride), got: ratio(read(stride), read(1)),
		})
	}
	return all
}

// dsRows are the DS instructions of rule CY11: clocks at issue, and clocks of the LDS for a wave whose lanes have
// adjacent data of step bytes.
var dsRows = []struct {
	inst          string
	step          uint32
	issue, clocks float64
}{
	{"ds_read_b32 v2, v0", 4, 4, 2},
	{"ds_read_u8 v2, v0", 1, 4, 2},
	{"ds_read_i8 v2, v0", 1, 4, 2},
	{"ds_read_u16 v2, v0", 2, 4, 2},
	{"ds_read_i16 v2, v0", 2, 4, 2},
	{"ds_swizzle_b32 v2, v0 offset:0x041f", 4, 4, 2},
	{"ds_read_b64 v[2:3], v0", 8, 8, 4},
	{"ds_read2_b32 v[2:3], v0 offset1:1", 8, 8, 4},
	{"ds_read2_b32 v[2:3], v0 offset1:64", 4, 8, 4},
	{"ds_read2st64_b32 v[2:3], v0 offset1:1", 4, 8, 4},
	{"ds_read2_b64 v[4:7], v0 offset1:1", 16, 16, 8},
	{"ds_read2_b64 v[4:7], v0 offset1:64", 8, 16, 8},
	{"ds_read_b96 v[4:6], v0", 12, 16, 8},
	{"ds_read_b128 v[4:7], v0", 16, 16, 8},
	{"ds_write_b8 v0, v2", 1, 8, 4},
	{"ds_write_b16 v0, v2", 2, 8, 4},
	{"ds_write_b32 v0, v2", 4, 8, 4},
	{"ds_write_b64 v0, v[2:3]", 8, 12, 8},
	{"ds_write2_b32 v0, v2, v3 offset1:1", 8, 12, 6},
	{"ds_write2st64_b32 v0, v2, v3 offset1:1", 4, 12, 6},
	{"ds_write2_b64 v0, v[2:3], v[4:5] offset1:1", 16, 20, 10},
	{"ds_write_b96 v0, v[4:6]", 12, 16, 10},
	{"ds_write_b128 v0, v[4:7]", 16, 20, 10},
	{"ds_add_u32 v0, v2", 4, 8, 4},
	{"ds_add_rtn_u32 v3, v0, v2", 4, 8, 4},
	{"ds_add_u64 v0, v[2:3]", 8, 12, 6},
	{"ds_add_rtn_u64 v[4:5], v0, v[2:3]", 8, 12, 6},
	{"ds_cmpst_b32 v0, v2, v3", 4, 12, 6},
	{"ds_cmpst_b64 v0, v[2:3], v[4:5]", 8, 20, 10},
	{"ds_mskor_b32 v0, v2, v3", 4, 12, 6},
	{"ds_mskor_b64 v0, v[2:3], v[4:5]", 8, 20, 10},
	{"ds_wrxchg_rtn_b32 v3, v0, v2", 4, 8, 4},
	{"ds_wrxchg_rtn_b64 v[4:5], v0, v[2:3]", 8, 12, 6},
	{"ds_wrxchg2_rtn_b32 v[4:5], v0, v2, v3 offset1:1", 8, 12, 6},
	{"ds_wrxchg2_rtn_b64 v[4:7], v0, v[2:3], v[8:9] offset1:1", 16, 20, 12},
	{"ds_add_src2_u32 v0", 4, 4, 4},
	{"ds_add_src2_u64 v0", 8, 8, 8},
}

func TestPredictions(t *testing.T) {
	effort.Long(t)
	for i, p := range predictions() {
		if effort.LeavesOut(i) {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", p.number, p.what), func(t *testing.T) {
			got := p.got(t)
			t.Logf("%6.2f, published %6.2f (%s) %s", got, p.want, p.source, p.why)
			within := math.Abs(got-p.want) <= 0.1*p.want
			assert.Equal(t, p.why == "", within, "got %.2f, published %.2f (%s)", got, p.want, p.source)
		})
	}
}
