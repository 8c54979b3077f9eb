package sim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// try executes words on a wave with random registers. The outcome must be a state, or a fault with a text, and never
// a panic.
func (x *wild) try(t testing.TB, words []uint32) {
	x.registers()
	_, err := x.m.Run(ctx, x.w, words)
	var f *state.Fault
	switch errors.As(err, &f); {
	case err == nil:
	case f == nil || f.What == "":
		t.Fatalf("%v, words %08x: %v", x.t, words, err)
	case f.Kind == state.FaultInternal:
		t.Fatalf("%v, %d VGPRs, words %08x (%s): %v\n%v", x.t, x.w.NumVGPRs, words, f.Text, err, f.Err)
	}
}

// vgprCount returns a number of VGPRs, 1 to 256, mostly small.
func vgprCount(n uint8) int {
	if n >= 128 {
		return int(n-128)*2 + 1 + int(n)%2
	}
	return int(n)/8 + 1
}

// maxFuzzAlloc is a number of bytes that no instruction may allocate.
const maxFuzzAlloc = 32 << 20

// allocated returns the bytes that the process has allocated in total.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// rowsATime is the number of instructions that FuzzRows executes for one seed.
const rowsATime = 16

func tryRows(t testing.TB, target, vgprs uint8, seed uint64) {
	x := newWild(gcn.Target(target%gcn.NumTargets), vgprCount(vgprs), seed)
	before := allocated()
	for range rowsATime {
		words := x.inst()
		if x.one(4) {
			words = append(words, x.inst()...)
		}
		x.try(t, words)
	}
	if n := allocated() - before; n > maxFuzzAlloc {
		t.Fatalf("%d bytes allocated", n)
	}
}

// FuzzRows executes instructions of every row and encoding, with random values in all fields, on waves of all sizes
// and on every target. They must execute or fault, within bounded memory.
func FuzzRows(f *testing.F) {
	for i := range gcn.NumTargets {
		f.Add(uint8(i), uint8(i*13), uint64(i))
	}
	f.Fuzz(func(t *testing.T, target, vgprs uint8, seed uint64) { tryRows(t, target, vgprs, seed) })
}

// TestWildRows is a short run of FuzzRows.
func TestWildRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for target := range gcn.NumTargets {
		for range memtest.States(40) {
			tryRows(t, uint8(target), uint8(r.Uint32()), r.Uint64())
		}
	}
}

// FuzzRun executes arbitrary words with arbitrary registers on every target. They must execute or fault.
func FuzzRun(f *testing.F) {
	for _, p := range foundPanics {
		for _, target := range p.targets {
			f.Add(uint8(target), uint8(8*(p.vgprs-1)), uint64(1), p.words[0], p.words[1], uint32(0xbf810000))
		}
	}
	f.Add(uint8(11), uint8(8), uint64(1), uint32(0xe0501000), uint32(0x80000100), uint32(0xbf810000))
	f.Add(uint8(14), uint8(200), uint64(2), uint32(0xdc508000), uint32(0x017f0002), uint32(0xbf810000))
	f.Add(uint8(0), uint8(255), uint64(3), uint32(0xd8d80010), uint32(0x01000002), uint32(0xbf810000))
	f.Add(uint8(17), uint8(80), uint64(4), uint32(0xd1c30004), uint32(0x04060501), uint32(0x7e0002f9))
	f.Fuzz(func(t *testing.T, target, vgprs uint8, seed uint64, a, b, c uint32) {
		newWild(gcn.Target(target%gcn.NumTargets), vgprCount(vgprs), seed).try(t, []uint32{a, b, c})
	})
}

// foundPanic is an instruction that once indexed registers that a wave does not have.
type foundPanic struct {
	targets []gcn.Target
	vgprs   int
	words   []uint32
	kind    string // kind of the fault now, "" if it executes
}

// TestFoundPanics executes the instructions that once indexed registers that a wave does not have.
func TestFoundPanics(t *testing.T) {
	for _, p := range foundPanics {
		for _, target := range p.targets {
			m := sim.New(target)
			m.Limit = 8
			buf := m.Alloc(1 << 16)
			w := state.NewWave(target, p.vgprs)
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 1 << 16, DataFormat: 10, DstSel: rgba})
			w.SetSGPRs(8, gcn.Image{Base: buf.Addr, Type: gcn.Image2D, DataFormat: 10, Width: 4, Height: 4, Pitch: 64,
				TileMode: linear(target.Gen()), DstSel: rgba}.Words(target.Gen())...)
			_, err := m.Run(ctx, w, p.words)
			kind := ""
			if f := (*state.Fault)(nil); errors.As(err, &f) {
				kind = f.Kind.String()
			}
			require.Equal(t, p.kind, kind, "%v %08x: %v", target, p.words, err)
		}
	}
}

