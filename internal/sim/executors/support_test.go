package executors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestSupportIsTheRows compares the executor's fidelity for the plain form of an instruction with its row, on every
// processor. Typed buffer instructions and images are excluded, because theirs depends on formats and samplers.
func TestSupportIsTheRows(t *testing.T) {
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		if r.Enc == isa.MTBUF || r.Enc == isa.MIMG {
			continue
		}
		level, why := gcn.Exact, ""
		if r.Note != nil {
			level, why = r.Note.Level, r.Note.Why
		}
		for target := range gcn.Target(gcn.NumTargets) {
			if s := executor.SupportOf(op, target); s.Exists {
				require.Equal(t, executor.Support{Exists: true, Level: level, Why: why}, s, "%v %v", target, op)
			}
		}
	}
}

// TestSupportOfEveryEncoding finds rows of an encoding for which no executor is registered.
func TestSupportOfEveryEncoding(t *testing.T) {
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		for target := range gcn.Target(gcn.NumTargets) {
			s := executor.SupportOf(op, target)
			require.True(t, !s.Exists || s.Level == gcn.Exact || s.Why != "", "%v %v", target, op)
		}
	}
	require.Nil(t, executor.Find(&isa.Inst{}).Exec)
}
