package memtest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// Base addresses of the ranges in a World.
const (
	Low      = 0x1_0000_0000
	LowSize  = 0x10000
	High     = 0x7f00_0000_0000
	HighSize = 0x1004 // not a multiple of 16
	LDSSize  = 0x2000
	GDSSize  = 0x1000
)

// World is a wave with random registers, and its memory.
type World struct {
	Rand *rand.Rand
	Wave *state.Wave
	Port executor.Ports
	Mem  Memory

	ref *Ref
}

// NewWorld returns a wave of target t with 24 random VGPRs, random SGPRs and M0.
func NewWorld(r *rand.Rand, t gcn.Target, rules state.Rules) *World {
	return (*World)(nil).Renew(r, t, rules)
}

// Renew is like [NewWorld] but reuses the storage of w and its [Ref]. w may be nil.
func (w *World) Renew(r *rand.Rand, t gcn.Target, rules state.Rules) *World {
	if w == nil {
		w = &World{
			Wave: state.NewWave(t, 24), Mem: Memory{NewSpan(Low, LowSize), NewSpan(High, HighSize)},
			Port: executor.Ports{LDS: *NewSpan(0, LDSSize), GDS: *NewSpan(0, GDSSize)},
		}
	} else {
		w.Wave.Reset(t)
		for _, s := range []*executor.Span{w.Mem[0], w.Mem[1], &w.Port.LDS, &w.Port.GDS} {
			fill(s.Bytes)
		}
	}
	w.Rand, w.Port = r, executor.Ports{Mem: w.Mem, LDS: w.Port.LDS, GDS: w.Port.GDS, Rules: rules}
	for i := range w.Wave.V {
		for lane := range w.Wave.V[i] {
			w.Wave.V[i][lane] = r.Uint32()
		}
	}
	for i := range 100 {
		w.Wave.S[i] = r.Uint32()
	}
	w.Wave.S[gcn.M0] = r.Uint32()
	w.Wave.SetExec(w.Exec())
	return w
}

// Exec returns an EXEC mask: often full, sometimes sparse or empty.
func (w *World) Exec() uint64 {
	switch w.Rand.IntN(6) {
	case 0, 1:
		return state.FullExec
	case 2:
		return 1 << w.Rand.IntN(64)
	case 3:
		return w.Rand.Uint64() & w.Rand.Uint64() & w.Rand.Uint64()
	case 4:
		return uint64(w.Rand.Uint32())
	}
	return w.Rand.Uint64()
}

// Set sets each lane of a vector register to f(lane).
func (w *World) Set(reg int, f func(lane int) uint32) {
	for lane := range w.Wave.V[reg] {
		w.Wave.V[reg][lane] = f(lane)
	}
}

// Ref is the reference: a copy of wave and memory on which an instruction is executed byte by byte and lane by lane.
// It reads the register values from before the instruction.
type Ref struct {
	Gen    gcn.Gen
	Driver bool
	RDNA   bool // use the buffer rules of RDNA
	Port   *executor.Ports
	Old    [][64]uint32 // VGPRs before the instruction
	V      [][64]uint32 // VGPRs after it
	OldS   [128]uint32
	S      [128]uint32
	Exec   uint64
	Viol   bool // MEMVIOL
	Fault  bool // an unmapped address was accessed

	notes   map[[2]int]note // by element and lane
	initial map[string][]byte
	written map[string]map[uint64]byte
}

// Names of memory spaces.
const (
	Global = "global"
	LDS    = "lds"
	GDS    = "gds"
)

// NewRef copies the state of w. It replaces w's previous reference.
func NewRef(w *World) *Ref {
	if w.ref == nil {
		w.ref = &Ref{notes: map[[2]int]note{}, initial: map[string][]byte{},
			written: map[string]map[uint64]byte{Global: {}, LDS: {}, GDS: {}}}
	}
	r := w.ref
	r.Gen, r.Driver, r.RDNA, r.Port = w.Wave.Target.Gen(), w.Port.Rules == state.DriverRules,
		w.Port.Rules == state.RDNARules, &w.Port
	r.OldS, r.S, r.Exec, r.Viol, r.Fault = w.Wave.S, w.Wave.S, w.Wave.Exec(), false, false
	clear(r.notes)
	for _, bytesOf := range r.written {
		clear(bytesOf)
	}
	r.Old, r.V = r.Old[:0], r.V[:0]
	for i := range w.Wave.V {
		r.Old = append(r.Old, w.Wave.V[i])
		r.V = append(r.V, w.Wave.V[i])
	}
	for i, s := range w.Mem {
		r.keep(Global+string(rune('0'+i)), s)
	}
	r.keep(LDS, &w.Port.LDS)
	r.keep(GDS, &w.Port.GDS)
	return r
}

