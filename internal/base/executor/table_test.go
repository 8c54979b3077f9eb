package executor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestTable holds a table of the VINTRP and EXP rows against what panics at start-up.
func TestTable(t *testing.T) {
	isExport := OneOf(gcn.EXP)
	none := func(*gcn.Row) (int, bool) { return 0, false }
	all := func(*gcn.Row) (int, bool) { return 1, true }

	table := NewTable(isExport, none, Bindings[int]{"exp": 7})
	in := func(name string) *gcn.Inst {
		in, err := gcn.New(gcn.GFX803, gcn.Ops(name)[0], gcn.Invalid)
		require.NoError(t, err)
		return &in
	}
	to, why := table.Of(in("exp"))
	require.Equal(t, 7, to)
	require.Empty(t, why)
	_, why = table.Of(in("s_nop"))
	require.Contains(t, why, "another executor")
	_, why = table.Of(in("s_setkill"))
	require.Contains(t, why, "killing", "the note of the row")

	for name, build := range map[string]func(){
		"nothing executes exp":                func() { NewTable(isExport, none) },
		"exp is bound twice":                  func() { NewTable(isExport, all, Bindings[int]{"exp": 1}) },
		"exp is bound twice, too":             func() { NewTable(isExport, none, Bindings[int]{"exp": 1, "exp exp": 2}) },
		"not an instruction of this executor": func() { NewTable(isExport, all, Bindings[int]{"s_nop": 1}) },
		"an unknown mnemonic":                 func() { NewTable(isExport, all, Bindings[int]{"expo": 1}) },
		"does not execute": func() {
			NewTable(OneOf(gcn.VINTRP), none,
				Bindings[int]{"v_interp_mov_f32": 1})
		},
	} {
		require.Panics(t, build, name)
	}
	NewTable(OneOf(gcn.VINTRP), none) // all have notes
}

// TestAtomicsExecute finds atomic rows whose operation no executor has.
func TestAtomicsExecute(t *testing.T) {
	for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
		require.NotPanics(t, func() { executes(op.Row()) }, op)
	}
	require.Panics(t, func() {
		executes(&gcn.Row{Name: "ds_add_rtn_f64", Mem: gcn.Mem{Op: gcn.Atomic, Elem: 8, Atomic: gcn.FAdd}})
	})
}

// TestOneExecutorForAnEncoding: a second package that executes an encoding stops the program.
func TestOneExecutorForAnEncoding(t *testing.T) {
	defer func(was [gcn.NumEncodings]func(*gcn.Inst) Impl) { Binders = was }(Binders)
	bind := func(*gcn.Inst) Impl { return Impl{} }
	Executes(bind, gcn.DS)
	require.PanicsWithValue(t, "executor: two packages execute DS", func() { Executes(bind, gcn.EXP, gcn.DS) })
}
