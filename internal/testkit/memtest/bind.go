package memtest

import (
	"testing"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Bind returns the instruction with the mnemonic, and its executor. It fails the test if the instruction is not
// executable.
func Bind(t testing.TB, target gcn.Target, name string, fields Fields) (executor.Exec, *isa.Inst) {
	t.Helper()
	in := Inst(target, name, fields)
	impl := executor.Find(&in)
	if impl.Exec == nil {
		t.Fatalf("%v does not execute on %v: %s", in, target, impl.Why)
	}
	return impl.Exec, &in
}

// EveryTarget runs a test on a target of each generation.
func EveryTarget(t *testing.T, f func(t *testing.T, target gcn.Target)) {
	for _, target := range Targets {
		t.Run(target.Gen().String(), func(t *testing.T) { f(t, target) })
	}
}

// EveryGen runs a test on each generation.
func EveryGen(t *testing.T, f func(t *testing.T, g gcn.Gen)) {
	EveryTarget(t, func(t *testing.T, target gcn.Target) { f(t, target.Gen()) })
}

// EveryMask benchmarks an instruction with all lanes active, with every other lane, and with one lane.
func EveryMask(b *testing.B, prefix string, exec executor.Exec, w *state.Wave, p *executor.Ports, in *isa.Inst,
	a *state.Access) {
	for _, mask := range []struct {
		name string
		exec uint64
	}{{"full", state.FullExec}, {"half", EveryOther}, {"one", 1 << 40}} {
		b.Run(prefix+"/"+mask.name, func(b *testing.B) {
			b.ReportAllocs()
			w.SetExec(mask.exec)
			for b.Loop() {
				if f := exec(w, p, in, a); f != nil {
					b.Fatal(f)
				}
			}
		})
	}
}

// EveryOther is EXEC with every other lane on.
const EveryOther = 0x5555555555555555