// keep copies the content of s.
func (r *Ref) keep(store string, s *executor.Span) {
	r.initial[store] = append(r.initial[store][:0], s.Bytes...)
}

// place returns the range and offset of a byte in a memory space.
func place(space string, addr uint64) (store string, off uint64, ok bool) {
	switch {
	case space == LDS:
		return LDS, addr, addr < LDSSize
	case space == GDS:
		return GDS, addr, addr < GDSSize
	case addr >= Low && addr < Low+LowSize:
		return Global + "0", addr - Low, true
	case addr >= High && addr < High+HighSize:
		return Global + "1", addr - High, true
	}
	return "", 0, false
}

// Read returns n bytes, little-endian.
func (r *Ref) Read(space string, addr uint64, n int) (v uint64) {
	for i := range n {
		a := addr + uint64(i)
		store, off, ok := place(space, a)
		if !ok {
			r.Fault = true
			continue
		}
		b, changed := r.written[space][a]
		if !changed {
			b = r.initial[store][off]
		}
		v |= uint64(b) << (8 * i)
	}
	return v
}

// Write writes n bytes, little-endian.
func (r *Ref) Write(space string, addr uint64, n int, v uint64) {
	for i := range n {
		a := addr + uint64(i)
		if _, _, ok := place(space, a); !ok {
			r.Fault = true
			continue
		}
		r.written[space][a] = byte(v >> (8 * i))
	}
}

// note is the expected access of one element in one lane: its address, and whether it is out of range.
type note struct {
	addr uint64
	out  bool
}

// Note records the expected access for element i of a lane, or dword i of a scalar access.
func (r *Ref) Note(i, lane int, addr uint64, out bool) {
	r.notes[[2]int{i, lane}] = note{addr, out}
}

// CompareAccess compares the access record with the notes.
func (r *Ref) CompareAccess(t testing.TB, a *state.Access, what string) {
	t.Helper()
	for at, want := range r.notes {
		i, lane := at[0], at[1]
		got := note{a.At(i, lane), a.Out[i%len(a.Out)]>>lane&1 != 0}
		if a.Scalar {
			got = note{a.Addr[0] + uint64(4*i), a.Out[0]>>i&1 != 0}
		}
		if got != want {
			t.Fatalf("%s: element %d of lane %d is recorded as %+v, want %+v", what, i, lane, got, want)
		}
	}
}

// Active reports whether a lane is active.
func (r *Ref) Active(lane int) bool { return r.Exec>>lane&1 != 0 }

// Compare checks that w, after executing in, has the state of r. After a fault it only compares the fault.
func (r *Ref) Compare(t testing.TB, w *World, f *state.Fault, what string) {
	t.Helper()
	require.Equal(t, r.Fault, f != nil, "%s: fault %v", what, f)
	if f != nil {
		require.Equal(t, state.FaultMemory, f.Kind, what)
		return
	}
	for i := range r.V {
		for lane, want := range r.V[i] {
			if got := w.Wave.V[i][lane]; got != want {
				t.Fatalf("%s: v%d lane %d is 0x%x, want 0x%x", what, i, lane, got, want)
			}
		}
	}
	if r.S != w.Wave.S {
		require.Equal(t, r.S, w.Wave.S, what)
	}
	require.Equal(t, r.Viol, w.Wave.TrapSts&state.TrapMemViol != 0, "%s: MEMVIOL", what)
	for space, bytesOf := range r.written {
		for addr, b := range bytesOf {
			store, off, _ := place(space, addr)
			r.initial[store][off] = b
		}
	}
	for store, want := range r.initial {
		got := w.Port.LDS.Bytes
		switch store {
		case GDS:
			got = w.Port.GDS.Bytes
		case Global + "0":
			got = w.Mem[0].Bytes
		case Global + "1":
			got = w.Mem[1].Bytes
		}
		if !bytes.Equal(want, got) {
			for i := range want {
				if want[i] != got[i] {
					t.Fatalf("%s: byte 0x%x of %s is 0x%02x, want 0x%02x", what, i, store, got[i], want[i])
				}
			}
		}
	}
}
