package memtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Rows are instructions together with a reference implementation.
type Rows struct {
	Of    func(row *isa.Row) bool
	Rules []state.Rules
	// random states for each row, rule set and target, or a sample of them
	States int
	// returns a random form and sets up its operands, so that it mostly accesses mapped memory
	Setup     func(w *World, op gcn.Op) isa.Inst
	Reference func(r *Ref, in isa.Inst)
	Missing   func(in isa.Inst) bool // forms that are not executable; nil if all are
	NoRecord  bool                   // do not compare access records
}

// Compare executes every row on random states and compares the result with the reference.
func (s *Rows) Compare(t *testing.T) {
	for _, target := range Targets {
		for _, rules := range s.Rules {
			t.Run(fmt.Sprintf("%v/%v", target, rules), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(s.States), uint64(target)))
				var w *World
				executed, faults := 0, 0
				for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
					if row := isa.RowOf(op); !row.On(target) || !s.Of(row) {
						continue
					}
					for range States(s.States) {
						w = w.Renew(r, target, rules)
						w.Port.Align = state.Alignment(max(0, r.IntN(8)-3))
						ran, faulted := s.try(t, w, op)
						executed += ran
						faults += faulted
					}
				}
				require.LessOrEqual(t, faults*5, executed, "most accesses must hit mapped memory")
			})
		}
	}
}

// try executes one form of op. It reports whether it was executed, and the number of faults.
func (s *Rows) try(t *testing.T, w *World, op gcn.Op) (ran, faulted int) {
	in := s.Setup(w, op)
	impl := executor.Find(&in)
	require.Equal(t, s.Missing == nil || !s.Missing(in), impl.Exec != nil, "%v: %s", in, impl.Why)
	if impl.Exec == nil {
		require.NotEmpty(t, impl.Why)
		return 0, 0
	}
	ref := NewRef(w)
	s.Reference(ref, in)
	var a state.Access
	what := fmt.Sprintf("%s %#x align %d s8 %08x M0 %#x", in.Row().Name, in.Words, w.Port.Align, ref.OldS[8:12],
		ref.OldS[gcn.M0])
	f := impl.Exec(w.Wave, &w.Port, &in, &a)
	if ref.Compare(t, w, f, what); f != nil {
		return 1, 1
	}
	if !s.NoRecord {
		ref.CompareAccess(t, &a, what)
	}
	return 1, 0
}
