package mtbuf_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

const base = 0x10000

var identity = [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}

// bench is a wave with a buffer in s[0:3], offsets step*lane in v0 and lane numbers in v1.
type bench struct {
	w    *state.Wave
	p    *executor.Ports
	a    state.Access
	span *executor.Span
}

func newBench(g gcn.Gen, b gcn.Buffer, step uint32) *bench {
	return newBenchOn(g.Target(), b, step)
}

func newBenchOn(t gcn.Target, b gcn.Buffer, step uint32) *bench {
	n := &bench{w: state.NewWave(t, 16), span: memtest.NewSpan(base, 1<<14)}
	n.p = &executor.Ports{Mem: memtest.Memory{n.span}, LDS: *memtest.NewSpan(0, 1024)}
	b.Base = base
	n.w.SetSGPRs(0, b.Words()...)
	n.w.SetVGPR(0, lane.Times(step))
	n.w.SetVGPR(1, lane.ID())
	return n
}

// run executes an instruction with VDATA v4, SRSRC s[0:3], SOFFSET 0 and the given fields.
func (b *bench) run(t testing.TB, name string, fields memtest.Fields) *state.Fault {
	in := b.inst(name, fields)
	impl := executor.Find(&in)
	require.NotNil(t, impl.Exec, impl.Why)
	return impl.Exec(b.w, b.p, &in, &b.a)
}

func (b *bench) inst(name string, fields memtest.Fields) isa.Inst {
	all := memtest.Fields{isa.SOFFSET: isa.ConstZero, isa.VDATA: 4}
	maps.Copy(all, fields)
	return memtest.Inst(b.w.Target, name, all)
}

// first returns the registers of lane 0 from v4 on.
func (b *bench) first(n int) (v []uint32) {
	for i := range n {
		v = append(v, b.w.V[4+i][0])
	}
	return v
}

// A typed load has the format in the instruction and no component selection; a load of MUBUF uses the format and the
// selection of the V# (rule DP1).
func TestSourceOfFormat(t *testing.T) {
	b := newBench(gcn.GCN12, gcn.Buffer{
		NumRecords: 1 << 14, DataFormat: 5, NumFormat: gcn.NumUINT,
		DstSel: [4]gcn.Sel{gcn.Sel1, gcn.SelG, gcn.SelR, gcn.SelA},
	}, 4)
	b.span.Words[0] = 0x00ff8000
	require.Nil(t, b.run(t, "tbuffer_load_format_xyzw", memtest.Fields{isa.OFFEN: 1, isa.DFMT: 3, isa.NFMT: gcn.NumUNORM}))
	require.Equal(t, []uint32{0, load(gcn.NumUNORM, 0x80, 8), 0, 0}, b.first(4), "8_8 is XY00")
	require.Equal(t, [2]uint8{2, 1}, [2]uint8{b.a.Elem, b.a.Count})
	require.Nil(t, b.run(t, "buffer_load_format_xyzw", memtest.Fields{isa.OFFEN: 1}))
	require.Equal(t, []uint32{1, 0xff, 0x8000, 0}, b.first(4), "16_16 has no A")
	require.Nil(t, b.run(t, "buffer_load_format_x", memtest.Fields{isa.OFFEN: 1}))
	require.Equal(t, []uint32{1, 0xff}, b.first(2), "one register is written")
	require.Equal(t, uint16(4), b.a.Reg)
	require.Equal(t, uint8(1), b.a.Regs)
}