// linear returns the tiling of images whose texels are in row-major order.
func linear(g gcn.Gen) int {
	if isa.GenTraits(g).SwizzleModes {
		return 0
	}
	return 8
}

// rgba is the identity of DST_SEL.
var rgba = [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}

// TestPackedD16StoresAtTheEndOfTheRegisterFile stores one to four components from registers that end with the last
// VGPR, and compares with a store from lower registers.
func TestPackedD16StoresAtTheEndOfTheRegisterFile(t *testing.T) {
	const vgprs = 8
	for _, target := range []gcn.Target{gcn.GFX810, gcn.GFX900, gcn.GFX906} {
		g := target.Gen()
		run := func(text string, first int) []byte {
			m := sim.New(target)
			buf := m.Alloc(4096)
			w := state.NewWave(target, vgprs)
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr, NumRecords: 4096, DataFormat: 10, DstSel: rgba})
			w.SetSGPRs(8, gcn.Image{Base: buf.Addr, Type: gcn.Image2D, DataFormat: 10, Width: 64, Height: 1, Pitch: 64,
				TileMode: linear(g), DstSel: rgba}.Words(g)...)
			w.SetVGPR(0, lane.Times(1))
			w.SetVGPR(2, lane.Times(4))
			for i, halves := range []uint32{0x38003c00, 0x34003a00} { // the values 1, 0.5, 0.75, 0.25
				if first+i < vgprs {
					w.SetVGPR(first+i, lane.All(halves))
				}
			}
			_, err := m.RunAsm(ctx, w, text)
			require.NoError(t, err, "%v %s", target, text)
			return buf.Bytes()
		}
		for n, comps := range []string{"x", "xy", "xyz", "xyzw"} {
			for _, format := range []string{
				"buffer_store_format_d16_%[1]s %[3]s, v2, s[0:3], 0 offen",
				"tbuffer_store_format_d16_%[1]s %[3]s, v2, s[0:3], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] offen",
				"image_store %[3]s, v[0:1], s[8:15] dmask:%#[2]x unorm d16",
			} {
				text := func(first, last int) string {
					return fmt.Sprintf(format, comps, 1<<(n+1)-1,
						strings.Replace(fmt.Sprintf("v[%d:%d]", first, last), fmt.Sprintf("v[%d:%[1]d]", first),
							fmt.Sprintf("v%d", first), 1))
				}
				count := n/2 + 1
				want, got := run(text(4, 3+count), 4), run(text(vgprs-count, vgprs-1), vgprs-count)
				assert.NotEqual(t, make([]byte, len(got)), got, text(4, 3+count))
				assert.Equal(t, want, got, "%v %s", target, text(vgprs-count, vgprs-1))
			}
		}
	}
}

var foundPanics = []foundPanic{
	// buffer_store_format_d16_xyzw v[6:7], v0, s[0:3], 0 offen
	{[]gcn.Target{gcn.GFX810, gcn.GFX900, gcn.GFX906}, 8, []uint32{0xe03c1000, 0x80000600}, ""},
	// tbuffer_store_format_d16_xyzw v[6:7], v0, s[0:3], 0 offen
	{[]gcn.Target{gcn.GFX810, gcn.GFX900, gcn.GFX906}, 8, []uint32{0xeab79000, 0x80000600}, ""},
	// image_store v[6:7], v[0:1], s[0:7] dmask:0xf unorm d16
	{[]gcn.Target{gcn.GFX810, gcn.GFX900, gcn.GFX906}, 8, []uint32{0xf0201f00, 0x80000600}, ""},
	// ds_gws_sema_v with an ADDR operand, which it does not use
	{[]gcn.Target{gcn.GFX803, gcn.GFX900}, 8, []uint32{0xd9350000, 0x000000c8}, ""},
	// v_mqsad_u32_u8 v[0:3], v[4:5], v1, s56
	{[]gcn.Target{gcn.GFX900}, 8, []uint32{0xd1e70000, 0x02e00104}, "illegal"},
}
