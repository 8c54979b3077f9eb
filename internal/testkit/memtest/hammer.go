package memtest

import (
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Hammer executes instructions with random words on random states. An instruction that [executor.Check] accepts must
// execute or fault, must never panic, and must not change inactive lanes.
func Hammer(t *testing.T, encodings ...gcn.Encoding) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	executed := 0
	for _, target := range Targets {
		w := NewWorld(r, target, state.DriverRules)
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			row := isa.RowOf(op)
			for _, e := range encodings {
				if row.Enc != e || !row.On(target) {
					continue
				}
				for range 20 {
					if hammer(t, w, op) {
						executed++
					}
				}
			}
		}
	}
	if executed < 100 {
		t.Errorf("only %d instructions executed", executed)
	}
}

// hammer executes a random form of op if it is acceptable.
func hammer(t *testing.T, w *World, op gcn.Op) bool {
	in, err := isa.New(w.Wave.Target, op, isa.Invalid)
	if err != nil {
		t.Fatal(err)
	}
	for f := range isa.Field(isa.NumFields) {
		_, width := isa.FieldBits(in.Target.Gen(), in.Enc, f)
		if width == 0 {
			continue
		}
		v := int64(w.Rand.Uint64() & (1<<width - 1))
		switch f {
		case isa.ADDR, isa.VDATA, isa.VDST, isa.DATA0, isa.DATA1: // use existing registers
			v %= int64(len(w.Wave.V))
		case isa.SADDR:
			if v&1 != 0 {
				v = isa.NoSADDR
			}
		}
		if set, err := in.Set(f, v); err == nil {
			in = set
		}
	}
	if executor.Check(&in, len(w.Wave.V), nil) != nil {
		return false
	}
	impl := executor.Find(&in)
	if impl.Exec == nil {
		return false
	}
	for i := range w.Wave.S {
		w.Wave.S[i] = w.Rand.Uint32()
	}
	w.Wave.SetExec(w.Exec())
	w.Port.Align = state.Alignment(w.Rand.IntN(4))
	before := make([]state.Lanes, len(w.Wave.V))
	copy(before, w.Wave.V)
	exec := w.Wave.Exec()
	var a state.Access
	_ = impl.Exec(w.Wave, &w.Port, &in, &a)
	if a.Scalar {
		return true
	}
	for reg := range before {
		for lane, v := range before[reg] {
			if exec>>lane&1 == 0 && w.Wave.V[reg][lane] != v {
				t.Fatalf("%v %#x changed v%d of lane %d, which is off", op, in.Words, reg, lane)
			}
		}
	}
	return true
}