// GCN 1.4 and Stoney pack D16 data; with an odd count the upper half of the last register is unchanged. Other
// processors of GCN 1.2 use one register for each value (rule DP4).
func TestD16(t *testing.T) {
	buffer := gcn.Buffer{NumRecords: 1 << 14, DataFormat: 10, NumFormat: gcn.NumUNORM, DstSel: identity}
	packed := []uint32{0x3c000000, 0x55553804, 0x55555555, 0x55555555, 0x55555555}
	for target, want := range map[gcn.Target][]uint32{
		gcn.GFX803: {0, 0x3c00, 0x3804, 0x55555555, 0x55555555}, gcn.GFX810: packed, gcn.GFX900: packed,
	} {
		b := newBenchOn(target, buffer, 4)
		b.span.Words[0] = 0x0080ff00
		for i := range 5 {
			b.w.SetVGPR(4+i, lane.All(0x55555555))
		}
		require.Nil(t, b.run(t, "buffer_load_format_d16_xyz", memtest.Fields{isa.OFFEN: 1}))
		require.Equal(t, want, b.first(5), target)
		b.span.Words[0] = 0
		require.Nil(t, b.run(t, "buffer_store_format_d16_xyz", memtest.Fields{isa.OFFEN: 1}))
		require.Equal(t, uint32(0x0080ff00), b.span.Words[0], target)
	}
	b := newBench(gcn.GCN14, buffer, 4)
	b.w.SetVGPR(4, lane.All(0x55555555))
	b.span.Words[0] = 0xff
	require.Nil(t, b.run(t, "buffer_load_format_d16_hi_x", memtest.Fields{isa.OFFEN: 1}))
	require.Equal(t, uint32(0x3c005555), b.w.V[4][0])
}

// With an invalid data format a load returns 0 and a store does nothing (rule R6). Reserved combinations of formats
// are refused.
func TestNoFormat(t *testing.T) {
	b := newBench(gcn.GCN10, gcn.Buffer{NumRecords: 1 << 14, DstSel: [4]gcn.Sel{gcn.Sel1}}, 4)
	b.w.SetVGPR(4, lane.All(5))
	b.span.Words[0] = 7
	require.Nil(t, b.run(t, "buffer_store_format_x", nil))
	require.Equal(t, uint32(7), b.span.Words[0])
	require.Equal(t, gcn.NoMem, b.a.Op)
	require.Nil(t, b.run(t, "buffer_load_format_x", nil))
	require.Zero(t, b.w.V[4][0])

	b = newBench(gcn.GCN10, gcn.Buffer{NumRecords: 1 << 14, DataFormat: 4, NumFormat: gcn.NumUNORM}, 4)
	require.Equal(t, state.FaultIllegal, b.run(t, "buffer_load_format_x", nil).Kind)
	b.w.SetBuffer(0, gcn.Buffer{NumRecords: 1 << 14, DataFormat: 10, NumFormat: gcn.NumUSCALED})
	require.Equal(t, state.FaultIllegal, b.run(t, "buffer_store_format_x", nil).Kind)
	b.w.S[3] |= 1 << 30 // the resource is an image: the instruction is ignored
	require.Nil(t, b.run(t, "buffer_store_format_x", nil))
}

func TestBind(t *testing.T) {
	b := newBench(gcn.GCN10, gcn.Buffer{}, 4)
	for _, tt := range []struct {
		name   string
		fields memtest.Fields
		level  gcn.Fidelity
		why    string
	}{
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 4, isa.NFMT: gcn.NumUNORM}, gcn.NotExecuted, "32 with UNORM has no meaning"},
		{"tbuffer_store_format_x", memtest.Fields{isa.DFMT: 1, isa.NFMT: gcn.NumSSCALED}, gcn.NotExecuted, "8 SSCALED takes no stores"},
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 1, isa.ADDR64: 1, isa.IDXEN: 1}, gcn.NotExecuted, "ADDR64"},
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 10}, gcn.Exact, ""},
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 10, isa.NFMT: gcn.NumSNORM_OGL}, gcn.Approximate, "range"},
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 6, isa.NFMT: gcn.NumFLOAT}, gcn.Approximate, "may not work"},
		{"tbuffer_load_format_x", memtest.Fields{isa.DFMT: 15}, gcn.Assumed, "invalid"},
		{"tbuffer_store_format_x", memtest.Fields{isa.DFMT: 10}, gcn.Exact, ""},
		{"tbuffer_store_format_x", memtest.Fields{isa.DFMT: 2, isa.NFMT: gcn.NumFLOAT}, gcn.Approximate, "round small floats"},
	} {
		in := b.inst(tt.name, tt.fields)
		impl := executor.Find(&in)
		require.Equal(t, tt.level, impl.Level, "%s %v", tt.name, tt.fields)
		require.Contains(t, impl.Why, tt.why)
		require.Equal(t, tt.level == gcn.NotExecuted, impl.Exec == nil)
	}
}

