package sim_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// left is the state after a program.
type left struct {
	S                      [isa.NumScalarCodes]uint32
	V                      []state.Lanes
	PC, Executed           uint64
	SCC                    uint32
	Mode                   state.Mode
	VMCnt, EXPCnt, LGKMCnt uint8
	Messages               []state.Message
	Exports                []state.Export
	Ended, AtBarrier       bool
	Memory                 [][]byte
	Result                 sim.Result
	Fault                  string
}

// leaves executes some instructions of all rows on a wave with random registers.
func (x *wild) leaves() (l left, words []uint32) {
	for range 8 {
		words = append(words, x.inst()...)
	}
	x.registers()
	w := x.w
	res, err := x.m.Run(ctx, w, words)
	l = left{
		w.S, slices.Clone(w.V), w.PC, w.Executed, w.SCC, w.Mode, w.VMCnt, w.EXPCnt, w.LGKMCnt, w.Messages, w.Exports,
		w.Ended, w.AtBarrier,
		nil, *res, fmt.Sprint(err),
	}
	for _, b := range x.bufs {
		l.Memory = append(l.Memory, slices.Clone(b.Bytes()))
	}
	return l, words
}

// TestWatchedOrNot executes programs with and without a watcher that sees each instruction. Straight runs, which do
// not update PC and counters, must leave both with the same values and must not include instructions that read them.
func TestWatchedOrNot(t *testing.T) {
	seen := uint64(0)
	for target := range gcn.Target(gcn.NumTargets) {
		for seed := range uint64(memtest.States(20)) {
			alone, watched := newWild(target, 20, seed), newWild(target, 20, seed)
			require.NoError(t, watched.m.Watch(sim.Observer(func(*sim.Event) { seen++ })))
			for range rowsATime {
				want, words := watched.leaves()
				got, _ := alone.leaves()
				if !reflect.DeepEqual(want, got) {
					t.Fatalf("%v, words %08x: watched -, alone +\n%s", target, words, cmp.Diff(want, got))
				}
			}
		}
	}
	require.NotZero(t, seen)
}
