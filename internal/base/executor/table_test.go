package executor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestTable checks a table of the VINTRP and EXP rows, and the mistakes for which NewTable panics.
func TestTable(t *testing.T) {
	isExport := OneOf(isa.EXP)
	none := func(*isa.Row) (int, bool) { return 0, false }
	all := func(*isa.Row) (int, bool) { return 1, true }

	table := NewTable(isExport, none, Bindings[int]{"exp": 7})
	in := func(name string) *isa.Inst {
		in, err := isa.New(gcn.GFX803, isa.Ops(name)[0], isa.Invalid)
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
			NewTable(OneOf(isa.VINTRP), none,
				Bindings[int]{"v_interp_mov_f32": 1})
		},
	} {
		require.Panics(t, build, name)
	}
	NewTable(OneOf(isa.VINTRP), none) // all rows of this encoding have notes
}

// TestAtomicsExecute finds atomic rows whose operation has no executor.
func TestAtomicsExecute(t *testing.T) {
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		require.NotPanics(t, func() { executes(isa.RowOf(op)) }, op)
	}
	require.Panics(t, func() {
		executes(&isa.Row{Name: "ds_add_rtn_f64", Mem: isa.Mem{Op: gcn.Atomic, Elem: 8, Atomic: isa.FAdd}})
	})
}

// TestOneExecutorForAnEncoding: a second executor package for an encoding panics at program start.
func TestOneExecutorForAnEncoding(t *testing.T) {
	defer func(was [isa.NumEncodings]func(*isa.Inst) Impl) { binders = was }(binders)
	bind := func(*isa.Inst) Impl { return Impl{} }
	Executes(bind, isa.DS)
	require.PanicsWithValue(t, "executor: two packages execute DS", func() { Executes(bind, isa.EXP, isa.DS) })
}