// Stoney sign-extends the 2-bit alpha; the other processors of its generation do not.
func TestUnsignedAlpha(t *testing.T) {
	for target, want := range map[gcn.Target]uint32{gcn.GFX803: 3, gcn.GFX810: math.MaxUint32,
		gcn.GFX900: math.MaxUint32} {
		b := newBench(target.Gen(), gcn.Buffer{NumRecords: 1 << 14}, 4)
		b.w.Target = target
		b.span.Words[0] = 3 << 30
		require.Nil(t, b.run(t, "tbuffer_load_format_xyzw", memtest.Fields{isa.DFMT: 9, isa.NFMT: gcn.NumSINT}))
		require.Equal(t, []uint32{0, 0, 0, want}, b.first(4), target)
	}
}

func TestRandomWords(t *testing.T) { memtest.Hammer(t, isa.MTBUF) }

func TestNoAllocations(t *testing.T) {
	for _, name := range []string{"buffer_load_format_xyzw", "buffer_store_format_xyzw", "tbuffer_load_format_d16_xyz",
		"tbuffer_store_format_d16_xyz"} {
		b := newBench(gcn.GCN14, gcn.Buffer{NumRecords: 100, DataFormat: 10, DstSel: identity}, 4)
		in := b.inst(name, memtest.Fields{isa.OFFEN: 1})
		if in.Row().Enc == isa.MTBUF {
			in, _ = in.Set(isa.DFMT, 10)
		}
		exec := executor.Find(&in).Exec
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if f := exec(b.w, b.p, &in, &b.a); f != nil {
				panic(f)
			}
		}), name)
	}
}

func BenchmarkFormat(b *testing.B) {
	for _, bb := range []struct {
		name, inst string
		data, num  uint8
		idxen      int64
		exec       uint64
	}{
		{"load 8_8_8_8 UNORM xyzw", "buffer_load_format_xyzw", 10, gcn.NumUNORM, 0, state.FullExec},
		{"load 8_8_8_8 UNORM xyzw idxen", "buffer_load_format_xyzw", 10, gcn.NumUNORM, 1, state.FullExec},
		{"load 8_8_8_8 UNORM xyzw half", "buffer_load_format_xyzw", 10, gcn.NumUNORM, 0, memtest.EveryOther},
		{"load 8_8_8_8 UNORM d16 xyzw", "buffer_load_format_d16_xyzw", 10, gcn.NumUNORM, 0, state.FullExec},
		{"load 16_16_16_16 FLOAT xyzw", "buffer_load_format_xyzw", 12, gcn.NumFLOAT, 1, state.FullExec},
		{"load 32_32_32_32 FLOAT xyzw", "buffer_load_format_xyzw", 14, gcn.NumFLOAT, 1, state.FullExec},
		{"store 8_8_8_8 UNORM xyzw", "buffer_store_format_xyzw", 10, gcn.NumUNORM, 0, state.FullExec},
		{"store 32_32_32_32 FLOAT xyzw", "buffer_store_format_xyzw", 14, gcn.NumFLOAT, 1, state.FullExec},
	} {
		b.Run(bb.name, func(b *testing.B) {
			size := uint32(0)
			for _, w := range widthsOf(bb.data) {
				size += uint32(w) / 8
			}
			n := newBench(gcn.GCN14, gcn.Buffer{NumRecords: 1 << 14, Stride: uint32(bb.idxen) * size, DataFormat: bb.data,
				NumFormat: bb.num, DstSel: identity}, size)
			n.w.SetExec(bb.exec)
			in := n.inst(bb.inst, memtest.Fields{isa.OFFEN: 1 - bb.idxen, isa.IDXEN: bb.idxen, isa.ADDR: bb.idxen})
			exec := executor.Find(&in).Exec
			for b.Loop() {
				if f := exec(n.w, n.p, &in, &n.a); f != nil {
					b.Fatal(f)
				}
			}
		})
	}
	// a reference for loads of 8_8_8_8 UNORM
	b.Run("plain Go", func(b *testing.B) {
		n := newBench(gcn.GCN14, gcn.Buffer{}, 4)
		for b.Loop() {
			for lane, off := range &n.w.V[0] {
				v := n.span.Words[off/4]
				for c := range 4 {
					n.w.V[4+c][lane] = math.Float32bits(float32(v>>(8*c)&0xff) / 255)
				}
			}
		}
	})
}
